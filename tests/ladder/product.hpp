// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "rooftile/reference.hpp"
#include "storage.hpp"
#include "tests/support/device.hpp"

namespace rooftile::testing {

/// One product to try.
template <class T>
struct Problem {
  GemmShape shape;
  Storage a = Storage::row, b = Storage::row, c = Storage::row;
  Scalar<T> alpha = 1, beta = 0;
  bool integers = false;  ///< small integers, whose product is exact
  Index pad = 3;          ///< elements between rows or columns: 3 and vectors of 16 bytes do not go together
  Index shift = 0;        ///< elements from an address for vectors to the operands' first
  int grade = 0;  ///< columns of A are scaled by powers of two up to 2^±grade, rows of B by their inverse
  Index pad_b = -1, pad_c = -1;  ///< elements between those of B and of C; -1: `pad`, as between those of A
  std::array<bool, 3> conjugated = {};  ///< A, B and C of complex numbers that are read as their conjugates

  /// Of A, B and C.
  std::array<Index, 3> pads() const { return {pad, pad_b < 0 ? pad : pad_b, pad_c < 0 ? pad : pad_c}; }

  friend std::ostream& operator<<(std::ostream& out, const Problem& p) {
    return out << to_string(p.shape) << ' ' << name_of(p.a) << ' ' << name_of(p.b) << ' ' << name_of(p.c)
               << " pad " << p.pad << ' ' << p.pads()[1] << ' ' << p.pads()[2] << " shift " << p.shift
               << " alpha " << p.alpha << " beta " << p.beta << " conjugated " << p.conjugated[0]
               << p.conjugated[1] << p.conjugated[2];
  }
};

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
  using Part = Real<Scalar<T>>;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  std::mt19937_64 bits(seed);
  const auto value = [&] {
    return detail::from_parts<T>([&] {
      return problem.integers ? static_cast<Part>(std::uniform_int_distribution<int>(-4, 4)(bits))
                              : std::uniform_real_distribution<Part>(-1, 1)(bits);
    });
  };
  const bool reads_ab = problem.alpha != 0, reads_c = problem.beta != 0;
  const auto [pad_a, pad_b, pad_c] = problem.pads();
  const Index shift = problem.shift;
  Guarded<T> a(m, k, problem.a, pad_a, shift), b(k, n, problem.b, pad_b, shift);
  Guarded<T> c(m, n, problem.c, pad_c, shift);
  a.fill([&] { return reads_ab ? value() : nan; });
  b.fill([&] { return reads_ab ? value() : nan; });
  c.fill([&] { return reads_c ? value() : nan; });
  for (Index i = 0; problem.grade > 0 && i < k; ++i) {
    const int power = std::uniform_int_distribution<int>(-problem.grade, problem.grade)(bits);
    const auto scale = [](T& x, int by) {
      x = static_cast<T>(static_cast<Scalar<T>>(x) * Scalar<T>(std::ldexp(Part(1), by)));
    };
    for (Index row = 0; row < m; ++row) scale(a.on_host()(row, i), power);
    for (Index col = 0; col < n; ++col) scale(b.on_host()(i, col), -power);
  }
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

  const Reference<T> reference(args_of(a.memory.data(), b.memory.data(), c.memory.data()), math);
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
