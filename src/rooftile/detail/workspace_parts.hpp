// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "rooftile/matrix.hpp"

namespace rooftile::detail {

/// Memory that is handed out part by part; whoever derives from it takes it and gives it back.
class WorkspaceParts {
 public:
  WorkspaceParts(const WorkspaceParts&) = delete;
  WorkspaceParts& operator=(const WorkspaceParts&) = delete;

  /// The next part of it, aligned to 1,024 bytes. @pre all parts fit, each rounded up to that
  template <class T>
  T* take(std::size_t bytes) {
    char* const part = next_;
    next_ += rounded(bytes);
    return reinterpret_cast<T*>(part);
  }

  static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 1023) / 1024 * 1024; }

 protected:
  WorkspaceParts() = default;
  ~WorkspaceParts() = default;

  void* data() const { return data_; }
  void hold(void* data) { data_ = next_ = static_cast<char*>(data); }

 private:
  char* data_ = nullptr;
  char* next_ = nullptr;
};

/// Bytes of a workspace for copies of `count` matrices (rows,cols), whose rows begin at multiples of 128
/// bytes. With strides of 0, a matrix may have more elements than any device: then more than that.
constexpr std::size_t copies_bytes(Index count, Index rows, Index cols, std::size_t element_size) {
  constexpr std::size_t max_bytes = std::size_t{1} << 60;
  const Index line = static_cast<Index>(128 / element_size), ld = (cols + line - 1) / line * line;
  const double bytes = static_cast<double>(count) * static_cast<double>(rows) * static_cast<double>(ld) *
                       static_cast<double>(element_size);
  if (bytes > static_cast<double>(max_bytes)) return max_bytes;
  return WorkspaceParts::rounded(static_cast<std::size_t>(count * rows * ld) * element_size);
}

/// Of a batch, products whose workspaces of so many bytes fit 1 GiB together, and the layers of a grid.
inline Index products_at_a_time(std::size_t bytes_each) {
  const std::size_t max_bytes = std::size_t{1} << 30;
  return std::clamp<Index>(static_cast<Index>(max_bytes / std::max<std::size_t>(bytes_each, 1)), 1, 65535);
}

}  // namespace rooftile::detail
