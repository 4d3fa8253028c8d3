// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Random wrong calls: each throws an Error and leaves all memory unchanged, or it computes the right result.
#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "plan/prepare.hpp"
#include "rooftile/gemm.hpp"
#include "rooftile/tuning.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"
#include "tests/support/multiply.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

constexpr std::uint64_t misuse_seed = 20261122;

/// Adds the offsets of all elements of a batch in shared memory.
/// @return false if two elements have one offset
bool reach(const MatrixRef<float>& X, Index count, Index stride, const float* memory,
           std::set<Index>& offsets) {
  bool distinct = true;
  for (Index p = 0; p < count; ++p) {
    for (Index i = 0; i < X.rows; ++i) {
      for (Index j = 0; j < X.cols; ++j) distinct &= offsets.insert(&X(i, j) - memory + p * stride).second;
    }
  }
  return distinct;
}

TEST_CASE("operands anywhere in one memory are computed exactly, or refused and left alone", "[misuse]") {
  constexpr Index size = 600, margin = 4000;
  std::mt19937_64 bits(misuse_seed);
  const auto between = [&](Index low, Index high) {
    return std::uniform_int_distribution<Index>(low, high)(bits);
  };
  int computed = 0, refusals = 0, needless = 0;
  for (int trial = 0; trial < 40000; ++trial) {
    std::vector<float> memory(size + 2 * margin);
    for (float& x : memory) x = static_cast<float>(between(-3, 3));
    const std::vector<float> before = memory;
    // Most shapes conform. Most strides are those of rows or columns of a parent matrix.
    const Index m = between(0, 6), n = between(0, 6), k = between(0, 6);
    const auto extent = [&](Index usual) { return between(0, 40) == 0 ? between(0, 6) : usual; };
    const auto matrix = [&](Index rows, Index cols) {
      const Index ld = between(4, 12);
      MatrixRef<float> X{memory.data() + margin + between(0, size), extent(rows), extent(cols), ld, 1};
      switch (between(0, 5)) {
        case 0:
          X.row_stride = between(-20, 20), X.col_stride = between(-20, 20);
          break;
        case 1:
        case 2:
          std::swap(X.row_stride, X.col_stride);
          break;
        case 3:
          X.row_stride = -ld;
          break;
        default:
          break;
      }
      return X;
    };
    const MatrixRef<float> A = matrix(m, k), B = matrix(k, n), C = matrix(m, n);
    const Index count = between(0, 2) == 0 ? between(0, 4) : 1;
    const auto stride = [&] { return between(0, 3) == 0 ? 0 : between(-120, 120); };
    const Index stride_a = stride(), stride_b = stride(), stride_c = stride();
    const float alpha = static_cast<float>(between(-1, 1)), beta = static_cast<float>(between(-1, 1));
    INFO("trial " << trial << " seed " << misuse_seed << ": A " << A << ", B " << B << ", C " << C
                  << ", count " << count << " strides " << stride_a << ' ' << stride_b << ' ' << stride_c);

    std::set<Index> of_c, of_a, of_b;
    const bool conform = A.rows == C.rows && B.cols == C.cols && A.cols == B.rows;
    const bool distinct = reach(C, count, stride_c, memory.data(), of_c);
    reach(A, count, stride_a, memory.data(), of_a);
    reach(B, count, stride_b, memory.data(), of_b);
    const auto meets = [&](const std::set<Index>& others) {
      return std::any_of(others.begin(), others.end(), [&](Index at) { return of_c.contains(at); });
    };
    const bool nothing = C.rows == 0 || C.cols == 0 || count == 0, reads = alpha != 0;
    const bool allowed = conform && (nothing || (distinct && !(reads && (meets(of_a) || meets(of_b)))));

    const std::string refusal = refused([&] {
      gemm_strided_batched(instance(), alpha, MatrixRef<const float>(A), stride_a, MatrixRef<const float>(B),
                           stride_b, beta, C, stride_c, count);
    });
    if (!refusal.empty()) {
      CHECK(memory == before);
      ++refusals;
      if (allowed) {  // else overlapping address ranges suffice
        const auto of = [&](const char* name, const MatrixRef<float>& X) {
          return overlap_with<float>(name, X, C);
        };
        CHECK((refusal == of("A", A) || refusal == of("B", B) || refusal == products_overlap(C, stride_c)));
        ++needless;
      }
      continue;
    }
    CHECK(allowed);
    if (!allowed) continue;
    ++computed;
    std::vector<float> expected = before;
    for (Index p = 0; p < count; ++p) {
      for (Index i = 0; i < C.rows; ++i) {
        for (Index j = 0; j < C.cols; ++j) {
          const auto at = [&](const MatrixRef<float>& X, Index offset, Index row, Index col) {
            return before[static_cast<std::size_t>(&X(row, col) - memory.data() + offset)];
          };
          float sum = 0;
          for (Index l = 0; l < A.cols; ++l) sum += at(A, p * stride_a, i, l) * at(B, p * stride_b, l, j);
          expected[static_cast<std::size_t>(&C(i, j) - memory.data() + p * stride_c)] =
              alpha * sum + (beta == 0 ? 0 : beta * at(C, p * stride_c, i, j));
        }
      }
    }
    CHECK(memory == expected);
  }
  CHECK(computed > 5000);
  CHECK(refusals > 5000);
  CHECK(needless < refusals / 10);
}

