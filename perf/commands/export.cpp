// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/core.h>

#include "../command.hpp"
#include "../record/json.hpp"
#include "../writers/exports.hpp"
#include "../writers/output.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::string file, format = "csv";
};

int run(const Options& o) {
  const Run bench = read_run("", o.file);
  if (o.format == "csv") {
    fmt::print("{}", csv(bench));
  } else {
    print_json(google_benchmark(bench));
  }
  return ok;
}

Command::Run setup(Arguments& app) {
  auto o = std::make_shared<Options>();
  app.add_option("FILE", o->file, "what `bench --json` wrote")->required();
  app.add_option("--format", o->format, "csv, google-benchmark")
      ->one_of({"csv", "google-benchmark"})
      ->capture_default_str();
  return [o] { return run(*o); };
}

const Command export_command{
    "export",
    "How do other tools read the results?",
    {"rooftile export run.json > run.csv", "rooftile export run.json --format google-benchmark"},
    setup};

}  // namespace
}  // namespace rooftile::perf
