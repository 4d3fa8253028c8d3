// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "product.hpp"
#include "rooftile/detail/batch_args.hpp"
#include "tests/support/pointers.hpp"

namespace rooftile::testing {

/// Matrices of one shape in memory of their own, at equal distances, with guard elements between all that is
/// not theirs.
template <class T>
struct GuardedBatch {
  static constexpr T guard = Guarded<T>::guard;

  Guarded<T> one;  ///< gives the layout
  Index count;
  Index stride;
  std::vector<T> memory;

  /// @param gap  elements from a matrix, with its own guards, to the next
  GuardedBatch(Index rows, Index cols, Storage storage, Index pad, Index count_, Index gap)
      : one(rows, cols, storage, pad, 0), count(count_), stride(static_cast<Index>(one.memory.size()) + gap) {
    memory.assign(static_cast<std::size_t>(count * stride), guard);
  }

  template <class U>
  BatchRef<U> in(U* data) const {
    return {one.in(data), stride, count};
  }
  BatchRef<T> on_host() { return in(memory.data()); }

  /// Overwrites the elements, and only them.
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

/// Which operand all products share.
enum class Shared { none, a, b };

/// Which operands are arrays of pointers.
struct ByPointers {
  bool a = false, b = false, c = false;

  constexpr bool any() const { return a || b || c; }
};

/// An operand's matrices in a batch, at equal distances or, backwards, by pointers.
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
  /// Where product i's matrix is among those at equal distances.
  Index place(Index i, Index count) const { return pointers ? count - 1 - i : i; }
};

/// Computes a batch of a problem in small integers on a device and says what is wrong with the result; empty
/// if nothing is. What the products need not read holds NaN.
/// @param launch  runs the products and returns whether it did; if not, C must be as it was
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
        // Written so that NaN, which compares false, is wrong.
        if (!(found(i, j) == static_cast<T>(sum)) && text.str().empty())
          text << "wrong in product " << p << " at (" << i << ", " << j << ")";
      }
    }
  }
  if (!result.guards_hold()) text << " wrote outside C";
  return text.str();
}

}  // namespace rooftile::testing