TEST_CASE("the checks hold for extents and strides of any size", "[misuse]") {
  constexpr Index most = std::numeric_limits<Index>::max(), least = std::numeric_limits<Index>::min();
  const Index numbers[] = {0,        1,        2,        -1,       3,    Index{1} << 31, Index{1} << 32,
                           most / 8, most / 4, most / 2, most - 1, most, least,          least + 1};
  std::mt19937_64 bits(misuse_seed);
  const auto number = [&] { return bits() % 2 == 0 ? Index{2} : numbers[bits() % std::size(numbers)]; };
  float memory[64] = {};
  int refusals = 0;
  for (int trial = 0; trial < 200000; ++trial) {
    const auto matrix = [&](float* data, Index rows, Index cols) {
      return MatrixRef<float>{bits() % 16 == 0 ? nullptr : data, rows, cols, number(), number()};
    };
    const Index m = number(), n = number(), k = number(), count = bits() % 4 == 0 ? number() : 1;
    const MatrixRef<float> A = matrix(memory, m, k), B = matrix(memory + 16, k, n),
                           C = matrix(memory + 32, m, n);
    const Index stride_a = number(), stride_b = number(), stride_c = number();
    // Nothing is computed: this tests only the checks.
    const std::string refusal = refused([&] {
      static_cast<void>(
          detail::prepared(BatchArgs<float>{{1, A, B, 0, C}, {count, stride_a, stride_b, stride_c}}));
    });
    refusals += refusal.empty() ? 0 : 1;
    static_cast<void>(refused([&] { static_cast<void>(explain<float>(instance(), {m, n, k}, {}, count)); }));
  }
  CHECK(refusals > 50000);
}

TEST_CASE("null data is no error where there is nothing to read or write", "[misuse]") {
  const auto multiply = [](float* c, const GemmShape& s, float alpha = 1) {
    gemm(instance(), alpha, row_major<const float>(nullptr, s.m, s.k),
         row_major<const float>(nullptr, s.k, s.n), 2, row_major(c, s.m, s.n));
  };
  multiply(nullptr, {0, 0, 0}), multiply(nullptr, {0, 0, 2});
  float x[4] = {3};
  multiply(x, {2, 2, 0});
  CHECK(x[0] == 6);
  multiply(x, {2, 2, 2}, 0);
  CHECK(x[0] == 12);
}

