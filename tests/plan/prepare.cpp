// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Batches by strides, in two dimensions and by pointers: addresses, refusals, plans and choices.
#include "plan/prepare.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "device/common/batch_product.hpp"
#include "plan/batch_operands.hpp"
#include "plan/batch_parts.hpp"
#include "plan/choose.hpp"
#include "plan/plan.hpp"
#include "rooftile/detail/batch_args.hpp"
#include "rooftile/matrix_views.hpp"
#include "tests/support/multiply.hpp"
#include "tests/support/pointers.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using detail::prepared, detail::Steps;
using testing::h200, testing::overlap_with, testing::refused, testing::seed;
using Random = std::mt19937_64;

Index pick(Random& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

alignas(256) double memory[1 << 14];

/// Row-major products of (2,3)·(3,4). Each operand has its own contiguous memory.
BatchArgs<double> three_products() {
  return {{1, row_major<const double>(memory, 2, 3), row_major<const double>(memory + 1000, 3, 4), 1,
           row_major(memory + 2000, 2, 4)},
          {3, 6, 12, 8}};
}

std::string refused_for(const BatchArgs<double>& args) {
  return refused([&] { prepared(args); });
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

TEST_CASE("a wrong count, stride or overlap of a batch is refused", "[batch]") {
  BatchArgs<double> args = three_products();
  SECTION("count") {
    args.batch.count = -2;
    CHECK(refused_for(args).starts_with("negative number of products (-2)"));
  }
  SECTION("C's stride, and one C for all") {
    for (const Index stride : {7, 0}) {
      args.batch.stride_c = stride;
      CHECK(refused_for(args) == testing::products_overlap(args.first.C, stride));
    }
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
    CHECK(refused_for(args).starts_with("extent times stride overflows for B (3 x 4611686018427387903)"));
  }
}

TEST_CASE("the operands of an empty batch are not checked, their shapes are", "[batch]") {
  BatchArgs<double> args = three_products();
  args.batch = {0, 6, 12, 0};
  args.first.A.data = nullptr, args.first.C.data = nullptr;
  CHECK(refused_for(args).empty());
  CHECK(detail::nothing_to_do(prepared(args)));
  CHECK_FALSE(detail::nothing_to_do(prepared(three_products())));
  args.first.A.cols = 5;
  CHECK(refused_for(args).starts_with("shapes do not conform (A 2 x 5, B 3 x 4, C 2 x 4)"));
}

TEST_CASE("the strides of a single product mean nothing", "[batch]") {
  BatchArgs<double> args = three_products();
  for (const Index stride : {Index{0}, Index{1}, std::numeric_limits<Index>::min()}) {
    args.batch = {1, stride, stride, stride};
    CHECK(prepared(args).batch == Batch{});
  }
}

TEST_CASE("products that share an operand and follow each other in memory are one", "[batch]") {
  BatchArgs<double> args = three_products();
  args.batch.stride_b = 0;
  const BatchArgs<double> by_rows = prepared(args);
  CHECK((by_rows.batch == Batch{} && by_rows.shape() == GemmShape{6, 4, 3}));
  CHECK((by_rows.first.A.row_stride == 3 && by_rows.first.C.row_stride == 4));
  for (Index Batch::*stride : {&Batch::stride_a, &Batch::stride_c}) {
    BatchArgs<double> gap = args;
    ++(gap.batch.*stride);
    CHECK(prepared(gap).batch.count == 3);
  }
  args.first.B = row_major<const double>(memory + 1000, 3, 4, 12);
  args.first.C = row_major(memory + 2000, 2, 4, 12);
  args.batch = {3, 0, 4, 4};
  const BatchArgs<double> by_columns = prepared(args);
  CHECK((by_columns.batch == Batch{} && by_columns.shape() == GemmShape{2, 12, 3}));
  args.batch.stride_a = 6;
  CHECK(prepared(args).batch == Batch{3, 6, 4, 4});
}

TEST_CASE("a batch of vectors times one matrix is one product, with any distances", "[batch]") {
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

TEST_CASE("the choice depends on the number of products", "[batch]") {
  const Target fp32 = testing::native();
  for (const Index count : {1, 2}) CHECK(choose({64, 64, 65536}, {}, fp32, count).kernel == Kernel::stream_k);
  CHECK(choose({64, 64, 64}, {}, fp32, 1000).stream.shared == 0);  // no tile is left to split
  // With wide tiles, a single 512³ product leaves SMs idle. A large batch keeps them busy with any tile.
  const auto tile = [](const Target& target, Index count) {
    return choose({512, 512, 512}, {}, target, count).tile;
  };
  const TileShape alone = tile(fp32, 1), many = tile(fp32, 1000);
  CHECK(many.bm * many.bn > alone.bm * alone.bn);
  Target bf16 = testing::native(testing::today, ComputeMode::bf16);
  bf16.limits.shared_bytes_optin = 227 * testing::kib;
  CHECK(tile(bf16, 1000).bn > tile(bf16, 1).bn);
}

/// Products of (2,3)·(3,4) for 5 sequences of 3 heads. The rows of the heads are interleaved: a head's rows
/// are 3 rows apart.
struct Heads {
  BatchRef<const double> A = nested_batch<const double>({memory, 2, 3, 9, 1}, 5, 18, 3, 3);
  BatchRef<const double> B = nested_batch<const double>({memory + 1000, 3, 4, 4, 1}, 5, 0, 3, 12);
  BatchRef<double> C = nested_batch<double>({memory + 2000, 2, 4, 12, 1}, 5, 24, 3, 4);

  BatchArgs<double> args() const { return detail::batch_args<double>(1, A, B, 1, C); }
};

TEST_CASE("the distance along a dimension of one, which leads nowhere, may be any", "[nested]") {
  for (const Index any : {std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max(), Index{-1}}) {
    const auto taken = [](const BatchRef<double>& C) {
      return refused([&] {
        prepared(detail::batch_args<double>(1, batch_ref(BatchRef<const double>{{memory, 2, 3, 3, 1}, 0, 5}),
                                            BatchRef<const double>{{memory + 100, 3, 4, 4, 1}, 0, 5}, 0, C));
      });
    };
    CHECK(taken(nested_batch<double>({memory + 2000, 2, 4, 4, 1}, 5, 8, 1, any)).empty());
    CHECK(taken(nested_batch<double>({memory + 2000, 2, 4, 4, 1}, 1, any, 5, 8)).empty());
    CHECK_FALSE(taken(nested_batch<double>({memory + 2000, 2, 4, 4, 1}, 5, 4, 1, any)).empty());
    CHECK_FALSE(taken(nested_batch<double>({memory, 2, 4, 4, 1}, 1, any, 5, 8)).empty());
  }
}

TEST_CASE("matrix (i,j) lies where both dimensions lead, however it is read", "[nested]") {
  const Heads heads;
  CHECK((heads.C.count == 15 && heads.C.inner == 3));
  CHECK(&heads.C[2 * 3 + 1](1, 2) == memory + 2000 + 2 * 24 + 4 + 12 + 2);
  CHECK(&heads.C.transposed()[7](2, 1) == &heads.C[7](1, 2));
  const BatchRef<const double> read_only = heads.C;
  CHECK((read_only.inner == 3 && read_only.outer_stride == 24 && read_only[7].data == heads.C[7].data));
  const std::complex<double> foreign[8] = {};
  const auto own = batch_ref(nested_batch(row_major<const std::complex<double>>(foreign, 1, 1), 2, 4, 2, 1));
  CHECK(own[3].data == static_cast<const void*>(foreign + 5));
  CHECK(testing::reversed(heads.C)[1].data == heads.C[13].data);
}

TEST_CASE("a product, a part and the transpose of a batch of two dimensions", "[nested]") {
  const Heads heads;
  const BatchArgs<double> args = heads.args();
  const GemmArgs<double> one = args.product(7), other = args.transposed().product(7);
  CHECK((one.A.data == heads.A[7].data && one.B.data == memory + 1012 && one.C.data == heads.C[7].data));
  CHECK((other.A.data == one.B.data && other.B.data == one.A.data && other.C.data == one.C.data));
  const BatchArgs<double> part = args.part(7, 2);
  CHECK((part.batch == Batch{2, 3, 12, 4} && part.product(1).C.data == heads.C[8].data));
  const auto [A, B, C] = detail::operands_of(args);
  CHECK((A[8].data == heads.A[8].data && B[8].data == heads.B[8].data && C[8].data == heads.C[8].data));
  std::vector<Index> begins, counts;
  for_each_part(args, 2, [&](const BatchArgs<double>& x, Index begin) {
    begins.push_back(begin), counts.push_back(x.batch.count);
    CHECK((x.batch.inner == 0 && x.first.C.data == heads.C[begin].data));
  });
  CHECK(counts == std::vector<Index>{2, 1, 2, 1, 2, 1, 2, 1, 2, 1});
  CHECK(begins == std::vector<Index>{0, 2, 3, 5, 6, 8, 9, 11, 12, 14});
}

TEST_CASE("a launch has whole entries of the outer dimension, or a part of one", "[nested]") {
  const Heads heads;
  for (Index most = 1; most <= 16; ++most) {
    std::vector<Index> counts;
    Index next = 0;
    for_each_launch(heads.args(), most, [&](const BatchArgs<double>& part, Index begin) {
      INFO(begin << " of at most " << most);
      CHECK(begin == next);
      CHECK(part.batch.inner == (part.batch.count > 3 ? 3 : 0));
      for (Index i = 0; i < part.batch.count; ++i)
        CHECK(detail::product_of(part, i).C.data == heads.C[begin + i].data);
      next += part.batch.count;
      counts.push_back(part.batch.count);
    });
    CHECK(next == 15);
    if (most == 2) CHECK(counts == std::vector<Index>{2, 1, 2, 1, 2, 1, 2, 1, 2, 1});
    if (most == 7) CHECK(counts == std::vector<Index>{6, 6, 3});
    if (most == 15) CHECK(counts == std::vector<Index>{15});
  }
}

TEST_CASE("a kernel finds a product by its number in both dimensions", "[nested]") {
  const Heads heads;
  std::vector<const double*> addresses;
  for (Index i = 0; i < 15; ++i) addresses.push_back(heads.A[i].data);
  BatchArgs<double> args = heads.args();
  for (const bool pointers : {false, true}) {
    if (pointers) args.pointers.a = addresses.data(), args.first.A.data = nullptr;
    for (Index i = 0; i < 15; ++i) {
      const GemmArgs<double> found = detail::product_of(args, i);
      CHECK((found.A.data == heads.A[i].data && found.B.data == heads.B[i].data));
      CHECK((found.C.data == heads.C[i].data && found.C.row_stride == 12 && found.shape() == args.shape()));
    }
    const BatchArgs<double> line = args.part(6, 3);
    CHECK(detail::product_in_line(line, 2).A.data == heads.A[8].data);
    CHECK(detail::product_in_line(line, 2).C.data == heads.C[8].data);
  }
}

TEST_CASE("an operand of one dimension goes with others of two", "[nested]") {
  const Heads heads;
  const BatchRef<const double> shared{heads.B.first, 0, 15}, behind{heads.B.first, 12, 15};
  CHECK(detail::batch_args<double>(1, heads.A, shared, 1, heads.C).product(11).B.data == shared.first.data);
  CHECK(detail::batch_args<double>(1, heads.A, behind, 1, heads.C).product(11).B.data == behind[11].data);
  const BatchRef<double> c{heads.C.first, 8, 15};
  CHECK(detail::batch_args<double>(1, heads.A, behind, 1, c).product(11).C.data == c[11].data);
}

TEST_CASE("batches with different dimensions are refused", "[nested]") {
  const Heads heads;
  const auto other = nested_batch(heads.B.first, 3, 12, 5, 0);
  CHECK(refused([&] {
          detail::batch_args<double>(1, heads.A, other, 1, heads.C);
        }).starts_with("inner dimensions of batches differ (A 3, B 5, C 3, 0: no second dimension)"));
  CHECK(refused([&] {
          nested_batch(heads.B.first, Index{1} << 40, 1, Index{1} << 40, 1);
        }).starts_with("too many matrices (1099511627776 x 1099511627776)"));
  for (const auto& [outer, inner] : {std::pair<Index, Index>{-2, 3}, {3, -2}, {0, 3}, {3, 0}}) {
    const std::string refusal = refused([&, outer_ = outer, inner_ = inner] {
      const auto batch = [&](const auto& first) { return nested_batch(first, outer_, 1, inner_, 1); };
      prepared(
          detail::batch_args<double>(1, batch(heads.A.first), batch(heads.B.first), 1, batch(heads.C.first)));
    });
    CHECK(refusal.starts_with("negative number of products (-2)") == (outer < 0 || inner < 0));
    CHECK(refusal.empty() == (outer >= 0 && inner >= 0));
  }
  BatchArgs<double> args = heads.args();
  args.batch.inner = 4;
  CHECK(refused_for(args).starts_with(
      "batch does not divide into two dimensions (15 products, 4 in the inner one)"));
  args.batch = {15, 0, 0, 8, 3, 0, 0, std::numeric_limits<Index>::max() / 2};
  CHECK(refused_for(args).starts_with("extent times stride overflows for C (5 x 4611686018427387903)"));
}

TEST_CASE("products of two dimensions that share elements of C are refused", "[nested]") {
  for (const Index outer_stride : {20, 0}) {
    Heads heads;
    heads.C.outer_stride = outer_stride;
    CHECK(refused_for(heads.args()).starts_with("products overlap (C 2 x 4, strides 12 and 1, "));
  }
  Heads heads;
  heads.A.first.data = heads.C[14].data - 2 * 18 - 9 - 6;
  heads.A.outer_stride = 20;
  CHECK(refused_for(heads.args()).starts_with("C overlaps A"));
}

/// Random distances between nearby matrices.
Steps random_steps(Random& random) {
  return {pick(random, 1, 4), pick(random, -30, 30), pick(random, 1, 4), pick(random, -60, 60)};
}

/// Collects the elements of all matrices.
/// @return whether an element occurs twice
bool gather(const MatrixRef<const double>& X, const Steps& steps, std::set<const double*>& elements) {
  bool twice = false;
  for (Index p = 0; p < steps.count * steps.outer; ++p) {
    const Index to = p / steps.count * steps.outer_stride + p % steps.count * steps.stride;
    for (Index e = 0; e < X.rows * X.cols; ++e)
      twice = !elements.insert(&X(e / X.cols, e % X.cols) + to).second || twice;
  }
  return twice;
}

TEST_CASE("an element that two products have is found, and no other", "[batch][nested]") {
  Random random(seed);
  int sharing = 0, apart = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const MatrixRef<double> C{memory + 2000, pick(random, 1, 3), pick(random, 1, 3), pick(random, -30, 30),
                              pick(random, -6, 6)};
    std::set<const double*> one, all;
    if (gather(C, {}, one)) continue;
    const Steps steps = random_steps(random);
    const bool exact = gather(C, steps, all);
    const bool found = !refused([&] { detail::check_products_distinct(C, steps); }).empty();
    INFO(C << ", " << steps.count << " every " << steps.stride << ", " << steps.outer << " every "
           << steps.outer_stride << ", seed " << seed);
    // For strides other than row-major ones, an overlap of memory ranges may suffice for a refusal.
    if (exact) REQUIRE(found);
    if (found && !exact) REQUIRE_FALSE(detail::is_nested(C, steps));
    ++(exact ? sharing : apart);
  }
  CHECK((sharing > 1000 && apart > 1000));
}

TEST_CASE("an operand that shares an element with any product of C is found", "[batch][nested]") {
  Random random(seed);
  int meeting = 0, apart = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const auto part = [&] {
      return row_major(memory + 2000 + pick(random, -90, 90), pick(random, 1, 3), pick(random, 1, 5), 20);
    };
    const MatrixRef<double> X = part(), C = part();
    const Steps c = random_steps(random);
    Steps x = c;
    if (pick(random, 0, 2) == 0) x.stride = 0;
    if (pick(random, 0, 2) == 0) x.outer_stride = 0;
    std::set<const double*> of_c, of_x;
    gather(C, c, of_c), gather(X, x, of_x);
    const bool exact =
        std::any_of(of_x.begin(), of_x.end(), [&](const double* e) { return of_c.contains(e); });
    const bool found = !refused([&] { detail::check_apart("X", X, x, C, c, true); }).empty();
    INFO(X << " every " << x.stride << ", " << x.outer_stride << "; " << C << " every " << c.stride << ", "
           << c.outer_stride << "; " << c.count << " x " << c.outer << ", seed " << seed);
    REQUIRE(found == exact);
    ++(exact ? meeting : apart);
  }
  CHECK((meeting > 1000 && apart > 1000));
}

/// For each element of C: the first element and the step along K of its row of A and of its column of B.
using Sources = std::map<const double*, std::tuple<const double*, Index, const double*, Index>>;

Sources sources_of(const BatchArgs<double>& args) {
  Sources all;
  for (Index p = 0; p < args.batch.count; ++p) {
    const GemmArgs<double> x = args.product(p);
    for (Index i = 0; i < x.C.rows; ++i) {
      for (Index j = 0; j < x.C.cols; ++j)
        all[&x.C(i, j)] = {&x.A(i, 0), x.A.col_stride, &x.B(0, j), x.B.row_stride};
    }
  }
  return all;
}

TEST_CASE("prepared products of two dimensions are the same ones, in fewer dimensions where they can be",
          "[nested]") {
  Random random(seed);
  std::map<std::pair<bool, bool>, int> seen;  // whether two dimensions remain, and one
  int swapped = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const Index m = pick(random, 1, 3), n = pick(random, 1, 3), k = pick(random, 1, 3);
    const Index outer = pick(random, 1, 4), inner = pick(random, 1, 4);
    // Dimensions are nested in any order in memory, with occasional gaps.
    const auto operand = [&](double* first, Index rows, Index cols, bool shares) {
      std::array<Index, 4> extents{rows, cols, inner, outer}, strides{};
      std::array<std::size_t, 4> order{0, 1, 2, 3};
      std::shuffle(order.begin(), order.end(), random);
      Index next = 1;
      for (const std::size_t d : order) {
        if (shares && d >= 2 && pick(random, 0, 2) == 0) continue;
        strides[d] = next, next *= extents[d];
        if (pick(random, 0, 3) == 0) next += pick(random, 1, 3);
      }
      return nested_batch<double>({first, rows, cols, strides[0], strides[1]}, outer, strides[3], inner,
                                  strides[2]);
    };
    const BatchArgs<double> args =
        detail::batch_args<double>(1, operand(memory, m, k, true), operand(memory + 4096, k, n, true), 1,
                                   operand(memory + 8192, m, n, false));
    const BatchArgs<double> ready = prepared(args), in_order = prepared(args, false);
    const bool is_transposed = detail::has_rows_inside(args.first.C);
    INFO(outer << " x " << inner << " of " << to_string(args.shape()) << ", number " << repeat);
    const Sources given = sources_of(args);
    const auto same = [&](const BatchArgs<double>& x, bool transposed) {
      return sources_of(transposed ? x.transposed() : x) == given;
    };
    // Folding rows may change C's major order, which transposes the product.
    REQUIRE((same(ready, false) || same(ready, true)));
    REQUIRE(same(in_order, is_transposed));
    for (Index p = 0; p < args.batch.count; ++p) REQUIRE(in_order.c(p) == args.c(p));
    ++seen[{ready.batch.inner != 0, ready.batch.count > 1}];
    if (ready.batch.inner == 0) continue;
    REQUIRE(ready.batch.inner * ready.batch.inner >= ready.batch.count);
    swapped += outer > inner ? 1 : 0;
  }
  CHECK((seen[{true, true}] > 1000 && seen[{false, true}] > 1000 && seen[{false, false}] > 1000));
  CHECK(swapped > 100);
}

