// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/detail/int8_choice.hpp"

#include <string>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/choose.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using testing::cube;
using testing::portable;
using testing::refused;
using testing::today;

TEST_CASE("fp64 from products of int8 is for CPUs, and for those who ask", "[choose]") {
  Target cpu = portable(today, Math::fp64);
  cpu.cache_blocks = {96, 96, 96, 4, 8};
  CHECK(choose(cube, {}, cpu).math == Math::fp64);
  const Choice asked = choose(cube, {.math = Math::fp64_int8}, cpu);
  CHECK((asked.kernel == Kernel::packed && asked.math == Math::fp64_int8 && asked.why == detail::why_int8));
  const Choice nothing = choose({8, 8, 0}, {.math = Math::fp64_int8}, cpu);
  CHECK((nothing.math == Math::fp64 && nothing.why == "fp64 itself: there is nothing to multiply"));
  const Choice longest = choose({8, 8, residues::max_k + 1}, {.math = Math::fp64_int8}, cpu);
  CHECK(longest.why == "fp64 itself: K is longer than what products of int8 are proven for");
  for (const Path path : {Path::native, Path::portable}) {
    CHECK(refused([&] {
            choose(cube, {.math = Math::fp64_int8}, testing::h200(path, Math::fp64));
          }).starts_with("no kernel computes in fp64_int8 here (" + std::string(to_string(path)) + " path"));
  }
}

}  // namespace
}  // namespace rooftile
