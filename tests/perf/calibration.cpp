// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// From times to costs: times that the model made of known costs must give these costs.
#include "perf/measure/calibration.hpp"

#include <limits>
#include <random>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "rooftile/plan.hpp"
#include "tests/support/targets.hpp"

namespace rooftile::perf {
namespace {

using Catch::Matchers::WithinRel;
using model::Costs;

constexpr double launch = 4000;

std::vector<Target> targets(Path path, const Costs& costs = model::cost_rows::sm_90, int sms = 132) {
  std::vector<Target> all;
  for (const Math math : all_maths) {
    if (is_mixed(math)) continue;
    Target target = testing::h200(path, math);
    target.costs = costs, target.sms = sms;
    all.push_back(target);
  }
  return all;
}

/// Cycles that the model expects of a kernel.
double predicted(const TimedKernel& timed, Target target) {
  target.math = timed.math;
  const GemmDesc desc =
      describe(timed.shape, target.type(), 1, timed.layout[0] == 'r', timed.layout[1] == 'r');
  if (timed.math == Math::tf32x3)
    return rooftile::detail::tf32x3_cycles(target.costs, timed.tile, timed.shape, target.sms, 1);
  if (timed.math == Math::fp64_int8)
    return rooftile::detail::int8_cycles(target.costs, timed.shape, target.sms, 1,
                                         rooftile::detail::usual_moduli);
  const Choice choice{timed.kernel.kernel, timed.tile, "", timed.math, timed.kernel.repack};
  return rooftile::detail::predicted_cycles(choice, timed.shape, target, 1, desc.lines);
}

/// What is found of a GPU with such costs by one who starts with a row.
std::vector<CalibratedCost> found_of(const Target& gpu, Costs row) {
  std::vector<CalibratedCost> found;
  for (const Experiment& experiment : experiments(targets(gpu.path, row, gpu.sms))) {
    std::vector<std::vector<double>> cycles;
    for (const TimedKernel& timed : experiment.kernels)
      cycles.emplace_back(8, launch + predicted(timed, gpu));
    for (const CalibratedCost& cost : calibrated(experiment, row, launch, cycles)) {
      if (cost.problem.empty()) row.*cost.figure = cost.value;
      found.push_back(cost);
    }
  }
  return found;
}

TEST_CASE("times made of known costs give these costs", "[calibration]") {
  std::mt19937_64 bits(20261122);
  std::uniform_real_distribution<double> factor(0.5, 2);
  for (const auto& [path, sms] : {std::pair{Path::native, 132},
                                  {Path::native, 108},
                                  {Path::portable, 132},
                                  {Path::native, 20},
                                  {Path::native, 113}}) {
    for (int trial = 0; trial < 20; ++trial) {
      Target gpu = testing::h200(path, Math::fp32);
      gpu.sms = sms;
      // All that an experiment measures is another than in the row.
      std::set<std::string_view> names;
      for (const CalibratedCost& cost : found_of(gpu, model::cost_rows::sm_90)) {
        gpu.costs.*cost.figure *= factor(bits);
        names.insert(model::name_of(cost.figure));
      }
      CHECK(names.size() == (path == Path::native ? 19 : 13));
      for (const CalibratedCost& cost : found_of(gpu, model::cost_rows::sm_90)) {
        INFO(model::name_of(cost.figure) << ", " << sms << " SMs, trial " << trial << ": " << cost.problem);
        CHECK_THAT(cost.value, WithinRel(gpu.costs.*cost.figure, 1e-6));
        CHECK((cost.problem.empty() && cost.spread < 1e-6));
      }
    }
  }
}

TEST_CASE("matrix instructions that hide part of the copies are taken off", "[calibration]") {
  Target gpu = testing::h200(Path::native, Math::fp32);
  gpu.costs.matrix_16 = 0.5;
  Costs row = gpu.costs;
  row.l2_byte = 1;
  bool any = false;
  for (const CalibratedCost& cost : found_of(gpu, row)) {
    if (cost.figure != &Costs::l2_byte) continue;
    any = true;
    CHECK_THAT(cost.value, WithinRel(gpu.costs.l2_byte, 1e-6));
  }
  CHECK(any);
}

TEST_CASE("a device has the experiments whose kernels it has", "[calibration]") {
  CHECK(experiments({}).empty());
  CHECK(experiments(targets(Path::native, model::cost_rows::sm_90, 0)).empty());  // SMs not known
  std::vector<Target> old = targets(Path::native);
  for (Target& target : old) target.capability = 70;
  for (const Experiment& experiment : experiments(old)) {
    for (const TimedKernel& timed : experiment.kernels) CHECK(timed.kernel.kernel == Kernel::pipelined);
  }
}

TEST_CASE("kernels can compute what they are timed on", "[calibration]") {
  for (const Path path : {Path::native, Path::portable}) {
    const auto all = targets(path);
    for (const Experiment& experiment : experiments(all)) {
      for (const TimedKernel& timed : experiment.kernels) {
        const Target target = testing::h200(path, timed.math);
        CHECK(refusal(rung_of(timed.kernel.kernel), timed.shape, timed.tile, target, timed.kernel.repack)
                  .text == "");
      }
    }
  }
}

/// What is said of the first experiment, repacking, with these cycles.
std::vector<CalibratedCost> repacking(const std::vector<std::vector<double>>& cycles) {
  const Experiment experiment = experiments(targets(Path::native)).front();
  return calibrated(experiment, model::cost_rows::sm_90, launch, cycles);
}

TEST_CASE("senseless times give no cost, and say why", "[calibration]") {
  const auto all_of = [](double a, double b, double c, double d) {
    return std::vector<std::vector<double>>{{a, a}, {b, b}, {c, c}, {d, d}};
  };
  const auto good = repacking(all_of(1e4, 2e4, 1e6, 2e6));
  CHECK((good[0].problem.empty() && good[1].problem.empty()));
  for (const CalibratedCost& cost :
       repacking(all_of(1e4, 2e4, 1e6, 1e6)))  // large ones are repacked in no time
    CHECK((cost.problem.empty() == (cost.figure == &Costs::repack_start)));
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -1.0, 0.0, launch}) {
    for (const CalibratedCost& cost : repacking(all_of(1e4, bad, 1e6, 2e6))) {
      CHECK(cost.problem.starts_with("a kernel took no longer than a launch ("));
      CHECK(cost.value == 0);
    }
  }
  const auto equal = repacking(all_of(1e4, 1e4, 1e4, 1e4));
  CHECK(equal[0].problem == "the times give no positive number (0)");
  CHECK(equal[1].problem == "the times give no positive number (inf)");
}

TEST_CASE("a cost of which the halves of the samples disagree is left out", "[calibration]") {
  const auto start = [](double later) {
    return repacking({{1e4, 1e4}, {2e4, later}, {1e6, 1e6}, {2e6, 2e6}})[0];
  };
  CHECK(start(2.1e4).problem.empty());
  CHECK(start(2.1e4).spread > 0.05);
  CHECK(start(4e4).problem.starts_with("too noisy ("));
}

}  // namespace
}  // namespace rooftile::perf
