// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What CPUs compute, without Kokkos: the loops round the blocks by teams of threads, with blocks so
// small that small products have edges of all of them, in integers, whose sums are exact.
#include <array>
#include <barrier>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include <catch2/catch_template_test_macros.hpp>

#include "backends/openmp/five_loops.hpp"
#include "backends/openmp/micro_kernel.hpp"
#include "backends/openmp/narrow.hpp"
#include "backends/openmp/pairs.hpp"
#include "tests/support/multiply.hpp"

namespace rooftile {
namespace {

using namespace portable;
using Random = std::mt19937_64;

Index pick(Random& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

/// A small integer.
template <class T>
T number(Random& random, Index low, Index high) {
  return static_cast<T>(static_cast<Scalar<T>>(pick(random, low, high)));
}

/// One of some threads that share a product.
struct Member {
  int number, threads;
  std::barrier<>& meeting;

  int rank() const { return number; }
  int size() const { return threads; }
  void barrier() const { meeting.arrive_and_wait(); }
};

/// A matrix in memory of its own, NaN before, behind and between its rows or columns, its elements integers.
template <class T>
struct Padded {
  static constexpr Index front = 64;
  inline static const T nan = std::numeric_limits<T>::quiet_NaN();

  MatrixRef<T> at;
  std::vector<T> memory;

  /// @param step  elements from one to the next along a row, or a column; 1: contiguous
  Padded(Random& random, Index rows, Index cols, bool by_rows, Index step, bool with_values) {
    const Index ld = (by_rows ? cols : rows) * step + pick(random, 0, 3);
    memory.assign(static_cast<std::size_t>(2 * front + ld * (by_rows ? rows : cols)), nan);
    at = {memory.data() + front, rows, cols, by_rows ? ld : step, by_rows ? step : ld};
    if (!with_values) return;
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) at(i, j) = number<T>(random, -4, 4);
    }
  }

  /// Whether there are numbers in the matrix, and nowhere else.
  bool only_elements() const {
    Index numbers = 0;
    for (const T& x : memory) numbers += x == x;
    bool all = numbers == at.rows * at.cols;
    for (Index i = 0; i < at.rows; ++i) {
      for (Index j = 0; j < at.cols; ++j) all = all && at(i, j) == at(i, j);
    }
    return all;
  }
};

/// A product of small integers, and what is right.
template <class T>
struct Product {
  Padded<T> a, b, c;
  GemmArgs<T> args;
  std::vector<T> right;

  Product(Random& random, const GemmShape& s, bool a_by_rows, bool b_by_rows)
      : Product(random, s, a_by_rows, b_by_rows, number<Scalar<T>>(random, -1, 1)) {}

  /// What is wrong with C; empty if nothing is.
  std::string fault() const {
    std::size_t next = 0;
    for (Index i = 0; i < c.at.rows; ++i) {
      for (Index j = 0; j < c.at.cols; ++j) {
        if (!(c.at(i, j) == right[next++])) return detail::text("wrong at (", i, ", ", j, ")");
      }
    }
    return c.only_elements() ? "" : "wrote outside C";
  }