TEST_CASE("strides of operands that are not read become 0 in both dimensions", "[nested]") {
  Heads heads;
  heads.A.first.data = heads.B.first.data = nullptr;
  BatchArgs<double> args = heads.args();
  args.first.alpha = 0;
  const BatchArgs<double> ready = prepared(args);
  CHECK((ready.shape().k == 0 && ready.batch.outer_a == 0 && ready.batch.stride_a == 0));
  CHECK(ready.batch.count * ready.first.C.rows * ready.first.C.cols == 15 * 8);
}

/// 5 times 3 products, and 15 products in one dimension.
struct Dimensions {
  GemmDesc both, flat;

  explicit Dimensions(const GemmShape& shape)
      : both(describe(shape, Type::fp64, 3, false)), flat(describe(shape, Type::fp64, 15, false)) {
    both.outer = 5;
  }
};

TEST_CASE("both dimensions are planned for one launch, where the kernel knows both", "[nested]") {
  const Target target = h200(Path::native, ComputeMode::fp64);
  const Dimensions large({300, 300, 1000});
  for (const Kernel kernel : {Kernel::tensor_core, Kernel::stream_k_tensor_core}) {
    const GemmPlan both = plan(large.both, {.kernel = kernel}, target),
                   flat = plan(large.flat, {.kernel = kernel}, target);
    CHECK((both.batch_chunk == 15 && both.tile == flat.tile && both.seconds == flat.seconds));
    CHECK((both.stream.blocks() == flat.stream.blocks() && both.workspace == flat.workspace));
  }
  const GemmPlan chosen = plan(large.both, {}, target), as_flat = plan(large.flat, {}, target);
  CHECK((chosen.kernel == as_flat.kernel && chosen.tile == as_flat.tile));
  const GemmPlan repacked = plan(large.both, {.kernel = Kernel::tensor_core, .repack = true}, target);
  CHECK((!repacked.repack || repacked.batch_chunk <= 3));
  const Dimensions small({8, 8, 8});
  CHECK(plan(small.both, {.kernel = Kernel::small_batched}, target).batch_chunk == 3);
  Target amd = h200(Path::portable, ComputeMode::fp64);
  amd.reads_pointers = false;
  CHECK(plan(large.both, {.kernel = Kernel::stream_k_tensor_core}, amd).batch_chunk == 3);
}

