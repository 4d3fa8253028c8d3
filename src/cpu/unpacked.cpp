// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>

#include "cpu/blocks.hpp"
#include "cpu/micro_kernel.hpp"
#include "cpu/products.hpp"
#include "cpu/unpacked_tile.hpp"

/// Small products, for which packing takes longer than it saves. There is a micro-kernel for each height and
/// width, so that edge tiles compute no missing rows. Vectors are as narrow as C.
namespace rooftile::portable {
namespace {

using unpacked::Tile, unpacked::Strided, unpacked::multiply_tile, unpacked::multiply_gapless;

/// The number of adjacent vectors that leaves registers for a row of B and an element of A.
constexpr int max_vectors(int rows) {
  return std::min(8, static_cast<int>(std::bit_floor(static_cast<unsigned>(vector_registers - 1) /
                                                     static_cast<unsigned>(rows + 1))));
}

/// Rows of a tile. With full vectors, two adjacent vectors per row must fit the registers. With narrow
/// vectors, eight rows hide the latency of the multiply-adds.
template <class V>
constexpr int max_rows = std::min(sizeof(typename V::Vector) == vector_bytes ? vector_registers : 8,
                                  (vector_registers - 4) / 2);

/// The kernels, by number of rows and of vectors.
template <class V, class T>
struct TilesOf {
  using Kernel = void (*)(const Tile<T>&);

  template <int log_nv, int... i>
  static constexpr auto column(std::integer_sequence<int, i...>) {
    constexpr auto kernel = []<int mr>() -> Kernel {
      if constexpr ((1 << log_nv) <= max_vectors(mr)) {
        return multiply_tile<V, mr, 1 << log_nv, T>;
      } else {
        return nullptr;
      }
    };
    return std::array<Kernel, sizeof...(i)>{kernel.template operator()<i + 1>()...};
  }
  static constexpr auto rows = std::make_integer_sequence<int, max_rows<V>>();
  static constexpr std::array kernels{column<0>(rows), column<1>(rows), column<2>(rows), column<3>(rows)};
};

/// Calls multiply(tile, rows) for all rows of a product, divided evenly among tiles.
/// @tparam Products  a type with a(i), b(i) and c(i)
template <class V, template <class> class Products, class T, class F>
[[gnu::always_inline]] inline void by_rows(const Products<T>& batch, Index product, const F& multiply) {
  const auto& [alpha, A, B, beta, C] = batch.first;
  constexpr Index mr = max_rows<V>;
  const Index height = C.rows <= mr ? C.rows : (C.rows - 1) / ((C.rows + mr - 1) / mr) + 1;
  const T* const b = batch.b(product);
  Tile<T> t{batch.a(product), A.row_stride, A.col_stride, b, B.row_stride, A.cols,
            batch.c(product), C.row_stride, C.col_stride, 0, alpha,        beta};
  for (Index i0 = 0; i0 < C.rows; i0 += height) {
    const Index rows = std::min(height, C.rows - i0);
    T* const c = t.c;
    multiply(t, rows);
    t.a += rows * A.row_stride;
    t.b = b;
    t.c = c + rows * C.row_stride;
  }
}

template <class V, template <class> class Products, class T>
void multiply_tiles(const Products<T>& batch, Index product) {
  constexpr Index lanes = V::lanes;
  by_rows<V>(
      batch, product, [&](Tile<T> & t, Index rows) __attribute__((always_inline)) {
        for (Index rest = batch.first.C.cols; rest > 0;) {
          const auto vectors = static_cast<unsigned>(
              std::min<Index>((rest + lanes - 1) / lanes, max_vectors(static_cast<int>(rows))));
          const Index nv = std::bit_floor(vectors);
          t.skip = std::max<Index>(nv * lanes - rest, 0);
          TilesOf<V, T>::kernels[std::bit_width(vectors) - 1][static_cast<std::size_t>(rows - 1)](t);
          rest -= nv * lanes;
          t.b += nv * lanes;
          t.c += nv * lanes * t.c_col;
        }
      });
}

template <class V, template <class> class Products, class T>
void multiply_gapless_tiles(const Products<T>& batch, Index product) {
  static constexpr auto kernels = []<int... i>(std::integer_sequence<int, i...>) {
    return std::array{&multiply_gapless<V, i + 1, T>...};
  }
  (std::make_integer_sequence<int, max_rows<V>>());
  by_rows<V>(batch, product,
             [](const Tile<T>& t, Index rows) { kernels[static_cast<std::size_t>(rows - 1)](t); });
}

/// Whether the rows of B and of C have no gaps between them, and C is not read.
template <class T>
bool is_gapless(const GemmArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args;
  return B.row_stride == B.cols && C.row_stride == C.cols && B.col_stride == 1 && C.col_stride == 1 &&
         beta == T(0) && B.rows > 0;
}

template <template <class> class Products, class T>
void multiply_all(const Products<T>& batch, Index begin, Index end) {
  const Index n = batch.first.C.cols;
  const auto multiply = [&]<int lanes>(const auto& narrower, std::integral_constant<int, lanes>) {
    using V = Simd<T, lanes>;
    if (n >= lanes) {
      for (Index i = begin; i < end; ++i) multiply_tiles<V>(batch, i);
    } else if constexpr (lanes > 1) {
      if (2 * n > lanes && is_gapless(batch.first)) {
        for (Index i = begin; i < end; ++i) multiply_gapless_tiles<V>(batch, i);
      } else {
        narrower(narrower, std::integral_constant<int, lanes / 2>());
      }
    }
  };
  multiply(multiply, std::integral_constant<int, Simd<T>::lanes>());
}

}  // namespace

template <class T>
void multiply_unpacked(const BatchArgs<T>& batch, Index begin, Index end) {
  if (batch.batch.count > 1 && !unpacked::is_strided(batch)) return multiply_all(batch, begin, end);
  multiply_all(Strided<T>{batch.first, batch.batch}, begin, end);
}

template void multiply_unpacked(const BatchArgs<float>&, Index, Index);
template void multiply_unpacked(const BatchArgs<double>&, Index, Index);

}  // namespace rooftile::portable
