// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Tests every kernel of one path and backend on batches of integers, whose products are exact.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "plan/choose.hpp"
#include "product.hpp"
#include "rooftile/detail/batch_args.hpp"
#include "tests/support/pointers.hpp"

namespace rooftile::testing {
namespace {

/// Matrices of one shape in one buffer, at equal distances, with guard elements between them.
template <class T>
struct GuardedBatch {
  static constexpr T guard = Guarded<T>::guard;

  Guarded<T> one;  ///< gives the layout
  Index count;
  Index stride;
  std::vector<T> memory;

  /// @param gap  elements between a matrix with its guards and the next one
  GuardedBatch(Index rows, Index cols, Storage storage, Index pad, Index count_, Index gap)
      : one(rows, cols, storage, pad, 0), count(count_), stride(static_cast<Index>(one.memory.size()) + gap) {
    memory.assign(static_cast<std::size_t>(count * stride), guard);
  }

  template <class U>
  BatchRef<U> in(U* data) const {
    return {one.in(data), stride, count};
  }
  BatchRef<T> on_host() { return in(memory.data()); }

  /// Overwrites the elements, but not the guards.
  template <class F>
  void fill(const F& value) {
    for (Index p = 0; p < count; ++p) {
      const MatrixRef<T> X = on_host()[p];
      for (Index i = 0; i < X.rows; ++i) {
        for (Index j = 0; j < X.cols; ++j) X(i, j) = value();
      }
    }
  }

  bool guards_hold() const {
    GuardedBatch copy = *this;
    copy.fill([] { return guard; });
    return std::all_of(copy.memory.begin(), copy.memory.end(), [](const T& x) { return x == guard; });
  }
};

/// The operand that all products share.
enum class Shared { none, a, b };

/// The operands that are arrays of pointers.
struct ByPointers {
  bool a = false, b = false, c = false;

  constexpr bool any() const { return a || b || c; }
};

/// The matrices of an operand in a batch: at equal distances, or by pointers in reverse order.
template <class U>
struct Placed {
  BatchRef<U> all;
  std::optional<Buffer<U*>> pointers;

  Placed(Device& device, const BatchRef<U>& strided, bool by_pointers, Index count) : all(strided) {
    if (!by_pointers || count == 0) return;
    const std::vector<U*> addresses = pointers_to(strided.first, strided.stride, count);
    pointers.emplace(device, addresses.size()).upload(addresses);
    all = pointer_batch(pointers->data(), strided.first, count, alignment_of(addresses));
  }
  /// Returns the index of product i's matrix in the order of addresses.
  Index place(Index i, Index count) const { return pointers ? count - 1 - i : i; }
};

/// Computes a batch of small integers. Elements that must not be read are NaN.
/// @param launch  runs the products and returns whether it did; if not, C must be unchanged
/// @return a description of the fault; empty if there is none
template <class T, class Launch>
std::string batch_fault(Device& device, const Problem<T>& problem, Index count, Shared shared,
                        const Launch& launch, ByPointers by = {}) {
  const auto [m, n, k] = problem.shape;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  std::mt19937_64 bits(20261121);
  const auto value = [&] {
    return detail::from_parts<T>([&] { return static_cast<float>(bits() % 7) - 3; });
  };
  const bool reads_ab = problem.alpha != 0, reads_c = problem.beta != 0;
  const Index gap = problem.shift;
  const auto [pad_a, pad_b, pad_c] = problem.pads();
  GuardedBatch<T> a(m, k, problem.a, pad_a, shared == Shared::a ? 1 : count, gap);
  GuardedBatch<T> b(k, n, problem.b, pad_b, shared == Shared::b ? 1 : count, gap);
  GuardedBatch<T> c(m, n, problem.c, pad_c, count, gap);
  a.fill([&] { return reads_ab ? value() : nan; });
  b.fill([&] { return reads_ab ? value() : nan; });
  c.fill([&] { return reads_c ? value() : nan; });
  GuardedBatch<T> result = c;

  Buffer<T> device_a(device, a.memory.size()), device_b(device, b.memory.size()),
      device_c(device, c.memory.size());
  device_a.upload(a.memory), device_b.upload(b.memory), device_c.upload(c.memory);
  BatchRef<const T> A = a.template in<const T>(device_a.data());
  BatchRef<const T> B = b.template in<const T>(device_b.data());
  BatchRef<T> C = c.in(device_c.data());
  A.count = B.count = C.count = count;
  if (shared == Shared::a) A.stride = 0;
  if (shared == Shared::b) B.stride = 0;
  const Placed<const T> placed_a(device, A, by.a, count), placed_b(device, B, by.b, count);
  const Placed<T> placed_c(device, C, by.c, count);
  const bool ran =
      launch(detail::batch_args<T>(problem.alpha, placed_a.all, placed_b.all, problem.beta, placed_c.all));
  device_c.download(result.memory);
  if (!ran) {
    const bool same = std::memcmp(result.memory.data(), c.memory.data(), c.memory.size() * sizeof(T)) == 0;
    return same ? "" : "refused, but C changed";
  }

  std::ostringstream text;
  for (Index p = 0; p < count && text.str().empty(); ++p) {
    const MatrixRef<T> a_p = a.on_host()[shared == Shared::a ? 0 : placed_a.place(p, count)];
    const MatrixRef<T> b_p = b.on_host()[shared == Shared::b ? 0 : placed_b.place(p, count)];
    const Index at = placed_c.place(p, count);
    const MatrixRef<T> before = c.on_host()[at], found = result.on_host()[at];
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        Scalar<T> sum = 0;
        for (Index e = 0; e < k && reads_ab; ++e)
          sum += static_cast<Scalar<T>>(a_p(i, e)) * static_cast<Scalar<T>>(b_p(e, j));
        sum = problem.alpha * sum;
        if (reads_c) sum += problem.beta * static_cast<Scalar<T>>(before(i, j));
        // The negated comparison also reports NaN.
        if (!(found(i, j) == static_cast<T>(sum)) && text.str().empty())
          text << "wrong in product " << p << " at (" << i << ", " << j << ")";
      }
    }
  }
  if (!result.guards_hold()) text << " wrote outside C";
  return text.str();
}

