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

/// Portable products on a CUDA stream that is being captured, and by host threads with one stream each. Code
/// for nvcc is in a separate file because cudafe++ of CUDA 13.0 does not terminate on Catch2's macros.
namespace rooftile::testing {

/// The common value of all elements of C after each step. NaN if the elements differ.
struct CapturedProduct {
  static constexpr Index n = 64, k = 4096;  // one tile of C, or two: work along K is shared
  static constexpr int replays = 500;       // replays in a row

  float run;          ///< before the capture, with A of 3 and B of 1: 3·k
  float captured;     ///< after the capture, A of 1: still 3·k, since nothing has run
  float replayed[2];  ///< after replays with A of 1, and of 2
};

/// The major compute capability of the device. 0 if there is no device.
int compute_capability_major();

/// Captures one product per kernel. Initializes Kokkos, which a process can do only once.
/// @throws std::runtime_error if CUDA fails
std::vector<CapturedProduct> capture_products(const std::vector<std::pair<Kernel, ComputeMode>>& kernels);

/// The errors for operands that the device cannot read. Empty if the product was computed.
struct RefusedProducts {
  std::string misaligned;      ///< A starts two bytes after a multiple of its element size
  std::string other_device;    ///< B is in another device's memory; empty if there is one device
  const void* misaligned_a;    ///< address of that A
  const void* other_device_b;  ///< address of that B, null if there is one device
  float computed_behind;       ///< C of a later product of ones: k
  static constexpr Index n = 64, k = 32;
};

/// Initializes Kokkos.
/// @throws std::runtime_error if CUDA fails
RefusedProducts refuse_products();

/// Kokkos is initialized while an object exists. A process can initialize Kokkos only once.
class HostThreads {
 public:
  HostThreads();
  ~HostThreads();
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  /// Thread t multiplies A of t + 1 by B of ones, `repeats` times.
  /// @return for each thread the common value of its C, which is (t + 1)·k; NaN if the elements differ
  /// @throws std::runtime_error if CUDA fails
  std::vector<float> multiply(int threads, int repeats, GemmShape shape, const GemmOptions& options) const;
};

}  // namespace rooftile::testing
