// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "device/common/vector.hpp"
#include "rooftile/error.hpp"
#include "rooftile/matrix.hpp"

/// Copies operands that a kernel cannot read 16 bytes at a time to a workspace where it can. The rows of
/// these operands do not start at multiples of 16 bytes, or are not contiguous along the dimension that the
/// kernel's panels need. Operands are (rows,K) here, and their copies are contiguous along K. A kernel that
/// needs the other dimension contiguous passes its operands transposed.
namespace rooftile::detail {

/// Stores 16 bytes unchanged. @pre `from` is aligned to 4 bytes
struct StoreVector {
  static constexpr int rows = 1;  ///< rows of the copy for each row of the operand

  template <class T>
  ROOFTILE_FUNCTION void operator()(T* to, const T* from) const {
    using Words = Vector<std::uint32_t, 4>;
    Words vector;
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < 4; ++i) vector.value[i] = reinterpret_cast<const std::uint32_t*>(from)[i];
    *reinterpret_cast<Words*>(to) = vector;
  }
};

/// Copies an operand's matrices, one per batch entry, to (rows,K) with K contiguous.
template <class T, class Store = StoreVector>
struct RepackOperand {
  MatrixRef<const T> from;  // (rows,K)
  T* to;                    // (products,store.rows·rows,ld)
  Index ld;                 ///< elements, a multiple of 16 bytes
  Index from_stride;        ///< elements from one entry's matrix to the next
  Index to_stride;
  int products = 0;  ///< 0: nothing is copied
  Store store = {};  ///< writes 16 bytes of a row

  static constexpr int threads = 256;
  static constexpr int width = std::min(64, 256 / static_cast<int>(sizeof(T)));  // ≤ 256 bytes, ≤ 64 elements
  /// An odd number of words, or of elements wider than a word, so that a column spreads over all banks.
  static constexpr int pitch = width + (sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1);

  ROOFTILE_FUNCTION Index tiles_k() const { return (ld + width - 1) / width; }
  ROOFTILE_FUNCTION Index tiles() const {  ///< per batch entry
    return products > 0 ? (from.rows + width - 1) / width * tiles_k() : 0;
  }

  /// Copies tile `rank` (width,width). Reads along the dimension with the smaller stride, writes along K.
  /// @param tile  (width,pitch), rows by K, shared by the team
  /// @param meet  barrier of the team
  template <class Meet>
  ROOFTILE_FUNCTION void copy(unsigned rank, unsigned thread, T* tile, const Meet& meet) const {
    const auto of_product = static_cast<unsigned>(tiles()), along = static_cast<unsigned>(tiles_k());
    const Index product = rank / of_product;
    const Index row0 = Index{rank % of_product / along} * width,
                k0 = Index{rank % of_product % along} * width;
    read(&from(row0, k0) + product * from_stride, from.rows - row0, from.cols - k0, static_cast<int>(thread),
         tile);
    meet();
    write(to + product * to_stride + row0 * store.rows * ld + k0, from.rows - row0, ld - k0,
          static_cast<int>(thread), tile);
  }

 private:
  /// Issues all loads first, so that all are in flight together. Elements outside the operand become 0.
  ROOFTILE_FUNCTION void read(const T* first, Index rows_left, Index k_left, int thread, T* tile) const {
    constexpr int lines_at_once = threads / width, loads = width / lines_at_once;
    const bool k_major = from.col_stride <= from.row_stride;
    const int fast = thread % width, slow0 = thread / width;
    const Index fast_stride = k_major ? from.col_stride : from.row_stride;
    const Index slow_stride = k_major ? from.row_stride : from.col_stride;
    const Index fast_left = (k_major ? k_left : rows_left) - fast;
    const Index slow_left = (k_major ? rows_left : k_left) - slow0;
    const int lines_left = fast_left > 0 ? static_cast<int>(slow_left < width ? slow_left : width) : 0;
    const T* element = first + fast * fast_stride + slow0 * slow_stride;
    T loaded[std::size_t{loads}];
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < loads; ++i) {
      loaded[i] = i * lines_at_once < lines_left ? *element : T(0.0f);
      element += lines_at_once * slow_stride;
    }
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < loads; ++i) {
      const int slow = slow0 + i * lines_at_once;
      tile[k_major ? slow * pitch + fast : fast * pitch + slow] = loaded[i];
    }
  }

  ROOFTILE_FUNCTION void write(T* first, Index rows_left, Index ld_left, int thread, const T* tile) const {
    constexpr int size = 16 / static_cast<int>(sizeof(T)), vectors = width / size;
    constexpr int rows_at_once = threads / vectors;
    const int row = thread / vectors, k = thread % vectors * size;
    if (k >= ld_left) return;
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < width; i += rows_at_once) {
      if (row + i < rows_left) store(first + (row + i) * store.rows * ld + k, tile + (row + i) * pitch + k);
    }
  }
};

/// Repacks both operands in one launch, one tile per team. An operand that all batch entries share is copied
/// once.
template <class T, class Store = StoreVector>
struct Repack {
  using Operand = RepackOperand<T, Store>;
  static constexpr int threads = Operand::threads;
  static constexpr int tile_elements = Operand::width * Operand::pitch;

  Operand a;
  Operand b;

  ROOFTILE_FUNCTION Index a_tiles() const { return a.products * a.tiles(); }

  /// @throws Error if there are more tiles than a launch can have teams
  Index teams() const {
    const Index all = a_tiles() + b.products * b.tiles();
    if (all > std::numeric_limits<int>::max()) {
      throw Error(text("operands are too large to be repacked in one launch (", all,
                       " tiles): align their rows to 16 bytes or split the product"));
    }
    return all;
  }

  /// Copies the team's tile. All threads of the team take part.
  /// @param tile  (tile_elements), shared by the team
  /// @param meet  barrier of the team
  template <class Meet>
  ROOFTILE_FUNCTION void compute(unsigned team, unsigned thread, T* tile, const Meet& meet) const {
    const auto first = static_cast<unsigned>(a_tiles());
    if (team < first) return a.copy(team, thread, tile, meet);
    b.copy(team - first, thread, tile, meet);
  }
};

}  // namespace rooftile::detail