TEST_CASE("a stream of several launches has a workspace for each of them", "[nested]") {
  const Target target = h200(Path::native, ComputeMode::fp64);
  const Index tiles = 1 << 14;  // 7 products have 2^28 each, of 2^31 per launch
  const Dimensions huge({32 * tiles, 64 * tiles, 16});
  const GemmOptions options{.kernel = Kernel::stream_k_tensor_core, .tile = {32, 64, 16, 4, 4}};
  const GemmPlan planned = plan(huge.both, options, target);
  CHECK(planned.batch_chunk == 6);
  for (const Index count : {6, 3}) {
    GemmDesc part = huge.flat;
    part.count = count;
    CHECK(plan(part, options, target).workspace <= planned.workspace);
  }
}

TEST_CASE("one launch of two dimensions is planned, as all of them lie", "[nested]") {
  const auto args_of = [](Index outer_a, Index outer_c) {
    return detail::batch_args<double>(
        1, nested_batch(row_major<const double>(memory, 16, 16), 3, outer_a, 8, 512),
        nested_batch(row_major<const double>(memory, 16, 16), 3, 0, 8, 256), 0,
        nested_batch(row_major(memory + 8192, 16, 16), 3, outer_c, 8, 256));
  };
  const GemmDesc aligned = describe(args_of(8192, 4096)), odd_a = describe(args_of(4097, 4096)),
                 odd_c = describe(args_of(8192, 4097));
  CHECK((aligned.count == 8 && aligned.outer == 3));
  CHECK((aligned.alignment.a.whole && aligned.alignment.a.tma_k && aligned.alignment.b.whole &&
         aligned.result.rows));
  CHECK_FALSE((odd_a.alignment.a.whole || odd_a.alignment.a.tma_k || odd_a.alignment.a.pairs));
  CHECK((odd_a.alignment.b.whole && odd_a.result.rows));
  CHECK_FALSE(odd_c.result.rows);
  const Target target = h200(Path::native, ComputeMode::fp64);
  const GemmOptions named{.kernel = Kernel::small_batched};
  GemmPlan one = plan(aligned, named, target);
  CHECK(one.batch_chunk <= 8);
  GemmDesc flat = aligned;
  flat.outer = 1;
  CHECK(std::abs(plan(flat, named, target).seconds * 3 - one.seconds) < 1e-9 * one.seconds);
  CHECK(refused([&] {
          detail::check_plan(one, flat, target);
        }).starts_with("plan for other products (24 of 16x16x16 in fp64, here are 8 of 16x16x16 in fp64, "));
}

