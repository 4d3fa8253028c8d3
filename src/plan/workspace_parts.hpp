// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "rooftile/matrix.hpp"

namespace rooftile::detail {

/// A workspace that is divided into parts. The derived class allocates and frees the memory.
class WorkspaceParts {
 public:
  WorkspaceParts(const WorkspaceParts&) = delete;
  WorkspaceParts& operator=(const WorkspaceParts&) = delete;

  /// Returns the next part, aligned to 1,024 bytes. @pre all parts fit, each rounded up to 1,024 bytes
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

/// Returns the bytes for copies of `count` matrices (rows,cols) with rows at multiples of 128 bytes. The
/// result saturates at 2⁶⁰, since a matrix with strides of 0 may have any number of elements.
constexpr std::size_t copies_bytes(Index count, Index rows, Index cols, std::size_t element_size) {
  constexpr std::size_t max_bytes = std::size_t{1} << 60;
  const Index line = static_cast<Index>(128 / element_size), ld = (cols + line - 1) / line * line;
  const double bytes = static_cast<double>(count) * static_cast<double>(rows) * static_cast<double>(ld) *
                       static_cast<double>(element_size);
  if (bytes > static_cast<double>(max_bytes)) return max_bytes;
  return WorkspaceParts::rounded(static_cast<std::size_t>(count * rows * ld) * element_size);
}

/// Returns the number of products that share a workspace. Limits: 1 GiB, the caller's limit, and the 65,535
/// layers of a grid. @param bytes  workspace for a number of products; must grow with it
template <class Bytes>
Index batch_chunk_within(Index count, const Bytes& bytes, std::size_t allowed) {
  const std::size_t max_bytes = std::min(allowed, std::size_t{1} << 30);
  Index too_many = std::clamp<Index>(count, 1, 65535) + 1, enough = 1;
  if (bytes(too_many - 1) <= max_bytes) return too_many - 1;
  while (too_many - enough > 1) {
    const Index middle = enough + (too_many - enough) / 2;
    (bytes(middle) <= max_bytes ? enough : too_many) = middle;
  }
  return enough;
}

}  // namespace rooftile::detail
