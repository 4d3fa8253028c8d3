// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rooftile::gpu {

/// What decides whether a product whose operands lie on the host goes through a GPU.
struct OffloadCosts {
  double link_gbs;           ///< of the link, each way, from and to pinned memory
  double staged_gbs;         ///< the same where threads copy through pinned buffers
  double start;              ///< seconds before the first byte and behind the last one
  double step;               ///< seconds of a transfer or a kernel, however small
  double share_of_peak;      ///< of the GPU's multiply-adds, that a large product reaches
  double cpu_multiply_adds;  ///< of fp64 that a CPU does in a second; of fp32 twice as many
  /// From so many on, a process that may have device memory is asked where operands lie: they take a CPU a
  /// hundred times as long as the question.
  double asking;
};

/// Every GPU gets the costs of an H200 behind PCIe 5 with 16 hardware threads of its host (docs/blas.md).
/// `step` and `share_of_peak` are estimates, which only order blocks.
inline constexpr OffloadCosts offload_costs{.link_gbs = 47,
                                            .staged_gbs = 34,
                                            .start = 800e-6,
                                            .step = 8e-6,
                                            .share_of_peak = 0.85,
                                            .cpu_multiply_adds = 13e9,
                                            .asking = 128.0 * 128 * 128};

}  // namespace rooftile::gpu
