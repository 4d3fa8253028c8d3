// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <iterator>

#include "rooftile/error.hpp"
#include "rooftile/model/limits.hpp"

namespace rooftile::model {

/// The limits of one NVIDIA compute capability. Sizes are in Ki registers and KiB.
///
/// Sources: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", for limits;
/// `cuda_occupancy.h` of CUDA 13 for granularities, partitions, barriers and carve-outs from 3.0 on; NVIDIA's
/// CUDA Occupancy Calculator spreadsheet for those of 1.x and 2.x.
struct ComputeCapability {
  int major;              ///< 9 of 9.0
  int minor;              ///< 0 of 9.0
  int threads;            ///< of an SM
  int blocks;             ///< of an SM
  int registers_k;        ///< of an SM, in Ki
  int block_registers_k;  ///< maximum of a block, in Ki
  int shared_kib;         ///< of an SM, in KiB
  int block_shared_kib;   ///< maximum of a block, in KiB
  int register_unit;      ///< allocation unit of registers
  int partitions;         ///< register files of an SM
};

// clang-format off
/// The known compute capabilities, oldest first.
inline constexpr ComputeCapability compute_capabilities[] = {
    // cc    threads blocks  regs  /block  shared  /block  unit  partitions
    {1, 0,     768,      8,    8,      8,     16,     16,  256,  1},
    {1, 1,     768,      8,    8,      8,     16,     16,  256,  1},
    {1, 2,    1024,      8,   16,     16,     16,     16,  512,  1},
    {1, 3,    1024,      8,   16,     16,     16,     16,  512,  1},
    {2, 0,    1536,      8,   32,     32,     48,     48,   64,  2},
    {2, 1,    1536,      8,   32,     32,     48,     48,   64,  2},
    {3, 0,    2048,     16,   64,     64,     48,     48,  256,  4},
    {3, 2,    2048,     16,   64,     32,     48,     48,  256,  4},
    {3, 5,    2048,     16,   64,     64,     48,     48,  256,  4},
    {3, 7,    2048,     16,  128,     64,    112,     48,  256,  4},
    {5, 0,    2048,     32,   64,     64,     64,     48,  256,  4},
    {5, 2,    2048,     32,   64,     64,     96,     48,  256,  4},
    {5, 3,    2048,     32,   64,     32,     64,     48,  256,  4},
    {6, 0,    2048,     32,   64,     64,     64,     48,  256,  2},
    {6, 1,    2048,     32,   64,     64,     96,     48,  256,  4},
    {6, 2,    2048,     32,   64,     32,     64,     48,  256,  4},
    {7, 0,    2048,     32,   64,     64,     96,     96,  256,  4},
    {7, 2,    2048,     32,   64,     64,     96,     96,  256,  4},
    {7, 5,    1024,     16,   64,     64,     64,     64,  256,  4},
    {8, 0,    2048,     32,   64,     64,    164,    163,  256,  4},
    {8, 6,    1536,     16,   64,     64,    100,     99,  256,  4},
    {8, 7,    1536,     16,   64,     64,    164,    163,  256,  4},
    {8, 9,    1536,     24,   64,     64,    100,     99,  256,  4},
    {9, 0,    2048,     32,   64,     64,    228,    227,  256,  4},
    {10, 0,   2048,     32,   64,     64,    228,    227,  256,  4},
    {10, 1,   1536,     24,   64,     64,    228,    227,  256,  4},
    {10, 3,   2048,     32,   64,     64,    228,    227,  256,  4},
    {11, 0,   1536,     24,   64,     64,    228,    227,  256,  4},
    {12, 0,   1536,     24,   64,     64,    100,     99,  256,  4},
    {12, 1,   1536,     24,   64,     64,    100,     99,  256,  4},
};
// clang-format on

namespace detail {

inline constexpr int volta_carveouts[] = {0, 8, 16, 32, 64, 96};
inline constexpr int turing_carveouts[] = {32, 64};
inline constexpr int ampere_carveouts[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

constexpr std::span<const int> carveouts(const ComputeCapability& cc) {
  if (cc.major < 7) return {};
  if (cc.major == 7) return cc.minor == 5 ? std::span<const int>(turing_carveouts) : volta_carveouts;
  return ampere_carveouts;
}

/// The maximum registers of a thread's allocation. One is the zero register, which 3.x to 6.x leave out.
constexpr Count thread_registers(const ComputeCapability& cc) {
  if (cc.major == 1) return 128;
  if (cc.major == 2) return 64;
  return cc.major < 7 ? 255 : 256;
}

/// Named barriers of an SM, which limit from Hopper on: two for each block; one on parts with 24 blocks.
constexpr Count barriers(const ComputeCapability& cc) {
  if (cc.major < 9) return unlimited;
  return cc.blocks == 24 ? cc.blocks : 2 * cc.blocks;
}

}  // namespace detail

/// Returns the limits of an SM. @throws Error  for a compute capability that is not in the table
constexpr SmLimits nvidia_limits(int major, int minor) {
  for (const ComputeCapability& cc : compute_capabilities) {
    if (cc.major != major || cc.minor != minor) continue;
    SmLimits limits;
    limits.threads = cc.threads;
    limits.blocks = cc.blocks;
    limits.block_threads = major == 1 ? 512 : 1024;
    limits.registers = Count{1024} * cc.registers_k;
    limits.block_registers = Count{1024} * cc.block_registers_k;
    limits.thread_registers = detail::thread_registers(cc);
    limits.shared = Count{1024} * cc.shared_kib;
    limits.block_shared = Count{1024} * cc.block_shared_kib;
    limits.block_shared_default = Count{1024} * (major == 1 ? 16 : 48);
    limits.barriers = detail::barriers(cc);
    limits.carveouts_kib = detail::carveouts(cc);
    limits.granularity.thread_group = limits.warp_size;
    limits.granularity.register_unit = cc.register_unit;
    limits.granularity.registers_to_block = major == 1;
    limits.granularity.partitions = cc.partitions;
    // A kernel must run on every Pascal, so that the check on 6.0 assumes the four partitions of 6.1 and 6.2.
    limits.granularity.checked_partitions = major < 3 ? 1 : 4;
    limits.granularity.shared_unit = major == 1 ? 512 : major == 2 || major >= 8 ? 128 : 256;
    limits.granularity.shared_reserved = major >= 8 ? 1024 : 0;
    return limits;
  }
  throw Error(rooftile::detail::text("unknown compute capability (", major, '.', minor,
                                     "): give the limits one by one"));
}

/// Returns the limits of AMD's compute units since CDNA 2: four SIMDs of 512 registers × 64 lanes, 8 waves
/// each.
///
/// Sources: LLVM's AMDGPUUsage and AMDGPUBaseInfo (8 waves per SIMD, registers by 8, 16 barriers, local
/// memory by 128 words, on gfx950 by 320); AMD's "GPU hardware specifications" (64 KiB and 160 KiB of local
/// memory). Scalar registers are left out: 8 waves fit whatever they use, to within one wave.
/// @param shared_kib  KiB of local memory
/// @param shared_unit  its allocation unit in bytes
constexpr SmLimits cdna_limits(Count shared_kib, Count shared_unit) {
  SmLimits limits;
  limits.warp_size = 64;
  limits.threads = 4 * 8 * limits.warp_size;
  limits.blocks = 4 * 8;
  limits.block_threads = 1024;
  limits.registers = 4 * 512 * limits.warp_size;
  limits.thread_registers = 512;
  limits.shared = 1024 * shared_kib;
  limits.block_shared = limits.shared;
  limits.block_shared_default = limits.shared;
  limits.barriers = 16;
  limits.lone_warp_takes_barrier = false;
  limits.granularity.thread_group = limits.warp_size;
  limits.granularity.register_unit = 8 * limits.warp_size;
  limits.granularity.partitions = 4;
  limits.granularity.shared_unit = shared_unit;
  return limits;
}

}  // namespace rooftile::model
