// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// 16-bit elements on CPUs, without Kokkos: vectors that widen and round, and pairs of bf16 elements.
#include <bit>
#include <cmath>

#include <catch2/catch_template_test_macros.hpp>

#include "cpu/bf16_dot.hpp"
#include "cpu/grid.hpp"
#include "cpu/narrow.hpp"
#include "tests/cpu/padded.hpp"
#include "tests/support/multiply.hpp"

namespace rooftile {
namespace {

using namespace portable;
using testing::number, testing::Padded, testing::pick, testing::Random;

/// Conversions of vectors with N lanes must give the bits of a scalar conversion.
template <class E, class V>
void check_conversions(Random& random) {
  Index wrong = 0;
  for (std::uint32_t bits = 0; bits < 1U << 16; bits += V::lanes) {
    E narrow[V::lanes];
    float wide[V::lanes];
    for (int l = 0; l < V::lanes; ++l) narrow[l].bits = static_cast<std::uint16_t>(bits + l);
    V::store(wide, load_wide<V>(narrow));
    for (int l = 0; l < V::lanes; ++l) {
      const float one = narrow[l];
      wrong += std::bit_cast<std::uint32_t>(wide[l]) == std::bit_cast<std::uint32_t>(one) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  for (int trial = 0; trial < 200'000; ++trial) {
    E narrow[V::lanes];
    float wide[V::lanes];
    for (float& x : wide) {
      auto bits = static_cast<std::uint32_t>(random());
      if (trial % 2 == 0) bits &= 0xFFFFF000U;  // often a tie
      if (trial % 4 > 1)
        bits = (bits & 0x807FFFFFU) | static_cast<std::uint32_t>(pick(random, 90, 150)) << 23;
      x = std::bit_cast<float>(bits);
    }
    store_narrow<V>(narrow, V::load(wide));
    for (int l = 0; l < V::lanes; ++l) wrong += narrow[l].bits == E(wide[l]).bits ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("vectors widen and round as numbers do", "[cpu]", float16, bfloat16) {
  Random random(testing::seed);
  check_conversions<TestType, Simd<float>>(random);
  check_conversions<TestType, Simd<float, 4>>(random);
  check_conversions<TestType, Simd<float, 2>>(random);
}

TEMPLATE_TEST_CASE("C of 16 bits is updated where it is, and rounded once", "[cpu]", float16, bfloat16) {
  Random random(testing::seed);
  for (int trial = 0; trial < 1000; ++trial) {
    const Index rows = pick(random, 1, 9), cols = pick(random, 1, 50), ld = cols + pick(random, 0, 3);
    const auto alpha = number<float>(random, -1, 2), beta = number<float>(random, -1, 1);
    const Padded<TestType> c(random, rows, cols, pick(random, 0, 1) == 0, pick(random, 1, 2), beta != 0);
    std::vector<float> sums(static_cast<std::size_t>(rows * ld));
    for (float& x : sums) x = number<float>(random, -5000, 5000);
    const std::vector<TestType> before = c.memory;
    update_by_rows(c.at, alpha, sums.data(), ld, beta);
    INFO("seed " << testing::seed << ", trial " << trial << ": " << c.at << ", ld " << ld << ", beta "
                 << beta);
    REQUIRE(c.only_elements());
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) {
        const auto was = static_cast<std::size_t>(&c.at(i, j) - c.memory.data());
        const float sum = alpha * sums[static_cast<std::size_t>(i * ld + j)];
        REQUIRE(c.at(i, j) == static_cast<TestType>(beta == 0 ? sum : sum + beta * before[was]));
      }
    }
  }
}

/// Micropanels of pairs with all rows of X. Their memory holds subnormal numbers before it is packed.
struct PairsOf {
  std::vector<float> memory;
  Micropanels<float> panels;

  PairsOf(const MatrixRef<const bfloat16>& X, int width)
      : memory(static_cast<std::size_t>(ceil_div(X.rows, width) * pairs_size(width, X.cols)), 1e-40F),
        panels{{memory.data(), 1, width}, pairs_size(width, X.cols), true} {
    pack_pairs(X, width, 0, ceil_div(X.rows, width), memory.data());
  }
};

TEST_CASE("micropanels of pairs have zeros where there are no rows, and behind an odd K", "[cpu]") {
  Random random(testing::seed);
  const TileShape own = cache_blocks<float>();
  for (int trial = 0; trial < 1000; ++trial) {
    const int width = pick(random, 0, 1) == 0 ? own.tm : own.tn;
    const Index rows = pick(random, 1, 3 * width + 1), kc = pick(random, 0, 90);
    const Padded<bfloat16> x(random, rows, kc, pick(random, 0, 1) == 0, pick(random, 1, 2), true);
    const PairsOf pairs(x.at, width);
    INFO("seed " << testing::seed << ", trial " << trial << ": " << x.at << " in panels of " << width);
    Index wrong = 0;
    for (Index row = 0; row < ceil_div(rows, width) * width; ++row) {
      for (Index k = 0; k < (kc + 1) / 2 * 2; ++k) {
        const float pair = pairs.panels[row / width].data[k / 2 * width + row % width];
        const auto bits = std::bit_cast<std::uint32_t>(pair) >> (k % 2 * 16) & 0xFFFFU;
        wrong += bits == (row < rows && k < kc ? x.at(row, k).bits : 0U) ? 0 : 1;
      }
    }
    REQUIRE(wrong == 0);
    for (Index panel = 0; panel < ceil_div(rows, width); ++panel) {
      int smallest = 255;
      for (Index row = panel * width; row < std::min(rows, (panel + 1) * width); ++row) {
        for (Index k = 0; k < kc; ++k) {
          if (x.at(row, k) != 0) smallest = std::min(smallest, x.at(row, k).bits >> 7 & 0xFF);
        }
      }
      REQUIRE(std::bit_cast<int>(pairs.panels[panel].data[pairs.panels.next - pack_slack]) == smallest);
    }
  }
}

TEST_CASE("pairs of all exponents are multiplied exactly where their sums are numbers of fp32", "[cpu]") {
  Random random(testing::seed);
  for (int trial = 0; trial < 4000; ++trial) {
    const GemmShape shape{pick(random, 1, 30), pick(random, 1, 70), pick(random, 0, 40)};
    const Padded<bfloat16> a(random, shape.m, shape.k, pick(random, 0, 1) == 0, 1, true),
        b(random, shape.n, shape.k, pick(random, 0, 1) == 0, 1, true);
    const Padded<float> c(random, shape.m, shape.n, true, 1, false);
    // Elements are integers times 2^of_a or 2^of_b. Their products are multiples of fp32's smallest subnormal
    // number, 2⁻¹⁴⁹.
    const int of_a = static_cast<int>(pick(random, -133, 20));
    const int of_b = static_cast<int>(pick(random, std::max(-133, -149 - of_a), 20));
    const auto scaled = [](const Padded<bfloat16>& x, int exponent) {
      for (Index i = 0; i < x.at.rows; ++i) {
        for (Index k = 0; k < x.at.cols; ++k) x.at(i, k) = bfloat16(std::ldexp(x.at(i, k), exponent));
      }
    };
    scaled(a, of_a), scaled(b, of_b);
    const PairsOf of_rows(a.at, cache_blocks<float>().tm), of_columns(b.at, cache_blocks<float>().tn);
    multiply_pairs(of_rows.panels, of_columns.panels, shape.k, c.at, 1, 0);
    INFO("seed " << testing::seed << ", trial " << trial << ": " << to_string(shape) << ", exponents " << of_a
                 << " and " << of_b);
    REQUIRE(c.only_elements());
    Index wrong = 0;
    for (Index i = 0; i < shape.m; ++i) {
      for (Index j = 0; j < shape.n; ++j) {
        double sum = 0;
        for (Index k = 0; k < shape.k; ++k) sum += static_cast<double>(a.at(i, k)) * b.at(j, k);
        wrong += c.at(i, j) == sum ? 0 : 1;
      }
    }
    REQUIRE(wrong == 0);
  }
}

TEST_CASE("a difference of pairs' products is kept where it falls below the normal numbers", "[cpu]") {
  for (int exponent = -149; exponent < -100; ++exponent) {
    const auto at = [](float x, int e) { return bfloat16(std::ldexp(x, e)); };
    // 145·145 − 144·146 = 1
    const bfloat16 a[] = {at(145, -60), at(144, -60)},
                   b[] = {at(145, exponent + 60), at(-146, exponent + 60)};
    const PairsOf row(row_major(a, 1, 2), cache_blocks<float>().tm),
        column(row_major(b, 1, 2), cache_blocks<float>().tn);
    float c = Padded<float>::nan;
    multiply_pairs(row.panels, column.panels, 2, row_major(&c, 1, 1), 1, 0);
    INFO("2 to the " << exponent);
    CHECK(c == std::ldexp(1.0F, exponent));
  }
}

}  // namespace
}  // namespace rooftile
