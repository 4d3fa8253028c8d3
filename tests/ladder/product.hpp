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

/// A problem's operands on a device. Beside the elements that the product may read lies NaN, and so does C
/// where beta is 0.
template <class T>
class Posed {
 public:
  Posed(Device& device, const Problem<T>& problem, const Known<T>& values)
      : problem_(problem),
        a_(problem.shape.m, problem.shape.k, problem.a, problem.pads()[0], problem.shift),
        b_(problem.shape.k, problem.shape.n, problem.b, problem.pads()[1], problem.shift),
        c_(problem.shape.m, problem.shape.n, problem.c, problem.pads()[2], problem.shift),
        result_(c_),
        device_a_(device, a_.memory.size()),
        device_b_(device, b_.memory.size()),
        device_c_(device, c_.memory.size()) {
    a_.fill_with(values.a()), b_.fill_with(values.b()), c_.fill_with(values.c());
    device_a_.upload(a_.memory), device_b_.upload(b_.memory), device_c_.upload(c_.memory);
  }

  /// The product on the device.
  GemmArgs<T> args() const { return args_of(device_a_.data(), device_b_.data(), device_c_.data()); }

  /// Whether C is as it was.
  bool untouched() {
    device_c_.download(result_.memory);
    return std::memcmp(result_.memory.data(), c_.memory.data(), c_.memory.size() * sizeof(T)) == 0;
  }

  /// What is wrong with C; empty if nothing is.
  std::string wrong(const Reference<T>& reference) {
    device_c_.download(result_.memory);
    const MatrixRef<const T> found =
        args_of(a_.memory.data(), b_.memory.data(), result_.memory.data()).C;  // read as C is
    const Verification worst = problem_.integers ? reference.compare_exact(found) : reference.compare(found);
    std::ostringstream text;
    if (!worst.passed())
      text << worst.ratio << " times the error bound at (" << worst.row << ", " << worst.col << ")";
    if (!result_.guards_hold()) text << " wrote outside C";
    return text.str();
  }

 private:
  GemmArgs<T> args_of(const T* a_data, const T* b_data, T* c_data) const {
    const auto read = [&](auto X, std::size_t operand) {
      return problem_.conjugated[operand] ? X.conjugated() : X;
    };
    return {problem_.alpha, read(a_.in(a_data), 0), read(b_.in(b_data), 1), problem_.beta,
            read(c_.in(c_data), 2)};
  }

  Problem<T> problem_;
  Guarded<T> a_, b_, c_, result_;
  Buffer<T> device_a_, device_b_, device_c_;
};

/// Computes a problem on a device and says what is wrong with the result; empty if nothing is.
/// @param launch  runs the product and returns whether it did; if not, C must be as it was
/// @param math    what it computes in
template <class T, class Launch>
std::string fault(Device& device, const Problem<T>& problem, const Launch& launch, Math math = own_math<T>(),
                  std::uint64_t seed = 20261121) {
  Known<T>& values = known(problem, math, seed);
  Posed<T> posed(device, problem, values);
  if (!launch(posed.args())) return posed.untouched() ? "" : "refused, but C changed";
  return posed.wrong(values.product());
}

}  // namespace rooftile::testing
