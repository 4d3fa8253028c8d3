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

/// The kernels of the teaching texts beside the ladder, as a path has them on a device: `native.cu` in
/// CUDA, `portable.cpp` in Kokkos, `host.cpp` in C++ and OpenMP.
namespace rooftile::perf {

/// One way to go over a vector.
struct IncrementLaunch {
  int bytes = 4;     ///< of an access
  int elements = 1;  ///< independent accesses of a thread
  int blocks = 0;    ///< of an SM at a time, which shared memory allows; 0: as many as there is room for
  int threads = 0;   ///< of a CPU
};

struct Branching {
  std::string_view name;
  int period;      ///< threads after which the branches repeat
  int neighbours;  ///< threads one behind the other that go the same way
};

/// The branches of `divergence`, in the order of their template parameter.
inline constexpr std::array<Branching, 4> branchings = {{{"no branch", 1, 1},
                                                         {"a branch by warps", 64, 32},
                                                         {"a branch by threads", 2, 1},
                                                         {"nested branches", 4, 1}}};

constexpr int ways_of(const Branching& branching) {
  return branching.period / branching.neighbours;
}

inline constexpr int way_steps = 512;

/// All ways are equally long.
template <int way, class X>
ROOFTILE_FUNCTION void walk(X& x) {
  ROOFTILE_UNROLL(8)
  for (int step = 0; step < way_steps; ++step) step_on<way>(x);
}

/// Thread i of `divergence`.
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

/// Tiles of the matrix are transposed where they stand.
struct TransposeLaunch {
  int tile = 1;
  bool barrier = true;  ///< between the stores to the tile and the loads from it
};
inline constexpr std::array transpose_tiles = {1, 2, 4, 8, 16, 32};

/// What the compiler and the runtime say of a launch of `registers`.
struct HeldRegisters {
  int registers = 0;  ///< of a thread
  int blocks = 0;     ///< of an SM at a time
};

/// What one path has on one device. A kernel that it has not got is empty.
struct TextKernels {
  Device* device = nullptr;
  std::string path;
  int sms = 0;  ///< of a GPU
  model::SmLimits limits{};

  std::vector<IncrementLaunch> increments;
  /// a[i] += 1. @pre count is a multiple of 16, a is aligned to 64 bytes
  std::function<void(float* a, Index count, const IncrementLaunch&)> increment;
  /// Blocks of an SM at a time, as the runtime says.
  std::function<int(const IncrementLaunch&)> resident;

  std::vector<int> lanes;  ///< that go in step: 32 a GPU's warp or a CPU's vectors, 1 a thread by itself
  /// x[i] goes its way. @param branching  of `branchings`. @pre count is a multiple of 64
  std::function<void(std::uint32_t* x, Index count, int branching, int lanes)> branch;

  /// Each thread takes its values `held_steps` on. @pre count is a multiple of 32,768
  std::function<void(std::uint32_t* x, Index count, const RegisterLaunch&)> hold;
  /// Of a GPU; empty: nobody tells.
  std::function<HeldRegisters(const RegisterLaunch&)> held;

  /// @pre the tile divides the order
  std::function<void(float* to, const float* from, Index order, const TransposeLaunch&)> transpose;
  bool shares_tiles = false;  ///< several threads work on a tile, and may race

  /// C = A·B, row-major, one thread for each element: fused multiply-adds, or multiplications and additions.
  std::function<void(float* c, const float* a, const float* b, const GemmShape&, bool fused)> product;

  std::function<void(float* c, const float* a, const float* b, Index count)> add;
};

/// Adds what a path has. A source of this folder registers itself with a static object.
using AddKernels = std::function<void(Machine&, std::vector<TextKernels>&)>;
struct TextKernelProvider {
  explicit TextKernelProvider(AddKernels add);
};

std::vector<TextKernels> text_kernels(Machine& machine);

}  // namespace rooftile::perf
