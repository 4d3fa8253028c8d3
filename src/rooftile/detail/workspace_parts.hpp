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

/// Of a batch, products whose workspaces of so many bytes fit 1 GiB together, and the layers of a grid.
inline Index products_at_a_time(std::size_t bytes_each) {
  const std::size_t most = std::size_t{1} << 30;
  return std::clamp<Index>(static_cast<Index>(most / std::max<std::size_t>(bytes_each, 1)), 1, 65535);
}

}  // namespace rooftile::detail
