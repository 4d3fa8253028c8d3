// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <ostream>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "numerics/reference.hpp"
#include "rooftile/problem.hpp"
#include "storage.hpp"
#include "tests/support/device.hpp"
#include "this_ladder.hpp"

namespace rooftile::testing {

/// A product to test.
template <class T>
struct Problem {
  GemmShape shape;
  Storage a = Storage::row, b = Storage::row, c = Storage::row;
  Scalar<T> alpha = 1, beta = 0;
  bool integers = false;  ///< small integers, whose product is exact
  Index pad = 3;          ///< elements between rows or columns; 3 prevents vectors of 16 bytes
  Index shift = 0;        ///< elements from a vector-aligned address to the operands' first element
  int grade = 0;  ///< columns of A are scaled by powers of two up to 2^±grade, rows of B by their inverse
  Index pad_b = -1, pad_c = -1;         ///< `pad` of B and of C; -1: as of A
  std::array<bool, 3> conjugated = {};  ///< whether complex A, B and C are read as conjugates

  /// The padding of A, B and C.
  std::array<Index, 3> pads() const { return {pad, pad_b < 0 ? pad : pad_b, pad_c < 0 ? pad : pad_c}; }

  friend std::ostream& operator<<(std::ostream& out, const Problem& p) {
    return out << to_string(p.shape) << ' ' << name_of(p.a) << ' ' << name_of(p.b) << ' ' << name_of(p.c)
               << " pad " << p.pad << ' ' << p.pads()[1] << ' ' << p.pads()[2] << " shift " << p.shift
               << " alpha " << p.alpha << " beta " << p.beta << " conjugated " << p.conjugated[0]
               << p.conjugated[1] << p.conjugated[2];
  }
};

/// The elements of a problem, row by row without gaps, and their product. Operands that must not be read are
/// NaN.
template <class T>
class Known {
 public:
  Known(const Problem<T>& problem, ComputeMode math, std::uint64_t seed) : problem_(problem), math_(math) {
    const auto [m, n, k] = problem.shape;
    std::mt19937_64 bits(seed);
    using Part = Real<Scalar<T>>;
    const auto fill = [&](std::vector<T>& x, Index elements, bool is_read) {
      x.assign(static_cast<std::size_t>(elements), std::numeric_limits<T>::quiet_NaN());
      for (std::size_t e = 0; is_read && e < x.size(); ++e) {
        x[e] = detail::from_parts<T>([&] {
          return problem.integers ? static_cast<Part>(std::uniform_int_distribution<int>(-4, 4)(bits))
                                  : std::uniform_real_distribution<Part>(-1, 1)(bits);
        });
      }
    };
    fill(a_, m * k, problem.alpha != 0);
    fill(b_, k * n, problem.alpha != 0);
    fill(c_, m * n, problem.beta != 0);
    for (Index i = 0; problem.grade > 0 && i < k; ++i) {
      const int power = std::uniform_int_distribution<int>(-problem.grade, problem.grade)(bits);
      const auto scale = [](T& x, int by) {
        x = static_cast<T>(static_cast<Scalar<T>>(x) * Scalar<T>(std::ldexp(Part(1), by)));
      };
      for (Index row = 0; row < m; ++row) scale(a_[static_cast<std::size_t>(row * k + i)], power);
      for (Index col = 0; col < n; ++col) scale(b_[static_cast<std::size_t>(i * n + col)], -power);
    }
  }
  Known(const Known&) = delete;  // the reference points to the elements
  Known& operator=(const Known&) = delete;

  /// The elements of A, B and C as stored, before conjugation.
  MatrixRef<const T> a() const { return row_major(a_.data(), problem_.shape.m, problem_.shape.k); }
  MatrixRef<const T> b() const { return row_major(b_.data(), problem_.shape.k, problem_.shape.n); }
  MatrixRef<const T> c() const { return row_major(c_.data(), problem_.shape.m, problem_.shape.n); }
  /// @}

  /// The product, computed at the first call.
  const Reference<T>& product() {
    if (!product_) {
      const auto read = [&](auto X, std::size_t operand) {
        return problem_.conjugated[operand] ? X.conjugated() : X;
      };
      const auto [m, n, k] = problem_.shape;
      product_.emplace(GemmArgs<T>{problem_.alpha, read(a(), 0), read(b(), 1), problem_.beta,
                                   read(row_major(c_.data(), m, n), 2)},
                       math_);
    }
    return *product_;
  }

