// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launch.cuh"

namespace rooftile::perf::native {

/// The compiler gives a thread the registers that its values want: nobody asks for a number of blocks.
template <int values, bool chained>
__global__ void __launch_bounds__(text_threads) hold_registers(std::uint32_t* x, Index threads) {
  if (const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < threads)
    hold<values, chained>(x, i);
}

inline void run_registers(cudaStream_t stream, std::uint32_t* x, Index count, const RegisterLaunch& launch) {
  with_held(launch, [&]<int values, bool chained>() {
    const Index threads = count / values;
    hold_registers<values, chained>
        <<<blocks_for(threads, text_threads), text_threads, 0, stream>>>(x, threads);
    check_launch();
  });
}

inline HeldRegisters held_registers(const RegisterLaunch& launch) {
  HeldRegisters held;
  with_held(launch, [&]<int values, bool chained>() {
    cudaFuncAttributes attributes{};
    cudaFuncGetAttributes(&attributes, hold_registers<values, chained>);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&held.blocks, hold_registers<values, chained>, text_threads,
                                                  0);
    held.registers = attributes.numRegs;
  });
  return held;
}

}  // namespace rooftile::perf::native
