// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/tuner.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "fake_device.hpp"

namespace rooftile::perf {
namespace {

using testing::FakeDevice;
using testing::FakeKernel;

/// A path with kernels that take given times. gemm's own choice is `tiled_checked 8x8x8`.
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
  for (const auto& [finalists, margin, faster] : {std::tuple{Finalists{1, 1.05, 1.05}, 0.03, true},
                                                  {{1, 1.02, 1.02}, 0.03, false},
                                                  {{1, 1.02, 1.02}, 0, true},
                                                  {{1, 1, 1}, 0, false},
                                                  {{1, 1.05, 1.07}, 0.03, true},   // noise of 2 %
                                                  {{1, 1.05, 1.09}, 0.03, false},  // noise of 4 %
                                                  {{1, 0.5, 2}, 0, false}})
    CHECK(finalists.is_faster(margin) == faster);
}

TEST_CASE("a kernel that is faster than the model's choice becomes an entry", "[tuning]") {
  FakePath path;
  const auto found = path.find();
  REQUIRE(found.size() == 1);
  const TuningEntry& entry = found[0].entry;
  const TuningLayout ragged{true, false, Alignment::ragged, Alignment::ragged,
                            Alignment::aligned};  // k is odd
  CHECK(
      entry ==
      TuningEntry{
          Path::native, ComputeMode::fp64, {20, 12, 9}, ragged, Kernel::naive, cta(4, 64), 1000000, 2000000});
  CHECK((found[0].model.kernel == "tiled_checked" && found[0].model.tile == "8x8x8"));
  CHECK((found[0].fastest.kernel == "naive" && found[0].fastest_nanoseconds == 1000000));
  CHECK_THAT(found[0].gain, WithinRel(1.0, 1e-12));
  CHECK(found[0].problem == "");
  // 2 launches verify; 5 samples search and 15 as a finalist, each after an untimed launch: 42.
  CHECK((path.other.launches == 42 && path.right.launches == 42 && path.automatic.launches == 42));
}

TEST_CASE("the model's choice stays where it is fastest, within the margin or the noise", "[tuning]") {
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
  FakePath noisy;  // the model's kernel: 2 ms by name, 1.5 ms as gemm's choice
  noisy.automatic.costs = {1.5e-3};
  CHECK_THAT(stands(noisy).gain, WithinRel(0.5, 1e-12));
}

TEST_CASE("the second measurement decides, not the search", "[tuning]") {
  FakePath path;  // 1 ms for verification and search, then 3 ms
  path.other.costs.assign(12, 1e-3);
  path.other.costs.resize(42, 3e-3);
  const auto found = path.find();
  CHECK(found[0].entry.kernel == Kernel::automatic);
  CHECK(found[0].fastest_nanoseconds == 3000000);
}

TEST_CASE("an entry has the tile that its type's kernel is built with", "[tuning]") {
  const auto threads = [](ComputeMode math) {
    TuningEntry entry{Path::native, math, {4096, 4096, 4096}};
    entry.kernel = Kernel::tensor_core;
    return tile_of(entry, "64x64x16").threads();
  };
  CHECK(threads(ComputeMode::fp64) == 256);
  CHECK(threads(ComputeMode::tf32) == 128);
}

TEST_CASE("a wrong kernel is named, and in no table", "[tuning]") {
  FakePath path;
  path.other.compute = [](const BatchArgs<double>&) {};
  auto found = path.find();
  REQUIRE(found.size() == 1);
  CHECK((found[0].entry.kernel == Kernel::automatic && found[0].entry.nanoseconds == 2000000));
  CHECK(found[0].problem ==
        "naive 4x64: wrong result of integers (row 0, column 0, not exact): report this kernel");
  // If the model's kernel is wrong under its name, gemm's own choice takes its place.
  FakePath lone;
  lone.right.compute = [](const BatchArgs<double>&) {};
  CHECK(lone.find()[0].entry.kernel == Kernel::naive);
  lone.automatic.compute = [](const BatchArgs<double>&) {};
  found = lone.find();
  CHECK((found.size() == 1 && found[0].entry.nanoseconds == 0));
}

TEST_CASE("a product that no kernel computes has no finding", "[tuning]") {
  FakePath path;
  path.automatic.refusal = "no";
  CHECK(path.find().empty());
  path.right.refusal = path.other.refusal = "no";
  CHECK(path.find().empty());
  CHECK(path.right.launches == 12);  // none for the second measurement
}

}  // namespace
}  // namespace rooftile::perf
