// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/tuning_decision.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

namespace rooftile::perf {
namespace {

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

}  // namespace
}  // namespace rooftile::perf
