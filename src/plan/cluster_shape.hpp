// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/function.hpp"

namespace rooftile::detail {

/// The tiles of C that a cluster's blocks compute side by side: `m` below each other, `n` next to each other.
/// Blocks in a row share a tile of A, blocks in a column one of B.
struct ClusterShape {
  int m = 1;
  int n = 1;

  ROOFTILE_FUNCTION constexpr int size() const { return m * n; }

  friend constexpr bool operator==(const ClusterShape&, const ClusterShape&) = default;
};

}  // namespace rooftile::detail
