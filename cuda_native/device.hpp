// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime_api.h>

#include "cuda_native/check.hpp"

namespace rooftile::cuda_native {

/// The current device.
inline int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "find a CUDA device");
  return device;
}
inline int attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, current_device()), "query a CUDA device");
  return value;
}
inline int multiprocessors() {
  return attribute(cudaDevAttrMultiProcessorCount);
}

/// Its name. The runtime is asked once for those of all devices: it takes a millisecond over each.
inline std::string_view device_name() {
  static const std::vector<std::string> names = [] {
    int count = 0;
    check(cudaGetDeviceCount(&count), "count CUDA devices");
    std::vector<std::string> all;
    for (int device = 0; device < count; ++device) {
      cudaDeviceProp properties;
      check(cudaGetDeviceProperties(&properties, device), "query a CUDA device");
      all.emplace_back(properties.name);
    }
    return all;
  }();
  return names.at(static_cast<std::size_t>(current_device()));
}

}  // namespace rooftile::cuda_native
