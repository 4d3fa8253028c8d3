// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Batches of two dimensions: where their products lie, which are refused, and what becomes of them. None of
// the memory is read.
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

#include "rooftile/detail/batch.hpp"
#include "rooftile/detail/batch_args.hpp"
#include "rooftile/device/common/batch_product.hpp"
#include "rooftile/plan.hpp"
#include "tests/support/multiply.hpp"
#include "tests/support/pointers.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using detail::prepared;
using detail::Steps;
using testing::refused;
using testing::seed;
using Random = std::mt19937_64;

Index pick(Random& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

alignas(256) double memory[1 << 14];

/// Products of (2,3)·(3,4), for 5 sequences of 3 heads, whose rows take turns: those of a head are 3 heads
/// apart.
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

TEST_CASE("dimensions that do not go together are refused", "[nested]") {
  const Heads heads;
  const auto other = nested_batch(heads.B.first, 3, 12, 5, 0);
  CHECK(refused([&] { detail::batch_args<double>(1, heads.A, other, 1, heads.C); }) ==
        "dimensions of batches differ (inner ones of A 3, B 5, C 3, 0: no second dimension): give all the "
        "same");
  CHECK(refused([&] { nested_batch(heads.B.first, Index{1} << 40, 1, Index{1} << 40, 1); }) ==
        "too many matrices (1099511627776 x 1099511627776): give fewer in a call");
  const auto negative = [&](Index outer, Index inner) {
    return refused([&] {
      prepared(detail::batch_args<double>(1, nested_batch(heads.A.first, outer, 1, inner, 1),
                                          nested_batch(heads.B.first, outer, 1, inner, 1), 1,
                                          nested_batch(heads.C.first, outer, 1, inner, 1)));
    });
  };
  CHECK(negative(-2, 3) == "negative number of products (-2): give 0 or more");
  CHECK(negative(3, -2) == "negative number of products (-2): give 0 or more");
  CHECK((negative(0, 3).empty() && negative(3, 0).empty()));
  BatchArgs<double> args = heads.args();
  args.batch.inner = 4;
  CHECK(refused([&] { prepared(args); }) ==
        "no two dimensions of a batch (15 products, 4 in the inner one): give as many in each");
  args.batch = {15, 0, 0, 8, 3, 0, 0, std::numeric_limits<Index>::max() / 2};
  CHECK(refused([&] { prepared(args); }) ==
        "extent times stride overflows for C (5 x 4611686018427387903): check the sizes and leading "
        "dimensions");
}

TEST_CASE("products of two dimensions that share elements of C are refused", "[nested]") {
  Heads heads;
  heads.C.outer_stride = 20;
  CHECK(refused([&] { prepared(heads.args()); }) ==
        "products overlap (C 2 x 4, strides 12 and 1, one of C every 4 elements, and after 3 of them every "
        "20): give a batch stride of at least a matrix");
  heads.C.outer_stride = 0;
  CHECK(refused([&] { prepared(heads.args()); }).starts_with("products overlap (C 2 x 4"));
  heads = {};
  heads.A.first.data = heads.C[14].data - 2 * 18 - 9 - 6;
  heads.A.outer_stride = 20;
  CHECK(refused([&] { prepared(heads.args()); }).starts_with("C overlaps A"));
}

/// How matrices follow each other at random, near to each other.
Steps random_steps(Random& random) {
  return {pick(random, 1, 4), pick(random, -30, 30), pick(random, 1, 4), pick(random, -60, 60)};
}

/// The elements of all matrices. @return whether one came twice
bool gather(const MatrixRef<const double>& X, const Steps& steps, std::set<const double*>& elements) {
  bool twice = false;
  for (Index p = 0; p < steps.count * steps.outer; ++p) {
    const Index to = p / steps.count * steps.outer_stride + p % steps.count * steps.stride;
    for (Index e = 0; e < X.rows * X.cols; ++e)
      twice = !elements.insert(&X(e / X.cols, e % X.cols) + to).second || twice;
  }
  return twice;
}

TEST_CASE("an element that two products have is found, and no other", "[nested]") {
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
    // Of matrices with other strides than row_major ones it suffices that memory overlaps.
    if (exact) REQUIRE(found);
    if (found && !exact) REQUIRE_FALSE(detail::is_nested(C, steps));
    ++(exact ? sharing : apart);
  }
  CHECK((sharing > 1000 && apart > 1000));
}

TEST_CASE("what is read is held against every product of C in two dimensions", "[nested]") {
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
    const bool found = !refused([&] { detail::check_apart<double>("X", X, x, C, c); }).empty();
    INFO(X << " every " << x.stride << ", " << x.outer_stride << "; " << C << " every " << c.stride << ", "
           << c.outer_stride << "; " << c.count << " x " << c.outer << ", seed " << seed);
    REQUIRE(found == exact);
    ++(exact ? meeting : apart);
  }
  CHECK((meeting > 1000 && apart > 1000));
}

