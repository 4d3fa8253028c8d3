// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Fits costs to times that known costs generated.
#include "perf/measure/fit.hpp"

#include <cmath>
#include <random>

#include <catch2/catch_test_macros.hpp>

#include "perf/measure/sweep.hpp"
#include "plan/choose.hpp"
#include "plan/device_target.hpp"
#include "rooftile/model/find_device.hpp"

namespace rooftile::perf {
namespace {

Target h100(Path path, ComputeMode math) {
  return target_of(model::find_device("H100"), path, math);
}

/// The library's costs, each changed by up to a half.
struct OtherCosts {
  std::vector<model::ModeCosts> modes;
  std::vector<model::TileCosts> tiles;

  explicit OtherCosts(ComputeMode math) {
    std::mt19937_64 bits(7);
    std::uniform_real_distribution<float> factor(0.67F, 1.5F);
    const model::KernelCosts& row = model::sm_90;
    model::ModeCosts mode = *row.in(Path::native, math);
    for (const model::TileCosts& tile : row.of(mode)) tiles.push_back(tile);
    mode.first = 0;
    for (const auto& figure : model::mode_figures) mode.*figure.member *= factor(bits);
    for (auto& tile : tiles) {
      for (const auto& figure : model::tile_figures) tile.*figure.member *= factor(bits);
    }
    modes = {mode};
  }

  /// Times that these costs predict.
  Sweep sweep(ComputeMode math, std::uint64_t seed, Index count) const {
    Target target = h100(Path::native, math);
    target.costs.kernels.modes = modes, target.costs.kernels.tiles = tiles;
    Sweep sweep{"a test's device", {}, {}, {}};
    for (const Product& product : sweep_products(count, seed)) {
      SweptProduct swept{Path::native, math, product, {}};
      for (const GemmPlan& plan : alternatives(describe(product, math), {}, target)) {
        const std::size_t way = sweep.index_of({plan.kernel, plan.repack, plan.tile});
        swept.times.push_back({way, plan.split_k, plan.swapped, 1e6 * plan.seconds});
      }
      sweep.products.push_back(swept);
    }
    return sweep;
  }
};

TEST_CASE("fitted costs choose well, also for products that they were not fitted to", "[fit]") {
  for (const ComputeMode math : {ComputeMode::fp64, ComputeMode::bf16}) {
    const OtherCosts other(math);
    const std::vector<FittedMode> found = fitted({other.sweep(math, 1, 300)}, h100);
    REQUIRE(found.size() == 1);
    const FittedMode& fit = found[0];
    INFO(to_string(math) << ": " << fit.score.worst_name);
    CHECK((fit.mode.path == Path::native && fit.mode.math == math));
    CHECK((fit.score.products == 300 && fit.score.regret < 1.01 && fit.score.regret >= 1));
    const ChoiceScore unseen = score_of(fit, {other.sweep(math, 2, 150)}, h100(Path::native, math));
    INFO("unseen: " << unseen.regret << ' ' << unseen.worst << ' ' << unseen.worst_name);
    CHECK((unseen.products == 150 && unseen.regret < 1.02 && unseen.worst < 2));
    // Another device's costs choose worse kernels here.
    FittedMode shipped{*model::sm_90.in(Path::native, math), fit.tiles, {}};
    for (auto& tile : shipped.tiles) tile.step = tile.busy = 100;
    CHECK(score_of(shipped, {other.sweep(math, 2, 150)}, h100(Path::native, math)).regret > unseen.regret);
  }
}

TEST_CASE("a mode without products has no costs and no score", "[fit]") {
  const OtherCosts other(ComputeMode::fp64);
  const Sweep sweep = other.sweep(ComputeMode::fp64, 1, 150);
  const std::vector<FittedMode> found = fitted({sweep}, h100);
  REQUIRE(found.size() == 1);
  CHECK(score_of(found[0], {}, h100(Path::native, ComputeMode::fp64)).products == 0);
  CHECK(score_of(found[0], {sweep}, h100(Path::portable, ComputeMode::fp64)).products == 0);
  CHECK(fitted({}, h100).empty());
}

}  // namespace
}  // namespace rooftile::perf
