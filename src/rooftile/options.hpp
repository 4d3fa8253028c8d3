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

/// Memory that a call may use besides its operands.
struct WorkspaceMemory {
  /// Device memory of the caller, aligned to 128 bytes; its content is lost. Null: the library allocates.
  /// Calls on one stream or instance may share it, other calls must not. It must exist until the work is
  /// done.
  void* data = nullptr;
  /// Maximum number of bytes at a time. The library chooses a kernel that fits.
  std::size_t bytes = std::numeric_limits<std::size_t>::max();

  /// Compares all members.
  friend constexpr bool operator==(const WorkspaceMemory&, const WorkspaceMemory&) = default;
};

/// How a product is computed. By default, the library chooses.
struct GemmOptions {
  Kernel kernel = Kernel::automatic;          ///< `automatic`: the library chooses
  TileShape tile = {};                        ///< `TileShape{}`: the library chooses
  ComputeMode math = ComputeMode::automatic;  ///< one that is not the element types' own lowers
                                              ///< the accuracy; the library never chooses it
  /// Measured choices and costs of the device (`tuning.hpp`); null: the library's model. The library uses the
  /// choices if neither `kernel` nor `tile` is given. It reads the table during the call only.
  const TuningTable* tuning = nullptr;
  /// Whether operands that the named kernel could only copy element by element are first repacked in
  /// workspace. If the library chooses the kernel, it also decides about repacking.
  bool repack = false;
  /// On GPUs, memory of the caller or a limit. On CPUs, only a limit for the int8 modes.
  /// `GemmPlan::workspace` counts these bytes, but not copies of kernel arguments on HIP and of groups on the
  /// portable path.
  WorkspaceMemory workspace = {};
  /// For `fp64_int8` and `cfp64_int8`: 13 to 16 moduli of the int8 products, without the accuracy guard; 0:
  /// the guard finds the number.
  int moduli = 0;
  /// For products of 8-bit floats on Hopper: the tensor cores may sum all of K, with about 14 bits. By
  /// default, and if scales vary along K, fp32 additions sum the steps of 128 elements.
  bool fast_accumulation = false;

  /// Compares all members, and the address of the table.
  friend constexpr bool operator==(const GemmOptions&, const GemmOptions&) = default;
};

/// The options of a call without options. The library recognizes this object by its address.
inline constexpr GemmOptions default_options{};

}  // namespace rooftile
