// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "memory.hpp"
#include "plan/batch_parts.hpp"

/// The loops as kernels for nvcc and hipcc: each thread processes one element at a time.
namespace rooftile::testing {

// Vendor-specific part: memory_cuda.cu or memory_hip.cpp.

/// @throws Error if the device reports one
void synchronize();

inline constexpr int loop_threads = 256;

/// Number of blocks for `count` elements. With more elements than threads, each thread loops.
inline unsigned loop_blocks(Index count) {
  return static_cast<unsigned>(std::clamp<Index>((count + loop_threads - 1) / loop_threads, 1, 1 << 20));
}

inline __device__ Index first_of_thread() {
  return static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
}
inline __device__ Index threads_of_grid() {
  return static_cast<Index>(gridDim.x) * blockDim.x;
}

template <class T>
__global__ void fill_kernel(T* first, Index count, T value) {
  for (Index x = first_of_thread(); x < count; x += threads_of_grid()) first[x] = value;
}

template <class T>
__global__ void fill_batch_kernel(BatchRef<T> X, Values values) {
  const Index rows = X.first.rows, cols = X.first.cols;
  for (Index x = first_of_thread(); x < X.count * rows * cols; x += threads_of_grid()) {
    const Place at(x, rows, cols);
    (&X.first(at.i, at.j))[detail::elements_to(at.entry, X.stride, X.inner, X.outer_stride)] =
        value_at<T>(values, x);
  }
}

template <class T>
__global__ void multiply_kernel(StridedArgs<T> args) {
  const Index rows = args.first.C.rows, cols = args.first.C.cols;
  for (Index x = first_of_thread(); x < args.batch.count * rows * cols; x += threads_of_grid()) {
    const Place at(x, rows, cols);
    const GemmArgs<T> entry = args.product(at.entry);
    entry.C(at.i, at.j) = element_of<T>(entry, at.i, at.j);
  }
}

template <class T>
__global__ void difference_kernel(const T* found, const T* expected, Index count, unsigned long long* first) {
  for (Index x = first_of_thread(); x < count; x += threads_of_grid()) {
    if (!agree(found[x], expected[x])) atomicMin(first, static_cast<unsigned long long>(x));
  }
}

template <class T>
void Loops<T>::fill(T* first, Index count, T value) {
  fill_kernel<<<loop_blocks(count), loop_threads>>>(first, count, value);
  synchronize();
}

template <class T>
void Loops<T>::fill(const BatchRef<T>& X, const Values& values) {
  fill_batch_kernel<<<loop_blocks(X.count * X.first.rows * X.first.cols), loop_threads>>>(X, values);
  synchronize();
}

template <class T>
void Loops<T>::copy(T* to, const T* from, Index count) {
  copy_bytes(to, from, static_cast<std::size_t>(count) * sizeof(T));
}

template <class T>
T Loops<T>::value(const T* element) {
  T value;
  copy_bytes(&value, element, sizeof(T));
  return value;
}

template <class T>
void multiply(const StridedArgs<T>& args) {
  const Index elements = args.batch.count * args.first.C.rows * args.first.C.cols;
  multiply_kernel<<<loop_blocks(elements), loop_threads>>>(args);
  synchronize();
}

template <class T>
Index Loops<T>::first_difference(const T* found, const T* expected, Index count) {
  using Word = unsigned long long;
  static const Block& memory = *new Block(sizeof(Word));  // until the process ends
  const Word none = static_cast<Word>(-1);
  Word first = none;
  copy_bytes(memory.begin<Word>(), &none, sizeof(Word));
  difference_kernel<<<loop_blocks(count), loop_threads>>>(found, expected, count, memory.begin<Word>());
  copy_bytes(&first, memory.begin<Word>(), sizeof(Word));
  return static_cast<Index>(first);
}

ROOFTILE_TEST_INSTANTIATE_LOOPS

}  // namespace rooftile::testing
