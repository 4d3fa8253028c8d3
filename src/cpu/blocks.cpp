// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/blocks.hpp"

#include "cpu/caches.hpp"
#include "cpu/micro_kernel.hpp"
#include "cpu/narrow.hpp"
#include "cpu/pack.hpp"
#include "cpu/pack_complex.hpp"
#include "cpu/update.hpp"

namespace rooftile::portable {

template <class T>
TileShape cache_blocks() {
  static const TileShape blocks = blocks_for(cache_bytes(2, usual_l2), cache_bytes(3, usual_l3),
                                             MicroTile<T>::rows, MicroTile<T>::cols, sizeof(T));
  return blocks;
}

/// Steps along K that are copied into all micropanels before the next steps, if X is contiguous along the
/// width of the micropanels. Eight streams are few enough for the prefetcher and for the TLB.
constexpr Index rows_at_a_time = 8;

template <class E, class T>
void pack(const MatrixRef<const E>& X, int width, Index from, Index to, T* memory) {
  using Tile = MicroTile<T>;
  const auto pack_all = [&]<int w>(std::integral_constant<int, w>) {
    const Index steps = X.row_stride == 1 ? rows_at_a_time : std::max<Index>(X.cols, 1);
    for (Index k0 = 0; k0 < X.cols; k0 += steps) {
      const MatrixRef<const E> some = X.block(0, k0, X.rows, std::min(steps, X.cols - k0));
      for (Index s = from; s < to; ++s) pack_micropanel<w>(some, s * w, memory + s * w * X.cols + k0 * w);
    }
  };
  if (width == Tile::rows) {
    pack_all(std::integral_constant<int, Tile::rows>());
  } else {
    pack_all(std::integral_constant<int, Tile::cols>());
  }
}

template <class E>
void copy_by_rows(const MatrixRef<const E>& X, Scalar<E>* memory, Index ld) {
  using V = Simd<Scalar<E>>;
  const Index min_extent = std::min(X.rows, X.cols);
  const auto copy = [&]<int lanes>(const auto& narrower, std::integral_constant<int, lanes>) {
    if constexpr (lanes <= 2) {  // transposing 2×2 squares is slower than single copies
      for (Index i = 0; i < X.rows; ++i) {
        for (Index j = 0; j < X.cols; ++j) memory[i * ld + j] = X(i, j);
      }
    } else if (min_extent < lanes || X.row_stride != 1) {
      narrower(narrower, std::integral_constant<int, lanes / 2>());
    } else {
      copy_in_squares<Simd<Scalar<E>, lanes>>(X, memory, ld);
    }
  };
  if (X.col_stride == 1 && X.cols >= V::lanes) {
    for (Index i = 0; i < X.rows; ++i) {
      for (Index j0 = 0; j0 < X.cols; j0 += V::lanes) {  // the last vector overlaps the previous one
        const Index j = std::min(j0, X.cols - V::lanes);
        V::store(memory + i * ld + j, load_wide<V>(&X(i, j)));
      }
    }
  } else {
    copy(copy, std::integral_constant<int, V::lanes>());
  }
}

template <Rounded E>
void update_by_rows(const MatrixRef<E>& C, float alpha, const float* sums, Index ld, float beta) {
  using V = Simd<float>;
  for (Index i = 0; i < C.rows; ++i, sums += ld) {
    Index j = 0;
    for (; C.col_stride == 1 && j + V::lanes <= C.cols; j += V::lanes) {
      E* const to = &C(i, j);
      V::Vector c = beta == 0 ? V::Vector{} : load_wide<V>(to);
      update(c, alpha, V::load(sums + j), beta);
      store_narrow<V>(to, c);
    }
    for (; j < C.cols; ++j) update(C(i, j), alpha, sums[j], beta);
  }
}

template <class T>
void multiply_block(const Micropanels<T>& A, const Micropanels<T>& B, Index kc, const MatrixRef<T>& C,
                    T alpha, T beta) {
  constexpr Index mr = MicroTile<T>::rows, nr = MicroTile<T>::cols, lanes = Simd<T>::lanes;
  // Divides unpacked rows evenly, because a tile with few rows leaves FMA units idle.
  const Index height = A.packed ? mr : (C.rows + (C.rows + mr - 1) / mr - 1) / ((C.rows + mr - 1) / mr);
  const auto kernel_of = A.packed ? &MicroKernels<T, true>::of : &MicroKernels<T, false>::of;
  const auto multiply_tile = [&](Index i0, Index j0, Index cols, Index skip) {
    const Index rows = std::min(height, C.rows - i0);
    Micropanel<T> b = B[j0 / nr];
    b.data += j0 % nr * B.first.stride - skip;
    const MatrixRef<T> c{&C(i0, j0) - skip * C.col_stride, rows, cols + skip, C.row_stride, C.col_stride};
    kernel_of(rows, cols + skip)(
        A.packed ? A[i0 / mr]
                 : Micropanel<T>{A.first.data + i0 * A.first.stride, A.first.stride, A.first.step},
        b, kc, c, skip, alpha, beta);
  };
  const Index together = columns_in_l2<T>(kc);
  for (Index first = 0; first < C.cols; first += together) {
    const Index end = std::min(C.cols, first + together);
    for (Index i0 = 0; i0 < C.rows; i0 += height) {
      for (Index j0 = first, cols = 0; j0 < end; j0 += cols) {
        // If B is not packed, the last vector starts earlier, so that it reads nothing past the end of a row.
        // It skips the columns that are already computed.
        const Index rest = end - j0;
        cols = B.packed || rest >= nr ? std::min(rest, nr) : std::min(rest, lanes);
        multiply_tile(i0, j0, cols, B.packed || rest >= lanes ? 0 : lanes - rest);
      }
    }
  }
}

template TileShape cache_blocks<float>();
template void copy_by_rows(const MatrixRef<const float>&, float*, Index);
template void pack(const MatrixRef<const float>&, int, Index, Index, float*);
template void multiply_block(const Micropanels<float>&, const Micropanels<float>&, Index,
                             const MatrixRef<float>&, float, float);
template TileShape cache_blocks<double>();
template void copy_by_rows(const MatrixRef<const double>&, double*, Index);
template void pack(const MatrixRef<const double>&, int, Index, Index, double*);
template void multiply_block(const Micropanels<double>&, const Micropanels<double>&, Index,
                             const MatrixRef<double>&, double, double);
template void pack(const MatrixRef<const float>&, int, Index, Index, double*);
template void copy_by_rows(const MatrixRef<const float16>&, float*, Index);
template void pack(const MatrixRef<const float16>&, int, Index, Index, float*);
template void update_by_rows(const MatrixRef<float16>&, float, const float*, Index, float);
template void copy_by_rows(const MatrixRef<const bfloat16>&, float*, Index);
template void pack(const MatrixRef<const bfloat16>&, int, Index, Index, float*);
template void update_by_rows(const MatrixRef<bfloat16>&, float, const float*, Index, float);
template void pack(const MatrixRef<const complex<float>>&, int, Index, Index, complex<float>*);
template void pack(const MatrixRef<const complex<double>>&, int, Index, Index, complex<double>*);

}  // namespace rooftile::portable
