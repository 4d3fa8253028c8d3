// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/blocks.hpp"
#include "cpu/complex_tile.hpp"
#include "cpu/pack_complex.hpp"

/// The functions of `blocks.cpp` for complex numbers.
namespace rooftile::portable {

template <ComplexElement T>
void copy_by_rows(const MatrixRef<const T>& X, Scalar<T>* memory, Index ld) {
  if (X.col_stride == 1) {
    for (Index i = 0; i < X.rows; ++i) std::copy_n(&X(i, 0), X.cols, memory + i * ld);
  } else {
    copy_numbers_by_rows(X, memory, ld);
  }
}

template <ComplexElement T>
void multiply_block(const Micropanels<T>& A, const Micropanels<T>& B, Index kc, const MatrixRef<T>& C,
                    T alpha, T beta) {
  using R = Real<T>;
  using V = Simd<R>;
  constexpr Index mr = MicroTile<T>::rows, nr = MicroTile<T>::cols, numbers = V::lanes / 2;
  static_assert(MicroTile<T>::vectors == 2);
  static constexpr auto narrow =
      std::array{complex_kernels<V, mr, 1, false, R>, complex_kernels<V, mr, 1, true, R>};
  static constexpr auto wide =
      std::array{complex_kernels<V, mr, 2, false, R>, complex_kernels<V, mr, 2, true, R>};
  // Divides unpacked rows evenly, because a tile with few rows leaves FMA units idle.
  const Index height = A.packed ? mr : (C.rows + (C.rows + mr - 1) / mr - 1) / ((C.rows + mr - 1) / mr);
  ComplexTile<R> t{nullptr,      A.first.stride, A.first.step, nullptr, B.first.step, kc,          nullptr,
                   C.row_stride, C.col_stride,   alpha,        beta,    A.conjugated, B.conjugated};
  const Index together = columns_in_l2<T>(kc);
  const auto multiply_tile = [&](Index i0, Index j0, Index cols) {
    const Index rows = std::min(height, C.rows - i0);
    const bool two = cols > numbers;
    const Index missing = (two ? nr : numbers) - cols;
    // If B is not packed, the last vector starts earlier, so that it reads nothing past the end of a row.
    (B.packed ? t.missing : t.skip) = missing;
    t.a = A.packed ? A[i0 / mr].data : A.first.data + i0 * A.first.stride;
    t.b = B[j0 / nr].data + j0 % nr * B.first.stride;
    t.c = &C(i0, j0);
    (two ? wide : narrow)[A.packed ? 1 : 0][static_cast<std::size_t>(rows - 1)](t);
  };
  for (Index first = 0; first < C.cols; first += together) {
    const Index end = std::min(C.cols, first + together);
    for (Index i0 = 0; i0 < C.rows; i0 += height) {
      for (Index j0 = first; j0 < end; j0 += nr) multiply_tile(i0, j0, std::min(end - j0, nr));
    }
  }
}

template void copy_by_rows(const MatrixRef<const complex<float>>&, complex<float>*, Index);
template void multiply_block(const Micropanels<complex<float>>&, const Micropanels<complex<float>>&, Index,
                             const MatrixRef<complex<float>>&, complex<float>, complex<float>);
template void copy_by_rows(const MatrixRef<const complex<double>>&, complex<double>*, Index);
template void multiply_block(const Micropanels<complex<double>>&, const Micropanels<complex<double>>&, Index,
                             const MatrixRef<complex<double>>&, complex<double>, complex<double>);

}  // namespace rooftile::portable