/// For each element of C the row of A and the column of B that it is made of: where they begin, and the steps
/// along K.
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
  std::map<std::pair<bool, bool>, int> seen;  // whether two dimensions, or one, are left
  int swapped = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const Index m = pick(random, 1, 3), n = pick(random, 1, 3), k = pick(random, 1, 3);
    const Index outer = pick(random, 1, 4), inner = pick(random, 1, 4);
    // In memory, dimensions follow each other in any order, with gaps here and there.
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
    // Folded rows may make a C whose rows are inside one whose columns are, and the other way round.
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

TEST_CASE("what is not read of two dimensions counts for nothing", "[nested]") {
  Heads heads;
  heads.A.first.data = heads.B.first.data = nullptr;
  BatchArgs<double> args = heads.args();
  args.first.alpha = 0;
  const BatchArgs<double> ready = prepared(args);
  CHECK((ready.shape().k == 0 && ready.batch.outer_a == 0 && ready.batch.stride_a == 0));
  CHECK(ready.batch.count * ready.first.C.rows * ready.first.C.cols == 15 * 8);
}

/// 5 times 3 products, and as many in one dimension.
struct Dimensions {
  GemmDesc both, flat;

  explicit Dimensions(const GemmShape& shape)
      : both(describe(shape, Type::fp64, 3, false)), flat(describe(shape, Type::fp64, 15, false)) {
    both.outer = 5;
  }
};

TEST_CASE("both dimensions are planned for one launch, where the kernel knows both", "[nested]") {
  const Target target = testing::h200(Path::native, Math::fp64);
  const Dimensions large({300, 300, 1000});
  for (const Kernel kernel : {Kernel::tensor_core, Kernel::stream_k_tensor_core}) {
    const GemmPlan both = plan(large.both, {.kernel = kernel}, target),
                   flat = plan(large.flat, {.kernel = kernel}, target);
    CHECK((both.at_a_time == 15 && both.tile == flat.tile && both.cycles == flat.cycles));
    CHECK((both.stream.blocks() == flat.stream.blocks() && both.workspace == flat.workspace));
  }
  const GemmPlan chosen = plan(large.both, {}, target), as_flat = plan(large.flat, {}, target);
  CHECK((chosen.kernel == as_flat.kernel && chosen.tile == as_flat.tile));
  const GemmPlan repacked = plan(large.both, {.kernel = Kernel::tensor_core, .repack = true}, target);
  CHECK((!repacked.repack || repacked.at_a_time <= 3));
  const Dimensions small({8, 8, 8});
  CHECK(plan(small.both, {}, target).kernel == Kernel::small_batched);
  CHECK(plan(small.both, {}, target).at_a_time == 3);
  Target amd = testing::h200(Path::portable, Math::fp64);
  amd.reads_pointers = false;
  CHECK(plan(large.both, {.kernel = Kernel::stream_k_tensor_core}, amd).at_a_time == 3);
}

TEST_CASE("a stream of several launches has a workspace for each of them", "[nested]") {
  const Target target = testing::h200(Path::native, Math::fp64);
  const Index tiles = 1 << 14;  // of 2^31 in a launch 7 products have 2^28 each
  const Dimensions huge({32 * tiles, 64 * tiles, 16});
  const GemmOptions options{.kernel = Kernel::stream_k_tensor_core, .tile = {32, 64, 8, 4, 4}};
  const GemmPlan planned = plan(huge.both, options, target);
  CHECK(planned.at_a_time == 6);
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
  CHECK((aligned.lines.a.whole && aligned.lines.a.tma_k && aligned.lines.b.whole && aligned.result.rows));
  CHECK_FALSE((odd_a.lines.a.whole || odd_a.lines.a.tma_k || odd_a.lines.a.pairs));
  CHECK((odd_a.lines.b.whole && odd_a.result.rows));
  CHECK_FALSE(odd_c.result.rows);
  const Target target = testing::h200(Path::native, Math::fp64);
  GemmPlan one = plan(aligned, {}, target);
  CHECK(one.at_a_time <= 8);
  GemmDesc flat = aligned;
  flat.outer = 1;
  CHECK(plan(flat, {}, target).cycles * 3 == one.cycles);
  CHECK(refused([&] { detail::check_plan(one, flat, target); }) ==
        "plan for other products (24 of 16x16x16 in fp64, here are 8 of 16x16x16 in fp64, whose operands lie "
        "otherwise): make one of these");
}

}  // namespace
}  // namespace rooftile
