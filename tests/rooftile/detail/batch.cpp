// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Several products in one call: what is refused, what is one product, and what is chosen.
#include "rooftile/detail/batch.hpp"

#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/choose.hpp"
#include "tests/support/multiply.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using detail::prepared;
using testing::overlap_with;
using testing::refused;
using testing::seed;
using Random = std::mt19937_64;

Index pick(Random& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

double memory[4096];

/// Row-major products of (2,3)·(3,4), each operand in memory of its own, gapless.
BatchArgs<double> three_products() {
  return {{1, row_major<const double>(memory, 2, 3), row_major<const double>(memory + 1000, 3, 4), 1,
           row_major(memory + 2000, 2, 4)},
          {3, 6, 12, 8}};
}

std::string refused_for(const BatchArgs<double>& args) {
  return refused([&] { prepared(args); });
}

TEST_CASE("a sound batch passes as it is", "[batch]") {
  const BatchArgs<double> args = three_products(), ready = prepared(args);
  CHECK(ready.batch == args.batch);
  CHECK(ready.shape() == GemmShape{2, 4, 3});
  CHECK(ready.first.C.data == args.first.C.data);
}

TEST_CASE("the i-th product is i strides on", "[batch]") {
  const BatchArgs<double> args = three_products();
  const GemmArgs<double> second = args.product(1), last = args.part(1, 2).product(1);
  CHECK((second.A.data == memory + 6 && second.B.data == memory + 1012 && second.C.data == memory + 2008));
  CHECK((last.A.data == memory + 12 && last.B.data == memory + 1024 && last.C.data == memory + 2016));
  std::vector<Index> counts;
  for_each_part(args, 2, [&](const BatchArgs<double>& part) { counts.push_back(part.batch.count); });
  CHECK(counts == std::vector<Index>{2, 1});
}

TEST_CASE("a batch with C's rows inside is computed as its transpose", "[batch]") {
  BatchArgs<double> args = three_products();
  args.first.C = column_major(args.first.C.data, 2, 4);
  const BatchArgs<double> ready = prepared(args);
  CHECK(ready.shape() == GemmShape{4, 2, 3});
  CHECK(ready.batch == Batch{3, 12, 6, 8});
  CHECK(ready.first.A.data == args.first.B.data);
}

TEST_CASE("what is wrong with a batch is said", "[batch]") {
  BatchArgs<double> args = three_products();
  SECTION("count") {
    args.batch.count = -2;
    CHECK(refused_for(args) == "negative number of products (-2): give 0 or more");
  }
  SECTION("C's stride") {
    args.batch.stride_c = 7;
    CHECK(refused_for(args) ==
          "products overlap (C 2 x 4, strides 4 and 1, one of C every 7 elements): give a batch stride of at "
          "least a matrix");
  }
  SECTION("one C for all") {
    args.batch.stride_c = 0;
    CHECK(refused_for(args) ==
          "products overlap (C 2 x 4, strides 4 and 1, one of C every 0 elements): give a batch stride of at "
          "least a matrix");
  }
  SECTION("a later C is an earlier A") {
    args.first.A.data = args.first.C.data + 16;
    args.batch.stride_a = 8;
    CHECK(refused_for(args) == overlap_with("A", args.first.A, args.first.C));
  }
  SECTION("the shared B is one of C") {
    args.first.B.data = args.first.C.data + 16;
    args.batch.stride_b = 0;
    CHECK(refused_for(args) == overlap_with("B", args.first.B, args.first.C));
  }
  SECTION("offsets") {
    args.batch.stride_b = std::numeric_limits<Index>::max() / 2;
    CHECK(refused_for(args) ==
          "extent times stride overflows for B (3 x 4611686018427387903): check the sizes and leading "
          "dimensions");
  }
}

TEST_CASE("no products are not looked at", "[batch]") {
  BatchArgs<double> args = three_products();
  args.batch = {0, 6, 12, 0};
  args.first.A.data = nullptr, args.first.C.data = nullptr;
  CHECK(refused_for(args).empty());
  CHECK(detail::nothing_to_do(prepared(args)));
  CHECK_FALSE(detail::nothing_to_do(prepared(three_products())));
  args.first.A.cols = 5;
  CHECK(refused_for(args) ==
        "shapes do not conform (A 2 x 5, B 3 x 4, C 2 x 4): C (m,n) needs A (m,k) and B (k,n)");
}

TEST_CASE("the strides of a single product mean nothing", "[batch]") {
  BatchArgs<double> args = three_products();
  for (const Index stride : {Index{0}, Index{1}, std::numeric_limits<Index>::min()}) {
    args.batch = {1, stride, stride, stride};
    CHECK(prepared(args).batch == Batch{});
  }
}

TEST_CASE("operands may lie between each other", "[batch]") {
  BatchArgs<double> args = three_products();
  SECTION("all of a product together") {
    args.first.B.data = memory + 6, args.first.C.data = memory + 18;
    args.batch = {3, 26, 26, 26};
    CHECK(refused_for(args).empty());
    args.batch.stride_b = 25;
    CHECK(refused_for(args) == overlap_with("B", args.first.B, args.first.C));
  }
  SECTION("a panel that all share, and a row of blocks, in one matrix") {
    args.first.A = row_major<const double>(memory, 2, 3, 64);
    args.first.B = row_major<const double>(memory + 10 * 64, 3, 4, 64);
    args.first.C = row_major(memory + 3, 2, 4, 64);
    args.batch = {3, 0, 4, 4};
    CHECK(refused_for(args).empty());
    args.first.C.data -= 1;
    CHECK(refused_for(args) == overlap_with("A", args.first.A, args.first.C));
  }
  SECTION("element by element") {
    args.first.C = {memory + 2000, 2, 4, 12, 3};
    args.batch.stride_c = 1;
    CHECK(refused_for(args).empty());
    args.batch.count = 4;
    CHECK(refused_for(args) ==
          "products overlap (C 2 x 4, strides 12 and 3, one of C every 1 elements): give a batch stride of "
          "at least a matrix");
  }
}

/// Whether a batch of C has an element twice, one by one.
bool share_elements(const MatrixRef<double>& C, Index count, Index stride) {
  std::set<const double*> seen;
  for (Index p = 0; p < count; ++p) {
    for (Index i = 0; i < C.rows; ++i) {
      for (Index j = 0; j < C.cols; ++j) {
        if (!seen.insert(&C(i, j) + p * stride).second) return true;
      }
    }
  }
  return false;
}

TEST_CASE("products that share elements are told apart from those that do not", "[batch]") {
  Random random(seed);
  int sharing = 0, apart = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const Index rows = pick(random, 1, 4), cols = pick(random, 1, 4), count = pick(random, 1, 4);
    const MatrixRef<double> C{memory + 2000, rows, cols, pick(random, -30, 30), pick(random, -6, 6)};
    if (share_elements(C, 1, 0)) continue;
    const Index stride = pick(random, -30, 30);
    const bool found = !refused([&] { detail::check_products_distinct(C, {count, stride}); }).empty();
    const bool exact = share_elements(C, count, stride);
    if (exact && !found) FAIL("missed: " << C << ", " << count << " every " << stride << ", seed " << seed);
    // Strides in which one dimension fits into another's gaps are all accepted.
    if (!exact && found && detail::is_nested(C, {count, stride}))
      FAIL("invented: " << C << " every " << stride);
    ++(exact ? sharing : apart);
  }
  CHECK((sharing > 1000 && apart > 1000));
}