 private:
  Product(Random& random, const GemmShape& s, bool a_by_rows, bool b_by_rows, Scalar<T> beta)
      : a(random, s.m, s.k, a_by_rows, 1, true),
        b(random, s.k, s.n, b_by_rows, 1, true),
        c(random, s.m, s.n, pick(random, 0, 3) > 0, pick(random, 0, 3) > 0 ? 1 : 2, beta != 0),
        args{number<Scalar<T>>(random, 1, 2), a.at, b.at, beta, c.at} {
    std::vector<T> copy = c.memory;
    GemmArgs<T> to_copy = args;
    to_copy.C.data = copy.data() + Padded<T>::front;
    testing::multiply(to_copy);
    for (Index i = 0; i < s.m; ++i) {
      for (Index j = 0; j < s.n; ++j) right.push_back(to_copy.C(i, j));
    }
  }
};

/// Runs a plan with so many threads, in a workspace of NaN.
template <class T>
void run(const GemmArgs<T>& args, Plan plan, int threads) {
  const WorkspaceSize size = fit_workspace(args.shape(), plan, threads, Index{1} << 24);
  using Sum = Scalar<T>;
  std::vector<Sum> memory(static_cast<std::size_t>(size.elements()) + 16, Padded<Sum>::nan);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const Workspace<Sum> space{memory.data() + (cache_line - address % cache_line) % cache_line / sizeof(Sum),
                             size};
  std::barrier meeting(threads);
  std::vector<std::jthread> team;
  for (int rank = 0; rank < threads; ++rank) {
    team.emplace_back([&, rank] { multiply(Member{rank, threads, meeting}, args, plan, space); });
  }
}

/// Blocks of two micro-tiles and K of 12 at a time.
template <class T>
TileShape small_blocks() {
  const TileShape own = cache_blocks<Scalar<T>>();
  return {2 * own.tm, 2 * own.tn, 12, own.tm, own.tn};
}

template <class T>
std::string described(const GemmArgs<T>& args, const Plan& plan, int threads) {
  return detail::text("seed ", testing::seed, ": ", to_string(args.shape()), " strides ", args.A.row_stride,
                      ' ', args.A.col_stride, ", ", args.B.row_stride, ' ', args.B.col_stride, ", ",
                      args.C.row_stride, ' ', args.C.col_stride, ", alpha ", args.alpha, ", beta ", args.beta,
                      ", packs ", plan.pack_a, plan.pack_b, ", slices ", plan.slices, ", threads ", threads);
}

TEMPLATE_TEST_CASE("packed or in place, by any number of threads, in slices of K or not", "[cpu]", float,
                   double, float16, bfloat16) {
  Random random(testing::seed);
  const TileShape blocks = small_blocks<TestType>();
  const auto extent = [&](Index edge) {  // often at the edge of a block
    return std::max<Index>(1, pick(random, 0, 1) == 0 ? pick(random, 1, 3) * edge + pick(random, -1, 1)
                                                      : pick(random, 1, 3 * edge));
  };
  for (int trial = 0; trial < 1500; ++trial) {
    const GemmShape shape{extent(blocks.tm), extent(blocks.tn), extent(12)};
    const bool b_by_rows = pick(random, 0, 1) == 0;
    const Product<TestType> product(random, shape, pick(random, 0, 1) == 0, b_by_rows);
    const bool must_pack_b = !b_by_rows || shape.n < blocks.tn / 2;
    const int threads = static_cast<int>(pick(random, 1, 5));
    Plan plan{};
    plan.blocks = blocks;
    plan.pack_a = Element16<TestType> || pick(random, 0, 1) == 0;
    plan.pack_b = Element16<TestType> || must_pack_b || pick(random, 0, 1) == 0;
    plan.rows_of_sums = Element16<TestType> ? pick(random, 1, shape.m) : 0;
    plan.slices =
        static_cast<int>(pick(random, 0, 2) == 0 ? std::min<Index>(shape.k, pick(random, 2, 4)) : 1);
    INFO(described(product.args, plan, threads));
    run(product.args, plan, threads);
    REQUIRE(product.fault() == "");
  }
}

TEMPLATE_TEST_CASE("dot products, by any number of threads", "[cpu]", float, double) {
  Random random(testing::seed);
  const TileShape blocks = small_blocks<TestType>();
  const Index lanes = blocks.tn / 2;
  for (int trial = 0; trial < 1500; ++trial) {
    const bool sliced = pick(random, 0, 2) == 0, long_k = pick(random, 0, 9) == 0;
    const GemmShape shape{
        pick(random, 1, 70), pick(random, 1, max_dots(blocks.tn)),
        long_k ? pick(random, 3000, 7000) : pick(random, (sliced ? 3 : 1) * lanes + 2, 9 * lanes)};
    const Product<TestType> product(random, shape, true, pick(random, 0, 1) == 0);
    const int threads = static_cast<int>(pick(random, 1, 3));
    Plan plan{};
    plan.blocks = blocks, plan.dots = true, plan.slices = sliced ? 3 : 1;
    INFO(described(product.args, plan, threads));
    run(product.args, plan, threads);
    REQUIRE(product.fault() == "");
  }
}

TEMPLATE_TEST_CASE("few rows with B row by row, by any number of threads", "[cpu]", float, double) {
  Random random(testing::seed);
  const TileShape blocks = small_blocks<TestType>();
  for (int trial = 0; trial < 500; ++trial) {
    const GemmShape shape{pick(random, 1, 4 * blocks.tm), pick(random, blocks.tn, 7 * blocks.tn),
                          pick(random, 1, 40)};
    const Product<TestType> product(random, shape, pick(random, 0, 1) == 0, true);
    const int threads = static_cast<int>(pick(random, 1, 3));
    Plan plan{};
    plan.blocks = blocks, plan.few_rows = true;
    plan.slices = static_cast<int>(std::min<Index>(shape.k, pick(random, 1, 3)));
    INFO(described(product.args, plan, threads));
    run(product.args, plan, threads);
    REQUIRE(product.fault() == "");
  }
}

TEMPLATE_TEST_CASE("in place, products of a batch, and only those that are asked for", "[cpu]", float,
                   double) {
  Random random(testing::seed);
  for (int trial = 0; trial < 4000; ++trial) {
    const Index count = pick(random, 1, 3), begin = pick(random, 0, count - 1),
                end = pick(random, begin, count);
    const bool apart = pick(random, 0, 1) == 0;  // else rows without a gap
    const Index m = pick(random, 1, 40), n = pick(random, 1, 80), k = pick(random, 0, 9);
    const Index ldb = apart ? n + 3 : n, ldc = apart ? n + 2 : n, c_step = pick(random, 0, 3) == 0 ? 2 : 1;
    const auto beta = static_cast<TestType>(pick(random, 0, 2) == 0 ? pick(random, -1, 1) : 0);
    const auto alpha = static_cast<TestType>(pick(random, 1, 2));
    const Index strides[] = {m * k + 1, k * ldb + 2, m * ldc * c_step + 3};
    const auto filled = [&](Index elements, bool values) {
      std::vector<TestType> memory(static_cast<std::size_t>(elements), Padded<TestType>::nan);
      for (TestType& x : memory) x = values ? static_cast<TestType>(pick(random, -4, 4)) : x;
      return memory;
    };
    const auto a = filled(count * strides[0] + 64, true), b = filled(count * strides[1] + 64, true);
    auto c = filled(count * strides[2] + 64, beta != 0), right = c;
    const MatrixRef<const TestType> A =
        pick(random, 0, 1) == 0 ? row_major(a.data(), m, k) : column_major(a.data(), m, k);
    BatchArgs<TestType> batch{
        {alpha, A, row_major(b.data(), k, n, ldb), beta, {right.data(), m, n, ldc * c_step, c_step}},
        {count, strides[0], strides[1], strides[2]}};
    for (Index i = begin; i < end; ++i) testing::multiply(batch.product(i));
    batch.first.C.data = c.data();
    multiply_in_place(batch, begin, end);
    INFO("seed " << testing::seed << ", trial " << trial << ": " << to_string(batch.shape()) << ", ld " << ldb
                 << ' ' << ldc << ", beta " << beta << ", " << begin << " to " << end << " of " << count);
    for (std::size_t e = 0; e < c.size(); ++e)
      REQUIRE((c[e] == right[e] || (c[e] != c[e] && right[e] != right[e])));
  }
}

TEMPLATE_TEST_CASE("micropanels are packed with zeros where there are no rows", "[cpu]", float, double,
                   float16, bfloat16) {
  Random random(testing::seed);
  using Sum = Scalar<TestType>;
  const TileShape own = cache_blocks<Sum>();
  for (int trial = 0; trial < 1000; ++trial) {
    const int width = pick(random, 0, 1) == 0 ? own.tm : own.tn;
    const Index rows = pick(random, 1, 3 * width + 1), kc = pick(random, 1, 30), all = ceil_div(rows, width);
    const Index from = pick(random, 0, all - 1), to = pick(random, from + 1, all);
    const Padded<TestType> x(random, rows, kc, pick(random, 0, 1) == 0, pick(random, 1, 2), true);
    std::vector<Sum> memory(static_cast<std::size_t>(all * width * kc + pack_slack), Padded<Sum>::nan);
    pack<TestType>(x.at, width, from, to, memory.data());
    INFO("seed " << testing::seed << ", trial " << trial << ": " << x.at << " in panels of " << width << ", "
                 << from << " to " << to);
    for (Index e = 0; e < all * width * kc; ++e) {
      const Index panel = e / (width * kc), k = e % (width * kc) / width, row = panel * width + e % width;
      const Sum packed = memory[static_cast<std::size_t>(e)];
      if (panel >= from && panel < to) {
        REQUIRE(packed == (row < rows ? x.at(row, k) : 0));
      } else if (panel < from || e >= to * width * kc + pack_slack) {
        REQUIRE(packed != packed);
      }
    }
  }
}

TEMPLATE_TEST_CASE("a matrix is copied by rows", "[cpu]", float, double, float16, bfloat16) {
  Random random(testing::seed);
  for (int trial = 0; trial < 1000; ++trial) {
    const Index rows = pick(random, 1, 50), cols = pick(random, 1, 50), ld = cols + pick(random, 0, 3);
    const Padded<TestType> x(random, rows, cols, pick(random, 0, 1) == 0, pick(random, 1, 2), true);
    using Sum = Scalar<TestType>;
    std::vector<Sum> memory(static_cast<std::size_t>(rows * ld), Padded<Sum>::nan);
    copy_by_rows<TestType>(x.at, memory.data(), ld);
    INFO("seed " << testing::seed << ", trial " << trial << ": " << x.at << " to rows of " << ld);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < ld; ++j) {
        const Sum copied = memory[static_cast<std::size_t>(i * ld + j)];
        REQUIRE((j < cols ? copied == x.at(i, j) : copied != copied));
      }
    }
  }
}

