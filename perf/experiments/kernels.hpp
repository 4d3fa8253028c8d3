// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "../machine.hpp"
#include "held.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/model/limits.hpp"

/// The kernels of the experiments on one path and device. `native.cu` implements them in CUDA, `portable.cpp`
/// in Kokkos, `host.cpp` in C++ and OpenMP.
namespace rooftile::perf {

/// A launch of the increment kernel.
struct IncrementLaunch {
  int bytes = 4;     ///< bytes of one access
  int elements = 1;  ///< independent accesses per thread
  int blocks = 0;    ///< blocks per SM, limited by shared memory; 0: no limit
  int threads = 0;   ///< threads on a CPU
};

struct Branching {
  std::string_view name;
  int period;      ///< number of threads after which the branches repeat
  int neighbours;  ///< consecutive threads that take one way
};

/// The branches of `divergence`; the index is the template parameter of `branch`.
inline constexpr std::array<Branching, 4> branchings = {{{"no branch", 1, 1},
                                                         {"a branch by warps", 64, 32},
                                                         {"a branch by threads", 2, 1},
                                                         {"nested branches", 4, 1}}};

constexpr int ways_of(const Branching& branching) {
  return branching.period / branching.neighbours;
}

inline constexpr int way_steps = 512;

/// A way of a branch. All ways have equal length.
template <int way, class X>
ROOFTILE_FUNCTION void walk(X& x) {
  ROOFTILE_UNROLL(8)
  for (int step = 0; step < way_steps; ++step) step_on<way>(x);
}

/// The work of thread i in `divergence`.
template <int branching>
ROOFTILE_FUNCTION void branch(std::uint32_t& x, std::int64_t i) {
  if constexpr (branching == 0) {
    walk<0>(x);
  } else if constexpr (branching == 1) {
    if (i / 32 % 2 == 0) {
      walk<0>(x);
    } else {
      walk<1>(x);
    }
  } else if constexpr (branching == 2) {
    if (i % 2 == 0) {
      walk<0>(x);
    } else {
      walk<1>(x);
    }
  } else {
    if (i % 2 == 0) {
      if (i % 4 == 0) {
        walk<0>(x);
      } else {
        walk<2>(x);
      }
    } else {
      if (i % 4 == 1) {
        walk<1>(x);
      } else {
        walk<3>(x);
      }
    }
  }
}

/// A launch of the transposition, which transposes each tile in place.
struct TransposeLaunch {
  int tile = 1;
  bool barrier = true;  ///< between the stores to the tile and the loads from it
};
inline constexpr std::array transpose_tiles = {1, 2, 4, 8, 16, 32};

/// Register and occupancy data of a launch of `registers`, from the compiler and the runtime.
struct HeldRegisters {
  int registers = 0;  ///< registers per thread
  int blocks = 0;     ///< blocks per SM
};

/// The kernels of one path on one device. Kernels that the path lacks are empty.
struct TextKernels {
  Device* device = nullptr;
  std::string path;
  int sms = 0;  ///< on a GPU
  model::SmLimits limits{};

  std::vector<IncrementLaunch> increments;
  /// a[i] += 1. @pre count is a multiple of 16, a is aligned to 64 bytes
  std::function<void(float* a, Index count, const IncrementLaunch&)> increment;
  /// Resident blocks per SM, as the runtime reports them.
  std::function<int(const IncrementLaunch&)> resident;

  std::vector<int> lanes;  ///< lockstep widths: 32 for a GPU's warp or a CPU's vectors, else 1
  /// x[i] takes its way. @param branching  index into `branchings`. @pre count is a multiple of 64
  std::function<void(std::uint32_t* x, Index count, int branching, int lanes)> branch;

  /// Each thread advances its values by `held_steps` steps. @pre count is a multiple of 32,768
  std::function<void(std::uint32_t* x, Index count, const RegisterLaunch&)> hold;
  /// Register data on a GPU; empty: not available.
  std::function<HeldRegisters(const RegisterLaunch&)> held;

  /// @pre the tile divides the order
  std::function<void(float* to, const float* from, Index order, const TransposeLaunch&)> transpose;
  bool shares_tiles = false;  ///< several threads share a tile, so that races are possible

  /// C = A·B, row-major, one thread per element, with fused multiply-adds or with separate multiplications
  /// and additions.
  std::function<void(float* c, const float* a, const float* b, const GemmShape&, bool fused)> product;

  std::function<void(float* c, const float* a, const float* b, Index count)> add;
};

/// Adds the kernels of a path. Each source of this folder registers itself with a static object.
using AddKernels = std::function<void(Machine&, std::vector<TextKernels>&)>;
struct TextKernelProvider {
  explicit TextKernelProvider(AddKernels add);
};

std::vector<TextKernels> text_kernels(Machine& machine);

}  // namespace rooftile::perf
