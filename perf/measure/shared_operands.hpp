// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../machine.hpp"
#include "../ranks/ranks.hpp"
#include "numerics/reference.hpp"
#include "operands.hpp"
#include "verify.hpp"

/// A process's parts of distributed operands, and the verification of its part of C. No rank stores a whole
/// matrix: each element is a function of its global indices.
namespace rooftile::perf {

/// A process's position in the grid, and the block size of the block-cyclic distribution.
struct Standing {
  distributed::Grid grid;
  int rank = 0;
  Index mb = 1, nb = 1;  ///< rows and columns of a block

  bool in_grid() const { return rank < grid.size(); }
  int row() const { return rank / grid.cols; }
  int col() const { return rank % grid.cols; }
};

template <class T>
class SharedElements {
 public:
  /// @param k  the product's K, which limits integer values so that sums are exact in fp32
  SharedElements(std::uint64_t seed, Values values, Index k)
      : seed_(seed), values_(values), max_size_(k < (Index{1} << 24) / (9 * 2) ? 3 : 1) {}

  T operator()(std::uint64_t which, Index i, Index j) const {
    std::uint64_t state =
        mixed(mixed(mixed(seed_ + which) + static_cast<std::uint64_t>(j)) + static_cast<std::uint64_t>(i));
    return detail::from_parts<T>([&] { return part(state = mixed(state)); });
  }

 private:
  using Part = Real<T>;

  /// The generator of Steele, Lea and Flood (Fast splittable pseudorandom number generators, 2014). Results
  /// for adjacent inputs are independent.
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  Part part(std::uint64_t word) const {
    if (values_ == Values::integers) {
      const auto size = static_cast<Part>(1 + (word >> 1) % max_size_);
      return word % 2 == 0 ? size : -size;
    }
    constexpr int digits = std::numeric_limits<Part>::digits;
    return static_cast<Part>(std::ldexp(static_cast<double>(word >> (64 - digits)), 1 - digits) - 1);
  }

  std::uint64_t seed_;
  Values values_;
  std::uint64_t max_size_;
};

/// This process's parts of A, B and C. If C must be overwritten, it holds NaN.
template <class T>
class SharedOperands {
 public:
  SharedOperands(Device& device, const Standing& standing, const GemmShape& shape, T alpha, T beta,
                 std::uint64_t seed)
      : standing_(standing),
        shape_(shape),
        alpha_(alpha),
        beta_(beta),
        seed_(seed),
        a_(device, standing, shape.m, shape.k),
        b_(device, standing, shape.k, shape.n),
        c_(device, standing, shape.m, shape.n) {}

  /// Sets new values and computes references for the compared rows of C.
  /// @param multiply_adds  budget for the references, over all processes
  void fill(Values values, double multiply_adds) {
    values_ = values;
    a_.fill(standing_, elements(), 0);
    b_.fill(standing_, elements(), 1);
    rows_ = evenly_spread(c_.local.rows, rows_to_check(multiply_adds));
    references_.clear();
    for (Index j = 0; j < c_.local.cols && !rows_.empty(); j += strip) add_reference(j);
  }

  /// Restores C to its value before the product.
  void reset() {
    if (beta_ != T(0)) return c_.fill(standing_, elements(), 2);
    const auto nan = std::numeric_limits<Real<T>>::quiet_NaN();
    std::fill_n(c_.local.data, c_.local.rows * c_.local.cols, detail::from_parts<T>([&] { return nan; }));
  }

  SharedArgs<T> args() const {
    return {
        scalar(alpha_), {a_.layout, a_.local}, {b_.layout, b_.local}, scalar(beta_), {c_.layout, c_.local}};
  }

  /// The worst compared element of this process, with its global indices.
  Verification worst() const {
    Verification worst;
    const auto count = static_cast<Index>(rows_.size());
    std::vector<T> found(static_cast<std::size_t>(count * strip));
    for (std::size_t s = 0; s < references_.size(); ++s) {
      const Index first = static_cast<Index>(s) * strip, width = std::min(strip, c_.local.cols - first);
      const MatrixRef<T> result = row_major(found.data(), count, width);
      for (Index i = 0; i < count; ++i) {
        for (Index j = 0; j < width; ++j)
          result(i, j) = c_.local(rows_[static_cast<std::size_t>(i)], first + j);
      }
      const Verification here = values_ == Values::integers
                                    ? references_[s].compare_exact(MatrixRef<const T>(result))
                                    : references_[s].compare(MatrixRef<const T>(result));
      if (here.ratio <= worst.ratio) continue;
      worst = {here.ratio, c_.row(standing_, rows_[static_cast<std::size_t>(here.row)]),
               c_.col(standing_, first + here.col)};
    }
    return worst;
  }

