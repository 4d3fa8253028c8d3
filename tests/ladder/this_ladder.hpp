// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "plan/default_tile.hpp"
#include "plan/plan.hpp"
#include "plan/prepare.hpp"
#include "rooftile/find_kernel.hpp"
#include "tests/support/device.hpp"

/// The executable's path and backend (ROOFTILE_TEST_PATH, ROOFTILE_TEST_BACKEND), on this machine.
namespace rooftile::testing {

/// A kernel of the path with a tile in a compute mode, or the library's choice.
template <class T>
struct LadderKernel {
  Device* device;
  GemmOptions options;
  std::string kernel;  ///< its name, or `automatic`
  std::string tile;    ///< empty: not fixed
  ComputeMode math;

  bool automatic() const { return options.kernel == Kernel::automatic; }

  /// Returns why the kernel cannot compute a batch; empty if it can.
  std::string refusal(const BatchArgs<T>& args) const {
    const Target target = device->target(math);
    const BatchArgs<T> ready = detail::prepared(args);
    if (!automatic()) {
      const Rung& rung = rung_of(options.kernel);
      const TileShape own = default_tile(rung, ready.shape(), target, ready.batch.count);
      return rooftile::refusal(rung, ready.shape(), options.tile ? options.tile : own, target, options.repack,
                               ready.pointers.any())
          .text;
    }
    try {
      plan(describe(ready), options, target);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  /// Runs the batch and waits.
  void launch(const BatchArgs<T>& args) const {
    device->gemm(args, options);
    device->wait();
  }
};

/// Returns a device's kernels in T: each rung, tile and mode, with and without repacking, and the library's
/// choices.
template <class T>
std::vector<LadderKernel<T>> kernels_of(Device& device) {
  std::vector<LadderKernel<T>> kernels;
  for (const ComputeMode math : all_modes) {
    if (!is_mode_of<T>(math)) continue;
    const Target target = device.target(math);
    const std::size_t before = kernels.size();
    for (const Rung& rung : ladder) {
      if (!detail::computes(rung, target)) continue;
      std::vector<TileShape> tiles = detail::built_tiles(rung, target);
      if (rung.tiles.empty()) tiles.push_back(default_tile(rung, {4096, 4096, 4096}, target));
      for (const bool repack : {false, true}) {
        if (repack && !contains(rung.repacks, math)) continue;
        for (const TileShape tile : tiles) {
          const bool whole = rung.tiles_taken == Tiles::whole_c;
          kernels.push_back({&device,
                             {rung.kernel, whole ? TileShape{} : tile, math, nullptr, repack},
                             to_string(NamedKernel{rung.kernel, repack}),
                             tile && !whole ? to_string(tile) : "",
                             math});
        }
      }
    }
    if (kernels.size() > before)
      kernels.push_back({&device, {Kernel::automatic, {}, math}, "automatic", "", math});
  }
  return kernels;
}

/// Returns whether the table has kernels for a type on the path and backend.
constexpr bool has_kernels(Type type) {
  constexpr std::string_view backend = ROOFTILE_TEST_BACKEND;
  constexpr bool native = std::string_view(ROOFTILE_TEST_PATH) == "native";
  for (const Rung& rung : ladder) {
    constexpr Path path = native ? Path::native : Path::portable;
    if (!rung.on(path) || !rung.is_for(backend == "openmp" || backend == "serial")) continue;
    // Only CUDA and HIP have warp-level MMA.
    if (!native && rung.is_warp_mma() && backend != "cuda" && backend != "hip") continue;
    if (!native && rung.is_for_hopper() && backend != "cuda") continue;
    for (const ComputeMode math : rung.modes_on(path)) {
      if (type_of(math) == type) return true;
    }
  }
  return false;
}

/// Skips the test, or fails it if ROOFTILE_REQUIRE_GPU=1.
inline void skip(const std::string& reason) {
  const char* required = std::getenv("ROOFTILE_REQUIRE_GPU");
  if (required != nullptr && std::string(required) == "1") FAIL(reason);
  SKIP(reason);
}

/// Returns the device of the executable's backend, found at the first call. Skips the test if there is none.
inline Device& device() {
  static std::string lack;
  static const std::unique_ptr<Device> found = find_device(lack);
  if (found == nullptr) skip("no device for " ROOFTILE_TEST_BACKEND " (" + lack + ")");
  return *found;
}

/// The element types for which the path has kernels.
template <class... Ts>
auto types_of(std::type_identity<std::tuple<Ts...>>) -> decltype(std::tuple_cat(
    std::declval<std::conditional_t<has_kernels(type_of<Ts>()), std::tuple<Ts>, std::tuple<>>>()...));
using Types = decltype(types_of(std::type_identity<Elements>()));

/// Returns the kernels of the path. Skips the test if the GPU has none, for example in 16 bits.
template <class T>
std::vector<LadderKernel<T>> kernels() {
  std::vector<LadderKernel<T>> found = kernels_of<T>(device());
  if (found.empty()) skip("no kernel computes in " + std::string(to_string(own_mode<T>())) + " here");
  return found;
}

}  // namespace rooftile::testing