TEST_CASE("kernels, tiles and modes that do not go together are refused", "[misuse]") {
  const std::vector<float> a(64 * 64, 1);
  std::mt19937_64 bits(misuse_seed);
  const int numbers[] = {-1, 0, 1, 7, 8, 16, 32, 64, 128, 2000000000};
  const auto number = [&] { return numbers[bits() % std::size(numbers)]; };
  TuningTable foreign{"another device",
                      {{Path::portable, ComputeMode::fp32, {64, 64, 64}, {}, Kernel::tiled, {}, 1, 1}}};
  int computed = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    GemmOptions options;
    options.kernel = static_cast<Kernel>(static_cast<int>(bits() % (rung_count + 3)) - 2);
    if (bits() % 2 == 0)
      options.tile = {number(), number(), number(), bits() % 2 == 0 ? 1 : number(),
                      bits() % 2 == 0 ? 1 : number()};
    if (bits() % 2 == 0)
      options.math = static_cast<ComputeMode>(static_cast<int>(bits() % (mode_count + 3)) - 2);
    if (bits() % 4 == 0) options.tuning = &foreign;
    std::vector<float> c(64 * 64, 7);
    const std::string refusal = refused([&] {
      gemm(instance(), 1, row_major(a.data(), 64, 64), row_major(a.data(), 64, 64), 0,
           row_major(c.data(), 64, 64), options);
    });
    INFO("trial " << trial << " kernel " << static_cast<int>(options.kernel) << " math "
                  << static_cast<int>(options.math) << " tile " << to_string(options.tile) << " by "
                  << options.tile.tm << "x" << options.tile.tn << ": " << refusal);
    CHECK(c == std::vector<float>(c.size(), refusal.empty() ? 64.0F : 7.0F));
    if (!refusal.empty()) CHECK(refusal.find("): ") != refusal.npos);
    computed += refusal.empty() ? 1 : 0;
  }
  CHECK(computed > 50);
  CHECK_FALSE(refused([&] {
                gemm(instance(), 1, MatrixRef<const float>{}, MatrixRef<const float>{}, 0, MatrixRef<float>{},
                     {.kernel = static_cast<Kernel>(999)});
              }).empty());  // for an empty product, too
}

TEST_CASE("Views of all layouts, slices and subviews are multiplied", "[misuse]") {
  instance();
  using Right = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using Left = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace>;
  const Right a("a", 20, 30), c("c", 20, 20);
  const Left b("b", 30, 20);
  for (int i = 0; i < 20; ++i) {
    for (int l = 0; l < 30; ++l) a(i, l) = i - l, b(l, i) = i + 2 * l;
  }
  const auto is_product = [](const auto& A, const auto& B, const auto& C) {
    for (std::size_t i = 0; i < C.extent(0); ++i) {
      for (std::size_t j = 0; j < C.extent(1); ++j) {
        double sum = 0;
        for (std::size_t l = 0; l < A.extent(1); ++l) sum += A(i, l) * B(l, j);
        if (C(i, j) != sum) return false;
      }
    }
    return true;
  };
  gemm(instance(), 1, Right::const_type(a), Left::const_type(b), 0, c);
  CHECK(is_product(a, b, c));
  gemm(instance(), 1, Strided(a), Strided(b), 0, Strided(c));
  CHECK(is_product(a, b, c));

  using Kokkos::subview, Kokkos::make_pair, Kokkos::ALL;
  const Kokkos::View<double***, Kokkos::LayoutLeft, Kokkos::HostSpace> cube("cube", 20, 3, 20);
  const auto slice = subview(cube, ALL, 1, ALL);
  gemm(instance(), 1, a, b, 0, slice);
  CHECK(is_product(a, b, slice));
  const auto low = subview(c, make_pair(0, 7), make_pair(3, 11)),
             high = subview(c, make_pair(7, 15), make_pair(3, 11));
  gemm(instance(), 1, subview(a, make_pair(0, 7), ALL), subview(b, ALL, make_pair(3, 11)), 0, low);
  CHECK(is_product(subview(a, make_pair(0, 7), ALL), subview(b, ALL, make_pair(3, 11)), low));
  gemm(instance(), 1, low, high, 0,
       subview(c, make_pair(0, 7), make_pair(12, 20)));  // next to both in one parent
  CHECK(is_product(low, high, subview(c, make_pair(0, 7), make_pair(12, 20))));
  const Right none{};
  gemm(instance(), 1, none, none, 0, none);
  // A View whose columns all share one address.
  const Strided again(a.data(), Kokkos::LayoutStride(20, 30, 30, 0));
  gemm(instance(), 1, again, b, 0, c);
  CHECK(is_product(again, b, c));
}

}  // namespace
}  // namespace rooftile::testing
