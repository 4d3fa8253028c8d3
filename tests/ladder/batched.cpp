// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Every kernel of one path on one backend on several products at once, in integers, whose products are exact.
#include <string>

#include <catch2/catch_template_test_macros.hpp>

#include "batch.hpp"
#include "rooftile/choose.hpp"
#include "this_ladder.hpp"

namespace rooftile::testing {
namespace {

/// @return whether the kernel took it
template <class T>
bool try_batch(const LadderKernel<T>& kernel, const Problem<T>& problem, Index count,
               Shared shared = Shared::none, ByPointers by = {}) {
  INFO(kernel.kernel << ' ' << kernel.tile << ' ' << to_string(kernel.math) << ": " << count << " times "
                     << problem << ", shared: " << static_cast<int>(shared)
                     << ", by pointers:" << (by.a ? " A" : "") << (by.b ? " B" : "") << (by.c ? " C" : ""));
  bool taken = false;
  const std::string wrong = batch_fault(
      *kernel.device, problem, count, shared,
      [&](const BatchArgs<T>& args) {
        taken = kernel.refusal(args).empty();
        if (taken) {
          kernel.launch(args);
        } else {
          CHECK_THROWS_AS(kernel.launch(args), Error);
        }
        return taken;
      },
      by);
  CHECK(wrong == "");
  return taken;
}

TEMPLATE_LIST_TEST_CASE("batches of a few products are exact", "[batched]", Types) {
  const Storage row = Storage::row, column = Storage::column, strided = Storage::strided;
  for (const auto& kernel : kernels<TestType>()) {
    int taken = 0;
    for (const GemmShape shape :
         {GemmShape{1, 1, 1}, {16, 32, 32}, {32, 32, 64}, {37, 29, 19}, {9, 130, 40}}) {
      for (const Index count : {1, 2, 3}) {
        for (const Shared shared : {Shared::none, Shared::a, Shared::b}) {
          // Rows at addresses for vectors, and not.
          taken +=
              try_batch(kernel, Problem<TestType>{shape, row, row, row, 1, 0, true, 8, 0}, count, shared);
          try_batch(kernel, Problem<TestType>{shape, row, column, row, 2, 1, true, 3, 5}, count, shared);
          try_batch(kernel, Problem<TestType>{shape, column, row, column, -1, 2, true, 8, 8}, count, shared);
        }
        try_batch(kernel, Problem<TestType>{shape, strided, Storage::reversed, strided, 1, 1, true}, count);
      }
    }
    CHECK(taken >= 4);
  }
}

TEMPLATE_LIST_TEST_CASE("batches of products with several tiles are exact", "[batched]", Types) {
  for (const auto& kernel : kernels<TestType>()) {
    for (const GemmShape shape : {GemmShape{288, 264, 40}, {64, 64, 4096}}) {
      try_batch(kernel, Problem<TestType>{shape, {}, {}, {}, 1, 0, true, 8}, 3);
      try_batch(kernel, Problem<TestType>{shape, {}, {}, {}, 1, 1, true, 1, 3}, 3);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("alpha, beta and K of batches as in BLAS", "[batched]", Types) {
  for (const auto& kernel : kernels<TestType>()) {
    for (const Index k : {0, 32}) {
      for (const int alpha : {0, 2}) {
        for (const int beta : {0, 3}) {
          try_batch(kernel,
                    Problem<TestType>{{32, 32, k},
                                      {},
                                      {},
                                      {},
                                      static_cast<Scalar<TestType>>(alpha),
                                      static_cast<Scalar<TestType>>(beta),
                                      true},
                    3);
        }
      }
    }
  }
}

/// Whether a kernel takes arrays of pointers at all.
template <class T>
bool takes_pointers(const LadderKernel<T>& kernel) {
  return kernel.automatic() || !(rung_of(kernel.options.kernel).tma || kernel.options.repack);
}

TEMPLATE_LIST_TEST_CASE("batches by pointers are exact", "[batched]", Types) {
  const Storage row = Storage::row, column = Storage::column, strided = Storage::strided;
  constexpr ByPointers all{true, true, true},
      some[]{{true, false, false}, {false, true, false}, {false, false, true}};
  for (const auto& kernel : kernels<TestType>()) {
    int taken = 0;
    for (const GemmShape shape : {GemmShape{1, 1, 1}, {32, 32, 64}, {37, 29, 19}, {9, 130, 40}}) {
      for (const Index count : {1, 2, 5}) {
        for (const Shared shared : {Shared::none, Shared::a, Shared::b}) {
          taken += try_batch(kernel, Problem<TestType>{shape, row, row, row, 1, 0, true, 8, 0}, count, shared,
                             all);
          try_batch(kernel, Problem<TestType>{shape, row, column, row, 2, 1, true, 3, 5}, count, shared, all);
          try_batch(kernel, Problem<TestType>{shape, column, row, column, -1, 2, true, 8, 8}, count, shared,
                    all);
        }
        for (const ByPointers by : some) {
          try_batch(kernel, Problem<TestType>{shape, row, row, row, 2, 1, true, 8, 0}, count, Shared::none,
                    by);
          try_batch(kernel, Problem<TestType>{shape, strided, Storage::reversed, column, 1, 1, true}, count,
                    Shared::none, by);
        }
      }
    }
    CHECK((taken >= 4) == takes_pointers(kernel));
  }
}

TEMPLATE_LIST_TEST_CASE("batches by pointers with several tiles, without K and of many are exact",
                        "[batched]", Types) {
  constexpr ByPointers all{true, true, true};
  for (const auto& kernel : kernels<TestType>()) {
    for (const GemmShape shape : {GemmShape{288, 264, 40}, {64, 64, 4096}})
      try_batch(kernel, Problem<TestType>{shape, {}, {}, {}, 1, 1, true, 8}, 3, Shared::none, all);
    for (const int alpha : {0, 2}) {
      for (const int beta : {0, 3}) {
        const auto x = static_cast<Scalar<TestType>>(alpha), y = static_cast<Scalar<TestType>>(beta);
        try_batch(kernel, Problem<TestType>{{32, 32, alpha == 0 ? 32 : 0}, {}, {}, {}, x, y, true}, 3,
                  Shared::none, all);
      }
    }
    const Index many = std::string_view(ROOFTILE_TEST_BACKEND) == "cuda" ? 70'000 : 1'000;
    try_batch(kernel, Problem<TestType>{{2, 3, 4}, {}, {}, {}, 1, 0, true, 1}, many, Shared::b, all);
  }
}

/// More products than a grid has layers.
TEMPLATE_LIST_TEST_CASE("batches of very many tiny products are exact", "[batched]", Types) {
  for (const auto& kernel : kernels<TestType>()) {
    // A tile of 32 is a lot of work for a CPU that steps through all of it.
    const Index count =
        std::string_view(ROOFTILE_TEST_BACKEND) == "cuda" || kernel.kernel == "automatic" ? 70'000 : 1'000;
    for (const Shared shared : {Shared::none, Shared::b}) {
      try_batch(kernel, Problem<TestType>{{2, 3, 4}, {}, {}, {}, 1, 0, true, 1}, count, shared);
    }
  }
}

/// Products whose rows, or columns, follow each other are computed as one, which must be the same.
TEMPLATE_LIST_TEST_CASE("batches that are one product are exact", "[batched]", Types) {
  for (const auto& kernel : kernels<TestType>()) {
    const GemmShape whole{96, 64, 32};
    for (const bool by_rows : {true, false}) {
      for (const Index count : {2, 3, 32}) {
        const Problem<TestType> problem{whole, {}, {}, {}, 1, 1, true, 8};
        const Index extent = (by_rows ? whole.m : whole.n) / count;
        if (extent * count != (by_rows ? whole.m : whole.n)) continue;
        INFO(kernel.kernel << ' ' << kernel.tile << ", " << count << " by "
                           << (by_rows ? "rows" : "columns"));
        CHECK(fault(
                  *kernel.device, problem,
                  [&](const GemmArgs<TestType>& args) {
                    BatchArgs<TestType> batch{args, {count, 0, 0, 0}};
                    auto& [first, strides, pointers] = batch;
                    if (by_rows) {
                      first.A.rows = first.C.rows = extent;
                      strides.stride_a = extent * args.A.row_stride;
                      strides.stride_c = extent * args.C.row_stride;
                    } else {
                      first.B.cols = first.C.cols = extent;
                      strides.stride_b = extent * args.B.col_stride;
                      strides.stride_c = extent * args.C.col_stride;
                    }
                    const bool taken = kernel.refusal(batch).empty();
                    if (taken) kernel.launch(batch);
                    return taken;
                  },
                  kernel.math) == "");
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("no products do nothing, and products that overlap are refused", "[batched]", Types) {
  const auto all = kernels<TestType>();
  const LadderKernel<TestType>& automatic = all.back();
  Buffer<TestType> memory(*automatic.device, 400);
  std::vector<TestType> before(400, static_cast<TestType>(7.0F)), after(400);
  memory.upload(before);
  BatchArgs<TestType> args{
      {1, row_major<const TestType>(memory.data(), 5, 5),
       row_major<const TestType>(memory.data() + 100, 5, 5), 0, row_major(memory.data() + 200, 5, 5)},
      {0, 25, 25, 25}};
  automatic.launch(args);
  args.batch = {3, 25, 25, 20};
  CHECK_THROWS_AS(automatic.launch(args), Error);
  args.batch = {5, 25, 25, 25};  // the fifth B is the first C
  CHECK_THROWS_AS(automatic.launch(args), Error);
  args.batch = {-1, 25, 25, 25};
  CHECK_THROWS_AS(automatic.launch(args), Error);
  memory.download(after);
  CHECK(after == before);
}

TEST_CASE("a batch that is wrong in one product is found out", "[batched][checker]") {
  const auto right = kernels<float>();
  const auto& naive =
      *std::find_if(right.begin(), right.end(), [](const auto& c) { return c.kernel == "naive"; });
  const Problem<float> problem{{5, 7, 9}, {}, {}, {}, 1, 0, true};
  const auto run = [&](const auto& spoil) {
    return batch_fault(*naive.device, problem, 4, Shared::none, [&](BatchArgs<float> args) {
      spoil(args);
      naive.launch(args);
      return true;
    });
  };
  CHECK(run([](auto&) {}) == "");
  CHECK(run([](auto& args) { --args.batch.count; }) != "");       // the last is not computed
  CHECK(run([](auto& args) { args.batch.stride_b = 0; }) != "");  // B of the first
  CHECK(run([](auto& args) { ++args.batch.stride_a; }) != "");    // A an element off
  CHECK(run([](auto& args) { ++args.batch.stride_c; }) != "");    // C an element off

  const auto run_by_pointers = [&](const auto& spoil) {
    return batch_fault(
        *naive.device, problem, 4, Shared::none,
        [&](BatchArgs<float> args) {
          spoil(args);
          naive.launch(args);
          return true;
        },
        ByPointers{true, true, true});
  };
  CHECK(run_by_pointers([](auto&) {}) == "");
  CHECK(run_by_pointers([](auto& args) { --args.batch.count; }) != "");
  // The last, which is no longer computed, in the place of the first.
  CHECK(run_by_pointers([](auto& args) { --args.batch.count, ++args.pointers.a; }) != "");
  CHECK(run_by_pointers([](auto& args) { --args.batch.count, ++args.pointers.c; }) != "");
}

}  // namespace
}  // namespace rooftile::testing
