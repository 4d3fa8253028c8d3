// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>

#include "rooftile/kernel.hpp"
#include "rooftile/tile.hpp"
#include "rooftile/types.hpp"

namespace rooftile {

struct TuningTable;

/// Device memory that a call may take beyond its operands.
struct WorkspaceMemory {
  /// The caller's, at a multiple of 128 bytes; its content is lost. Null: from the library's pool. Calls on
  /// one stream or instance may share it, others must not; it stays until what was called is computed.
  void* data = nullptr;
  /// At most so many, at a time. Where the fastest way takes more, the library goes another.
  std::size_t bytes = std::numeric_limits<std::size_t>::max();

  /// Member by member.
  friend constexpr bool operator==(const WorkspaceMemory&, const WorkspaceMemory&) = default;
};

/// How a product is to be computed; the defaults let the library choose.
struct GemmOptions {
  Kernel kernel = Kernel::automatic;          ///< `automatic`: the library's choice
  TileShape tile = {};                        ///< zero: the kernel's default on the device
  ComputeMode math = ComputeMode::automatic;  ///< one that is not the element type's own gives up accuracy,
                                              ///< and so is never chosen
  /// What was measured on the device (`tuning.hpp`), asked before the model where neither kernel nor tile is
  /// named, and for the costs that the model goes by; null: the model alone, by its own. It is read during
  /// the call only.
  const TuningTable* tuning = nullptr;
  /// Whether operands that the named kernel could only copy element by element are repacked for it first, in
  /// a workspace. Where the library chooses the kernel, it chooses this, too.
  bool repack = false;
  /// Of GPUs, and of CPUs the bytes that products by residues may take; what else CPUs take is said at
  /// `gemm`. `GemmPlan::workspace` says what a call takes of it, in which copies of kernels' arguments, that
  /// the portable path makes of groups and on HIP, are not counted.
  WorkspaceMemory workspace = {};
  /// Of `ComputeMode::fp64_int8` and `ComputeMode::cfp64_int8`: 13 to 16 numbers that products of int8 are
  /// taken modulo, without the guard, for those who know their matrices; 0: as many as the guard finds.
  int moduli = 0;

  /// Member by member; of the table, the address.
  friend constexpr bool operator==(const GemmOptions&, const GemmOptions&) = default;
};

/// Those of a call that names none: one object, which is known by its address.
inline constexpr GemmOptions default_options{};

}  // namespace rooftile
