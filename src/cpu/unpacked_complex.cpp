// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "cpu/blocks.hpp"
#include "cpu/complex_tile.hpp"
#include "cpu/products.hpp"

/// Small products of complex numbers, as in `unpacked.cpp`: a micro-kernel for each height and width, and
/// vectors as narrow as C.
namespace rooftile::portable {
namespace {

/// The number of rows for which the registers hold the sums of `vectors` adjacent vectors, at most 8. With
/// one vector, that many rows hide the latency of the multiply-adds.
constexpr int max_rows(int vectors) {
  int rows = 1;
  while (rows < 8 && max_complex_vectors(rows + 1) >= vectors) ++rows;
  return rows;
}

/// The kernels by number of vectors (1, 2, 4 and 8) and by rows.
template <class V, class R>
constexpr std::array tiles{
    complex_kernels<V, max_rows(1), 1, false, R>, complex_kernels<V, max_rows(1), 2, false, R>,
    complex_kernels<V, max_rows(1), 4, false, R>, complex_kernels<V, max_rows(1), 8, false, R>};

template <class V, template <class> class Products, class T>
void multiply_tiles(const Products<T>& batch, Index product) {
  using R = Real<T>;
  constexpr Index numbers = V::lanes / 2;
  const auto& [alpha, A, B, beta, C] = batch.first;
  const Index most = C.cols <= numbers ? max_rows(1) : max_rows(2);
  const Index height = C.rows <= most ? C.rows : (C.rows - 1) / ((C.rows + most - 1) / most) + 1;
  const int max_vectors = max_complex_vectors(static_cast<int>(height));
  ComplexTile<R> t{batch.a(product),    A.row_stride, A.col_stride, nullptr,
                   B.row_stride,        A.cols,       nullptr,      C.row_stride,
                   C.col_stride,        alpha,        beta,         A.is_conjugated != 0,
                   B.is_conjugated != 0};
  t.rewrites = true;
  const T* const b = batch.b(product);
  T* const c = batch.c(product);
  for (Index i0 = 0; i0 < C.rows; i0 += height, t.a += height * A.row_stride) {
    const auto rows = static_cast<std::size_t>(std::min(height, C.rows - i0) - 1);
    t.b = b;
    t.c = c + i0 * C.row_stride;
    for (Index rest = C.cols; rest > 0;) {
      const auto vectors =
          static_cast<unsigned>(std::min<Index>((rest + numbers - 1) / numbers, max_vectors));
      const Index nv = std::bit_floor(vectors);
      t.skip = std::max<Index>(nv * numbers - rest, 0);
      tiles<V, R>[std::bit_width(vectors) - 1][rows](t);
      rest -= nv * numbers;
      t.b += nv * numbers;
      t.c += nv * numbers * C.col_stride;
    }
  }
}

/// Computes all products with vectors of `numbers` numbers, or narrower ones for a narrow C.
template <int numbers, template <class> class Products, class T>
void multiply_all(const Products<T>& batch, Index begin, Index end) {
  if (batch.first.C.cols >= numbers) {
    for (Index i = begin; i < end; ++i) multiply_tiles<Simd<Real<T>, 2 * numbers>>(batch, i);
  } else if constexpr (numbers > 1) {
    multiply_all<numbers / 2>(batch, begin, end);
  }
}

}  // namespace

template <ComplexElement T>
void multiply_unpacked(const BatchArgs<T>& batch, Index begin, Index end) {
  constexpr int numbers = Simd<Real<T>>::lanes / 2;
  if (batch.batch.count > 1 && !unpacked::is_strided(batch)) return multiply_all<numbers>(batch, begin, end);
  multiply_all<numbers>(unpacked::Strided<T>{batch.first, batch.batch}, begin, end);
}

template void multiply_unpacked(const BatchArgs<complex<float>>&, Index, Index);
template void multiply_unpacked(const BatchArgs<complex<double>>&, Index, Index);

}  // namespace rooftile::portable
