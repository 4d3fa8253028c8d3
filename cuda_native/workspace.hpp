// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <cuda_runtime_api.h>

#include "rooftile/matrix.hpp"

namespace rooftile::cuda_native {

/// Device memory for the work that is put on a stream while the object lives. It is taken and given back in
/// the stream's order, from a pool of the library's own that keeps what it once had: after the first product
/// of a size, nothing synchronises or asks the driver for memory, and a stream that is being captured
/// captures it, too.
class Workspace {
 public:
  /// @throws Error where the device has not so much memory
  Workspace(cudaStream_t stream, std::size_t bytes);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// The next part of it, aligned to 1,024 bytes. @pre all parts fit, each rounded up to that
  template <class T>
  T* take(std::size_t bytes) {
    char* const part = next_;
    next_ += rounded(bytes);
    return reinterpret_cast<T*>(part);
  }

  static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 1023) / 1024 * 1024; }

 private:
  cudaStream_t stream_;
  char* data_ = nullptr;
  char* next_ = nullptr;
};

/// Of a batch, products whose workspaces of so many bytes fit 1 GiB together, and the layers of a grid.
inline Index products_at_a_time(std::size_t bytes_each) {
  const std::size_t most = std::size_t{1} << 30;
  return std::clamp<Index>(static_cast<Index>(most / std::max<std::size_t>(bytes_each, 1)), 1, 65535);
}

}  // namespace rooftile::cuda_native
