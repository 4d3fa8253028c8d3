// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The loops around the CPU micro-kernels, with small blocks, thread teams without Kokkos, and exact integers.
#include <barrier>
#include <thread>

#include <catch2/catch_template_test_macros.hpp>

#include "cpu/five_loops.hpp"
#include "tests/cpu/padded.hpp"
#include "tests/support/multiply.hpp"

namespace rooftile {
namespace {

using namespace portable;
using testing::number, testing::Padded, testing::pick, testing::Random;

/// One of the threads that share a product.
struct Member {
  int number, threads;
  std::barrier<>& meeting;

  int rank() const { return number; }
  int size() const { return threads; }
  void barrier() const { meeting.arrive_and_wait(); }
};

/// A product of small integers and its expected result.
template <class T>
struct Product {
  Padded<T> a, b, c;
  GemmArgs<T> args;
  std::vector<T> right;

  Product(Random& random, const GemmShape& s, bool a_by_rows, bool b_by_rows)
      : Product(random, s, a_by_rows, b_by_rows, number<Scalar<T>>(random, -1, 1)) {}

  /// The error in C. Empty if there is none.
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
        args{number<Scalar<T>>(random, 1, 2), pick(random, 0, 1) == 0 ? a.at : a.at.conjugated(),
             pick(random, 0, 1) == 0 ? b.at : b.at.conjugated(), beta, c.at} {
    std::vector<T> copy = c.memory;
    GemmArgs<T> to_copy = args;
    to_copy.C.data = copy.data() + Padded<T>::front;
    testing::multiply(to_copy);
    for (Index i = 0; i < s.m; ++i) {
      for (Index j = 0; j < s.n; ++j) right.push_back(to_copy.C(i, j));
    }
  }
};

/// Runs a plan with `threads` threads, in a workspace full of NaN.
template <class T>
void run(const GemmArgs<T>& args, CpuPlan plan, int threads) {
  const CpuWorkspace size = detail::fit_workspace(args.shape(), plan, Converted<T>, threads, Index{1} << 24);
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

/// The blocks of this CPU.
template <class T>
TileShape own_blocks() {
  return blocks_of<T>(cache_blocks<Real<Scalar<T>>>());
}

/// Blocks of two micro-tiles in each direction, and KC = 12.
template <class T>
TileShape small_blocks() {
  const TileShape own = own_blocks<T>();
  return {2 * own.tm, 2 * own.tn, 12, own.tm, own.tn};
}

template <class T>
std::string described(const GemmArgs<T>& args, const CpuPlan& plan, int threads) {
  return detail::text("seed ", testing::seed, ": ", to_string(args.shape()), " strides ", args.A.row_stride,
                      ' ', args.A.col_stride, ", ", args.B.row_stride, ' ', args.B.col_stride, ", ",
                      args.C.row_stride, ' ', args.C.col_stride, ", alpha ", args.alpha, ", beta ", args.beta,
                      ", packs ", plan.pack_a, plan.pack_b, ", slices ", plan.split_k, ", threads ", threads);
}

/// Computes a product by a plan with `threads` threads and checks the result.
template <class T>
void check(const Product<T>& product, const CpuPlan& plan, int threads) {
  INFO(described(product.args, plan, threads));
  run(product.args, plan, threads);
  REQUIRE(product.fault() == "");
}

TEMPLATE_TEST_CASE("products packed or in place are right, by any number of threads, in slices of K or not",
                   "[cpu]", float, double, float16, bfloat16, complex<float>, complex<double>) {
  Random random(testing::seed);
  const TileShape blocks = small_blocks<TestType>();
  const auto extent = [&](Index edge) {  // often near the edge of a block
    return std::max<Index>(1, pick(random, 0, 1) == 0 ? pick(random, 1, 3) * edge + pick(random, -1, 1)
                                                      : pick(random, 1, 3 * edge));
  };
  for (int trial = 0; trial < 1500; ++trial) {
    const GemmShape shape{extent(blocks.tm), extent(blocks.tn), extent(12)};
    const bool b_by_rows = pick(random, 0, 1) == 0;
    const Product<TestType> product(random, shape, pick(random, 0, 1) == 0, b_by_rows);
    const bool must_pack_b = !b_by_rows || shape.n < blocks.tn / 2;
    const int threads = static_cast<int>(pick(random, 1, 5));
    CpuPlan plan{.algorithm = CpuAlgorithm::panels};
    plan.blocks = blocks;
    plan.pack_a = Converted<TestType> || pick(random, 0, 1) == 0;
    plan.pack_b = Converted<TestType> || must_pack_b || pick(random, 0, 1) == 0;
    plan.rows_of_sums = Converted<TestType> ? pick(random, 1, shape.m) : 0;
    plan.split_k =
        static_cast<int>(pick(random, 0, 2) == 0 ? std::min<Index>(shape.k, pick(random, 2, 4)) : 1);
    check(product, plan, threads);
  }
}

TEMPLATE_TEST_CASE("dot products are right, by any number of threads", "[cpu]", float, double) {
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
    CpuPlan plan{.algorithm = CpuAlgorithm::dot_products};
    plan.blocks = blocks, plan.split_k = sliced ? 3 : 1;
    check(product, plan, threads);
  }
}

TEMPLATE_TEST_CASE("products of few rows, B row by row, are right, by any number of threads", "[cpu]", float,
                   double) {
  Random random(testing::seed);
  const TileShape blocks = small_blocks<TestType>();
  for (int trial = 0; trial < 500; ++trial) {
    const GemmShape shape{pick(random, 1, 4 * blocks.tm), pick(random, blocks.tn, 7 * blocks.tn),
                          pick(random, 1, 40)};
    const Product<TestType> product(random, shape, pick(random, 0, 1) == 0, true);
    const int threads = static_cast<int>(pick(random, 1, 3));
    CpuPlan plan{.algorithm = CpuAlgorithm::skinny_m};
    plan.blocks = blocks;
    plan.split_k = static_cast<int>(std::min<Index>(shape.k, pick(random, 1, 3)));
    check(product, plan, threads);
  }
}

TEMPLATE_TEST_CASE("the products of a batch that are asked for, and only they, are computed in place",
                   "[cpu]", float, double, complex<float>, complex<double>) {
  Random random(testing::seed);
  for (int trial = 0; trial < 4000; ++trial) {
    const Index count = pick(random, 1, 3), begin = pick(random, 0, count - 1),
                end = pick(random, begin, count);
    const bool apart = pick(random, 0, 1) == 0;  // else without padding
    const Index m = pick(random, 1, 40), n = pick(random, 1, 80), k = pick(random, 0, 9);
    const Index ldb = apart ? n + 3 : n, ldc = apart ? n + 2 : n, c_step = pick(random, 0, 3) == 0 ? 2 : 1;
    const auto beta = pick(random, 0, 2) == 0 ? number<TestType>(random, -1, 1) : TestType(0);
    const auto alpha = pick(random, 0, 1) == 0 ? number<TestType>(random, 1, 2) : TestType(1);
    const Index strides[] = {m * k + 1, k * ldb + 2, m * ldc * c_step + 3};
    const auto filled = [&](Index elements, bool values) {
      std::vector<TestType> memory(static_cast<std::size_t>(elements), Padded<TestType>::nan);
      for (TestType& x : memory) x = values ? number<TestType>(random, -4, 4) : x;
      return memory;
    };
    const auto a = filled(count * strides[0] + 64, true), b = filled(count * strides[1] + 64, true);
    auto c = filled(count * strides[2] + 64, beta != 0), right = c;
    MatrixRef<const TestType> A =
        pick(random, 0, 1) == 0 ? row_major(a.data(), m, k) : column_major(a.data(), m, k);
    MatrixRef<const TestType> B = row_major(b.data(), k, n, ldb);
    if (pick(random, 0, 1) == 0) A = A.conjugated();
    if (pick(random, 0, 1) == 0) B = B.conjugated();
    BatchArgs<TestType> batch{{alpha, A, B, beta, {right.data(), m, n, ldc * c_step, c_step}},
                              {count, strides[0], strides[1], strides[2]}};
    for (Index i = begin; i < end; ++i) testing::multiply(batch.product(i));
    batch.first.C.data = c.data();
    multiply_unpacked(batch, begin, end);
    INFO("seed " << testing::seed << ", trial " << trial << ": " << to_string(batch.shape()) << ", ld " << ldb
                 << ' ' << ldc << ", beta " << beta << ", " << begin << " to " << end << " of " << count);
    for (std::size_t e = 0; e < c.size(); ++e)
      REQUIRE((c[e] == right[e] || (c[e] != c[e] && right[e] != right[e])));
  }
}

TEMPLATE_TEST_CASE("micropanels are packed with zeros where there are no rows", "[cpu]", float, double,
                   float16, bfloat16, complex<float>, complex<double>) {
  Random random(testing::seed);
  using Sum = Scalar<TestType>;
  const TileShape own = own_blocks<TestType>();
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
        REQUIRE(packed == (row < rows ? static_cast<Sum>(x.at(row, k)) : Sum(0)));
      } else if (panel < from || e >= to * width * kc + pack_slack) {
        REQUIRE(packed != packed);
      }
    }
  }
}

TEMPLATE_TEST_CASE("a matrix is copied by rows", "[cpu]", float, double, float16, bfloat16, complex<float>,
                   complex<double>) {
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
        REQUIRE((j < cols ? copied == static_cast<Sum>(x.at(i, j)) : copied != copied));
      }
    }
  }
}

}  // namespace
}  // namespace rooftile