 private:
  Problem<T> problem_;
  ComputeMode math_;
  std::vector<T> a_, b_, c_;
  std::optional<Reference<T>> product_;
};

/// Returns the values of a problem. They are cached until another problem is requested, because references
/// take most of the time.
template <class T>
Known<T>& known(const Problem<T>& problem, ComputeMode math, std::uint64_t seed) {
  const auto key = [&](const Problem<T>& p) {
    return std::tuple(p.shape, p.alpha, p.beta, p.integers, p.grade, p.conjugated, math, seed);
  };
  static std::optional<decltype(key(problem))> kept_key;
  static std::optional<Known<T>> kept;
  if (!kept_key || *kept_key != key(problem)) {
    kept.emplace(problem, math, seed);
    kept_key = key(problem);
  }
  return *kept;
}

/// A matrix in its own buffer, with guard elements before, behind and between its rows or columns.
template <class T>
struct Guarded {
  static constexpr T guard = static_cast<T>(-776.0F);  // exact in all types

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

  /// Overwrites the elements, but not the guards.
  template <class F>
  void fill(const F& value) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) on_host()(i, j) = value();
    }
  }

  /// Copies the elements of another matrix.
  void fill_with(const MatrixRef<const T>& from) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) on_host()(i, j) = from(i, j);
    }
  }

  /// Returns whether the memory around the elements is unchanged.
  bool guards_hold() const {
    Guarded copy = *this;
    copy.fill([] { return guard; });
    return copy.memory == std::vector<T>(memory.size(), guard);
  }

 private:
  static constexpr Index front = 64;
  Index first;  ///< index of element (0,0)
};

/// A problem's operands on a device, surrounded by guard elements. Operands that the product must not read
/// are NaN.
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

  /// Returns whether C is unchanged.
  bool untouched() {
    device_c_.download(result_.memory);
    return std::memcmp(result_.memory.data(), c_.memory.data(), c_.memory.size() * sizeof(T)) == 0;
  }

  /// Describes what is wrong with C; empty if C is right.
  std::string wrong(const Reference<T>& reference) {
    device_c_.download(result_.memory);
    const MatrixRef<const T> found =
        args_of(a_.memory.data(), b_.memory.data(), result_.memory.data()).C;  // with the conjugation of C
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

/// Computes a problem on a device and describes what is wrong with the result; empty if it is right.
/// @param launch  runs the product and returns whether it did; if not, C must be unchanged
/// @param math    the compute mode of the product
template <class T, class Launch>
std::string fault(Device& device, const Problem<T>& problem, const Launch& launch,
                  ComputeMode math = own_mode<T>(), std::uint64_t seed = 20261121) {
  Known<T>& values = known(problem, math, seed);
  Posed<T> posed(device, problem, values);
  if (!launch(posed.args())) return posed.untouched() ? "" : "refused, but C changed";
  return posed.wrong(values.product());
}

/// Tests a kernel on a problem. A problem that the kernel does not take must be refused with C unchanged.
/// @return whether the kernel took the problem
template <class T>
bool try_kernel(const LadderKernel<T>& kernel, const Problem<T>& problem) {
  INFO(kernel.kernel << ' ' << kernel.tile << ' ' << to_string(kernel.math) << ": " << problem);
  bool taken = false;
  const std::string wrong = fault(
      *kernel.device, problem,
      [&](const GemmArgs<T>& args) {
        taken = problem.shape.m == 0 || problem.shape.n == 0 || kernel.refusal(args).empty();
        if (taken) {
          kernel.launch(args);
        } else {
          CHECK_THROWS_AS(kernel.launch(args), Error);
        }
        return taken;
      },
      kernel.math);
  CHECK(wrong == "");
  return taken;
}

/// Returns the names of a kernel and of its compute mode, without the tile.
template <class T>
std::string title(const LadderKernel<T>& kernel) {
  return kernel.kernel + ' ' + std::string(to_string(kernel.math));
}

/// Returns whether a kernel is the CPU kernel with cache blocks.
template <class T>
bool is_of_caches(const LadderKernel<T>& kernel) {
  return !kernel.automatic() && rung_of(kernel.options.kernel).tiles_taken == Tiles::of_caches;
}

/// Returns whether a kernel is a teaching rung on a CPU, which would need minutes for large products.
template <class T>
bool is_slow(const LadderKernel<T>& kernel) {
  return kernel.device->target(kernel.math).is_cpu() && !kernel.automatic() && !is_of_caches(kernel);
}

/// Calls f with every combination of elements of the lists.
template <class F>
void combine(const F& f) {
  f();
}
template <class F, class List, class... Lists>
void combine(const F& f, const List& list, const Lists&... lists) {
  for (const auto& x : list) combine([&](const auto&... others) { f(x, others...); }, lists...);
}

/// Returns the extents of a kernel's tile; 16 for all of C and for the library's choice. BM stands for a BK
/// of 1, and for all extents of cache blocks, which are thousands.
template <class T>
GemmShape edges(const LadderKernel<T>& kernel) {
  const TileShape tile = kernel.options.tile;
  if (!tile) return {16, 16, 16};
  if (is_of_caches(kernel)) return {tile.bm, tile.bm, tile.bm};
  return {tile.bm, tile.bn, tile.bk > 1 ? tile.bk : tile.bm};
}

}  // namespace rooftile::testing
