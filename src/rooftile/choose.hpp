// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "rooftile/detail/register_blocks.hpp"
#include "rooftile/detail/vectors.hpp"
#include "rooftile/error.hpp"
#include "rooftile/find_kernel.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/options.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tuning.hpp"

namespace rooftile {

/// Where a product is to run.
struct Target {
  Path path;
  BlockLimits limits;
  Math math;                          ///< not `automatic`; says the element type, too
  TileShape cache_blocks{};           ///< of a processor: MC,NC,KC and MR,NR; zero elsewhere
  int capability = 0;                 ///< of an NVIDIA GPU on the native path, major·10 + minor; 0 elsewhere
  int sms = 0;                        ///< a GPU's multiprocessors; 0: not known, or a processor
  std::span<const Math> fragments{};  ///< on the portable path: what the device's matrix instructions compute
  bool asynchronous_copies = true;    ///< there: whether copies into shared memory run by themselves
  /// As tuning tables name it: a GPU by its name, a processor by its cache blocks.
  std::string_view device = {};

  constexpr bool is_processor() const { return static_cast<bool>(cache_blocks); }
  constexpr Type type() const { return type_of(math); }
  constexpr std::size_t element_size() const { return size_of(type()); }
};

/// The kernel that a product gets, and why.
struct Choice {
  Kernel kernel;
  TileShape tile;
  std::string_view why;
  Math math;
  bool tuned = false;  ///< from `GemmOptions::tuning`
};

namespace detail {

/// Whether a rung computes in the target's math mode on its device, whatever the product.
constexpr bool computes(const Rung& rung, const Target& target) {
  return rung.on(target.path) && rung.is_for(target.is_processor()) &&
         rung.supports(target.math, target.path) &&
         (target.path == Path::native ? rung.capabilities.contain(target.capability)
                                      : !rung.fragments || contains(target.fragments, target.math));
}

/// What to do instead of a kernel that cannot: take another that computes in the target's mode, or, where
/// none does, another mode.
inline std::string instead(Target target) {
  std::string kernels, maths;
  for (const Rung& rung : ladder) {
    if (computes(rung, target)) kernels += (kernels.empty() ? "" : ", ") + std::string(rung.name);
  }
  if (!kernels.empty()) return "take one of " + kernels;
  for (const Math math : all_maths) {
    target.math = math;
    if (std::any_of(std::begin(ladder), std::end(ladder), [&](const Rung& r) { return computes(r, target); }))
      maths += (maths.empty() ? "" : ", ") + std::string(to_string(math));
  }
  return "compute in one of " + maths;
}

/// `9.0`
inline std::string capability_name(int capability) {
  return std::to_string(capability / 10) + '.' + std::to_string(capability % 10);
}

/// Whether two tiles differ in nothing but their threads' parts.
constexpr bool same_block(TileShape x, TileShape y) {
  return x.bm == y.bm && x.bn == y.bn && x.bk == y.bk;
}

/// The same for the tiles of a rung that are built for a target.
inline std::string tiles_of(const Rung& rung, const Target& target) {
  std::string names;
  for (const TileShape& tile : rung.tiles) {
    if (is_built(rung, target.path, tile, target.element_size()))
      names += (names.empty() ? "" : ", ") + to_string(tile);
  }
  return names;
}

/// Why a tile is none of a rung's; empty if it is one.
inline std::string not_built(const Rung& rung, TileShape tile, const Target& target) {
  if (rung.tiles_taken != Tiles::listed) return {};
  if (std::find(rung.tiles.begin(), rung.tiles.end(), tile) != rung.tiles.end()) {
    if (is_built(rung, target.path, tile, target.element_size())) return {};
    return text("tile not built for ", to_string(target.type()), " on the ", to_string(target.path),
                " path (", rung.name, " ", to_string(tile), "): take one of ", tiles_of(rung, target));
  }
  // A name says nothing of the threads.
  const auto like =
      std::find_if(rung.tiles.begin(), rung.tiles.end(), [&](TileShape t) { return same_block(t, tile); });
  if (like != rung.tiles.end()) {
    return text("tile not built with ", tile.tm, "x", tile.tn, " elements a thread (", rung.name, " ",
                to_string(tile), "): take it with ", like->tm, "x", like->tn);
  }
  return text("tile not built (", rung.name, " ", to_string(tile), "): take one of ", tiles_of(rung, target));
}

constexpr bool is_square(TileShape s) {
  return s.bm > 0 && s.bm == s.bn && s.bn == s.bk && s.tm == 1 && s.tn == 1;
}

/// Bytes of shared memory that a block asks for. A naive kernel's CTA has no step along k and shares nothing;
/// a run-time tile shares even where it is 1×1×1.
constexpr std::size_t shared_bytes(const Rung& rung, TileShape tile, const Target& target) {
  if (rung.most_stages > 0)
    return panel_bytes(rung, target.path, tile, target.element_size(), target.asynchronous_copies);
  return tile.bk > 1 || rung.tiles_taken == Tiles::any_square ? tile_bytes(tile, target.element_size()) : 0;
}

/// Why a tile does not fit a block of the device; empty if it does.
inline std::string too_large(const Rung& rung, TileShape tile, const Target& target) {
  if (rung.fits != Fits::one_block && tile.threads() > target.limits.threads) {
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

/// The tile of a register-blocked rung that takes least time by the model; the first of equals.
inline TileShape fastest_tile(const Rung& rung, const GemmShape& shape, const Target& target,
                              Index count = 1) {
  TileShape fastest;
  double least = std::numeric_limits<double>::infinity();
  for (const TileShape& tile : rung.tiles) {
    const double cost = cycles(rung, tile, shape, target.sms, target.element_size(), count);
    if (cost < least && is_built(rung, target.path, tile, target.element_size()) &&
        too_large(rung, tile, target).empty()) {
      fastest = tile, least = cost;
    }
  }
  return fastest ? fastest : rung.default_tile;
}

}  // namespace detail

/// Why a kernel cannot compute a product with a tile, in the words of the Error that it would be; empty if it
/// can.
inline std::string refusal(const Rung& rung, const GemmShape& shape, TileShape tile, const Target& target) {
  using detail::text;
  const auto [m, n, k] = shape;
  if (!rung.on(target.path)) {
    return text("kernel not on the ", to_string(target.path), " path (", rung.name,
                "): ", detail::instead(target));
  }
  if (!rung.is_for(target.is_processor())) {
    return text("kernel for ", rung.runs_on == RunsOn::gpus ? "GPUs" : "processors",
                ", which this device is not one of (", rung.name, "): ", detail::instead(target));
  }
  if (!rung.supports(target.math, target.path)) {
    return text("kernel does not compute in ", to_string(target.math), " (", rung.name,
                "): ", detail::instead(target));
  }
  if (target.path == Path::portable && rung.fragments && !contains(target.fragments, target.math)) {
    return text("kernel needs matrix instructions in ", to_string(target.math),
                ", which this backend does not use here (", rung.name, "): ", detail::instead(target));
  }
  if (!detail::computes(rung, target)) {
    const auto [least, most] = rung.capabilities;
    return text("kernel needs compute capability ", detail::capability_name(least),
                least == most ? "" : " or later", " (", rung.name, ", this device has ",
                detail::capability_name(target.capability), "): ", detail::instead(target));
  }
  if (rung.tiles_taken == Tiles::of_caches) {
    if (tile != target.cache_blocks) {
      return text("blocks not those of this processor's caches (", rung.name, " ", to_string(tile),
                  "): name no tile");
    }
    return {};
  }
  if (std::string problem = detail::not_built(rung, tile, target); !problem.empty()) return problem;
  if (rung.tiles_taken == Tiles::any_square && (!detail::is_square(tile) || tile.bm > max_run_time_tile)) {
    return text("no such run-time tile (", to_string(tile), "): take a square one of at most ",
                max_run_time_tile, "x", max_run_time_tile);
  }
  if (rung.fits == Fits::multiples_of_tile && (m % tile.bm != 0 || n % tile.bn != 0 || k % tile.bk != 0)) {
    return text("tile does not divide the product (m ", m, ", n ", n, ", k ", k, " by ", to_string(tile),
                "): take another tile or the kernel tiled_checked");
  }
  if (rung.fits == Fits::one_block &&
      (m > target.limits.threads || n > target.limits.threads / std::max<Index>(m, 1))) {
    return text("C is too large for one block (", m, " x ", n, " elements, ", target.limits.threads,
                " threads): take the kernel naive or a rung above it");
  }
  if (rung.tiles_taken == Tiles::whole_c && (tile.bm != m || tile.bn != n)) {
    return text("tile is not all of C (", rung.name, " ", to_string(tile), ", m ", m, ", n ", n,
                "): name no tile");
  }
  return detail::too_large(rung, tile, target);
}

namespace detail {

/// The tile with which the multiprocessors finish first: all tiles take rounds of as many as there are, and a
/// round as long as a tile's elements take at the tile's speed.
inline TileShape tile_by_rounds(const Rung& rung, const GemmShape& shape, int sms, Index count) {
  TileShape best;
  double least = 0;
  for (std::size_t i = 0; i < rung.tiles.size(); ++i) {
    const TileShape tile = rung.tiles[i];
    const auto rounds = static_cast<double>((count * tile_count(tile, shape) + sms - 1) / sms);
    const double time = rounds * tile.bm * tile.bn / rung.speeds[i];
    if (!best || time < least) best = tile, least = time;
  }
  return best;
}

}  // namespace detail

/// The tile that a kernel takes when the caller names none: of those listed the one that fills the
/// multiprocessors best, where the tiles' speeds are known, else the default one, or the widest where the
/// device's blocks are too small for it.
/// @param count  of products of this shape that run together
inline TileShape default_tile(const Rung& rung, const GemmShape& shape, const Target& target,
                              Index count = 1) {
  switch (rung.tiles_taken) {
    case Tiles::listed: {
      if (rung.most_stages > 0) return detail::fastest_tile(rung, shape, target, count);
      if (!rung.speeds.empty() && target.sms > 0)
        return detail::tile_by_rounds(rung, shape, target.sms, count);
      const auto fits = [&](TileShape tile) { return detail::too_large(rung, tile, target).empty(); };
      TileShape widest;
      for (const TileShape& tile : rung.tiles) {
        if (fits(tile) && tile.bm * tile.bn > widest.bm * widest.bn) widest = tile;
      }
      return widest && !fits(rung.default_tile) ? widest : rung.default_tile;
    }
    case Tiles::any_square:
      return widest_square_tile(target.limits, target.element_size());
    case Tiles::whole_c:
      return cta(static_cast<int>(std::min<Index>(shape.m, target.limits.threads)),
                 static_cast<int>(std::min<Index>(shape.n, target.limits.threads)));
    case Tiles::of_caches:
      return target.cache_blocks;
  }
  return {};
}

namespace detail {

/// What the library tries, the fastest first. The dynamic rung is never the faster one: its loops have
/// run-time bounds.
struct Preference {
  Kernel kernel;
  std::string_view why;
};
inline constexpr Preference preferences[] = {
    {Kernel::warpgroup, "tensor cores of compute capability 9.0"},
    {Kernel::warpgroup_tf32x3, "tensor cores of compute capability 9.0"},
    {Kernel::packed, "a processor: blocks for its caches, vectors in its registers"},
    {Kernel::tensor_core, "matrix instructions; of its tiles the one that keeps the multiprocessors busiest"},
    {Kernel::pipelined, "a GPU; of its tiles the one that keeps the multiprocessors busiest"},
    {Kernel::register_blocked, "a GPU; its blocks have room for one panel of each operand, not for two"},
    {Kernel::tiled, "the tile divides m, n and k, so no bounds are checked"},
    {Kernel::tiled_checked, "the tile does not divide m, n and k, so bounds are checked"},
};

/// The rung that shares the tiles of one that has panels of its own.
constexpr const Rung& sharing_rung(const Rung& rung) {
  return rung_of(rung.fragments ? Kernel::stream_k_tensor_core : Kernel::stream_k);
}

/// Whether the model takes that for faster, by more than 1 %.
inline bool faster_in_shares(const Rung& rung, TileShape tile, const GemmShape& shape, const Target& target,
                             Index count) {
  const Rung& sharing = sharing_rung(rung);
  if (rung.most_stages == 0 || target.sms == 0 || !computes(sharing, target)) return false;
  const TileShape shared = fastest_tile(sharing, shape, target, count);
  return too_large(sharing, shared, target).empty() &&
         1.01 * cycles(sharing, shared, shape, target.sms, target.element_size(), count) <
             cycles(rung, tile, shape, target.sms, target.element_size(), count);
}

/// Whether the model takes `relaid` for faster than a rung whose threads copy operands element by element.
inline bool faster_relaid(const Rung& rung, TileShape tile, const GemmShape& shape, const Target& target,
                          Index count, VectorCopies copies) {
  const Rung& relaid = rung_of(Kernel::relaid);
  if (rung.most_stages == 0 || target.sms == 0 || copies.missing() == 0 || !computes(relaid, target))
    return false;
  const auto cycles_of = [&](const Rung& r, TileShape t) {
    return cycles(r, t, shape, target.sms, target.element_size(), count);
  };
  const TileShape own = fastest_tile(relaid, shape, target, count);
  return too_large(relaid, own, target).empty() &&
         cycles_of(relaid, own) + relayout_cycles(shape, copies, target.element_size(), count) <
             cycles_of(rung, tile) * slowdown_without(copies);
}

}  // namespace detail

/// The mode that a caller means. @throws Error where it is not one of the element type's
inline Math resolved(Math math, Type type) {
  if (math == Math::automatic) return own_math(type);
  if (type_of(math) == type) return math;
  std::string known;
  for (const Math other : all_maths) {
    if (type_of(other) == type) known += (known.empty() ? "" : ", ") + std::string(to_string(other));
  }
  throw Error(detail::text("math mode not for the element type (", to_string(math), ", ", to_string(type),
                           "): take one of ", known));
}

/// The kernel and tile for a product: those of `options` where it names them, else what its tuning table has
/// that can compute the product, else by the model the fastest that fit.
/// @param target  whose math mode gives way to one that `options` names
/// @param count   of products of this shape that run together, as a batch
/// @param copies  which operands lie so that they need not be laid out anew
/// @throws Error where nothing that `options` allows can compute the product, or for another device's table
inline Choice choose(const GemmShape& shape, const GemmOptions& options, Target target, Index count = 1,
                     detail::VectorCopies copies = {}) {
  if (options.math != Math::automatic) target.math = resolved(options.math, target.type());
  const auto tile_for = [&](const Rung& rung) {
    return options.tile ? options.tile : default_tile(rung, shape, target, count);
  };
  if (options.kernel != Kernel::automatic) {
    const Rung& rung = rung_of(options.kernel);
    const TileShape tile = tile_for(rung);
    if (const std::string problem = refusal(rung, shape, tile, target); !problem.empty())
      throw Error(problem);
    return {options.kernel, tile, "named by the caller", target.math};
  }
  if (options.tuning != nullptr && !options.tile && count == 1) {  // tables are of single products
    const TuningEntry* entry = options.tuning->on(target.device).nearest(target.path, target.math, shape);
    if (entry != nullptr && entry->kernel != Kernel::automatic) {
      const Rung& rung = rung_of(entry->kernel);
      const TileShape tile = entry->tile ? entry->tile : tile_for(rung);
      if (refusal(rung, shape, tile, target).empty())
        return {entry->kernel, tile, "measured: the fastest on this device", target.math, true};
    }
  }
  std::string problem;  // of the last that was tried, which asks least of a product
  for (const auto& [kernel, why] : detail::preferences) {
    const Rung& rung = rung_of(kernel);
    if (!detail::computes(rung, target)) continue;
    const TileShape tile = tile_for(rung);
    problem = refusal(rung, shape, tile, target);
    if (!problem.empty()) continue;
    Choice choice{kernel, tile, why, target.math};
    if (options.tile) return choice;
    if (detail::faster_in_shares(rung, tile, shape, target, count)) {
      const Rung& sharing = detail::sharing_rung(rung);
      choice = {sharing.kernel, default_tile(sharing, shape, target, count),
                "tiles shared along K keep the multiprocessors busier than the sums cost", target.math};
    }
    if (detail::faster_relaid(rung_of(choice.kernel), choice.tile, shape, target, count, copies)) {
      return {Kernel::relaid, default_tile(rung_of(Kernel::relaid), shape, target, count),
              "copying whole vectors of an operand gains more than laying it out anew costs", target.math};
    }
    return choice;
  }
  if (!problem.empty()) throw Error(problem);
  const bool native = target.path == Path::native;
  throw Error(detail::text("no kernel computes in ", to_string(target.math), " here (",
                           to_string(target.path), " path",
                           native ? ", compute capability " + detail::capability_name(target.capability) : "",
                           "): ", detail::instead(target)));
}

/// The same for products whose operands are known.
template <class T>
Choice choose(const BatchArgs<T>& args, const GemmOptions& options, const Target& target) {
  return choose(args.shape(), options, target, args.batch.count, detail::vector_copies(args));
}

}  // namespace rooftile
