// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of the experiments on the CPU in C++ and OpenMP, and their launches.
#include <cstdint>
#include <type_traits>

#include "kernels.hpp"

namespace rooftile::perf {
namespace host {

/// A vector register of `bytes` bytes, or several registers if the CPU's are smaller.
template <int bytes>
using Wide [[gnu::vector_size(bytes), gnu::may_alias]] = float;

/// Each thread increments one part with accesses of type V. Compiler vectorisation is disabled for this file,
/// so that a 4-byte access stays one.
inline void increment(float* a, Index count, const IncrementLaunch& launch) {
  with_constant<4, 16, 32, 64>(launch.bytes, [&]<int bytes>() {
    using V = std::conditional_t<bytes == 4, float, Wide<bytes>>;
    V* const v = reinterpret_cast<V*>(a);
    const Index accesses = count * static_cast<Index>(sizeof(float)) / bytes;
#pragma omp parallel for schedule(static) num_threads(launch.threads)
    for (Index i = 0; i < accesses; ++i) v[i] += 1;
  });
}

inline void add(float* c, const float* a, const float* b, Index count) {
  using V = Wide<64>;
  const Index accesses = count / 16;
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < accesses; ++i)
    reinterpret_cast<V*>(c)[i] = reinterpret_cast<const V*>(a)[i] + reinterpret_cast<const V*>(b)[i];
}

/// A warp: 32 threads in the lanes of vector registers.
using Warp [[gnu::vector_size(128), gnu::may_alias]] = std::uint32_t;

/// Executes a way on all lanes and keeps the results of the lanes for which `is_for` holds. Skipped if it
/// holds for none.
template <int way, class IsFor>
ROOFTILE_FUNCTION void walk_masked(Warp& x, const IsFor& is_for) {
  Warp mask{}, moved = x;
  bool any = false;
  for (int lane = 0; lane < 32; ++lane) {
    if (is_for(lane)) mask[lane] = ~std::uint32_t{0}, any = true;
  }
  if (!any) return;
  walk<way>(moved);
  x = (moved & mask) | (x & ~mask);
}

/// The warp that starts with thread i, with the ways of `branch`.
template <int branching>
ROOFTILE_FUNCTION void branch_warp(Warp& x, Index i) {
  const auto every = [](int) { return true; };
  if constexpr (branching == 0) {
    walk_masked<0>(x, every);
  } else if constexpr (branching == 1) {
    walk_masked<0>(x, [&](int) { return i / 32 % 2 == 0; });
    walk_masked<1>(x, [&](int) { return i / 32 % 2 == 1; });
  } else if constexpr (branching == 2) {
    walk_masked<0>(x, [](int lane) { return lane % 2 == 0; });
    walk_masked<1>(x, [](int lane) { return lane % 2 == 1; });
  } else {
    walk_masked<0>(x, [](int lane) { return lane % 4 == 0; });
    walk_masked<1>(x, [](int lane) { return lane % 4 == 1; });
    walk_masked<2>(x, [](int lane) { return lane % 4 == 2; });
    walk_masked<3>(x, [](int lane) { return lane % 4 == 3; });
  }
}

template <int branching>
void branch_as(std::uint32_t* x, Index count, int lanes) {
  if (lanes == 1) {
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < count; ++i) branch<branching>(x[i], i);
    return;
  }
#pragma omp parallel for schedule(static)
  for (Index warp = 0; warp < count / 32; ++warp)
    branch_warp<branching>(reinterpret_cast<Warp*>(x)[warp], 32 * warp);
}

/// 32 lanes: masked vectors. 1 lane: each thread with the CPU's own branches.
inline void branch_all(std::uint32_t* x, Index count, int branching, int lanes) {
  with_constant<0, 1, 2, 3>(branching, [&]<int value>() { branch_as<value>(x, count, lanes); });
}

inline void hold_registers(std::uint32_t* x, Index count, const RegisterLaunch& launch) {
  with_held(launch, [&]<int values, bool chained>() {
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < count / values; ++i) hold<values, chained>(x, i);
  });
}

/// One thread transposes a tile and stores all of it before it loads, so that no barrier is needed.
inline void transpose(float* to, const float* from, Index order, const TransposeLaunch& launch) {
  const Index t = launch.tile, tiles = order / t;
#pragma omp parallel for collapse(2) schedule(static)
  for (Index row = 0; row < tiles; ++row) {
    for (Index col = 0; col < tiles; ++col) {
      float tile[32][32];
      const Index first = row * t * order + col * t;
      for (Index y = 0; y < t; ++y) {
        for (Index x = 0; x < t; ++x) tile[y][x] = from[first + y * order + x];
      }
      for (Index y = 0; y < t; ++y) {
        for (Index x = 0; x < t; ++x) to[first + y * order + x] = tile[x][y];
      }
    }
  }
}

}  // namespace host

namespace {

std::vector<int> thread_counts(int all) {
  std::vector<int> counts;
  for (int some = 1; some < all; some *= 2) counts.push_back(some);
  counts.push_back(all);
  return counts;
}

void add_host(Machine& machine, std::vector<TextKernels>& all) {
  TextKernels host;
  host.device = machine.devices.front().get();
  host.path = "native";
  for (const int threads : thread_counts(host.device->threads)) {
    for (const int bytes : {4, 16, 32, 64}) host.increments.push_back({bytes, 1, 0, threads});
  }
  host.increment = host::increment;
  host.lanes = {32, 1};
  host.branch = host::branch_all;
  host.hold = host::hold_registers;
  host.transpose = host::transpose;
  host.add = host::add;
  all.push_back(std::move(host));
}

const TextKernelProvider provider{add_host};

}  // namespace
}  // namespace rooftile::perf