TEST_CASE("operands of equal strides, and shared ones, are held against every product of C", "[batch]") {
  Random random(seed);
  int meeting = 0, apart = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const Index count = pick(random, 1, 4), ld = 20, stride = pick(random, 0, 1) * pick(random, -70, 70);
    const auto part = [&] {
      return row_major(memory + 2000 + pick(random, -60, 60), pick(random, 1, 3), pick(random, 1, 5), ld);
    };
    const MatrixRef<double> X = part(), C = part();
    const Index stride_c = stride == 0 ? pick(random, -70, 70) : stride;
    std::set<const double*> of_c;
    for (Index p = 0; p < count; ++p) {
      for (Index e = 0; e < C.rows * C.cols; ++e) of_c.insert(&C(e / C.cols, e % C.cols) + p * stride_c);
    }
    bool exact = false;
    for (Index p = 0; p < count; ++p) {
      for (Index e = 0; e < X.rows * X.cols; ++e)
        exact = exact || of_c.contains(&X(e / X.cols, e % X.cols) + p * stride);
    }
    const bool found = !refused([&] {
                          detail::check_apart<double>("X", X, {count, stride}, C, {count, stride_c});
                        }).empty();
    INFO(X << " every " << stride << ", " << C << " every " << stride_c << ", " << count << ", seed "
           << seed);
    REQUIRE(found == exact);
    ++(exact ? meeting : apart);
  }
  CHECK((meeting > 1000 && apart > 1000));
}

TEST_CASE("products that share B and follow each other by rows are one", "[batch]") {
  BatchArgs<double> args = three_products();
  args.batch.stride_b = 0;
  const BatchArgs<double> ready = prepared(args);
  CHECK(ready.batch == Batch{});
  CHECK(ready.shape() == GemmShape{6, 4, 3});
  CHECK((ready.first.A.row_stride == 3 && ready.first.C.row_stride == 4));
  for (Index* stride : {&args.batch.stride_a, &args.batch.stride_c}) {
    BatchArgs<double> gap = args;
    (stride == &args.batch.stride_a ? gap.batch.stride_a : gap.batch.stride_c) = *stride + 1;
    CHECK(prepared(gap).batch.count == 3);
  }
}

