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

/// Where a product is to run.
struct Target {
  Path path;                 ///< whose kernels
  BlockLimits limits;        ///< of a block of threads
  ComputeMode math;          ///< not `automatic`; says the element type, too
  TileShape cache_blocks{};  ///< of a CPU: MC,NC,KC and MR,NR; zero elsewhere
  int capability = 0;        ///< of an NVIDIA GPU on the native path, major·10 + minor; 0 elsewhere
  int sms = 0;               ///< a GPU's SMs; 0: not known, or a CPU
  std::span<const ComputeMode>
      warp_mma{};                   ///< on the portable path: what the device's matrix instructions compute
  bool asynchronous_copies = true;  ///< there: whether copies into shared memory run by themselves
  /// As tuning tables name it: a GPU by its name, a CPU by its cache blocks.
  std::string_view device = {};
  model::Costs costs = model::unknown_costs;  ///< of a GPU
  bool reads_pointers = true;  ///< whether kernels do; else products by pointers run one by one
  int threads = 1;             ///< of a CPU that share a product
  /// On the portable path: what the tensor cores compute that TMA feeds, where the library is built for them.
  std::span<const ComputeMode> wgmma{};

  /// Whether it is a CPU.
  constexpr bool is_cpu() const { return static_cast<bool>(cache_blocks); }
  /// The element type of A and B.
  constexpr Type type() const { return type_of(math); }
  /// Bytes of an element.
  constexpr std::size_t element_size() const { return size_of(type()); }
};

}  // namespace rooftile