/// Vectors of so many lanes have the bits that one number has.
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

/// Micropanels of pairs of all rows of X, and subnormal numbers before they were packed.
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
      int least = 255;
      for (Index row = panel * width; row < std::min(rows, (panel + 1) * width); ++row) {
        for (Index k = 0; k < kc; ++k) {
          if (x.at(row, k) != 0) least = std::min(least, x.at(row, k).bits >> 7 & 0xFF);
        }
      }
      REQUIRE(std::bit_cast<int>(pairs.panels[panel].data[pairs.panels.next - pack_slack]) == least);
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
    // Multiples of the smallest number or of larger ones: integers times 2 to the sum of both exponents.
    const int of_a = static_cast<int>(pick(random, -133, 20));
    const int of_b = static_cast<int>(pick(random, std::max(-133, -149 - of_a), 20));
    const auto scaled = [](const Padded<bfloat16>& x, int exponent) {
      for (Index i = 0; i < x.at.rows; ++i) {
        for (Index k = 0; k < x.at.cols; ++k) x.at(i, k) = bfloat16(std::ldexp(x.at(i, k), exponent));
      }
    };
    scaled(a, of_a), scaled(b, of_b);
    const PairsOf of_rows(a.at, MicroTile<float>::rows), of_columns(b.at, MicroTile<float>::cols);
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
    const PairsOf row(row_major(a, 1, 2), MicroTile<float>::rows),
        column(row_major(b, 1, 2), MicroTile<float>::cols);
    float c = Padded<float>::nan;
    multiply_pairs(row.panels, column.panels, 2, row_major(&c, 1, 1), 1, 0);
    INFO("2 to the " << exponent);
    CHECK(c == std::ldexp(1.0F, exponent));
  }
}

}  // namespace
}  // namespace rooftile
