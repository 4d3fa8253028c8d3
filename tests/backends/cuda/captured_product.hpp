// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rooftile/ladder.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/options.hpp"
#include "rooftile/problem.hpp"

/// Portable products on a CUDA stream that is being captured, and by host threads with a stream each. Code
/// for nvcc has a file of its own, since cudafe++ of CUDA 13.0 does not come to an end with Catch2's macros.
namespace rooftile::testing {

/// What all elements of C are, or not a number where they differ.
struct CapturedProduct {
  static constexpr Index n = 64, k = 4096;  // a single tile, or two: shared
  static constexpr int replays = 500;       // one behind the other

  float run;          ///< outside a capture, with A of 3 and B of 1: 3·k
  float captured;     ///< the same after a capture with A of 1: nothing has run
  float replayed[2];  ///< with A of 1, and of 2
};

/// The major compute capability of the device, 0 where there is none.
int compute_capability_major();

/// One for each kernel. Initialises Kokkos, which a process can do once.
/// @throws std::runtime_error where CUDA fails
std::vector<CapturedProduct> capture_products(const std::vector<std::pair<Kernel, ComputeMode>>& kernels);

/// The error of the portable path for operands that a device does not read, or nothing where it computed.
struct RefusedProducts {
  std::string misaligned;      ///< A two bytes behind a multiple of its elements' size
  std::string other_device;    ///< B in another device's memory; empty where there is one device
  const void* misaligned_a;    ///< its address
  const void* other_device_b;  ///< its address, null where there is one device
  float computed_behind;       ///< C of a product behind both, of ones: k
  static constexpr Index n = 64, k = 32;
};

/// Initialises Kokkos. @throws std::runtime_error where CUDA fails
RefusedProducts refuse_products();

/// As Kokkos, which a process can initialise once: while it lives, it runs.
class HostThreads {
 public:
  HostThreads();
  ~HostThreads();
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  /// The value of all elements of each thread's C after `repeats` products, of A of t + 1 and B of ones for
  /// thread t, or not a number where they differ: (t + 1)·k.
  /// @throws std::runtime_error where CUDA fails
  std::vector<float> multiply(int threads, int repeats, GemmShape shape, const GemmOptions& options) const;
};

}  // namespace rooftile::testing
