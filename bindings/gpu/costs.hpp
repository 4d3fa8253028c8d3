// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rooftile::gpu {

/// Costs that decide whether a product with operands on the host is computed on a GPU.
struct OffloadCosts {
  double link_gbs;           ///< bandwidth of the link per direction, with pinned memory
  double staged_gbs;         ///< bandwidth when threads copy through pinned buffers
  double start;              ///< seconds before the first and after the last byte
  double step;               ///< fixed seconds per transfer or kernel
  double share_of_peak;      ///< share of the GPU's peak that a large product reaches
  double cpu_multiply_adds;  ///< fp64 multiply-adds per second and CPU; fp32: twice as many
  /// Multiply-adds from which the location of operands is queried, in a process that may have device memory.
  /// A CPU then takes a hundred times as long for the product as for the query.
  double asking;
};

/// The costs of an H200 behind PCIe 5, with 16 hardware threads of its host (docs/blas.md), used for every
/// GPU. `step` and `share_of_peak` are estimates, which only order blocks.
inline constexpr OffloadCosts offload_costs{.link_gbs = 47,
                                            .staged_gbs = 34,
                                            .start = 800e-6,
                                            .step = 8e-6,
                                            .share_of_peak = 0.85,
                                            .cpu_multiply_adds = 13e9,
                                            .asking = 128.0 * 128 * 128};

}  // namespace rooftile::gpu
