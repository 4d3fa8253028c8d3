// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rooftile/options.hpp"
#include "rooftile/problem.hpp"

/// Portable products that host threads compute at once, each on a CUDA stream and instance of its own. What
/// needs nvcc has a file of its own, since cudafe++ of CUDA 13.0 does not come to an end with Catch2's
/// macros.
namespace rooftile::testing {

/// The major compute capability of the device, 0 where there is none.
int compute_capability_major();

/// As Kokkos, which a process can initialise once: while it lives, it runs.
class HostThreads {
 public:
  HostThreads();
  ~HostThreads();
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  /// What all elements of each thread's C are after `repeats` products, of A of t + 1 and B of ones for
  /// thread t, or not a number where they differ: (t + 1)·k.
  /// @throws std::runtime_error where CUDA fails
  std::vector<float> multiply(int threads, int repeats, GemmShape shape, const GemmOptions& options) const;
};

}  // namespace rooftile::testing
