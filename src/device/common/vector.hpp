// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace rooftile::detail {

/// n elements that move together: at most 16 bytes, aligned to their size.
template <class T, int n>
struct alignas(n * sizeof(T)) Vector {
  T value[std::size_t{n}];
};

}  // namespace rooftile::detail