alignas(256) float floats[4096];

/// Products of (4,8)·(8,16), with each operand by pointers.
struct Pointers {
  std::array<const float*, 3> a{floats + 64, floats, floats + 128},
      b{floats + 1024, floats + 1280, floats + 1152};
  std::array<float*, 3> c{floats + 2048, floats + 2304, floats + 2176};

  BatchRef<const float> A(Index alignment = 16) const {
    return pointer_batch(a.data(), row_major<const float>(nullptr, 4, 8), 3, alignment);
  }
  BatchRef<const float> B(Index alignment = 16) const {
    return pointer_batch(b.data(), row_major<const float>(nullptr, 8, 16), 3, alignment);
  }
  BatchRef<float> C() const { return pointer_batch(c.data(), row_major<float>(nullptr, 4, 16), 3, 16); }

  BatchArgs<float> args() const { return detail::batch_args<float>(2, A(), B(), 1, C()); }
};

/// Aligned products of one shape, by pointers.
GemmDesc by_pointers(GemmShape shape, Type type, Index count) {
  GemmDesc desc = describe(shape, type, count);
  desc.by_pointers = true;
  return desc;
}

TEST_CASE("matrix i lies where pointer i leads, however it is read", "[pointers]") {
  const Pointers all;
  const BatchRef<float> C = all.C();
  CHECK(&C[1](2, 3) == all.c[1] + 35);
  CHECK(&C.transposed()[2](3, 2) == all.c[2] + 35);
  const BatchRef<const float> read_only = C;
  CHECK((read_only.pointers == C.pointers && read_only.alignment == 16 && read_only.count == 3));
  CHECK(batch_ref(C).pointers == C.pointers);
  std::array<complex<double>*, 1> numbers{};
  CHECK(pointer_batch(numbers.data(), row_major<complex<double>>(nullptr, 2, 2), 1)
            .adjoint()
            .first.is_conjugated == 1);
  std::array<std::complex<double>*, 1> foreign{reinterpret_cast<std::complex<double>*>(floats)};
  const auto own =
      batch_ref(pointer_batch(foreign.data(), row_major<std::complex<double>>(nullptr, 2, 2), 1));
  CHECK(static_cast<const void*>(own.pointers) == static_cast<const void*>(foreign.data()));
  CHECK(pointer_batch(all.c.data(), C.first, 3).alignment == alignof(float));
}