TEST_CASE("products that share A and follow each other by columns are one", "[batch]") {
  BatchArgs<double> args = three_products();
  args.first.B = row_major<const double>(memory + 1000, 3, 4, 12);
  args.first.C = row_major(memory + 2000, 2, 4, 12);
  args.batch = {3, 0, 4, 4};
  const BatchArgs<double> ready = prepared(args);
  CHECK(ready.batch == Batch{});
  CHECK(ready.shape() == GemmShape{2, 12, 3});
  args.batch.stride_a = 6;
  CHECK(prepared(args).batch == Batch{3, 6, 4, 4});
}

TEST_CASE("vectors times one matrix are a matrix times it, at any distances", "[batch]") {
  BatchArgs<double> args = three_products();
  args.first.A = {memory, 1, 3, 77, 1}, args.first.C = {memory + 2000, 1, 4, -5, 1};
  args.batch = {3, 50, 0, 20};
  const BatchArgs<double> ready = prepared(args);
  CHECK(ready.batch == Batch{});
  CHECK((ready.first.A.rows == 3 && ready.first.A.row_stride == 50 && ready.first.C.row_stride == 20));
}

TEST_CASE("products without K are scaled as one where C is one", "[batch]") {
  BatchArgs<double> args = three_products();
  args.first.alpha = 0;
  const BatchArgs<double> ready = prepared(args);
  CHECK((ready.batch == Batch{} && ready.shape() == GemmShape{6, 4, 0}));
  args.batch.stride_c = 9;
  CHECK(prepared(args).batch.count == 3);
  args.first.C = row_major(memory + 2000, 2, 4, 12), args.batch.stride_c = 4;  // side by side
  CHECK((prepared(args).batch == Batch{} && prepared(args).shape() == GemmShape{2, 12, 0}));
}

TEST_CASE("a prepared batch is the same products", "[batch]") {
  Random random(seed);
  std::vector<double> a(600), b(600), before(600);
  for (auto* x : {&a, &b, &before}) {
    for (double& e : *x) e = static_cast<double>(pick(random, -4, 4));
  }
  int one = 0, several = 0;
  for (int repeat = 0; repeat < 3000; ++repeat) {
    const Index m = pick(random, 1, 4), n = pick(random, 1, 4), k = pick(random, 0, 4);
    const Index count = pick(random, 1, 4), gap = pick(random, 0, 1);
    const auto matrix = [&]<class T>(T* data, Index rows, Index cols) {
      return pick(random, 0, 1) == 0 ? row_major(data, rows, cols) : column_major(data, rows, cols);
    };
    BatchArgs<double> args{
        {static_cast<double>(pick(random, 0, 2)),
         matrix(std::as_const(a).data(), m, k),
         matrix(std::as_const(b).data(), k, n),
         static_cast<double>(pick(random, 0, 2)),
         {}},
        {count, pick(random, 0, 1) * (m * k + gap), pick(random, 0, 1) * (k * n + gap), m * n + gap}};
    auto expected = before, found = before;
    args.first.C = matrix(expected.data(), m, n);
    for (Index p = 0; p < count; ++p) testing::multiply(args.product(p));
    args.first.C.data = found.data();
    const BatchArgs<double> ready = prepared(args);
    for (Index p = 0; p < ready.batch.count; ++p) testing::multiply(ready.product(p));
    INFO(m << 'x' << n << 'x' << k << " times " << count << ", seed " << seed);
    REQUIRE(found == expected);
    ++(ready.batch.count == 1 ? one : several);
  }
  CHECK((one > 100 && several > 100));
}

TEST_CASE("the choice knows how many products there are", "[batch]") {
  using testing::native;
  const GemmShape deep{64, 64, 65536};
  Target target = native();
  CHECK(choose(deep, {}, target).kernel == Kernel::stream_k);
  CHECK(choose(deep, {}, target, 2).kernel == Kernel::stream_k);
  CHECK(choose({64, 64, 64}, {}, target, 1000).kernel == Kernel::pipelined);  // nothing left to share
  // One product of 512 leaves SMs idle with wide tiles; many keep them busy with any.
  const GemmShape medium{512, 512, 512};
  const TileShape alone = choose(medium, {}, target).tile, many = choose(medium, {}, target, 1000).tile;
  CHECK(many.bm * many.bn > alone.bm * alone.bn);
  target = native(testing::today, Math::bf16);
  target.limits.shared_bytes_optin = 227 * 1024;
  CHECK(choose(medium, {}, target, 1000).tile.bn > choose(medium, {}, target).tile.bn);
}

}  // namespace
}  // namespace rooftile
