// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "comparison.hpp"

#include <map>

#include "../machine.hpp"
#include "rank_test.hpp"
#include "sampler.hpp"

namespace rooftile::perf {
namespace {

using detail::text;

using Results = std::map<std::string, const Result*>;

void require_samples(const Result& r, const std::string& file) {
  const std::string where = text(file, ", ", identity_of(r));
  if (r.seconds.samples.empty()) {
    throw Error(text("no samples (", where, "): run `rooftile bench` again, whose files now have samples"));
  }
  for (const double sample : r.seconds.samples) {
    if (!(sample > 0)) {
      throw Error(text("a sample that is not a positive time (", where, ", ", sample,
                       "): name a file that `bench --json` wrote"));
    }
  }
}

Results results_of(const Run& run, const std::string& file) {
  Results results;
  for (const Result& r : run.results) {
    if (r.ok()) require_samples(r, file);
    if (!results.emplace(identity_of(r), &r).second) {
      throw Error(text("result twice (", file, ", ", identity_of(r), "): name the file of one run"));
    }
  }
  return results;
}

void require_same_devices(const Run& before, const Run& after) {
  for (const MeasuredDevice& b : before.devices) {
    for (const MeasuredDevice& a : after.devices) {
      if (a.name != b.name || a.backend != b.backend || a.hardware == b.hardware) continue;
      if (!a.hardware.is_known() || !b.hardware.is_known()) continue;  // the file does not state the hardware
      throw Error(text("not the same device (", a.backend, ", before ", identity(b), "; now ", identity(a),
                       "): compare runs of one kind of machine"));
    }
  }
}

void require_same_threads(const Run& before, const Run& after) {
  for (const MeasuredDevice& b : before.devices) {
    for (const MeasuredDevice& a : after.devices) {
      if (a.name != b.name || a.backend != b.backend || a.threads == b.threads) continue;
      if (a.threads == 0 || b.threads == 0) continue;  // the file does not state the threads
      throw Error(text("not the same number of threads (", a.name, ", ", a.backend, ", ", b.threads,
                       " before, ", a.threads, " now): run both with equally many"));
    }
  }
}

Pair pair_of(const Result& before, const Result& after) {
  const std::vector<double>&b = before.seconds.samples, &a = after.seconds.samples;
  Pair pair{&before, &after, summarise(b).median, summarise(a).median};
  pair.probability = rank_test(b, a);
  return pair;
}

/// @param pairs  with the uncorrected probability of each test
void judge(std::vector<Pair>& pairs, const Sensitivity& sensitivity) {
  std::vector<double> alone;
  for (const Pair& pair : pairs) alone.push_back(pair.probability);
  const std::vector<double> of_all = corrected(alone);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Pair& pair = pairs[i];
    pair.probability = of_all[i];
    const bool slower = pair.after_seconds > pair.before_seconds;
    const double ratio =
        slower ? pair.after_seconds / pair.before_seconds : pair.before_seconds / pair.after_seconds;
    if (ratio <= 1 + sensitivity.threshold) continue;
    if (pair.probability <= sensitivity.false_alarms) {
      pair.verdict = slower ? Verdict::slower : Verdict::faster;
      continue;
    }
    pair.verdict = Verdict::ambiguous;
    const double least =
        min_probability(pair.before->seconds.samples.size(), pair.after->seconds.samples.size());
    pair.too_few = least * static_cast<double>(pairs.size()) > sensitivity.false_alarms;
  }
}

}  // namespace

std::string identity_of(const Result& r) {
  const std::string kernel = r.automatic ? "automatic" : r.tile.empty() ? r.kernel : r.kernel + ' ' + r.tile;
  return text(r.device, ", ", r.backend, ", ", r.path, ' ', kernel, ", ", r.math, ' ', product_of(r));
}

std::size_t Comparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(pairs.begin(), pairs.end(), [&](const Pair& pair) { return pair.verdict == verdict; }));
}

bool Comparison::any_slower() const {
  return std::any_of(pairs.begin(), pairs.end(), [](const Pair& pair) {
    return pair.verdict == Verdict::slower && !is_baseline(pair.after->path);
  });
}

Comparison compare(const Run& before, const std::string& before_file, const Run& after,
                   const std::string& after_file, const Sensitivity& sensitivity) {
  require_same_devices(before, after);
  require_same_threads(before, after);
  const Results old_ones = results_of(before, before_file), new_ones = results_of(after, after_file);
  Comparison found;
  for (const Result& r : after.results) {
    const auto before_it = old_ones.find(identity_of(r));
    const bool timed_before = before_it != old_ones.end() && before_it->second->ok();
    if (r.status == "failed" && timed_before) found.broken.push_back(&r);
    if (r.ok() && timed_before) found.pairs.push_back(pair_of(*before_it->second, r));
    if (r.ok() && !timed_before) ++found.only_after;
  }
  for (const auto& [identity, r] : old_ones) {
    const auto now = new_ones.find(identity);
    if (r->ok() && (now == new_ones.end() || now->second->status == "unsupported")) ++found.only_before;
  }
  if (found.pairs.empty() && found.broken.empty()) {
    throw Error(text("no product with a time in both files (", before_file, ", ", after_file,
                     "): run the same products on the same device"));
  }
  judge(found.pairs, sensitivity);
  return found;
}

}  // namespace rooftile::perf
