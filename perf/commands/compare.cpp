// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/core.h>

#include "../command.hpp"
#include "../machine.hpp"
#include "../measure/comparison.hpp"
#include "../options.hpp"
#include "../parse.hpp"
#include "../record/json.hpp"
#include "../writers/output.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::string before, after;
  Sensitivity sensitivity;
  bool all = false, json = false;
};

std::string kernel_of(const Result& r) {
  return r.kernel + (r.automatic ? " (auto)" : "");
}

Json to_json(const Pair& pair) {
  const Result& r = *pair.after;
  Json json = {{"verdict", name(pair.verdict)},
               {"device", r.device},
               {"backend", r.backend},
               {"path", r.path},
               {"kernel", r.kernel},
               {"tile", r.tile},
               {"math", r.math},
               {"product", product_of(r)},
               {"before_seconds", pair.before_seconds},
               {"after_seconds", pair.after_seconds},
               {"change", pair.change()},
               {"probability", pair.probability},
               {"samples", {pair.before->seconds.samples.size(), r.seconds.samples.size()}}};
  if (r.automatic) json["automatic"] = true;
  if (pair.too_few) json["too_few_samples"] = true;
  return json;
}

Json to_json(const Comparison& found, const Sensitivity& sensitivity) {
  Json json = {{"test", "Mann-Whitney U, two-sided, Holm's correction"},
               {"threshold", sensitivity.threshold},
               {"false_alarms", sensitivity.false_alarms}};
  for (std::size_t i = 0; i < verdict_names.size(); ++i) {
    json["counts"][std::string(verdict_names[i])] = found.count(static_cast<Verdict>(i));
  }
  json["counts"]["wrong"] = found.broken.size();
  json["counts"]["only_before"] = found.only_before;
  json["counts"]["only_after"] = found.only_after;
  json["pairs"] = Json::array();
  for (const Pair& pair : found.pairs) json["pairs"].push_back(to_json(pair));
  json["wrong"] = Json::array();
  for (const Result* r : found.broken)
    json["wrong"].push_back({{"what", identity_of(*r)}, {"reason", r->reason}});
  return json;
}

/// Prints the changes, slower kernels first; with `all`, also the unchanged kernels.
void print_pairs(const Comparison& found, bool all) {
  Table table({"verdict", "backend", "path", "kernel", "tile", "math", "product", "ms before", "ms now",
               "change", "by chance"});
  bool any = false;
  for (std::size_t i = 0; i < verdict_names.size(); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    if (verdict == Verdict::same && !all) continue;
    for (const Pair& pair : found.pairs) {
      if (pair.verdict != verdict) continue;
      const Result& r = *pair.after;
      any = true;
      table.add({std::string(name(verdict)), r.backend, r.path, kernel_of(r), r.tile, r.math, product_of(r),
                 fmt::format("{:.4f}", 1e3 * pair.before_seconds),
                 fmt::format("{:.4f}", 1e3 * pair.after_seconds),
                 fmt::format("{:+.1f} %", 100 * pair.change()), fmt::format("{:.2g}", pair.probability)});
    }
  }
  if (any) table.print();
}

void print(const Comparison& found, const Options& o) {
  print_pairs(found, o.all);
  for (const Result* r : found.broken) fmt::print("WRONG NOW: {}: {}\n", identity_of(*r), r->reason);
  fmt::print(
      "{}: {} slower, {} faster, {} ambiguous, {} the same within {}; only in {}: {}, only in {}: {}\n",
      counted(found.pairs.size(), "kernel and product", "kernels and products"), found.count(Verdict::slower),
      found.count(Verdict::faster), found.count(Verdict::ambiguous), found.count(Verdict::same),
      percent(o.sensitivity.threshold), o.before, found.only_before, o.after, found.only_after);
  std::size_t too_few = 0, others_slower = 0;
  for (const Pair& pair : found.pairs) {
    too_few += pair.too_few ? 1 : 0;
    others_slower += pair.verdict == Verdict::slower && is_baseline(pair.after->path) ? 1 : 0;
  }
  if (too_few > 0) {
    fmt::print("{} ambiguous for want of samples: run both with more, such as `--samples 15`\n", too_few);
  }
  if (others_slower > 0) {
    fmt::print("{} slower of other libraries': the machine may have changed\n", others_slower);
  }
}

int run(const Options& o) {
  const Run before = read_whole_run(o.before), after = read_whole_run(o.after);
  const Comparison found = compare(before, o.before, after, o.after, o.sensitivity);
  print_either(o.json, to_json(found, o.sensitivity), [&] { print(found, o); });
  const bool ours_wrong = std::any_of(found.broken.begin(), found.broken.end(),
                                      [](const Result* r) { return !is_baseline(r->path); });
  return found.any_slower() || ours_wrong ? check_failed : ok;
}

Command::Run setup(Arguments& app) {
  auto o = std::make_shared<Options>();
  app.add_option("OLD", o->before, "file of an earlier `bench --json`")->required();
  app.add_option("NEW", o->after, "file of a later `bench --json`")->required();
  app.add_option("--threshold", o->sensitivity.threshold, "smallest relative change that counts (0.03: 3 %)")
      ->transform(number(0, 10))
      ->capture_default_str();
  app.add_option("--false-alarms", o->sensitivity.false_alarms,
                 "highest probability that anything unchanged is called slower or faster")
      ->transform(number(1e-12, 1))
      ->capture_default_str();
  app.add_flag("--all", o->all, "also unchanged rows");
  app.add_flag("--json", o->json, "as JSON, all rows");
  return [o] { return run(*o); };
}

const Command compare_command{
    "compare",
    "Which kernels became slower or faster between two runs?",
    {"rooftile compare old.json new.json", "rooftile compare old.json new.json --threshold 0.05 --all"},
    setup};

}  // namespace
}  // namespace rooftile::perf
