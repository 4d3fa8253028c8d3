// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// When a plan that was made is taken again, and when it may not be.
#include "rooftile/detail/recent_plans.hpp"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/targets.hpp"

namespace rooftile::testing {
namespace {

/// Plans by a thread's recent ones, and counts those that are made.
struct Planner {
  detail::RecentPlans recent;
  int made = 0;

  GemmPlan operator()(const GemmDesc& desc, const GemmOptions& options = {},
                      const detail::PathOnDevice& where = {Path::native, 0}) {
    GemmPlan found;
    const auto make = [&] {
      ++made;
      return plan(desc, options, h200(where.path, own_math(desc.type)));
    };
    recent.with_plan(where, desc, options, make, [&](const GemmPlan& plan) { found = plan; });
    return found;
  }
};

TEST_CASE("the plan of such products is made once", "[recent_plans]") {
  Planner planner;
  const GemmDesc desc = describe({300, 200, 100}, Type::fp32);
  const GemmPlan first = planner(desc), again = planner(desc);
  CHECK(planner.made == 1);
  CHECK((again.kernel == first.kernel && again.tile == first.tile && again.desc == desc));
}

TEST_CASE("other products, options or devices have plans of their own", "[recent_plans]") {
  Planner planner;
  const GemmDesc desc = describe({512, 512, 512}, Type::fp32);
  GemmDesc ragged = desc, batch = desc, doubles = desc;
  ragged.lines.a.whole = false;
  batch.count = 7;
  doubles.type = doubles.result_type = Type::fp64;
  for (const GemmDesc& other : {ragged, batch, doubles}) {
    const int before = planner.made;
    CHECK(planner(desc).desc == desc);
    CHECK(planner(other).desc == other);
    CHECK(planner.made == before + 2);  // in the place of the one before
  }
  CHECK(planner(desc, {.kernel = Kernel::naive}).kernel == Kernel::naive);
  CHECK(planner(desc).kernel != Kernel::naive);
  alignas(128) char memory[2] = {};
  const GemmOptions mine{.workspace = {memory + 1, 0}};
  CHECK_THROWS(planner(desc, mine));  // not aligned
  const int before = planner.made;
  planner(desc);
  CHECK(planner.made == before);
  planner(desc, {}, {Path::native, 1});
  CHECK(planner.made == before + 1);
}

TEST_CASE("the two paths of a device have plans of their own", "[recent_plans]") {
  Planner planner;
  const GemmDesc desc = describe({4096, 4096, 4096}, Type::fp16);
  for (const Path path : {Path::native, Path::portable, Path::native})
    CHECK(planner(desc, {}, {path, 0}).path == path);
}

TEST_CASE("shapes in places of their own do not displace each other", "[recent_plans]") {
  Planner planner;
  const GemmDesc first = describe({64, 64, 64}, Type::fp32);
  GemmDesc second = first;
  while (detail::RecentPlans::place_of(second.shape) == detail::RecentPlans::place_of(first.shape))
    second = describe({second.shape.m + 1, 64, 64}, Type::fp32);
  for (int i = 0; i < 3; ++i) planner(first), planner(second);
  CHECK(planner.made == 2);
}

TEST_CASE("a tuning table is looked at in every call, for it may change", "[recent_plans]") {
  Planner planner;
  const TuningTable table;
  const GemmDesc desc = describe({64, 64, 64}, Type::fp32);
  const GemmOptions tuned{.tuning = &table};
  planner(desc, tuned), planner(desc, tuned);
  CHECK(planner.made == 2);
}

TEST_CASE("a product computed meanwhile leaves a plan as it is", "[recent_plans]") {
  Planner planner;
  const GemmDesc desc = describe({64, 64, 64}, Type::fp32);
  const auto make = [&] { return plan(desc, {}, h200(Path::native, Math::fp32)); };
  planner.recent.with_plan({Path::native, 0}, desc, {}, make, [&](const GemmPlan& plan) {
    GemmDesc other = desc;
    other.count = 3;
    planner(other);
    CHECK(plan.desc == desc);
  });
}

}  // namespace
}  // namespace rooftile::testing
