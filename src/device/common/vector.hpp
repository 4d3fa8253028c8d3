// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace rooftile::detail {

/// n elements that move as one: of 16 bytes at most, aligned to their size.
template <class T, int n>
struct alignas(n * sizeof(T)) Vector {
  T value[std::size_t{n}];
};

}  // namespace rooftile::detail
