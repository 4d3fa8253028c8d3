// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/choose.hpp"
#include "rooftile/model/cost_figures.hpp"

/// What `rooftile calibrate` times to know the figures of the model: each experiment is a difference, a slope
/// or a ratio of times in which all but its figures cancels.
namespace rooftile::perf {

/// A kernel that is timed on a product.
struct TimedKernel {
  Math math;
  NamedKernel kernel;
  TileShape tile;
  GemmShape shape;
  std::string layout;  ///< `Layout`
};

/// Kernels whose times give figures.
struct Experiment {
  std::vector<TimedKernel> kernels;
  std::vector<model::CostMember> figures;
  /// The figures of the kernels' cycles, without those of a launch. @param costs  what is known so far
  std::function<std::vector<double>(const model::Costs& costs, const std::vector<double>& cycles)> solve;
};

/// What takes as long as a launch: a kernel with nothing to do.
inline const TimedKernel launch_kernel{Math::fp32, {Kernel::naive}, cta(16, 16), {1, 1, 1}, "rrr"};

namespace detail {

/// Extents of a grid of so many tiles that is as near to a square as divisors allow.
inline std::pair<Index, Index> grid_of(Index tiles) {
  auto rows = static_cast<Index>(std::sqrt(static_cast<double>(tiles)));
  while (tiles % rows != 0) --rows;
  return {rows, tiles / rows};
}

inline GemmShape shape_of(TileShape tile, Index tiles, Index k) {
  const auto [rows, cols] = grid_of(tiles);
  return {rows * tile.bm, cols * tile.bn, k};
}

/// The tile of such a size that a rung has on a target; zero where it has none.
inline TileShape tile_of_size(const Rung& rung, const Target& target, int bm, int bn) {
  if (!rooftile::detail::computes(rung, target)) return {};
  for (const TileShape& tile : rung.tiles) {
    if (tile.bm == bm && tile.bn == bn &&
        rooftile::detail::is_built(rung, target.path, tile, target.type()) &&
        rooftile::detail::too_large(rung, tile, target).empty())
      return tile;
  }
  return {};
}

/// A start, and how many bytes move in a cycle, of the cycles that two numbers of bytes take.
inline std::vector<double> start_and_rate(double bytes, double cycles, double more_bytes,
                                          double more_cycles) {
  const double per_byte = (more_cycles - cycles) / (more_bytes - bytes);
  return {cycles - bytes * per_byte, 1 / per_byte};
}

/// Operands of fp32 that threads copy element by element are repacked, beside ones that need not be.
inline void add_repacking(const Target& fp32, std::vector<Experiment>& all) {
  const TileShape tile = tile_of_size(rung_of(Kernel::pipelined), fp32, 128, 128);
  if (!tile || !contains(rung_of(Kernel::pipelined).repacks, Math::fp32)) return;
  const GemmShape small{256, 256, 256}, large{1024, 1024, 16384};
  const auto timed = [&](GemmShape shape, bool repack) -> TimedKernel {
    return {Math::fp32, {Kernel::pipelined, repack}, tile, shape, repack ? "rcr" : "crr"};
  };
  const auto bytes = [](const GemmShape& s) {  // read, and written
    return 2.0 * sizeof(float) * static_cast<double>(s.k * (s.m + s.n));
  };
  all.push_back({{timed(small, false), timed(small, true), timed(large, false), timed(large, true)},
                 {&model::Costs::repack_start, &model::Costs::repack_bytes},
                 [=](const model::Costs&, const std::vector<double>& t) {
                   return start_and_rate(bytes(small), t[1] - t[0], bytes(large), t[3] - t[2]);
                 }});
}

/// Threads copy both operands element by element, instead of vectors.
inline void add_element_copies(const Target& fp32, std::vector<Experiment>& all) {
  const TileShape tile = tile_of_size(rung_of(Kernel::pipelined), fp32, 128, 128);
  if (!tile) return;
  const GemmShape shape{2048, 2048, 2048};
  const auto timed = [&](const char* layout) -> TimedKernel {
    return {Math::fp32, {Kernel::pipelined}, tile, shape, layout};
  };
  all.push_back({{timed("crr"), timed("rcr")},
                 {&model::Costs::element_copies},
                 [=](const model::Costs& costs, const std::vector<double>& t) {
                   const auto used = [&](int times) {
                     return 1 / std::max<double>(times, costs.min_element_copies);
                   };
                   return std::vector{(t[1] / t[0] - 1) / (used(tile.bm) + used(tile.bn))};
                 }});
}

/// Few tiles in work units of as many steps as the tiles beside them have in all, so that loops are alike.
inline void add_units(const Target& fp32, std::vector<Experiment>& all) {
  const TileShape tile = tile_of_size(rung_of(Kernel::stream_k), fp32, 64, 128);
  if (!tile || tile_of_size(rung_of(Kernel::pipelined), fp32, 64, 128) != tile || fp32.sms < 16) return;
  constexpr Index units_of_tile = 4;
  const Index k = rooftile::detail::min_steps_of_unit * tile.bk;
  const Index few = fp32.sms / units_of_tile / 8 + 1, many = fp32.sms / units_of_tile;
  const auto whole = [&](Index tiles) -> TimedKernel {
    return {Math::fp32, {Kernel::pipelined}, tile, shape_of(tile, tiles, k), "crr"};
  };
  const auto shared = [&](Index tiles) -> TimedKernel {
    return {Math::fp32, {Kernel::stream_k}, tile, shape_of(tile, tiles, units_of_tile * k), "crr"};
  };
  const auto bytes = [=](Index tiles) {  // of the sums, written and read
    const auto stream =
        rooftile::detail::stream_of(tile, shape_of(tile, tiles, units_of_tile * k), fp32.sms, Type::fp32);
    return 2.0 * sizeof(float) * stream.sums() * tile.bm * tile.bn;
  };
  all.push_back({{whole(few), shared(few), whole(many), shared(many)},
                 {&model::Costs::unit_start, &model::Costs::unit_bytes},
                 [=](const model::Costs&, const std::vector<double>& t) {
                   return start_and_rate(bytes(few), t[1] - t[0], bytes(many), t[3] - t[2]);
                 }});
}

/// Of the line through the times of two lengths of K.
inline double slope(Index k, double time, Index more_k, double more_time) {
  return (more_time - time) / static_cast<double>(more_k - k);
}
inline double intercept(Index k, double time, Index more_k, double more_time) {
  return time - static_cast<double>(k) * slope(k, time, more_k, more_time);
}

/// The same kernel at two lengths of K.
inline std::vector<TimedKernel> two_lengths(const Target& target, Kernel kernel, TileShape tile, Index tiles,
                                            Index k, Index more_k, const char* layout) {
  return {{target.math, {kernel}, tile, shape_of(tile, tiles, k), layout},
          {target.math, {kernel}, tile, shape_of(tile, tiles, more_k), layout}};
}

/// What a lone tile of each SM takes beside its steps along K.
inline void add_first_panels(const Target& target, std::vector<Experiment>& all) {
  const bool fp64 = target.type() == Type::fp64;
  const TileShape tile = tile_of_size(rung_of(Kernel::tensor_core), target, fp64 ? 64 : 128, fp64 ? 64 : 128);
  if (!tile) return;
  constexpr Index k = 512, more_k = 1536;
  all.push_back({two_lengths(target, Kernel::tensor_core, tile, target.sms, k, more_k, "crr"),
                 {fp64 ? &model::Costs::first_panels_fp64 : &model::Costs::first_panels},
                 [=](const model::Costs&, const std::vector<double>& t) {
                   return std::vector{intercept(k, t[0], more_k, t[1])};
                 }});
}

/// What a step along K takes of SMs that are full of tiles: more than their multiply-adds, where L2 feeds
/// them more slowly.
inline void add_l2_byte(const Target& target, std::vector<Experiment>& all) {
  const TileShape tile = tile_of_size(rung_of(Kernel::tensor_core), target, 128, 128);
  if (!tile) return;
  const Index room = rooftile::detail::teams_per_sm(tile, target.type());
  constexpr Index k = 1024, more_k = 3072;
  const Type type = target.type();
  all.push_back({two_lengths(target, Kernel::tensor_core, tile, room * target.sms, k, more_k, "crr"),
                 {&model::Costs::l2_byte},
                 [=](const model::Costs& costs, const std::vector<double>& t) {
                   const double step = slope(k, t[0], more_k, t[1]);
                   const double multiplying = static_cast<double>(room * tile.bm * tile.bn) / 128 *
                                              (is_16_bit(type) ? costs.matrix_16 : costs.matrix_32);
                   const double hidden = 1 - costs.copies_not_hidden;
                   const double copying =
                       hidden * step >= multiplying ? step : (step - multiplying) / costs.copies_not_hidden;
                   const double waiting =
                       std::max(1.0, costs.min_few_warps +
                                         costs.few_warps / static_cast<double>(room * tile.threads() / 32));
                   return std::vector{copying / waiting /
                                      (static_cast<double>(room * (tile.bm + tile.bn)) *
                                       static_cast<double>(size_of(type)))};
                 }});
}

/// Lines one element, or of 16 bits a pair, short of whole vectors.
inline void add_ragged(const Target& target, Index missing, const char* layout, model::CostMember figure,
                       std::vector<Experiment>& all) {
  const Rung& rung = rung_of(Kernel::tensor_core);
  const TileShape tile = tile_of_size(rung, target, 128, 128);
  if (!tile) return;
  constexpr Index side = 2048;
  const bool k_major = layout[0] == 'r';
  const GemmShape whole{side, side, side};
  const GemmShape cut{k_major ? side : side - missing, k_major ? side : side - missing,
                      k_major ? side - missing : side};
  const auto timed = [&](const GemmShape& shape) -> TimedKernel {
    return {target.math, {Kernel::tensor_core}, tile, shape, layout};
  };
  const Index tiles = rooftile::detail::tile_count(tile, whole);
  all.push_back(
      {{timed(whole), timed(cut)},
       {figure},
       [=, sms = target.sms, type = target.type()](const model::Costs& costs, const std::vector<double>& t) {
         const double start =
             rooftile::detail::start_cycles(costs, rung_of(Kernel::tensor_core), tile, tiles, sms, type);
         const double ratio =
             (t[1] - start) / static_cast<double>(cut.k) * static_cast<double>(whole.k) / (t[0] - start);
         return std::vector{(ratio - 1) / 2};  // of two operands
       }});
}

/// One tile of each SM, at two lengths, beside fp32's own kernel, which the model gives no start.
inline void add_tf32x3(const Target& fp32, const Target& three, std::vector<Experiment>& all) {
  const TileShape plain = tile_of_size(rung_of(Kernel::pipelined), fp32, 128, 128);
  const Rung& rung = rung_of(Kernel::warpgroup_tf32x3);
  if (!plain || !rooftile::detail::computes(rung, three)) return;
  const TileShape tile = rung.tiles.front();
  constexpr Index k = 1024, more_k = 4096;
  std::vector<TimedKernel> kernels = two_lengths(fp32, Kernel::pipelined, plain, fp32.sms, k, more_k, "crr");
  const auto more = two_lengths(three, Kernel::warpgroup_tf32x3, tile, three.sms, k, more_k, "rrr");
  kernels.insert(kernels.end(), more.begin(), more.end());
  const auto n = static_cast<double>(more[0].shape.n);
  all.push_back({kernels,
                 {&model::Costs::tf32x3_start, &model::Costs::tf32x3_multiply_adds},
                 [=](const model::Costs& costs, const std::vector<double>& t) {
                   const double step = slope(k, t[2], more_k, t[3]) - 20 * n / costs.repack_bytes;
                   return std::vector{intercept(k, t[2], more_k, t[3]) - intercept(k, t[0], more_k, t[1]),
                                      tile.bm * tile.bn / step};
                 }});
}

/// fp64 from products of int8, of numbers that take the usual moduli: a round of tiles for each modulus at
/// two lengths of K, and four rounds at the shorter one.
inline void add_int8(const Target& target, std::vector<Experiment>& all) {
  const Rung& rung = rung_of(Kernel::warpgroup_int8);
  if (!rooftile::detail::computes(rung, target)) return;
  const TileShape tile = rung.tiles.front();
  constexpr int moduli = rooftile::detail::usual_moduli;
  constexpr Index k = 1024, more_k = 4096;
  TileShape pair = tile;  // of SMs
  pair.bm *= 2;
  const Index pairs = std::max(target.sms / 2, 1);
  std::vector<TimedKernel> kernels = two_lengths(target, rung.kernel, pair, pairs, k, more_k, "rcr");
  kernels.push_back({target.math, {rung.kernel}, pair, shape_of(pair, 4 * pairs, k), "rcr"});
  for (TimedKernel& timed : kernels) timed.tile = tile;
  all.push_back({kernels,
                 {&model::Costs::int8_start, &model::Costs::int8_tile, &model::Costs::int8_multiply_adds},
                 [=, sms = target.sms](const model::Costs& costs, const std::vector<double>& t) {
                   const auto rounds = [&](std::size_t i) {
                     return rooftile::detail::int8_rounds(kernels[i].shape, sms, moduli);
                   };
                   const auto without_bytes = [&](std::size_t i) {
                     return t[i] -
                            rooftile::detail::int8_bytes(kernels[i].shape, moduli) / costs.repack_bytes;
                   };
                   const double round = (without_bytes(2) - without_bytes(0)) / (rounds(2) - rounds(0));
                   const double step = slope(k, without_bytes(0), more_k, without_bytes(1)) / rounds(0);
                   return std::vector{without_bytes(0) - rounds(0) * round,
                                      round - static_cast<double>(k) * step, tile.bm * tile.bn / step};
                 }});
}

}  // namespace detail

/// The experiments that a device allows, in their order: later ones know the figures of earlier ones.
/// @param targets  of one path, a math mode each
inline std::vector<Experiment> experiments(std::span<const Target> targets) {
  const auto in = [&](Math math) -> const Target* {
    const auto found =
        std::find_if(targets.begin(), targets.end(), [&](const Target& t) { return t.math == math; });
    return found == targets.end() || found->sms < 1 ? nullptr : &*found;
  };
  std::vector<Experiment> all;
  const Target *const fp32 = in(Math::fp32), *const fp64 = in(Math::fp64), *const tf32 = in(Math::tf32),
                      *const fp16 = in(Math::fp16), *const three = in(Math::tf32x3),
                      *const int8 = in(Math::fp64_int8);
  using model::Costs;
  if (fp32 != nullptr) {
    detail::add_repacking(*fp32, all);
    detail::add_units(*fp32, all);
    detail::add_element_copies(*fp32, all);
  }
  if (fp16 != nullptr) {
    detail::add_first_panels(*fp16, all);
    detail::add_l2_byte(*fp16, all);
    detail::add_ragged(*fp16, 1, "rcr", &Costs::ragged_k_16, all);
    detail::add_ragged(*fp16, 1, "crr", &Costs::ragged_mn_16, all);
    detail::add_ragged(*fp16, 2, "rcr", &Costs::ragged_pairs_16, all);
  }
  if (tf32 != nullptr) {
    detail::add_ragged(*tf32, 1, "rcr", &Costs::ragged_k_32, all);
    detail::add_ragged(*tf32, 1, "crr", &Costs::ragged_mn_32, all);
  }
  if (fp64 != nullptr) {
    detail::add_first_panels(*fp64, all);
    detail::add_ragged(*fp64, 1, "rcr", &Costs::ragged_k_fp64, all);
  }
  if (fp32 != nullptr && three != nullptr) detail::add_tf32x3(*fp32, *three, all);
  if (int8 != nullptr) detail::add_int8(*int8, all);
  return all;
}

}  // namespace rooftile::perf
