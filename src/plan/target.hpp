// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "plan/block_limits.hpp"
#include "plan/costs/cost_model.hpp"
#include "rooftile/kernel.hpp"
#include "rooftile/tile.hpp"
#include "rooftile/types.hpp"

namespace rooftile {

/// The device and the path for which a plan is made.
struct Target {
  Path path;                 ///< path of the kernels
  BlockLimits limits;        ///< limits of a thread block
  ComputeMode math;          ///< not `automatic`; determines the element types
  TileShape cache_blocks{};  ///< CPU: MC,NC,KC and MR,NR; GPU: zero
  int capability = 0;        ///< native path: compute capability, major·10 + minor; 0 elsewhere
  int sms = 0;               ///< SMs of a GPU; 0: unknown, or a CPU
  std::span<const ComputeMode> warp_mma{};  ///< portable path: modes of the device's matrix instructions
  bool asynchronous_copies = true;          ///< copies to shared memory are asynchronous
  /// The name in tuning tables: of a GPU its name, of a CPU its cache blocks.
  std::string_view device = {};
  model::Costs costs = model::unknown_costs;  ///< costs of a GPU
  bool reads_pointers = true;  ///< kernels read arrays of pointers; otherwise products run one by one
  int threads = 1;             ///< CPU threads that share a product
  /// Portable path: modes of kernels with TMA and wgmma, if the library is built for them.
  std::span<const ComputeMode> wgmma{};

  /// Whether the target is a CPU.
  constexpr bool is_cpu() const { return static_cast<bool>(cache_blocks); }
  /// Returns the element type of A and B.
  constexpr Type type() const { return type_of(math); }
  /// Returns the bytes of an element of A or B.
  constexpr std::size_t element_size() const { return size_of(type()); }
};

}  // namespace rooftile
