// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// One product on raw device pointers and a stream, without Kokkos. A is row-major, B is stored as its
// transpose, and C is part of a larger column-major matrix.
#include <iostream>
#include <memory>
#include <vector>

#include <rooftile/cuda_native.hpp>

using rooftile::Index;

/// Copies a vector to device memory, which is freed with its last owner.
std::shared_ptr<double> upload(const std::vector<double>& from, cudaStream_t stream) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, from.size() * sizeof(double)) != cudaSuccess) throw std::bad_alloc();
  cudaMemcpyAsync(memory, from.data(), from.size() * sizeof(double), cudaMemcpyHostToDevice, stream);
  return {static_cast<double*>(memory), cudaFree};
}

int main() try {
  const Index m = 300, n = 200, k = 100, ldc = m + 20;
  cudaStream_t stream = nullptr;
  const rooftile::Choice choice = rooftile::cuda_native::explain<double>({m, n, k});
  std::cout << rooftile::rung_of(choice.kernel).name << ", tile " << to_string(choice.tile) << ": "
            << choice.why << '\n';
  cudaStreamCreate(&stream);

  std::vector<double> a(m * k), bt(n * k), c(ldc * n, 1.0);
  for (Index i = 0; i < m * k; ++i) a[i] = double(i / k + i % k);   // A(i,l) = i + l
  for (Index i = 0; i < n * k; ++i) bt[i] = double(i % k - i / k);  // B(l,j) = l - j, transposed
  const auto device_a = upload(a, stream), device_bt = upload(bt, stream), device_c = upload(c, stream);

  // C = 2 A B - C, asynchronous on `stream`.
  rooftile::cuda_native::gemm(stream, 2.0, rooftile::row_major<const double>(device_a.get(), m, k),
                              rooftile::row_major<const double>(device_bt.get(), n, k).transposed(), -1.0,
                              rooftile::column_major(device_c.get(), m, n, ldc));
  cudaMemcpyAsync(c.data(), device_c.get(), c.size() * sizeof(double), cudaMemcpyDeviceToHost, stream);
  const cudaError_t status = cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);

  Index wrong = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < ldc; ++i) {  // rows from m on are padding, not part of C
      double product = 0;
      for (Index l = 0; i < m && l < k; ++l) product += a[i * k + l] * bt[j * k + l];
      wrong += c[j * ldc + i] != (i < m ? 2 * product - 1 : 1.0);
    }
  }
  std::cout << wrong << " of " << c.size() << " elements wrong (" << cudaGetErrorString(status) << ")\n";
  return wrong == 0 && status == cudaSuccess ? 0 : 1;
} catch (const rooftile::Error& error) {  // also thrown without a GPU
  std::cerr << error.what() << '\n';
  return 2;
}
