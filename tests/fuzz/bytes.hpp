// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rooftile::fuzz {

/// Reads numbers from a fuzzer's input in sequence. Returns 0 after the end, so that every input is valid.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }

  /// A number from 0 to count − 1.
  /// @pre count > 0
  std::size_t below(std::size_t count) {
    std::size_t value = byte();
    if (count > 256) value = value << 8 | byte();
    return value % count;
  }

  template <class Values>
  auto one_of(const Values& values) {
    return std::data(values)[below(std::size(values))];
  }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace rooftile::fuzz
