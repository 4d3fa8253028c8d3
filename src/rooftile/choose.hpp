// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "rooftile/default_tile.hpp"
#include "rooftile/detail/check.hpp"
#include "rooftile/detail/int8_choice.hpp"
#include "rooftile/detail/known.hpp"
#include "rooftile/detail/register_blocks.hpp"
#include "rooftile/detail/vectors.hpp"
#include "rooftile/error.hpp"
#include "rooftile/find_kernel.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/options.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/refusal.hpp"
#include "rooftile/tuning.hpp"

namespace rooftile {

/// The kernel that a product gets, and why.
struct Choice {
  Kernel kernel = Kernel::automatic;  ///< not `automatic` of a choice that was made
  TileShape tile = {};                ///< that it computes in
  std::string_view why = {};          ///< in a few words; lives as long as the program
  Math math = Math::automatic;        ///< not `automatic` either
  bool repack = false;  ///< operands that threads would copy element by element are repacked first
  bool tuned = false;   ///< from `GemmOptions::tuning`
};

namespace detail {

/// That of a caller who allows any.
struct AnyWorkspace {
  constexpr bool operator()(const Choice&) const { return true; }
};

/// What the library tries, the fastest first. The dynamic rung is never the faster one: its loops have
/// run-time bounds.
struct Preference {
  Kernel kernel;
  std::string_view why;
};
inline constexpr Preference preferences[] = {
    {Kernel::small_batched, "batch entries so small that several share a thread block"},
    {Kernel::warpgroup, "tensor cores of compute capability 9.0"},
    {Kernel::warpgroup_tf32x3, "tensor cores of compute capability 9.0"},
    {Kernel::warpgroup_1m, "tensor cores of compute capability 9.0"},
    {Kernel::warpgroup_int8, why_int8},
    {Kernel::packed, "a CPU: blocks for its caches, vectors in its registers"},
    {Kernel::tensor_core, "matrix instructions; of its tiles the one that keeps the SMs busiest"},
    {Kernel::tensor_core_3m, "matrix instructions; of its tiles the one that keeps the SMs busiest"},
    {Kernel::pipelined, "a GPU; of its tiles the one that keeps the SMs busiest"},
    {Kernel::pipelined_3m, "a GPU; of its tiles the one that keeps the SMs busiest"},
    {Kernel::register_blocked, "a GPU; its blocks have room for one panel of each operand, not for two"},
    {Kernel::tiled, "the tile divides m, n and k, so no bounds are checked"},
    {Kernel::tiled_checked, "the tile does not divide m, n and k, so bounds are checked"},
};

/// Whether it pays that entries share a thread block: there are several, and K is short. Where each has a
/// launch of its own, nothing is shared.
inline bool pays_to_share_blocks(const GemmShape& shape, const Target& target, Index count,
                                 bool by_pointers) {
  constexpr Index long_k = 64;
  return count > 1 && shape.k <= long_k && (target.reads_pointers || !by_pointers);
}

/// The rung that shares the tiles of one that has panels of its own.
constexpr const Rung& sharing_rung(const Rung& rung) {
  return rung_of(rung.fragments ? Kernel::stream_k_tensor_core : Kernel::stream_k);
}

/// Whether the model takes that for faster, by more than a margin, which is wider for the matrix instructions
/// of complex fp64, and on the portable path of fp64, since their loop is slower there. With the tile that it
/// would have if threads copied vectors: a work unit is short, and its start and its sum tell its tiles
/// apart.
inline bool faster_in_units(const Rung& rung, TileShape tile, const GemmShape& shape, const Target& target,
                            Index count, VectorCopies copies) {
  const Rung& sharing = sharing_rung(rung);
  if (rung.max_stages == 0 || target.sms == 0 || !computes(sharing, target)) return false;
  const TileShape shared = fastest_tile(sharing, shape, target, count);
  const Type type = target.type();
  const bool slower_loop =
      rung.fragments && (type == Type::cfp64 || (type == Type::fp64 && target.path == Path::portable));
  const model::Costs& costs = target.costs;
  return too_large(sharing, shared, target).empty() &&
         (slower_loop ? costs.unit_margin_slow_loop : costs.unit_margin) *
                 cycles(costs, sharing, shared, shape, target.sms, target.type(), count, copies) <
             cycles(costs, rung, tile, shape, target.sms, target.type(), count, copies);
}

/// Cycles that a register-blocked rung takes, and those of repacking operands first.
inline double predicted_cycles(const Choice& choice, const GemmShape& shape, const Target& target,
                               Index count, VectorCopies copies) {
  const Rung& rung = rung_of(choice.kernel);
  const Type type = target.type();
  if (!choice.repack) return cycles(target.costs, rung, choice.tile, shape, target.sms, type, count, copies);
  return cycles(target.costs, rung, choice.tile, shape, target.sms, type, count) +
         repack_cycles(target.costs, shape, copies, rung.fragments, type, count);
}

/// Cycles that fp32 takes from three products of tf32: to start its kernels; to split B, which is read once,
/// and written and read again as two parts; and to multiply, on the SM with most tiles, or with splits of K
/// where narrow ones are few.
inline double tf32x3_cycles(const model::Costs& costs, TileShape tile, const GemmShape& shape, int sms,
                            Index count) {
  const Rung& rung = rung_of(Kernel::warpgroup_tf32x3);
  const Index tiles = count * tile_count(tile, shape);
  const bool narrow = tile == rung.tiles.back();
  const auto k = static_cast<double>(shape.k);
  const double rounds = narrow && 4 * tiles <= sms && shape.k >= 2048
                            ? static_cast<double>(tiles) / sms
                            : static_cast<double>((tiles + sms - 1) / sms);
  const double speed = costs.tf32x3_multiply_adds * (narrow ? rung.speeds.back() : rung.speeds.front());
  return costs.tf32x3_start + 20 * k * static_cast<double>(shape.n * count) / costs.repack_bytes +
         rounds * k * tile.bm * tile.bn / speed;
}

/// The same of complex numbers in one real product: B is read once, and written and read again as two rows
/// for each of it. The tensor cores wait for the first panels as those of `tensor_core` do.
inline double one_m_cycles(const model::Costs& costs, TileShape tile, const GemmShape& shape, int sms,
                           Index count) {
  const Rung& rung = rung_of(Kernel::warpgroup_1m);
  const auto at = std::find(rung.tiles.begin(), rung.tiles.end(), tile);
  const Index tiles = count * tile_count(tile, shape);
  const auto k = static_cast<double>(shape.k);
  const double rounds = tile == rung.tiles.back() && 4 * tiles <= sms && shape.k >= 1024
                            ? static_cast<double>(tiles) / sms
                            : static_cast<double>((tiles + sms - 1) / sms);
  const double speed =
      3 * costs.tf32x3_multiply_adds * rung.speeds[static_cast<std::size_t>(at - rung.tiles.begin())];
  return costs.repack_start + costs.first_panels +
         40 * k * static_cast<double>(shape.n * count) / costs.repack_bytes +
         rounds * k * tile.bm * tile.bn * real_multiply_adds(Type::cfp32) / speed;
}

/// Whether the kernel that reads complex numbers as they lie takes less than that.
inline bool faster_as_they_lie(TileShape tile, const GemmShape& shape, const Target& target, Index count,
                               VectorCopies copies) {
  const Rung& plain = rung_of(Kernel::tensor_core);
  if (target.sms == 0 || !computes(plain, target)) return false;
  return cycles(target.costs, plain, fastest_tile(plain, shape, target, count, copies), shape, target.sms,
                target.type(), count, copies) < one_m_cycles(target.costs, tile, shape, target.sms, count);
}

/// Tiles of products of int8 that a pair of SMs, which share B, takes one after the other.
/// @param type  of the elements, complex ones of which have three products modulo each number
inline double int8_rounds(const GemmShape& shape, int sms, int moduli, Type type = Type::fp64) {
  constexpr TileShape tile = ladder_tiles::warpgroups_of_int8[0];
  constexpr int pair = 2;
  const Index tiles = (shape.m + pair * tile.bm - 1) / (pair * tile.bm) * ((shape.n + tile.bn - 1) / tile.bn);
  const Index pairs = std::max(sms / pair, 1);
  return static_cast<double>((tiles * moduli * residues::products_of(type) + pairs - 1) / pairs);
}

/// Bytes that move beside them, of one product.
inline double int8_bytes(const GemmShape& shape, int moduli, Type type = Type::fp64) {
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  const double size = static_cast<double>(size_of(type)), planes = moduli * residues::products_of(type);
  return (3 * size + planes) * (m + n) * k + (size + 2 * planes) * m * n;
}

/// Cycles that fp64 takes from products of int8: to start its kernels; to read A and B twice, and once more
/// to write their residues; to multiply; and from residues to C. One product after the other.
inline double int8_cycles(const model::Costs& costs, const GemmShape& shape, int sms, Index count, int moduli,
                          Type type = Type::fp64) {
  constexpr TileShape tile = ladder_tiles::warpgroups_of_int8[0];
  const auto k = static_cast<double>(shape.k);
  return static_cast<double>(count) *
         (costs.int8_start + int8_bytes(shape, moduli, type) / costs.repack_bytes +
          int8_rounds(shape, sms, moduli, type) *
              (costs.int8_tile + k * tile.bm * tile.bn / costs.int8_multiply_adds));
}

/// What the model takes for faster than a choice whose threads copy operands element by element: to repack
/// them for a rung that multiplies in the same way. The choice itself, where nothing is.
template <class Fits = AnyWorkspace>
Choice with_repacking(const Choice& choice, const GemmShape& shape, const Target& target, Index count,
                      VectorCopies copies, const Fits& fits = {}) {
  const Rung& rung = rung_of(choice.kernel);
  if (rung.max_stages == 0 || target.sms == 0 || copies.all_stay(rung.fragments, target.type()))
    return choice;
  for (const Rung& other : ladder) {
    if (!contains(other.repacks, target.math) || other.fragments != rung.fragments ||
        !computes(other, target))
      continue;
    const Choice repacked{other.kernel, fastest_tile(other, shape, target, count),
                          "copying whole vectors of an operand gains more than repacking it costs; without "
                          "memory for that, it is multiplied as it lies",
                          target.math, true};
    if (too_large(other, repacked.tile, target).empty() &&
        predicted_cycles(repacked, shape, target, count, copies) <
            predicted_cycles(choice, shape, target, count, copies) &&
        fits(repacked))
      return repacked;
  }
  return choice;
}

}  // namespace detail

/// The mode that a caller means, of products that have one by themselves. @throws Error where it is none, or
/// not one of the element types'
inline Math resolved(Math math, Math own) {
  detail::require_known(math);
  if (math == Math::automatic) return own;
  if (same_types(math, own)) return math;
  std::string known;
  for (const Math other : all_maths) {
    if (same_types(other, own)) known += (known.empty() ? "" : ", ") + std::string(to_string(other));
  }
  throw Error(detail::text("math mode not for the element type (", to_string(math), ", ",
                           to_string(type_of(own), mode_of(own).result), "): take one of ", known));
}
/// The same of products whose matrices all have one type.
inline Math resolved(Math math, Type type) {
  return resolved(math, own_math(type));
}

/// The kernel and tile for a product: those of `options` where it names them, else what its tuning table has
/// that can compute the product, else by the model the fastest that fit.
/// @param target  whose math mode gives way to one that `options` names. tf32x3 allows three products in tf32
/// and asks for fp32's accuracy: where fp32 itself is faster, the choice is in fp32
/// @param count   of products of this shape that run together, as a batch
/// @param copies  the same as of `default_tile`
/// @param result  how C lies
/// @param by_pointers  whether operands are arrays of pointers, which no kernel that TMA feeds follows:
/// tf32x3, which only those compute, gives way to fp32. fp64_int8 and cfp64_int8 give way to fp64 itself
/// where that is faster and the guard decides anyway
/// @param fits  whether the workspace of a `Choice` that the caller does not name is allowed
/// @throws Error where nothing that `options` allows can compute the product, for another device's table, and
/// for negative sizes
template <class Fits = detail::AnyWorkspace>
Choice choose(const GemmShape& shape, const GemmOptions& options, Target target, Index count = 1,
              detail::VectorCopies copies = {}, ResultLines result = {}, bool by_pointers = false,
              const Fits& fits = {}) {
  detail::require_known(options.kernel);
  detail::require_known(target.path);
  detail::require_known(target.math);
  if (target.math == Math::automatic)
    throw Error("target without a math mode (automatic): give it the element type's own");
  detail::check_sizes(shape, count);
  if (options.math != Math::automatic) target.math = resolved(options.math, target.math);
  detail::check_moduli(options.moduli, target.math);
  const auto tile_for = [&](const Rung& rung, bool repack = false) {  // whose operands have vectors by then
    return options.tile ? options.tile
                        : default_tile(rung, shape, target, count, repack ? detail::VectorCopies{} : copies);
  };
  if (options.kernel != Kernel::automatic) {
    const Rung& rung = rung_of(options.kernel);
    const TileShape tile = tile_for(rung, options.repack);
    if (const Refusal problem = refusal(rung, shape, tile, target, options.repack, by_pointers);
        !problem.empty())
      throw Refused(problem);
    return {options.kernel, tile, "named by the caller", target.math, options.repack};
  }
  if (options.tuning != nullptr && !options.tile && count == 1) {  // tables are of single products
    const TuningLayout layout = tuning_layout({shape, target.type(), count, copies, result, by_pointers});
    const TuningEntry* entry =
        options.tuning->on(target.device).nearest(target.path, target.math, shape, layout);
    if (entry != nullptr) detail::require_known(entry->kernel);
    if (entry != nullptr && entry->kernel != Kernel::automatic) {
      const Rung& rung = rung_of(entry->kernel);
      const TileShape tile = entry->tile ? entry->tile : tile_for(rung, entry->repack);
      const Choice measured{entry->kernel, tile,          "measured: the fastest on this device",
                            target.math,   entry->repack, true};
      if (refusal(rung, shape, tile, target, entry->repack, by_pointers).empty() && fits(measured))
        return measured;
    }
  }
  const auto instead_in = [&](Math math, std::string_view why, const GemmOptions& with = {}) {
    Target other = target;
    other.math = math;
    Choice plain = choose(shape, with, other, count, copies, result, by_pointers, fits);
    plain.why = why;
    return plain;
  };
  const auto takes_less = [&](const Choice& plain, double cycles) {
    const Rung& rung = rung_of(plain.kernel);
    Target other = target;
    other.math = plain.math;
    return rung.block_threads > 0 ||
           (rung.max_stages > 0 && detail::predicted_cycles(plain, shape, other, count, copies) < cycles);
  };
  if (takes_residues(target.math)) {
    const std::string_view why = detail::why_not_int8(shape, target.path, target.type());
    if (!why.empty()) return instead_in(own_math(target.type()), why, {.tile = options.tile});
  }
  Refusal problem;  // of the last that was tried, which asks least of a product
  for (const auto& [kernel, why] : detail::preferences) {
    const Rung& rung = rung_of(kernel);
    if (!detail::computes(rung, target)) continue;
    if (rung.block_threads > 0 && !detail::pays_to_share_blocks(shape, target, count, by_pointers)) continue;
    const TileShape tile = tile_for(rung);
    problem = refusal(rung, shape, tile, target, false, by_pointers);
    Choice choice{kernel, tile, takes_residues(target.math) ? detail::why_int8 : why, target.math};
    if (problem.empty() && !fits(choice)) {
      problem = {Lack::workspace, detail::text("no kernel computes in ", to_string(target.math),
                                               " with the workspace that is allowed: allow more")};
    }
    const bool pointers = problem.code == Lack::addresses;
    if (kernel == Kernel::warpgroup_tf32x3 && (pointers || problem.code == Lack::workspace) &&
        !options.tile) {
      return instead_in(
          Math::fp32,
          pointers ? "fp32 itself: TMA, which feeds the three products, cannot follow arrays of pointers"
                   : "fp32 itself: three products take more workspace than is allowed");
    }
    if (kernel == Kernel::warpgroup_int8 && problem.code == Lack::workspace && !options.tile) {
      return instead_in(own_math(target.type()),
                        "fp64 itself: products of int8 take more workspace than is allowed");
    }
    if (!problem.empty()) continue;
    if (options.tile) return choice;
    if (kernel == Kernel::warpgroup_1m && detail::faster_as_they_lie(tile, shape, target, count, copies))
      continue;
    if (kernel == Kernel::warpgroup_tf32x3 && target.sms > 0) {
      const Choice plain =
          instead_in(Math::fp32, "fp32 itself takes less time: three products would not pay for their start");
      if (takes_less(plain, detail::tf32x3_cycles(target.costs, tile, shape, target.sms, count)))
        return plain;
    }
    if (kernel == Kernel::warpgroup_int8 && target.sms > 0 && options.moduli == 0) {
      const Choice plain =
          instead_in(own_math(target.type()),
                     "fp64 itself takes less time: products of int8 would not pay for the rest");
      if (takes_less(plain, detail::int8_cycles(target.costs, shape, target.sms, count, detail::usual_moduli,
                                                target.type())))
        return plain;
    }
    if (detail::faster_in_units(rung, tile, shape, target, count, copies)) {
      const Rung& sharing = detail::sharing_rung(rung);
      const Choice shared{sharing.kernel, default_tile(sharing, shape, target, count),
                          "tiles shared along K keep the SMs busier than the sums cost", target.math};
      if (fits(shared)) choice = shared;
    }
    if (by_pointers) return choice;
    return detail::with_repacking(choice, shape, target, count, copies, fits);
  }
  if (!problem.empty()) throw Refused(problem);
  const bool native = target.path == Path::native;
  throw Refused(
      {Lack::mode,
       detail::text("no kernel computes in ", to_string(target.math), " here (", to_string(target.path),
                    " path",
                    native ? ", compute capability " + detail::capability_name(target.capability) : "",
                    "): ", detail::instead(target))});
}

}  // namespace rooftile
