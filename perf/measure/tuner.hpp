// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "plan/describe.hpp"
#include "plan/prepare.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/find_kernel.hpp"
#include "rooftile/tuning.hpp"
#include "sampler.hpp"
#include "suite.hpp"

namespace rooftile::perf {

/// Times in seconds of a product's best kernels, measured interleaved. The model's kernel is timed twice: by
/// name, and as gemm's choice. The other kernel is the fastest of the search.
struct Finalists {
  double fastest;
  double model;
  double model_again;

  /// Relative difference of the two times of one kernel: the noise of this measurement.
  double noise() const { return std::max(model, model_again) / std::min(model, model_again) - 1; }

  /// Relative gain of the fastest kernel over the better of the model's two times.
  double gain() const { return std::min(model, model_again) / fastest - 1; }

  /// Whether the gain justifies a line in a tuning table: more than `margin` and more than twice the noise.
  bool is_faster(double margin) const { return gain() > std::max(margin, 2 * noise()); }
};

/// The result for a product on one path in one math mode: a table entry, or why there is none.
struct Finding {
  Product product;    ///< as requested
  TuningEntry entry;  ///< for the product as computed; without times if nothing was measured
  KernelName model, fastest;
  Index fastest_nanoseconds = 0;
  double gain = 0;      ///< gain of the fastest over the model's choice; 0 if they are equal
  std::string problem;  ///< error of a kernel that failed its verification
};

/// Sampling of the search, and the gain that justifies a table entry.
struct TuneSettings {
  Sampling search{5, 0.2, 2, 2e9};  ///< short, for all kernels; the finalists are measured again
  Sampling last{};                  ///< for the finalists
  double margin = 0.03;
};

/// The tile of the entry's kernel with this name; zero for a kernel without a list of tiles.
inline TileShape tile_of(const TuningEntry& entry, const std::string& name) {
  const Rung& rung = rung_of(entry.kernel);
  const auto found = std::find_if(rung.tiles.begin(), rung.tiles.end(), [&](TileShape tile) {
    return to_string(tile) == name && detail::is_built(rung, entry.path, tile, type_of(entry.math));
  });
  return found == rung.tiles.end() ? TileShape{} : found->shape;
}

inline Index nanoseconds(double seconds) {
  return std::max<Index>(1, std::llround(1e9 * seconds));
}

inline void weigh(Finding& finding, const Finalists& last, double margin) {
  finding.gain = last.gain();
  finding.fastest_nanoseconds = nanoseconds(last.fastest);
  finding.entry.nanoseconds = finding.entry.model_nanoseconds =
      nanoseconds(std::min(last.model, last.model_again));
  if (!last.is_faster(margin)) return;
  finding.entry.nanoseconds = finding.fastest_nanoseconds;
  const NamedKernel named = find_named(finding.fastest.kernel);
  finding.entry.kernel = named.kernel, finding.entry.repack = named.repack;
  finding.entry.tile = tile_of(finding.entry, finding.fastest.tile);
}

/// Times the kernels of one path and math mode on a product, then the fastest and the model's choice again.
/// Returns no finding if the library has no kernel of its own choice, unless a kernel failed.
template <class T>
std::vector<Finding> find_fastest(const Product& product, Path path,
                                  std::vector<const Candidate<T>*> candidates, Operands<T>& operands,
                                  const TuneSettings& settings,
                                  const std::function<void(const std::string&)>& progress) {
  std::erase_if(candidates, [&](const auto* c) { return !c->refusal(operands.on_device()).empty(); });
  if (candidates.empty()) return {};
  const auto results = sample(candidates, operands, settings.search, progress);
  const GemmDesc desc = describe(detail::prepared(operands.on_device()));
  Finding finding{product, {path, candidates.front()->math, desc.shape, tuning_layout(desc)}, {}, {}, 0, 0,
                  {}};
  const std::size_t none = results.size();
  std::size_t automatic = none, fastest = none, model = none;
  for (std::size_t i = 0; i < none; ++i) {
    const Result& r = results[i];
    if (r.status != "ok") {
      finding.problem = r.kernel + ' ' + r.tile + ": " + r.reason;
    } else if (r.automatic) {
      automatic = i;
    } else if (fastest == none || r.seconds.median < results[fastest].seconds.median) {
      fastest = i;
    }
  }
  if (automatic == none || fastest == none) {
    return finding.problem.empty() ? std::vector<Finding>{} : std::vector{finding};
  }
  finding.model = {results[automatic].kernel, results[automatic].tile};
  finding.fastest = {results[fastest].kernel, results[fastest].tile};
  for (std::size_t i = 0; i < none; ++i) {
    const Result& r = results[i];
    const bool same = r.kernel == finding.model.kernel && r.tile == finding.model.tile;
    if (same && r.status == "ok" && !r.automatic) model = i;
  }
  if (fastest == model) {
    finding.fastest_nanoseconds = finding.entry.nanoseconds = finding.entry.model_nanoseconds =
        nanoseconds(results[automatic].seconds.median);
    return {finding};
  }
  if (model == none) model = automatic;
  std::vector<Result> last{results[fastest], results[model], results[automatic]};
  time_in_turn<T>({candidates[fastest], candidates[model], candidates[automatic]}, operands, settings.last,
                  progress, last);
  weigh(finding, {last[0].seconds.median, last[1].seconds.median, last[2].seconds.median}, settings.margin);
  return {finding};
}

}  // namespace rooftile::perf
