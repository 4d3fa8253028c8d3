// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Complex numbers by residues: three products of residues, and the real and imaginary parts computed from
// them.
#include "numerics/parts.hpp"

#include <cmath>
#include <random>

#include <catch2/catch_test_macros.hpp>

namespace rooftile::residues {
namespace {

using Complex = complex<double>;

/// Whether r is x modulo p with the smallest magnitude.
bool is_residue(std::int32_t r, std::int32_t x, int p) {
  return (x - r) % p == 0 && -p <= 2 * r && 2 * r < p;
}

TEST_CASE("the third factor of two parts is the residue of their sum", "[residues]") {
  int wrong = 0;
  for (const int p : moduli) {
    for (int re = -(p / 2); 2 * re < p; ++re) {
      for (int im = -(p / 2); 2 * im < p; ++im) {
        wrong += factor_of(0, re, im, p) != re || factor_of(1, re, im, p) != im;
        wrong += !is_residue(factor_of(2, re, im, p), re + im, p);
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("parts of complex products are those of three real ones, modulo each number", "[residues]") {
  int wrong = 0;
  for (const int p : moduli) {
    const int least = -(p / 2), most = (p - 1) / 2;
    for (const int n0 : {least, least + 1, -1, 0, 1, most - 1, most}) {
      for (const int n1 : {least, least + 1, -1, 0, 1, most - 1, most}) {
        for (int n2 = least; n2 <= most; ++n2) {
          const auto read = [&](int n) { return n == 0 ? n0 : n == 1 ? n1 : n2; };
          wrong += !is_residue(residue_of_part<Complex>(0, p, read), n0 - n1, p);
          wrong += !is_residue(residue_of_part<Complex>(1, p, read), n2 - n0 - n1, p);
          wrong += residue_of_part<double>(0, p, read) != n0;
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("three products in place of four are exact modulo each number", "[residues]") {
  std::mt19937_64 bits(1);
  int wrong = 0;
  for (const int p : moduli) {
    for (int trial = 0; trial < 1000; ++trial) {
      const auto residue = [&] { return centred(Wide{bits() % 1000}, p); };
      std::int32_t re = 0, im = 0, sums[3] = {};
      for (int k = 0; k < 50; ++k) {
        const std::int32_t ar = residue(), ai = residue(), br = residue(), bi = residue();
        re += ar * br - ai * bi, im += ar * bi + ai * br;
        for (int n = 0; n < 3; ++n) sums[n] += factor_of(n, ar, ai, p) * factor_of(n, br, bi, p);
      }
      const auto read = [&](int n) { return sums[n] % p - (sums[n] % p > (p - 1) / 2 ? p : 0); };
      const auto centred_read = [&](int n) { return read(n) < -(p / 2) ? read(n) + p : read(n); };
      wrong += !is_residue(residue_of_part<Complex>(0, p, centred_read), re, p);
      wrong += !is_residue(residue_of_part<Complex>(1, p, centred_read), im, p);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a complex row has the scale of its parts", "[residues]") {
  const Complex row[] = {{3, -4}, {0.25, 8}, {0, 1}};
  const double parts[] = {3, -4, 0.25, 8, 0, 1};
  const RowScale scale = scale_of_row(row_major<const Complex>(row, 1, 3), 0);
  const RowScale real = scale_of_row(row_major<const double>(parts, 1, 6), 0);
  CHECK((scale.squares == real.squares && scale.exponent == 3 && real.exponent == 3));
  CHECK((scale.depth == real.depth && scale.depth == 5));
  CHECK((part_count<Complex> == parts_of(Type::cfp64) && part_count<double> == parts_of(Type::fp64)));
  CHECK((product_count<Complex> == products_of(Type::cfp64) &&
         product_count<double> == products_of(Type::fp64)));
}

TEST_CASE("C is read where beta is not 0", "[residues]") {
  const Complex alpha(2, -3), sum(5, 7), beta(-1, 4), c(6, 8);
  const auto read = [&] { return c; };
  const auto not_read = []() -> Complex { return {std::nan(""), std::nan("")}; };
  CHECK(scaled_sum(alpha, sum, beta, read) == alpha * sum + beta * c);
  CHECK(scaled_sum(alpha, sum, Complex(0), not_read) == alpha * sum);
  CHECK(scaled_sum(alpha, sum, Complex(0, 1), read) == alpha * sum + Complex(-8, 6));
  CHECK(scaled_sum(2.0, 5.0, 3.0, [] { return 4.0; }) == 22);
  CHECK(scaled_sum(2.0, 5.0, 0.0, [] { return std::nan(""); }) == 10);
  const Complex exact(0x1p-1074, -0x1.fffffffffffffp1023);
  CHECK(scaled_sum(Complex(1), exact, Complex(0), not_read) == exact);
}

}  // namespace
}  // namespace rooftile::residues
