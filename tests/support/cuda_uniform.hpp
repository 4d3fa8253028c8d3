// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include <cuda_runtime_api.h>

/// CUDA helpers for tests that nvcc compiles, without Catch2.
namespace rooftile::testing {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// A matrix on the device whose elements all have one value.
struct Uniform {
  std::size_t count;
  float* data = nullptr;

  Uniform(std::size_t count_, float value) : count(count_) {
    check(cudaMalloc(&data, count * sizeof(float)));
    fill(value);
  }
  ~Uniform() { cudaFree(data); }
  Uniform(const Uniform&) = delete;
  Uniform& operator=(const Uniform&) = delete;

  void fill(float value) {
    const std::vector<float> values(count, value);
    check(cudaMemcpy(data, values.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  }
  float value() const {
    std::vector<float> values(count);
    check(cudaMemcpy(values.data(), data, count * sizeof(float), cudaMemcpyDeviceToHost));
    const bool uniform = std::all_of(values.begin(), values.end(), [&](float x) { return x == values[0]; });
    return uniform ? values[0] : std::numeric_limits<float>::quiet_NaN();
  }
};

/// The major compute capability of the device. 0 if there is no device.
inline int find_compute_capability_major() {
  int count = 0, major = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  return major;
}

}  // namespace rooftile::testing
