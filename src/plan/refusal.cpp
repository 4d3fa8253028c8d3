// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/refusal.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "numerics/residue.hpp"
#include "plan/block_limits.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/error.hpp"

namespace rooftile::detail {

std::string instead(Target target, bool by_pointers) {
  std::string kernels, maths;
  const bool complex_numbers = target.math != ComputeMode::automatic && rooftile::is_complex(target.type());
  const auto here = [&](const Rung& rung) { return computes(rung, target) && !(by_pointers && rung.tma); };
  for (const Rung& rung : ladder) {
    if (here(rung)) kernels += (kernels.empty() ? "" : ", ") + std::string(rung.name);
  }
  if (!kernels.empty()) return "take one of " + kernels;
  if (target.math != ComputeMode::automatic && is_mixed(target.math)) {
    for (const Rung& rung : ladder) {
      if (rung.portable && rung.is_for(true) && rung.supports(target.math, Path::portable))
        kernels += (kernels.empty() ? "" : ", ") + std::string(rung.name);
    }
    return "compute on a CPU with " + kernels;
  }
  for (const ComputeMode math : all_modes) {
    target.math = math;
    if (!is_mixed(math) && rooftile::is_complex(target.type()) == complex_numbers &&
        std::any_of(std::begin(ladder), std::end(ladder), here))
      maths += (maths.empty() ? "" : ", ") + std::string(to_string(math));
  }
  return "compute in one of " + maths;
}

std::string capability_name(int capability) {
  return std::to_string(capability / 10) + '.' + std::to_string(capability % 10);
}

namespace {

/// Whether two tiles are equal except for the elements per thread.
constexpr bool same_block(TileShape x, TileShape y) {
  return x.bm == y.bm && x.bn == y.bn && x.bk == y.bk;
}

}  // namespace

std::vector<TileShape> built_tiles(const Rung& rung, const Target& target) {
  std::vector<TileShape> tiles;
  std::copy_if(rung.tiles.begin(), rung.tiles.end(), std::back_inserter(tiles), [&](TileShape tile) {
    return is_built(rung, target.path, tile, target.type()) &&
           (target.type() != Type::fp8 || promotes_steps(tile));
  });
  return tiles;
}

namespace {

/// Returns the names of the built tiles.
std::string tiles_of(const Rung& rung, const Target& target) {
  std::string names;
  for (const TileShape& tile : built_tiles(rung, target))
    names += (names.empty() ? "" : ", ") + to_string(tile);
  return names;
}

/// Returns why a rung does not have a tile; empty if it does.
std::string not_built(const Rung& rung, TileShape tile, const Target& target) {
  if (rung.tiles_taken != Tiles::listed) return {};
  const auto tiles = rung.tiles;
  if (std::find(tiles.begin(), tiles.end(), tile) != tiles.end()) {
    if (is_built(rung, target.path, tile, target.type())) return {};
    return text("tile not built for ", to_string(target.type()), " on the ", to_string(target.path),
                " path (", rung.name, " ", to_string(tile), "): take one of ", tiles_of(rung, target));
  }
  // The name of a tile does not contain the elements per thread.
  const auto like =
      std::find_if(tiles.begin(), tiles.end(), [&](TileShape t) { return same_block(t, tile); });
  if (like != tiles.end()) {
    return text("tile not built with ", tile.tm, "x", tile.tn, " elements a thread (", rung.name, " ",
                to_string(tile), "): take ", like->shape.tm, "x", like->shape.tn);
  }
  return text("tile not built (", rung.name, " ", to_string(tile), "): take one of ", tiles_of(rung, target));
}

constexpr bool is_square(TileShape s) {
  return s.bm > 0 && s.bm == s.bn && s.bn == s.bk && s.tm == 1 && s.tn == 1;
}

/// Returns why the tiles, the extents or the panels along K exceed the counters of a launch; empty if they
/// do not.
std::string too_many_tiles(const Rung& rung, const GemmShape& shape, TileShape tile) {
  constexpr Index max_count = std::numeric_limits<int>::max();
  const auto [m, n, k] = shape;
  if (m == 0 || n == 0) return {};  // a tile of all of C would have no extent
  // TMA coordinates are ints. Complex numbers count as two real ones.
  const Index longest = max_count / (rung.complex_as_real ? 4 : 2);
  if (rung.tma && std::max({m, n, k}) > longest) {
    return text("matrices are too long for TMA (m ", m, ", n ", n, ", k ", k,
                "): split the product or take another kernel");
  }
  if (rung.has_panels() && k / tile.bk >= max_count) {  // possible only with strides of 0
    return text("too many panels along K for one launch (k ", k, ", panels of ", tile.bk,
                "): split the product along K");
  }
  const auto tiles = [](Index extent, int width) { return extent / width + (extent % width > 0 ? 1 : 0); };
  const Index tiles_m = tiles(m, tile.bm), tiles_n = tiles(n, tile.bn);
  if (tiles_m <= (rung.tma ? max_count / 2 : max_count) / tiles_n) return {};
  return text("too many tiles of C for one launch (", tiles_m, " x ", tiles_n,
              "): take a larger tile or split C");
}

}  // namespace

std::size_t shared_bytes(const Rung& rung, TileShape tile, const Target& target) {
  if (rung.has_panels()) {
    return panel_bytes(rung, tile, target.type(), target.asynchronous_copies);
  }
  if (rung.block_threads > 0) {
    return small_tiles_bytes(rung, tile, target.type());
  }
  const std::size_t size = takes_residues(target.math) ? 1 : target.element_size();  // int8 residues
  return tile.bk > 1 || rung.tiles_taken == Tiles::any_square ? tile_bytes(tile, size) : 0;
}

std::string too_large(const Rung& rung, TileShape tile, const Target& target) {
  if (rung.fits != Fits::one_block && threads_of_block(rung, tile) > target.limits.threads) {
    return text("tile has more threads than a block of this device (", to_string(tile), ", ",
                target.limits.threads, "): take a smaller tile");
  }
  const std::size_t needed = shared_bytes(rung, tile, target);
  const std::size_t there = std::max(target.limits.shared_bytes, target.limits.shared_bytes_optin);
  if (needed > there) {
    return text("tile needs more shared memory than a block of this device has (", to_string(tile), ", ",
                needed, " of ", there, " bytes): take a smaller tile");
  }
  return {};
}

}  // namespace rooftile::detail