/// @return whether the kernel took the batch
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

/// Returns whether a kernel takes arrays of pointers.
template <class T>
bool takes_pointers(const LadderKernel<T>& kernel) {
  return kernel.automatic() || !(rung_of(kernel.options.kernel).tma || kernel.options.repack);
}

constexpr ByPointers strided{}, all_pointers{true, true, true},
    some_pointers[]{{true, false, false}, {false, true, false}, {false, false, true}};

TEMPLATE_LIST_TEST_CASE("batches of a few products are exact, by strides and by pointers", "[batched]",
                        Types) {
  const Storage row = Storage::row, column = Storage::column, apart = Storage::strided,
                reversed = Storage::reversed;
  for (const auto& kernel : kernels<TestType>()) {
    for (const ByPointers by : {strided, all_pointers}) {
      int taken = 0;
      for (const GemmShape shape :
           {GemmShape{1, 1, 1}, {16, 32, 32}, {32, 32, 64}, {37, 29, 19}, {9, 130, 40}}) {
        if (by.any() && shape.m == 16) continue;
        for (const Index count : {1, 2, by.any() ? 5 : 3}) {
          for (const Shared shared : {Shared::none, Shared::a, Shared::b}) {
            const auto try_one = [&](const Problem<TestType>& problem) {
              return try_batch(kernel, problem, count, shared, by);
            };
            // Rows that are aligned to vectors, and rows that are not.
            taken += try_one({shape, row, row, row, 1, 0, true, 8, 0});
            try_one({shape, row, column, row, 2, 1, true, 3, 5});
            try_one({shape, column, row, column, -1, 2, true, 8, 8});
          }
          try_batch(kernel, Problem<TestType>{shape, apart, reversed, apart, 1, 1, true}, count, Shared::none,
                    by);
        }
      }
      CHECK((taken >= 4) == (!by.any() || takes_pointers(kernel)));
    }
    for (const GemmShape shape : {GemmShape{1, 1, 1}, {32, 32, 64}, {37, 29, 19}, {9, 130, 40}}) {
      for (const Index count : {1, 2, 5}) {
        for (const ByPointers by : some_pointers) {
          try_batch(kernel, Problem<TestType>{shape, row, row, row, 2, 1, true, 8, 0}, count, Shared::none,
                    by);
          try_batch(kernel, Problem<TestType>{shape, apart, reversed, column, 1, 1, true}, count,
                    Shared::none, by);
        }
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("batches of products with several tiles are exact", "[batched]", Types) {
  for (const auto& kernel : kernels<TestType>()) {
    for (const GemmShape shape : {GemmShape{288, 264, 40}, {64, 64, 4096}}) {
      try_batch(kernel, Problem<TestType>{shape, {}, {}, {}, 1, 0, true, 8}, 3);
      for (const ByPointers by : {strided, all_pointers})
        try_batch(kernel,
                  Problem<TestType>{shape, {}, {}, {}, 1, 1, true, by.any() ? 8 : 1, by.any() ? 0 : 3}, 3,
                  Shared::none, by);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("alpha and beta scale batches as in BLAS, with K and without", "[batched]", Types) {
  constexpr Index lengths[] = {0, 32};
  constexpr int alphas[] = {0, 2}, betas[] = {0, 3};
  constexpr ByPointers ways[] = {strided, all_pointers};
  for (const auto& kernel : kernels<TestType>()) {
    const auto scale = [&](Index k, int alpha, int beta, ByPointers by) {
      const auto x = static_cast<Scalar<TestType>>(alpha), y = static_cast<Scalar<TestType>>(beta);
      try_batch(kernel, Problem<TestType>{{32, 32, k}, {}, {}, {}, x, y, true}, 3, Shared::none, by);
    };
    combine(scale, lengths, alphas, betas, ways);
  }
}

/// The batch has more products than a grid has layers.
TEMPLATE_LIST_TEST_CASE("batches of very many tiny products are exact", "[batched]", Types) {
  constexpr bool on_cuda = std::string_view(ROOFTILE_TEST_BACKEND) == "cuda";
  for (const auto& kernel : kernels<TestType>()) {
    const Problem<TestType> tiny{{2, 3, 4}, {}, {}, {}, 1, 0, true, 1};
    // On CPUs, other kernels compute a whole tile of width 32 for each product, which takes long.
    const Index count = on_cuda || kernel.kernel == "automatic" ? 70'000 : 1'000;
    for (const Shared shared : {Shared::none, Shared::b}) try_batch(kernel, tiny, count, shared);
    try_batch(kernel, tiny, on_cuda ? 70'000 : 1'000, Shared::b, all_pointers);
  }
}

/// The library computes products whose rows or columns follow each other as one product. C must not depend on
/// it.
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

TEST_CASE("a batch that is wrong in one product is found out", "[batched][checker]") {
  const auto right = kernels<float>();
  const auto& naive =
      *std::find_if(right.begin(), right.end(), [](const auto& c) { return c.kernel == "naive"; });
  const Problem<float> problem{{5, 7, 9}, {}, {}, {}, 1, 0, true};
  const auto run = [&](const auto& spoil, ByPointers by = strided) {
    const auto launch = [&](BatchArgs<float> args) {
      spoil(args);
      naive.launch(args);
      return true;
    };
    return batch_fault(*naive.device, problem, 4, Shared::none, launch, by);
  };
  const auto is_right = [](auto&) {};
  const auto leaves_last = [](auto& args) { --args.batch.count; };
  for (const ByPointers by : {strided, all_pointers}) {
    CHECK(run(is_right, by) == "");
    CHECK(run(leaves_last, by) != "");
  }
  CHECK(run([](auto& args) { args.batch.stride_b = 0; }) != "");  // B of entry 0 for all entries
  CHECK(run([](auto& args) { ++args.batch.stride_a; }) != "");    // A off by one element
  CHECK(run([](auto& args) { ++args.batch.stride_c; }) != "");    // C off by one element
  // The pointers are off by one entry, and the last product is not computed.
  CHECK(run([](auto& args) { --args.batch.count, ++args.pointers.a; }, all_pointers) != "");
  CHECK(run([](auto& args) { --args.batch.count, ++args.pointers.c; }, all_pointers) != "");
}

}  // namespace
}  // namespace rooftile::testing
