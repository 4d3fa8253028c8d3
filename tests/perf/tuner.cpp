// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Tuning, and calibration, which must find the known costs that the model made times of.
#include "perf/measure/tuner.hpp"

#include <limits>
#include <random>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "fake_device.hpp"
#include "perf/measure/calibration.hpp"
#include "rooftile/plan.hpp"
#include "tests/support/targets.hpp"

namespace rooftile::perf {
namespace {

using testing::FakeDevice;
using testing::FakeKernel;

/// A path with kernels that take what a test says, of which gemm's own choice takes `tiled_checked 8x8x8`.
struct FakePath {
  FakeDevice device;
  FakeKernel<double> right{"tiled_checked", testing::multiply<double>, {2e-3}};
  FakeKernel<double> automatic{"automatic", testing::multiply<double>, {2e-3}};
  FakeKernel<double> other{"naive", testing::multiply<double>, {1e-3}};
  TuneSettings settings{};

  std::vector<Finding> find() {
    const auto on_path = [&](FakeKernel<double>& kernel, const char* tile) {
      Candidate<double> c = kernel.on(device);
      c.path = "native", c.tile = tile;
      return c;
    };
    std::vector<Candidate<double>> all{on_path(right, "8x8x8"), on_path(other, "4x64"),
                                       on_path(automatic, "")};
    all[2].chosen = [](const BatchArgs<double>&) { return KernelName{"tiled_checked", "8x8x8"}; };
    Operands<double> operands(device, {20, 12, 9}, {"rcr"}, 1, 0, testing::seed);
    return find_fastest<double>({{20, 12, 9}, "rcr"}, Path::native, {&all[0], &all[1], &all[2]}, operands,
                                settings, [](const std::string&) {});
  }
};

using Catch::Matchers::WithinRel;

TEST_CASE("a finalist's gain is over the better of the model's two times", "[tuning]") {
  const Finalists f{1.0, 1.2, 1.5};
  CHECK_THAT(f.gain(), WithinRel(0.2, 1e-12));
  CHECK_THAT(f.noise(), WithinRel(0.25, 1e-12));
  CHECK_THAT((Finalists{1.0, 1.5, 1.2}.noise()), WithinRel(0.25, 1e-12));
}

TEST_CASE("a finalist is faster by more than the margin and twice the noise", "[tuning]") {
  CHECK(Finalists{1, 1.05, 1.05}.is_faster(0.03));
  CHECK_FALSE(Finalists{1, 1.02, 1.02}.is_faster(0.03));
  CHECK(Finalists{1, 1.02, 1.02}.is_faster(0));
  CHECK_FALSE(Finalists{1, 1, 1}.is_faster(0));
  CHECK(Finalists{1, 1.05, 1.07}.is_faster(0.03));        // noise of 2 %
  CHECK_FALSE(Finalists{1, 1.05, 1.09}.is_faster(0.03));  // noise of 4 %
  CHECK_FALSE(Finalists{1, 0.5, 2}.is_faster(0));
}

TEST_CASE("what is faster than the model's choice becomes an entry", "[tuning]") {
  FakePath path;
  const auto found = path.find();
  REQUIRE(found.size() == 1);
  const TuningEntry& entry = found[0].entry;
  const TuningLayout ragged{true, false, Alignment::ragged, Alignment::ragged,
                            Alignment::aligned};  // k is odd
  CHECK(entry ==
        TuningEntry{
            Path::native, Math::fp64, {20, 12, 9}, ragged, Kernel::naive, cta(4, 64), 1000000, 2000000});
  CHECK((found[0].model.kernel == "tiled_checked" && found[0].model.tile == "8x8x8"));
  CHECK((found[0].fastest.kernel == "naive" && found[0].fastest_nanoseconds == 1000000));
  CHECK_THAT(found[0].gain, WithinRel(1.0, 1e-12));
  CHECK(found[0].problem == "");
  // Verified twice, 5 times searched, 15 times as a finalist, each behind an untimed call.
  CHECK((path.other.launches == 42 && path.right.launches == 42 && path.automatic.launches == 42));
}

TEST_CASE("the model stands where it is fastest, within the margin, or within the noise", "[tuning]") {
  const auto stands = [](FakePath path) {
    const auto found = path.find();
    REQUIRE(found.size() == 1);
    CHECK((found[0].entry.kernel == Kernel::automatic && !found[0].entry.tile));
    CHECK(found[0].entry.nanoseconds == found[0].entry.model_nanoseconds);
    return found[0];
  };
  FakePath slower;
  slower.other.costs = {3e-3};
  CHECK(stands(slower).gain == 0);
  FakePath close;
  close.other.costs = {1.96e-3};
  CHECK(stands(close).gain > 0.02);
  close.settings.margin = 0.01;
  CHECK(close.find()[0].entry.kernel == Kernel::naive);
  FakePath noisy;  // the model's kernel takes 2 ms by its name and 1.5 ms as gemm's choice
  noisy.automatic.costs = {1.5e-3};
  CHECK_THAT(stands(noisy).gain, WithinRel(0.5, 1e-12));
}

TEST_CASE("the second look decides, not the search", "[tuning]") {
  FakePath path;  // verified twice and searched 5 times at 1 ms, then at 3 ms
  path.other.costs.assign(12, 1e-3);
  path.other.costs.resize(42, 3e-3);
  const auto found = path.find();
  CHECK(found[0].entry.kernel == Kernel::automatic);
  CHECK(found[0].fastest_nanoseconds == 3000000);
}

TEST_CASE("of tiles of one name an entry has the one that its type's kernel is built with", "[tuning]") {
  const auto threads = [](Math math) {
    TuningEntry entry{Path::native, math, {4096, 4096, 4096}};
    entry.kernel = Kernel::tensor_core;
    return detail::tile_of(entry, "128x128x16").threads();
  };
  CHECK(threads(Math::fp64) == 256);
  CHECK(threads(Math::tf32) == 128);
}

TEST_CASE("a wrong kernel is named, and in no table", "[tuning]") {
  FakePath path;
  path.other.compute = [](const BatchArgs<double>&) {};
  auto found = path.find();
  REQUIRE(found.size() == 1);
  CHECK((found[0].entry.kernel == Kernel::automatic && found[0].entry.nanoseconds == 2000000));
  CHECK(found[0].problem ==
        "naive 4x64: wrong result of integers (row 0, column 0, not exact): report this kernel");
  // Without the model's kernel by its name, gemm's choice stands for both.
  FakePath lone;
  lone.right.compute = [](const BatchArgs<double>&) {};
  CHECK(lone.find()[0].entry.kernel == Kernel::naive);
  lone.automatic.compute = [](const BatchArgs<double>&) {};
  found = lone.find();
  CHECK((found.size() == 1 && found[0].entry.nanoseconds == 0));
}

TEST_CASE("a product that nothing takes is no finding", "[tuning]") {
  FakePath path;
  path.automatic.refusal = "no";
  CHECK(path.find().empty());
  path.right.refusal = path.other.refusal = "no";
  CHECK(path.find().empty());
  CHECK(path.right.launches == 12);  // none of the second time
}

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
    for (int trial = 0; trial < 5; ++trial) {
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