namespace rooftile {

Refusal refusal(const Rung& rung, const GemmShape& shape, TileShape tile, const Target& target, bool repack,
                bool by_pointers) {
  using detail::text;
  const auto [m, n, k] = shape;
  if (!rung.on(target.path)) {
    return {Reason::path, text("kernel not on the ", to_string(target.path), " path (", rung.name,
                               "): ", detail::instead(target))};
  }
  if (!rung.is_for(target.is_cpu())) {
    return {Reason::hardware, text("kernel runs only on ", rung.runs_on == RunsOn::gpus ? "GPUs" : "CPUs",
                                   " (", rung.name, "): ", detail::instead(target))};
  }
  if (!rung.supports(target.math, target.path)) {
    return {Reason::mode, text("kernel does not compute in ", to_string(target.math), " (", rung.name,
                               "): ", detail::instead(target))};
  }
  if (target.path == Path::portable && rung.tma && !detail::has_instructions(rung, target)) {
    return {Reason::instructions, text("kernel needs TMA and wgmma, which this device or this build lacks (",
                                       rung.name, "): ", detail::instead(target))};
  }
  if (target.path == Path::portable && !detail::has_instructions(rung, target)) {
    return {Reason::instructions,
            text("kernel needs matrix instructions in ", to_string(target.math),
                 ", which this backend does not use here (", rung.name, "): ", detail::instead(target))};
  }
  if (!detail::computes(rung, target)) {
    const auto [min, max] = rung.capabilities;
    return {Reason::instructions,
            text("kernel needs compute capability ", detail::capability_name(min),
                 min == max ? "" : " or later", " (", rung.name, ", this device has ",
                 detail::capability_name(target.capability), "): ", detail::instead(target))};
  }
  if (repack && !contains(rung.repacks, target.math)) {
    return {Reason::mode, text("kernel repacks no operands in ", to_string(target.math), " (", rung.name,
                               "): leave out repack")};
  }
  if (by_pointers && rung.tma) {
    return {Reason::addresses, text("kernel takes no arrays of pointers, which TMA cannot follow (",
                                    rung.name, "): ", detail::instead(target, true))};
  }
  if (by_pointers && repack) {
    return {Reason::addresses,
            text("arrays of pointers are not repacked (", rung.name, "): leave out repack")};
  }
  if (rung.tiles_taken == Tiles::of_caches) {
    if (tile != target.cache_blocks) {
      return {Reason::tile, text("blocks do not match this CPU's caches (", rung.name, " ", to_string(tile),
                                 "): name no tile")};
    }
    return {};
  }
  if (std::string problem = detail::not_built(rung, tile, target); !problem.empty())
    return {Reason::tile, problem};
  if (rung.tiles_taken == Tiles::any_square && (!detail::is_square(tile) || tile.bm > max_run_time_tile)) {
    return {Reason::tile, text("no such run-time tile (", to_string(tile), "): take a square one of at most ",
                               max_run_time_tile, "x", max_run_time_tile)};
  }
  if (rung.fits == Fits::multiples_of_tile && (m % tile.bm != 0 || n % tile.bn != 0 || k % tile.bk != 0)) {
    return {Reason::shape, text("tile does not divide the product (m ", m, ", n ", n, ", k ", k, " by ",
                                to_string(tile), "): take another tile or the kernel tiled_checked")};
  }
  if (rung.fits == Fits::one_block &&
      (m > target.limits.threads || n > target.limits.threads / std::max<Index>(m, 1))) {
    return {Reason::shape,
            text("C is too large for one block (", m, " x ", n, " elements, ", target.limits.threads,
                 " threads): take the kernel naive or a rung above it")};
  }
  if (rung.fits == Fits::one_tile && std::min(m, n) > 0 && (m > tile.bm || n > tile.bn)) {
    return {Reason::shape, text("C is larger than the tile (", m, " x ", n, " elements, tile ",
                                to_string(tile), "): take a larger tile or another kernel")};
  }
  if (rung.tiles_taken == Tiles::whole_c &&
      tile != cta(static_cast<int>(m), static_cast<int>(n))) {  // C has no more elements than threads
    return {Reason::tile, text("tile does not match C (", rung.name, " ", to_string(tile), ", m ", m, ", n ",
                               n, "): name no tile")};
  }
  if (rung.is_for_residues() && std::max(m, n) > std::numeric_limits<int>::max()) {
    return {Reason::shape, text("more rows or columns than a launch has blocks (", rung.name, ", m ", m,
                                ", n ", n, "): split C, or name no kernel, to compute in fp64")};
  }
  if (rung.is_for_residues() && k > residues::max_products) {
    return {Reason::shape,
            text("K is too long for int32 accumulators of int8 products (", rung.name, ", k ", k,
                 "): take at most ", residues::max_products, ", or name no kernel, to compute in fp64")};
  }
  if (std::string problem = detail::too_large(rung, tile, target); !problem.empty())
    return {Reason::memory, problem};
  if (std::string problem = detail::too_many_tiles(rung, shape, tile); !problem.empty())
    return {Reason::launch, problem};
  return {};
}

}  // namespace rooftile