TEST_CASE("a product, a part and the transpose of a batch by pointers", "[pointers]") {
  const Pointers all;
  const BatchArgs<float> args = all.args();
  const GemmArgs<float> second = args.product(1);
  CHECK((second.A.data == all.a[1] && second.B.data == all.b[1] && second.C.data == all.c[1]));
  const BatchArgs<float> part = args.part(1, 2), other = args.transposed();
  CHECK((part.batch.count == 2 && part.product(1).C.data == all.c[2]));
  CHECK((other.product(2).A.data == all.b[2] && other.product(2).B.data == all.a[2]));
  CHECK(other.product(2).C.data == all.c[2]);
  const auto [A, B, C] = detail::operands_of(args);
  CHECK((A.pointers == args.pointers.a && B.pointers == args.pointers.b && C.pointers == args.pointers.c));
  CHECK((A.alignment == 16 && C.count == 3));
}

TEST_CASE("operands by pointers go with ones at equal distances", "[pointers]") {
  const Pointers all;
  const BatchRef<const float> B{row_major<const float>(floats + 1024, 8, 16), 128, 3};
  const BatchArgs<float> args = prepared(detail::batch_args<float>(2, all.A(), B, 1, all.C()));
  CHECK((args.product(2).A.data == all.a[2] && args.product(2).B.data == floats + 1280));
  CHECK(
      (args.part(2, 1).product(0).B.data == floats + 1280 && args.part(2, 1).product(0).A.data == all.a[2]));
}

