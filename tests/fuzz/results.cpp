// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Result files: each command that reads them accepts or refuses them.
#include <cstdint>

#include "program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const rooftile::fuzz::Program program;
  program.write("results.json", {reinterpret_cast<const char*>(data), size});
  program.run({"compare", "results.json", "results.json"});
  program.run(
      {"compare", "--json", "--threshold", "0", "--false-alarms", "1", "results.json", "results.json"});
  program.run({"portability", "results.json"});
  program.run({"portability", "--json", "--path", "native", "results.json", "results.json"});
  program.run({"report", "--html", "page.html", "results.json", "./results.json"});
  program.run({"report", "--picture", "picture.svg", "results.json"});
  program.run({"explain", "--m", "512", "--n", "512", "--k", "512", "--measured", "results.json"});
  return 0;
}
