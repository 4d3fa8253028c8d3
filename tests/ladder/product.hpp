// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "known.hpp"
#include "problem.hpp"
#include "tests/support/device.hpp"

namespace rooftile::testing {

/// A matrix inside memory of its own, with guard elements before, behind and between its rows or columns.
template <class T>
struct Guarded {
  static constexpr T guard = static_cast<T>(-776.0F);  // of few enough bits for all types

  Index rows, cols, row_stride, col_stride;
  std::vector<T> memory;

  Guarded(Index rows_, Index cols_, Storage storage, Index pad, Index shift) : rows(rows_), cols(cols_) {
    const Lattice lattice(storage, rows, cols, pad);
    row_stride = lattice.row_stride, col_stride = lattice.col_stride;
    first = front + shift + lattice.first;
    memory.assign(static_cast<std::size_t>(2 * front + shift + lattice.reach), guard);
  }

  template <class U>
  MatrixRef<U> in(U* data) const {
    return {data + first, rows, cols, row_stride, col_stride};
  }
  MatrixRef<T> on_host() { return in(memory.data()); }

  /// Overwrites the elements, and only them.
  template <class F>
  void fill(const F& value) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) on_host()(i, j) = value();
    }
  }

  /// The same with those of another matrix.
  void fill_with(const MatrixRef<const T>& from) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) on_host()(i, j) = from(i, j);
    }
  }

  /// Whether the memory around the elements is as it was.
  bool guards_hold() const {
    Guarded copy = *this;
    copy.fill([] { return guard; });
    return copy.memory == std::vector<T>(memory.size(), guard);
  }

 private:
  static constexpr Index front = 64;
  Index first;  ///< where element (0,0) is
};

/// Computes a problem on a device and says what is wrong with the result; empty if nothing is.
/// @param launch  runs the product and returns whether it did; if not, C must be as it was
/// @param math    what it computes in
/// Operands beside the ones that the product may read hold NaN, and so does C where beta is 0.
template <class T, class Launch>
std::string fault(Device& device, const Problem<T>& problem, const Launch& launch, Math math = own_math<T>(),
                  std::uint64_t seed = 20261121) {
  const auto [m, n, k] = problem.shape;
  const auto [pad_a, pad_b, pad_c] = problem.pads();
  const Index shift = problem.shift;
  Known<T>& values = known(problem, math, seed);
  Guarded<T> a(m, k, problem.a, pad_a, shift), b(k, n, problem.b, pad_b, shift);
  Guarded<T> c(m, n, problem.c, pad_c, shift);
  a.fill_with(values.a());
  b.fill_with(values.b());
  c.fill_with(values.c());
  Guarded<T> result = c;

  Buffer<T> device_a(device, a.memory.size()), device_b(device, b.memory.size()),
      device_c(device, c.memory.size());
  device_a.upload(a.memory);
  device_b.upload(b.memory);
  device_c.upload(c.memory);
  const auto args_of = [&](const T* a_data, const T* b_data, T* c_data) {
    const auto read = [&](auto X, std::size_t operand) {
      return problem.conjugated[operand] ? X.conjugated() : X;
    };
    return GemmArgs<T>{problem.alpha, read(a.in(a_data), 0), read(b.in(b_data), 1), problem.beta,
                       read(c.in(c_data), 2)};
  };
  const GemmArgs<T> args = args_of(device_a.data(), device_b.data(), device_c.data());
  bool ran = true;
  ran = launch(args);
  device_c.download(result.memory);
  if (!ran) {
    const bool same = std::memcmp(result.memory.data(), c.memory.data(), c.memory.size() * sizeof(T)) == 0;
    return same ? "" : "refused, but C changed";
  }

  const Reference<T>& reference = values.product();
  const MatrixRef<const T> found =
      args_of(a.memory.data(), b.memory.data(), result.memory.data()).C;  // read as C is
  const Verification worst = problem.integers ? reference.compare_exact(found) : reference.compare(found);
  std::ostringstream text;
  if (!worst.passed()) text << worst.ratio << " times the error bound";
  if (!text.str().empty()) text << " at (" << worst.row << ", " << worst.col << ")";
  if (!result.guards_hold()) text << " wrote outside C";
  return text.str();
}

}  // namespace rooftile::testing