TEST_CASE("operands that are not read have no pointers", "[pointers]") {
  const Pointers all;
  BatchArgs<float> args = all.args();
  args.first.alpha = 0;
  const BatchArgs<float> ready = prepared(args);
  CHECK((ready.pointers.a == nullptr && ready.pointers.b == nullptr && ready.pointers.c == args.pointers.c));
  CHECK(ready.shape().k == 0);
}

TEST_CASE("null pointers and false alignments of a batch are refused", "[pointers]") {
  Pointers all;
  const auto refusal = [&](const BatchRef<const float>& A, const BatchRef<const float>& B) {
    return refused([&] { detail::batch_args<float>(1, A, B, 0, all.C()); });
  };
  CHECK(refusal(all.A(12), all.B()).starts_with("invalid alignment of pointers (A, 12 bytes)"));
  CHECK(refusal(all.A(), all.B(2)).starts_with("invalid alignment of pointers (B, 2 bytes)"));
  BatchRef<const float> fewer = all.B();
  fewer.count = 2;
  CHECK(refusal(all.A(), fewer).starts_with("numbers of products differ (A 3, B 2, C 3)"));
  const BatchRef<float> none = pointer_batch<float>(nullptr, row_major<float>(nullptr, 4, 16), 3);
  CHECK(refused([&] {
          prepared(detail::batch_args<float>(1, all.A(), all.B(), 0, none));
        }).starts_with("null data of C (4 x 16)"));
  CHECK(refused([&] { detail::check_pointers(all.args()); }) == "");
  all.b[2] = nullptr;
  CHECK(refused([&] {
          detail::check_pointers(all.args());
        }).starts_with("null pointer in the batch B (number 2 of 3, counted from 0)"));
  BatchArgs<float> unread = all.args();
  unread.first.alpha = 0;
  CHECK(refused([&] { detail::check_pointers(prepared(unread)); }) == "");
}

