// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels.hpp"

/// The functions that `blocks.hpp`, `bf16_dot.hpp` and `int8_dot.hpp` declare. Each calls the kernel for the
/// chosen instruction set.
namespace rooftile::portable {
namespace {

const CpuKernels& kernels() {
  static constexpr const CpuKernels* of_sets[] = {
#define INSTRUCTION_SET(name) &rooftile_cpu_kernels_##name,
#include "instruction_sets.inc"
#undef INSTRUCTION_SET
  };
  static const CpuKernels& chosen = *of_sets[chosen_set()];
  return chosen;
}

template <class E>
const KernelsOf<E>& kernels_of() {
  return std::get<KernelsOf<E>>(kernels().of_types);
}

}  // namespace

template <class T>
TileShape cache_blocks() {
  return kernels_of<T>().cache_blocks();
}

template <class E, class T>
void pack(const MatrixRef<const E>& X, int width, Index from, Index to, T* memory) {
  using Product = std::conditional_t<std::is_same_v<T, Scalar<E>>, E, Mixed<E, T>>;
  kernels_of<Product>().pack(X, width, from, to, memory);
}

template <class E>
void copy_by_rows(const MatrixRef<const E>& X, Scalar<E>* memory, Index ld) {
  kernels_of<E>().copy_by_rows(X, memory, ld);
}
template <ComplexElement T>
void copy_by_rows(const MatrixRef<const T>& X, Scalar<T>* memory, Index ld) {
  kernels_of<T>().copy_by_rows(X, memory, ld);
}

template <Rounded E>
void update_by_rows(const MatrixRef<E>& C, float alpha, const float* sums, Index ld, float beta) {
  kernels_of<E>().update_by_rows(C, alpha, sums, ld, beta);
}

template <class T>
void multiply_block(const Micropanels<T>& A, const Micropanels<T>& B, Index kc, const MatrixRef<T>& C,
                    T alpha, T beta) {
  kernels_of<T>().multiply_block(A, B, kc, C, alpha, beta);
}
template <ComplexElement T>
void multiply_block(const Micropanels<T>& A, const Micropanels<T>& B, Index kc, const MatrixRef<T>& C,
                    T alpha, T beta) {
  kernels_of<T>().multiply_block(A, B, kc, C, alpha, beta);
}

template <class T>
void multiply_unpacked(const BatchArgs<T>& batch, Index begin, Index end) {
  kernels_of<T>().multiply_unpacked(batch, begin, end);
}
template <ComplexElement T>
void multiply_unpacked(const BatchArgs<T>& batch, Index begin, Index end) {
  kernels_of<T>().multiply_unpacked(batch, begin, end);
}

template <class T>
void multiply_dots(const GemmArgs<T>& args) {
  kernels_of<T>().multiply_dots(args);
}

template <class T>
void multiply_skinny_m(const GemmArgs<T>& args, Index columns, T* sums) {
  kernels_of<T>().multiply_skinny_m(args, columns, sums);
}

bool multiplies_pairs() {
  return kernels().multiplies_pairs();
}

void pack_pairs(const MatrixRef<const bfloat16>& X, int width, Index from, Index to, float* memory) {
  kernels().pack_pairs(X, width, from, to, memory);
}

void multiply_pairs(const Micropanels<float>& A, const Micropanels<float>& B, Index kc,
                    const MatrixRef<float>& C, float alpha, float beta) {
  kernels().multiply_pairs(A, B, kc, C, alpha, beta);
}

void pack_integers(const MatrixRef<const std::int8_t>& X, int width, Index from, Index to,
                   std::int32_t* memory) {
  kernels().pack_integers(X, width, from, to, memory);
}

void multiply_integers(const Micropanels<std::int32_t>& A, const Micropanels<std::int32_t>& B, Index kc,
                       const MatrixRef<std::int32_t>& C, std::int32_t alpha, std::int32_t beta) {
  kernels().multiply_integers(A, B, kc, C, alpha, beta);
}

#define ROOFTILE_OF_ALL(E)                                                      \
  template void pack(const MatrixRef<const E>&, int, Index, Index, Scalar<E>*); \
  template void copy_by_rows(const MatrixRef<const E>&, Scalar<E>*, Index);
#define ROOFTILE_OF_BLOCKS(T)                                                                               \
  template void multiply_block(const Micropanels<T>&, const Micropanels<T>&, Index, const MatrixRef<T>&, T, \
                               T);                                                                          \
  template void multiply_unpacked(const BatchArgs<T>&, Index, Index);
#define ROOFTILE_OF_NUMBERS(T)                     \
  template TileShape cache_blocks<T>();            \
  template void multiply_dots(const GemmArgs<T>&); \
  template void multiply_skinny_m(const GemmArgs<T>&, Index, T*);
#define ROOFTILE_OF_CONVERTED(E) \
  template void update_by_rows(const MatrixRef<E>&, float, const float*, Index, float);

template void pack(const MatrixRef<const float>&, int, Index, Index, double*);
ROOFTILE_OF_ALL(float)
ROOFTILE_OF_ALL(double)
ROOFTILE_OF_ALL(float16)
ROOFTILE_OF_ALL(bfloat16)
ROOFTILE_OF_ALL(complex<float>)
ROOFTILE_OF_ALL(complex<double>)
ROOFTILE_OF_BLOCKS(float)
ROOFTILE_OF_BLOCKS(double)
ROOFTILE_OF_BLOCKS(complex<float>)
ROOFTILE_OF_BLOCKS(complex<double>)
ROOFTILE_OF_NUMBERS(float)
ROOFTILE_OF_NUMBERS(double)
ROOFTILE_OF_CONVERTED(float16)
ROOFTILE_OF_CONVERTED(bfloat16)

}  // namespace rooftile::portable
