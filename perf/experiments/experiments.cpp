// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "add.hpp"
#include "divergence.hpp"
#include "increment.hpp"
#include "products.hpp"
#include "registers.hpp"
#include "transpose.hpp"

namespace rooftile::perf {
namespace {

constexpr TextExperiment experiments[] = {
    {"add", "What bounds a kernel that uses each value once?",
     "Shared memory cannot reduce the traffic of an addition; its intensity stays 1 FLOP for 12 bytes.",
     "Kirk and Hwu, exercises on memory and data locality", add::run},
    {"increment", "How many bytes must be in flight to saturate memory?",
     "Several independent small accesses of a thread equal one wide one (four of 32 bits about one of 128), "
     "and what counts is the product of width, accesses and threads. On a Tesla C2050 (about 120 GB/s) "
     "64 Mi elements.",
     "Volkov, Better performance at lower occupancy, 2010", increment::run},
    {"divergence", "What do branches within a warp cost?",
     "A warp goes both ways of a branch that splits it: half of the issue slots are lost. `threadIdx.x > 2` "
     "splits a warp, `threadIdx.x / 32 > 2` does not. On a GeForce RTX 3070 nested branches leave 27.36 of "
     "32 threads not predicated off.",
     "Kirk and Hwu, on divergence; measured by a course's text", divergence::run},
    {"registers", "What do registers cost in occupancy, and that in speed?",
     "On a G80 (768 threads and 8,192 registers an SM) blocks of 256 threads with 10 registers each fill it; "
     "with "
     "11 it holds 512 threads: one register more costs a third of the warps (Kirk and Hwu). On Fermi, 20+1 "
     "registers leave an occupancy of 1, 63+1 of 0.3333. Fewer threads are as fast where each has several "
     "independent steps to do (Volkov).",
     "Kirk and Hwu, on resources and occupancy; Volkov, Better performance at lower occupancy, 2010",
     registers::run},
    {"transpose", "What does a barrier that is missing do?",
     "The block transposition without its barrier is right only at tile width 1.",
     "Kirk and Hwu, exercise on synchronisation", transpose::run},
    {"products", "What does sharing tiles gain, and what does fusing?",
     "GeForce RTX 3070, 2000×3000×2500: tiles of 8, 16 and 32 take 40.64, 31.21 and 34.35 ms, no tiles with "
     "blocks of 16×16 27.41, of 8×32 27.91, and without fused multiply-adds 28.06 ms. The greatest error is "
     "4.038E-7 %.",
     "measured by a course's text", products::run},
    {"tiles", "How large should a tile be?",
     "Tiles of T×T cut the traffic to global memory by T: 16 to 4 FLOP/B, 32 to 8.",
     "Kirk and Hwu, on tiled multiplication", products::run_tiles},
};

}  // namespace

std::span<const TextExperiment> text_experiments() {
  return experiments;
}

TextKernelProvider::TextKernelProvider(AddKernels add) {
  registered<AddKernels>().push_back(std::move(add));
}

std::vector<TextKernels> text_kernels(Machine& machine) {
  std::vector<TextKernels> kernels;
  for (const auto& add : registered<AddKernels>()) add(machine, kernels);
  return kernels;
}

}  // namespace rooftile::perf