TEST_CASE("a promised alignment stands for addresses", "[pointers]") {
  const Pointers all;
  const GemmDesc aligned = describe(all.args());
  CHECK((aligned.by_pointers && aligned.alignment.a.whole && aligned.alignment.b.whole));
  CHECK_FALSE((aligned.alignment.a.tma_k || aligned.alignment.b.tma_mn || aligned.alignment.b.shared));
  CHECK_FALSE((aligned.result.rows || aligned.result.columns));
  const GemmDesc loose = describe(detail::batch_args<float>(2, all.A(8), all.B(), 1, all.C()));
  CHECK((!loose.alignment.a.whole && loose.alignment.a.pairs && loose.alignment.b.whole));
  CHECK_FALSE(describe(BatchArgs<float>(all.args().product(0))).by_pointers);
  CHECK(testing::alignment_of(std::vector<float*>{floats, floats + 4}) == 16);
  CHECK(testing::alignment_of(std::vector<float*>{floats}) == 256);
}

Reason plan_code(const GemmDesc& desc, const GemmOptions& options, const Target& target) {
  try {
    plan(desc, options, target);
  } catch (const Unsupported& refusal) {
    return refusal.code();
  }
  return Reason::nothing;
}

TEST_CASE("kernels that TMA feeds, and repacking, do not follow pointers", "[pointers][choose]") {
  for (const ComputeMode math : {ComputeMode::tf32, ComputeMode::fp16, ComputeMode::bf16}) {
    const Target target = h200(Path::native, math);
    const GemmDesc desc = by_pointers({4096, 4096, 4096}, target.type(), 3);
    CHECK(plan(describe(desc.shape, desc.type, 3), {}, target).kernel == Kernel::warpgroup);
    const GemmPlan chosen = plan(desc, {}, target);
    CHECK((chosen.kernel == Kernel::tensor_core || chosen.kernel == Kernel::stream_k_tensor_core));
    const std::string text = refused([&] { plan(desc, {.kernel = Kernel::warpgroup}, target); });
    CHECK(plan_code(desc, {.kernel = Kernel::warpgroup}, target) == Reason::addresses);
    CHECK(text.find("tensor_core") != text.npos);
    CHECK(text.rfind("warpgroup") < text.find("take one of"));
  }
  const Target fp32 = h200(Path::native, ComputeMode::fp32);
  const GemmDesc odd = by_pointers({4097, 4097, 4097}, Type::fp32, 3);
  CHECK(plan_code(odd, {.kernel = Kernel::pipelined, .repack = true}, fp32) == Reason::addresses);
  CHECK_FALSE(plan(odd, {}, fp32).repack);
}

TEST_CASE("tf32x3 of operands by pointers is computed in fp32", "[pointers][choose]") {
  const Target target = h200(Path::native, ComputeMode::tf32x3);
  const GemmDesc desc = by_pointers({4096, 4096, 4096}, Type::fp32, 3);
  CHECK(plan(describe(desc.shape, desc.type, 3), {}, target).math == ComputeMode::tf32x3);
  const GemmPlan chosen = plan(desc, {.math = ComputeMode::tf32x3}, target);
  CHECK((chosen.math == ComputeMode::fp32 && chosen.path == Path::native));
}

TEST_CASE("where kernels read no pointers, tiles are shared out a product at a time", "[pointers][plan]") {
  Target target = h200(Path::portable, ComputeMode::fp32);
  const GemmDesc desc = by_pointers({512, 512, 512}, Type::fp32, 5);
  const GemmOptions stream{.kernel = Kernel::stream_k};
  CHECK(plan(desc, stream, target).batch_chunk == 5);
  target.reads_pointers = false;
  CHECK(plan(desc, stream, target).batch_chunk == 1);
  CHECK(plan(describe(desc.shape, desc.type, 5), stream, target).batch_chunk == 5);
}

}  // namespace
}  // namespace rooftile
