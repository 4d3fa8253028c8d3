// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "perf/record/record.hpp"
#include "perf/writers/output_file.hpp"
#include "rooftile/error.hpp"
#include "search.hpp"

namespace rooftile::testing {
namespace {

constexpr int repeats = 5;  ///< for a case that was once wrong: a race may not show at once
constexpr int skipped = 77;

struct Options {
  int cases = 2000;
  std::uint64_t seed = 20261122;
  std::string kernel;
  std::string one;
  std::string file;
  std::string counts;
  int max_smaller = 100'000;
  Limits limits = testing::limits();
};

Options parse(int argc, char** argv, const Program& program) {
  Options options;
  options.file = program.kept_cases;
  CLI::App app("Tries every kernel of the " + program.path + " path on " + program.backend +
               " on random products, first on those that were once wrong.");
  app.add_option("--cases", options.cases, "how many random cases")
      ->envname("ROOFTILE_PROPERTY_CASES")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--seed", options.seed, "of the random cases")->envname("ROOFTILE_PROPERTY_SEED");
  app.add_option("--multiply-adds", options.limits.multiply_adds,
                 "of a random case at most, where the device is slow")
      ->check(CLI::PositiveNumber);
  app.add_option("--bytes", options.limits.bytes, "of an operand of a random case at most")
      ->check(CLI::Range(std::size_t{1} << 16, options.limits.bytes));
  app.add_option("--kernel", options.kernel, "only random cases of this kernel");
  app.add_option("--smaller", options.max_smaller,
                 "how many smaller cases to try once a random one is wrong: few where each takes long")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--case", options.one, "only this case, a line that a failure printed");
  app.add_option("--file", options.file, "cases to try first");
  app.add_option(
      "--counts", options.counts,
      "write to this file, as JSON, how many products of each mode, operations, layout of C and kind of "
      "batch were right");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return options;
}

int report(const Case& c, const std::string& fault) {
  std::cout << "wrong: " << fault << "\n  " << to_string(c) << "\nTry it with --case '" << to_string(c)
            << "'; keep it in tests/properties/cases.txt." << std::endl;
  return 1;
}

int try_one(Subject& subject, const std::string& line) {
  const Case c = parse_case(line);
  const Verdict verdict = replay(subject, c, repeats);
  if (verdict.outcome == Verdict::absent)
    throw Error(detail::text("no such kernel here (", line, "): take one that this path and device have"));
  if (!verdict.fault.empty()) return report(c, verdict.fault);
  std::cout << (verdict.outcome == Verdict::refused ? "refused" : "right") << ", " << repeats << " times\n";
  return 0;
}

int try_kept(Subject& subject, const std::string& file) {
  std::ifstream in(file);
  if (!in) throw Error(detail::text("cannot read the cases (", file, "): name another --file"));
  int tried = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    const Case c = parse_case(line);
    const Verdict verdict = replay(subject, c, repeats);
    if (!verdict.fault.empty()) return report(c, verdict.fault);
    if (verdict.outcome != Verdict::absent) ++tried;
  }
  std::cout << tried << " kept cases are right" << std::endl;
  return 0;
}

/// Writes the counts from which the table in docs/reliability.md is generated.
void write_counts(const perf::OutputFile& file, const Subject& subject, const perf::Device& device,
                  const Options& options, const Findings& findings) {
  const perf::Origin origin = perf::origin_here();
  const nlohmann::ordered_json counts{{"date", origin.date},         {"commit", origin.commit},
                                      {"compiler", origin.compiler}, {"device", device.name},
                                      {"path", subject.path()},      {"backend", device.backend},
                                      {"cases", options.cases},      {"seed", options.seed},
                                      {"refused", findings.refused}, {"products", findings.tally.to_json()}};
  file.write(counts.dump(1) + '\n');
}

int try_random(Subject& subject, const perf::Device& device, const Options& options) {
  std::optional<perf::OutputFile> file;
  if (!options.counts.empty()) file.emplace("--counts", options.counts);
  const auto [cases, seed] = std::pair(options.cases, options.seed);
  const auto begin = std::chrono::steady_clock::now();
  const Findings findings = search(subject, cases, seed, options.limits, options.max_smaller);
  if (findings.failure) {
    std::cout << "case " << findings.failure->number << " of seed " << seed << " is ";
    return report(findings.failure->smallest, findings.failure->fault);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::cout << cases << " random cases of seed " << seed << " over " << subject.kernels().size()
            << " kernels are right, " << findings.refused << " of them refused, in " << seconds.count()
            << " s" << std::endl;
  if (file) write_counts(*file, subject, device, options, findings);
  // With fewer cases, some kernels or kinds of products may get none by chance. A single kernel may refuse a
  // kind.
  const auto are_enough = [&](std::size_t least) { return static_cast<std::size_t>(cases) >= least; };
  const std::string untried = findings.untried(subject), holes = findings.tally.holes();
  const bool is_untried = are_enough(15 * subject.kernels().size()) && !untried.empty();
  if (is_untried) std::cout << "not one case was computed by " << untried << std::endl;
  const bool has_holes =
      are_enough(findings.tally.cells() * 3 / 2) && options.kernel.empty() && !holes.empty();
  if (has_holes) std::cout << "not one product was computed of\n" << holes << std::flush;
  return is_untried || has_holes ? 1 : 0;
}

int run(const Program& program, const Options& options) {
  perf::Machine machine = perf::find_machine();
  perf::Device* const device = machine.device(program.backend);
  if (device == nullptr) {
    std::cout << "no device for " << program.backend << std::endl;
    const char* required = std::getenv("ROOFTILE_REQUIRE_GPU");
    return required != nullptr && std::string(required) == "1" ? 1 : skipped;
  }
  if (const std::string fault = definition_fault(); !fault.empty()) throw Error(fault);
  if (program.change) program.change(machine);
  Subject subject(machine, *device, program.path);
  if (!fenced()) std::cout << "no fences on this device: guards stand in their place" << std::endl;
  tell_case_in_crashes();
  if (!options.one.empty()) return try_one(subject, options.one);
  if (!options.kernel.empty()) subject.keep(options.kernel);
  const int kept = try_kept(subject, options.file);
  return kept != 0 ? kept : try_random(subject, *device, options);
}

}  // namespace

int run(int argc, char** argv, const Program& program) {
  try {
    return run(program, parse(argc, argv, program));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}

}  // namespace rooftile::testing