  /// Rows of C that all processes compare in total.
  std::size_t rows_checked(double multiply_adds) const {
    Index rows = 0;
    for (int p = 0; p < standing_.grid.rows; ++p) {
      rows += std::min(c_.layout.rows.held(standing_.grid.rows, p), rows_to_check(multiply_adds));
    }
    return static_cast<std::size_t>(rows);
  }

 private:
  /// Columns of one reference, which limits the size of its copies of A and B.
  static constexpr Index strip = 256;

  struct Part {
    distributed::Layout layout;
    Buffer<T> memory;
    MatrixRef<T> local;

    Part(Device& device, const Standing& s, Index rows, Index cols)
        : layout(distributed::block_cyclic(rows, cols, s.mb, s.nb)),
          memory(device, static_cast<std::size_t>(held_rows(s) * held_cols(s))),
          local(column_major(memory.data(), held_rows(s), held_cols(s))) {}

    Index held_rows(const Standing& s) const {
      return s.in_grid() ? layout.rows.held(s.grid.rows, s.row()) : 0;
    }
    Index held_cols(const Standing& s) const {
      return s.in_grid() ? layout.cols.held(s.grid.cols, s.col()) : 0;
    }
    /// The global index of a local row or column.
    Index row(const Standing& s, Index i) const {
      return (i / s.mb * s.grid.rows + s.row()) * s.mb + i % s.mb;
    }
    Index col(const Standing& s, Index j) const {
      return (j / s.nb * s.grid.cols + s.col()) * s.nb + j % s.nb;
    }

    void fill(const Standing& s, const SharedElements<T>& element, std::uint64_t which) const {
      for (Index j = 0; j < local.cols; ++j) {
        for (Index i = 0; i < local.rows; ++i) local(i, j) = element(which, row(s, i), col(s, j));
      }
    }
  };

  SharedElements<T> elements() const { return {seed_, values_, shape_.k}; }
  T scalar(T x) const { return values_ == Values::integers && x != T(0) ? T(1) : x; }

  Index rows_to_check(double multiply_adds) const {
    return count_of_rows_to_check(shape_, multiply_adds / standing_.grid.rows);
  }

  void add_reference(Index first) {
    const auto count = static_cast<Index>(rows_.size());
    const Index width = std::min(strip, c_.local.cols - first), k = shape_.k;
    std::vector<T> a(static_cast<std::size_t>(count * k)), b(static_cast<std::size_t>(k * width)),
        c(static_cast<std::size_t>(count * width));
    const MatrixRef<T> A = row_major(a.data(), count, k), B = row_major(b.data(), k, width),
                       C = row_major(c.data(), count, width);
    const SharedElements<T> element = elements();
    const auto row = [&](Index i) { return c_.row(standing_, rows_[static_cast<std::size_t>(i)]); };
    const auto col = [&](Index j) { return c_.col(standing_, first + j); };
    const auto set = [](const MatrixRef<T>& X, const auto& value) {
      for (Index i = 0; i < X.rows; ++i) {
        for (Index j = 0; j < X.cols; ++j) X(i, j) = value(i, j);
      }
    };
    set(A, [&](Index i, Index l) { return element(0, row(i), l); });
    set(B, [&](Index l, Index j) { return element(1, l, col(j)); });
    set(C, [&](Index i, Index j) { return element(2, row(i), col(j)); });
    references_.emplace_back(GemmArgs<T>{scalar(alpha_), A, B, scalar(beta_), C});
  }

  Standing standing_;
  GemmShape shape_;
  T alpha_, beta_;
  std::uint64_t seed_;
  Values values_ = Values::uniform;
  Part a_, b_, c_;
  std::vector<Index> rows_;  ///< local rows to compare
  std::vector<Reference<T>> references_;
};

}  // namespace rooftile::perf
