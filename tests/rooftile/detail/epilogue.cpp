// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/detail/epilogue.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "plan/plan_fused.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

/// C after the update by a function with update's signature.
template <class T, class Update>
T updated(const Update& update, T c, T alpha, T product, T beta) {
  update(c, alpha, product, beta);
  return c;
}

/// Whether `update` overwrites NaN and infinity if beta is 0.
template <class T, class Update>
bool overwrites(const Update& update) {
  using Limits = std::numeric_limits<T>;
  bool all = true;
  for (const T before : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), T(5)}) {
    all = all && updated<T>(update, before, 2, 3, 0) == 6 && updated<T>(update, before, 2, 3, T(-0.0)) == 6;
  }
  return all;
}

TEMPLATE_TEST_CASE("beta scales C and keeps a NaN, and zero overwrites it", "[epilogue]", float, double) {
  const auto update = [](auto&... x) { detail::update(x...); };
  CHECK(updated<TestType>(update, 5, 2, 3, 1) == 11);
  CHECK(updated<TestType>(update, 5, 2, 3, -4) == -14);
  CHECK(updated<TestType>(update, 5, 0, 3, 2) == 10);
  CHECK(overwrites<TestType>(update));
  CHECK(std::isnan(updated<TestType>(update, std::numeric_limits<TestType>::quiet_NaN(), 2, 3, 1)));
}

TEMPLATE_TEST_CASE("an update that multiplies by a beta of zero is detected", "[epilogue]", float, double) {
  CHECK_FALSE(overwrites<TestType>(
      [](TestType& c, TestType alpha, TestType product, TestType beta) { c = alpha * product + beta * c; }));
}

}  // namespace
}  // namespace rooftile

// The kernel and tile of a product with an epilogue on a GPU, and refusals.
namespace rooftile::testing {
namespace {

constexpr ComputeMode maths[] = {ComputeMode::fp32, ComputeMode::fp64,  ComputeMode::fp16,
                                 ComputeMode::bf16, ComputeMode::cfp32, ComputeMode::cfp64};

TEST_CASE("matrix instructions have epilogues where the backend has them", "[fused]") {
  for (const ComputeMode math : maths) {
    const GemmPlan plan =
        detail::plan_fused(describe({500, 500, 500}, type_of(math)), {}, h200(Path::portable, math));
    const bool fragments = contains(ladder_modes::warp_mma, math);
    CHECK(plan.kernel == (fragments ? Kernel::tensor_core : Kernel::pipelined));
    CHECK(detail::takes_epilogue(rung_of(plan.kernel), plan.tile, type_of(math)));
    CHECK(detail::fuses(rung_of(plan.kernel), fragments, true));
    CHECK(plan.epilogue);
    CHECK_FALSE(plan.repack);
    CHECK(steps_of(plan) == std::vector<std::string>{"multiply", "apply the epilogue"});
    CHECK(plan.why == "the fastest kernel and tile with an epilogue, by the model");
  }
  Target none = h200(Path::portable, ComputeMode::fp64);  // some AMD GPUs have no matrix instructions
  none.warp_mma = {};
  CHECK(detail::plan_fused(describe({500, 500, 500}, Type::fp64), {}, none).kernel == Kernel::pipelined);
}

TEST_CASE("the few tiles that are compiled lose little", "[fused]") {
  std::mt19937_64 bits(20261124);
  const auto extent = [&] {
    return static_cast<Index>(std::exp2(6 + 7e-3 * static_cast<double>(bits() % 1000)));
  };
  for (const ComputeMode math : maths) {
    const Target target = h200(Path::portable, math);
    double sum = 0;
    constexpr int products = 400;
    for (int i = 0; i < products; ++i) {
      const GemmDesc desc = describe({extent(), extent(), extent()}, type_of(math));
      const GemmPlan plan = detail::plan_fused(desc, {}, target);
      double fastest = std::numeric_limits<double>::infinity();
      for (const TileShape tile : rung_of(plan.kernel).tiles) {
        if (!detail::is_built(rung_of(plan.kernel), Path::portable, tile, desc.type)) continue;
        if (!detail::too_large(rung_of(plan.kernel), tile, target).empty()) continue;
        fastest = std::min(fastest, choose(desc, {.kernel = plan.kernel, .tile = tile}, target).seconds);
      }
      sum += std::log(fastest / plan.seconds);
    }
    INFO(to_string(math));
    // In fp32, the fastest candidate may be pipelined 128×256, which supports no epilogue.
    CHECK(std::exp(sum / products) > (is_16_bit(type_of(math))    ? 0.94
                                      : math == ComputeMode::fp32 ? 0.95
                                                                  : 0.96));
  }
}

TEST_CASE("modes, kernels and tiles without an epilogue are refused", "[fused]") {
  const auto refusal = [](const GemmOptions& options, const GemmShape& shape = {64, 64, 64}) {
    return refused([&] {
      static_cast<void>(
          detail::plan_fused(describe(shape, Type::fp32), options, h200(Path::portable, ComputeMode::fp32)));
    });
  };
  CHECK(refusal({.kernel = Kernel::pipelined, .tile = {64, 64, 16, 8, 8}}).empty());
  CHECK(refusal({.math = ComputeMode::fp32}).empty());
  CHECK(refusal({}, {0, 5, 6}).empty());
  CHECK(refusal({}, {5, 6, 0}).empty());
  const std::pair<GemmOptions, std::string_view> refusals[] = {
      {{.math = ComputeMode::tf32}, "(tf32): take fp32"},
      {{.math = ComputeMode::fp64}, "(fp64, fp32): take one of fp32, tf32, tf32x3"},
      {{.kernel = Kernel::pipelined, .repack = true}, "(repack): leave out repack"},
      {{.kernel = Kernel::naive}, "(naive): name none"},
      {{.kernel = Kernel::pipelined, .tile = {128, 256, 8, 8, 16}},
       "(pipelined 128x256x8): take one of 128x128x16, 64x64x16, 32x64x16"},
      {{.kernel = static_cast<Kernel>(99)}, ladder[rung_count - 1].name},
  };
  for (const auto& [options, end] : refusals) CHECK(refusal(options).ends_with(end));
  Target small = h200(Path::portable, ComputeMode::fp32);
  small.limits.shared_bytes = small.limits.shared_bytes_optin = 1024;
  CHECK(problem([&] {
          static_cast<void>(detail::plan_fused(describe({64, 64, 64}, Type::fp32), {}, small));
        }).ends_with("(pipelined, 1024 bytes)"));
}

}  // namespace
}  // namespace rooftile::testing
