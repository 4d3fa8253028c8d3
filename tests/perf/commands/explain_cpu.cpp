// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// `rooftile explain --device CPU`: the model of this machine's CPU, and its hardware counters.
#include <cmath>

#include "program.hpp"

namespace rooftile::testing {
namespace {

TEST_CASE("explain sets the counters of this machine's CPU beside the model", "[model]") {
  const std::string product =
      "explain --json --m 240 --n 230 --k 220 --math fp64 --device CPU --path portable";
  const Ran ran = run_program(product + " --counters");
  INFO(ran.text);
  if (ran.text.find("no portable path") != std::string::npos) SKIP("this build multiplies on GPUs alone");
  REQUIRE(ran.status == 0);
  const json explanation = json::parse(ran.text);
  if (explanation.contains("not_counted")) {  // a virtual machine, or a build without PAPI
    CHECK(explanation.at("not_counted").get<std::string>().find("PAPI") != std::string::npos);
    return;
  }
  for (const json& k : explanation.at("kernels")) {
    if (!k.contains("counted") || k.at("counted").front().at("of") != "operations") continue;
    CHECK(std::abs(k.at("counted").front().at("difference").get<double>()) < 0.2);
  }
}

}  // namespace
}  // namespace rooftile::testing
