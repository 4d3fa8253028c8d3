// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rooftile::portable {

/// A thread of a launch on a CPU, and how many there are.
struct ThreadOfLaunch {
  int rank;
  int size;
};

}  // namespace rooftile::portable
