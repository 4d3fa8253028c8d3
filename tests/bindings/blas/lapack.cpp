// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// lapack_blas LIBRARY: LU by a LAPACK that calls Rooftile's dgemm_. The residuals must be within their
// bounds.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include "rooftile/matrix.hpp"

namespace rooftile::testing {
namespace {

using Int = std::int32_t;

/// LAPACK's routines, found in the library.
struct Lapack {
  void (*getrf)(const Int* m, const Int* n, double* a, const Int* lda, Int* pivots, Int* info);
  void (*getrs)(const char* trans, const Int* n, const Int* rhs, const double* lu, const Int* ldlu,
                const Int* pivots, double* b, const Int* ldb, Int* info);
  void (*gerfs)(const char* trans, const Int* n, const Int* rhs, const double* a, const Int* lda,
                const double* lu, const Int* ldlu, const Int* pivots, const double* b, const Int* ldb,
                double* x, const Int* ldx, double* forward, double* backward, double* work, Int* iwork,
                Int* info);
};

constexpr Int size = 300;  // several of LAPACK's blocks
constexpr double u = 0x1p-53;

using Vector = std::vector<double>;

/// A column-major matrix.
MatrixRef<const double> matrix(const Vector& x) {
  return column_major(x.data(), size, size, size);
}

/// The ways to scale the matrices.
constexpr std::string_view kinds[] = {"uniform", "rows", "columns", "both", "elements", "huge element"};

Vector matrix_of(std::string_view kind, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::normal_distribution<double> normal;
  Vector rows(size, 1), columns(size, 1);
  const auto power = [&] { return std::ldexp(1, static_cast<int>(random() % 121) - 60); };
  if (kind == "rows" || kind == "both") std::generate(rows.begin(), rows.end(), power);
  if (kind == "columns" || kind == "both") std::generate(columns.begin(), columns.end(), power);
  Vector a;
  for (const double column : columns) {
    for (const double row : rows) {
      const double x = uniform(random);
      a.push_back(x * row * column * (kind == "elements" ? std::exp(3 * normal(random)) : 1));
    }
  }
  if (kind == "huge element") a[7 * size + 5] = 0x1p50;
  return a;
}

/// max |P·A - L·U|ij / (n·u·(|L|·|U|)ij): at most 1 in theory, and about 0.1 because roundings cancel.
double factorization_error(const Vector& a, const Vector& lu, const std::vector<Int>& pivots) {
  Vector swapped = a;
  const auto rows = column_major(swapped.data(), size, size, size);
  for (Index i = 0; i < size; ++i) {
    const Index pivot = pivots[static_cast<std::size_t>(i)] - 1;
    for (Index j = 0; j < size; ++j) std::swap(rows(i, j), rows(pivot, j));
  }
  const auto factors = matrix(lu);
  double worst = 0;
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) {
      long double rest = rows(i, j), magnitude = 0;
      for (Index k = 0; k <= std::min(i, j); ++k) {
        const long double l = k == i ? 1 : factors(i, k), product = l * factors(k, j);
        rest -= product, magnitude += std::abs(product);
      }
      if (magnitude > 0)
        worst = std::max(worst, static_cast<double>(std::abs(rest) / (size * u * magnitude)));
    }
  }
  return worst;
}

/// max |b - A·x|: per row relative to (|A|·|x| + |b|)i, and HPL's residual, which uses norms.
struct Residuals {
  double of_rows, hpl;
};
Residuals residuals(const Vector& a, const Vector& x, const Vector& b) {
  const auto A = matrix(a);
  long double of_rows = 0, rest_max = 0, a_norm = 0, x_norm = 0, b_norm = 0;
  const auto X = column_major(x.data(), size, 1, size), B = column_major(b.data(), size, 1, size);
  for (Index i = 0; i < size; ++i) {
    long double rest = B(i, 0), magnitude = std::abs(B(i, 0)), row = 0;
    for (Index k = 0; k < size; ++k) {
      const long double product = static_cast<long double>(A(i, k)) * static_cast<long double>(X(k, 0));
      rest -= product, magnitude += std::abs(product), row += std::abs(A(i, k));
    }
    of_rows = std::max(of_rows, std::abs(rest) / magnitude);
    rest_max = std::max(rest_max, std::abs(rest)), a_norm = std::max(a_norm, row);
    x_norm = std::max<long double>(x_norm, std::abs(X(i, 0))),
    b_norm = std::max<long double>(b_norm, std::abs(B(i, 0)));
  }
  return {static_cast<double>(of_rows),
          static_cast<double>(rest_max / (2 * u * (a_norm * x_norm + b_norm) * size))};
}

/// Solves a system and prints the residuals.
/// @return whether all residuals are within their bounds
bool holds(const Lapack& lapack, std::string_view kind) {
  std::mt19937_64 random(20);
  const Vector a = matrix_of(kind, random);
  Vector lu = a, b(size);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& each : b) each = uniform(random);
  Vector x = b;
  std::vector<Int> pivots(size);
  Int info = 0;
  const Int one = 1;
  lapack.getrf(&size, &size, lu.data(), &size, pivots.data(), &info);
  if (info != 0) return std::printf("dgetrf ends with %d\n", info), false;
  lapack.getrs("N", &size, &one, lu.data(), &size, pivots.data(), x.data(), &size, &info);
  const double error = factorization_error(a, lu, pivots), hpl = residuals(a, x, b).hpl;
  Vector work(3 * size);
  std::vector<Int> iwork(size);
  double forward = 0, backward = 0;
  lapack.gerfs("N", &size, &one, a.data(), &size, lu.data(), &size, pivots.data(), b.data(), &size, x.data(),
               &size, &forward, &backward, work.data(), iwork.data(), &info);
  const double refined = residuals(a, x, b).of_rows / (2 * u);
  std::printf("%s: LU %.3f of its bound, HPL's residual %.3f, rows' refined %.2f\n", kind.data(), error, hpl,
              refined);
  return error < 0.2 && hpl < 16 && refined < 4;
}

}  // namespace
}  // namespace rooftile::testing

int main(int argc, char** argv) {
  using namespace rooftile::testing;
  void* const library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) return std::printf("lapack_blas LIBRARY (%s)\n", dlerror()), 2;
  Lapack lapack{};
  const auto find = [&]<class F>(F& f, const char* name) {
    return (f = reinterpret_cast<F>(dlsym(library, name))) != nullptr;
  };
  if (!find(lapack.getrf, "dgetrf_") || !find(lapack.getrs, "dgetrs_") || !find(lapack.gerfs, "dgerfs_"))
    return std::printf("%s lacks a routine\n", argv[1]), 2;
  int wrong = 0;
  for (const std::string_view kind : kinds) wrong += holds(lapack, kind) ? 0 : 1;
  return wrong == 0 ? 0 : 1;
}
