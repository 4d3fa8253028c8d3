// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rooftile::portable {

/// The rank of a thread in a launch on a CPU, and the number of threads.
struct ThreadOfLaunch {
  int rank;
  int size;
};

}  // namespace rooftile::portable
