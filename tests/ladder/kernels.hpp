// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "rooftile/detail/batch.hpp"
#include "rooftile/find_kernel.hpp"
#include "rooftile/plan.hpp"
#include "tests/support/device.hpp"

namespace rooftile::testing {

/// A kernel of the path with a tile in a math mode, or what the library chooses itself.
template <class T>
struct LadderKernel {
  Device* device;
  GemmOptions options;
  std::string kernel;  ///< its name, or `automatic`
  std::string tile;    ///< empty: the kernel's own affair
  Math math;

  bool automatic() const { return options.kernel == Kernel::automatic; }

  /// Why it cannot compute a batch; empty if it can.
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

  /// Runs it, and waits.
  void launch(const BatchArgs<T>& args) const {
    device->gemm(args, options);
    device->wait();
  }
};

/// The kernels of a device in T, one for each rung, tile and math mode that it computes in, with operands as
/// they lie and repacked, and for each mode what the library chooses itself.
template <class T>
std::vector<LadderKernel<T>> kernels_of(Device& device) {
  std::vector<LadderKernel<T>> kernels;
  for (const Math math : all_maths) {
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

}  // namespace rooftile::testing
