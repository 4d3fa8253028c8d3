// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "rooftile/detail/function.hpp"
#include "rooftile/problem.hpp"

/// Products of different shapes that share a launch.
namespace rooftile::detail {

/// A product in compact form, so that a launch can hold many: 16-bit extents, and one 32-bit stride for each
/// operand. The other stride is 1.
template <class T>
struct GroupEntry {
  /// Bits of `facts`: column-major operands, conjugated operands, and whether the smaller tile of the launch
  /// computes the product.
  enum : std::uint16_t {
    a_columns = 1,
    b_columns = 2,
    c_columns = 4,
    conjugate_a = 8,
    conjugate_b = 16,
    small = 32
  };

  const T *a, *b;
  T* c;
  Scalar<T> alpha, beta;
  std::uint16_t m, n, k, facts;
  int a_stride, b_stride, c_stride;
  unsigned begin;  ///< first tile of the product in the launch; set by `place_longest_first`

  /// @pre `fits_entry`
  static GroupEntry of(const GemmArgs<T>& args) {
    const auto& [alpha, A, B, beta, C] = args;
    const auto columns = [](const auto& X) { return X.col_stride != 1 && X.cols > 1; };
    const auto stride = [&](const auto& X) {
      return static_cast<int>(columns(X) ? X.col_stride : X.row_stride);
    };
    const auto extent = [](Index x) { return static_cast<std::uint16_t>(x); };
    const int facts = (columns(A) ? a_columns : 0) | (columns(B) ? b_columns : 0) |
                      (columns(C) ? c_columns : 0) | (reads_conjugates(A) ? conjugate_a : 0) |
                      (reads_conjugates(B) ? conjugate_b : 0);
    return {
        A.data,        B.data,    C.data,    alpha,     beta, extent(C.rows), extent(C.cols), extent(A.cols),
        extent(facts), stride(A), stride(B), stride(C), 0};
  }

  ROOFTILE_FUNCTION GemmArgs<T> product() const {
    GemmArgs<T> args{alpha, matrix(a, m, k, a_stride, a_columns), matrix(b, k, n, b_stride, b_columns), beta,
                     matrix(c, m, n, c_stride, c_columns)};
    if constexpr (is_complex<T>) {
      args.A.is_conjugated = (facts & conjugate_a) != 0 ? 1 : 0;
      args.B.is_conjugated = (facts & conjugate_b) != 0 ? 1 : 0;
    }
    return args;
  }
  ROOFTILE_FUNCTION bool is_small() const { return (facts & small) != 0; }

 private:
  template <class U>
  ROOFTILE_FUNCTION MatrixRef<U> matrix(U* data, Index rows, Index cols, Index stride, int columns) const {
    const bool by_columns = (facts & columns) != 0;
    return {data, rows, cols, by_columns ? 1 : stride, by_columns ? stride : 1};
  }
};

/// Whether a product fits the compact form.
template <class T>
bool fits_entry(const GemmArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args;
  constexpr auto most = std::numeric_limits<std::uint16_t>::max();
  const auto narrow = [](Index stride) { return stride == static_cast<int>(stride); };
  const auto lines = [&](const auto& X) {
    return X.col_stride == 1 || X.cols <= 1 ? narrow(X.row_stride)
                                            : (X.row_stride == 1 || X.rows <= 1) && narrow(X.col_stride);
  };
  return C.rows <= most && C.cols <= most && A.cols <= most && lines(A) && lines(B) && lines(C);
}

/// A tile of C of one of the products.
struct TileOfGroup {
  int entry;      ///< entry of the product
  unsigned rank;  ///< index among the tiles of the product
};

/// An index by which a block finds its product with few dependent loads. The work of a small tile hides
/// their latency.
struct GroupIndex {
  static constexpr unsigned size = 1024, max_entries = 65535;

  std::uint16_t first[size];  ///< entry of tile i·2^shift
  int shift;
};

/// Returns tile number `block`. @param entries  in order of `begin`, with a final one that ends the list
template <class T>
ROOFTILE_FUNCTION TileOfGroup tile_of_group(const GroupEntry<T>* entries, const GroupIndex& index,
                                            unsigned block) {
  int entry = index.first[block >> index.shift];
  while (block >= entries[entry + 1].begin) ++entry;
  return {entry, block - entries[entry].begin};
}

}  // namespace rooftile::detail
