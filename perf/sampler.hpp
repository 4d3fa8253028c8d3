// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "operands.hpp"
#include "result.hpp"
#include "rooftile/reference.hpp"

namespace rooftile::perf {

/// How long to measure.
struct Sampling {
  std::size_t samples = 15;  ///< of each kernel
  double seconds = 1;        ///< a kernel stops earlier once it has taken this long …
  std::size_t least = 3;     ///< … and has this many
};

/// The largest product, in multiply-adds, whose reference covers every row of C; beyond, evenly spread rows.
inline constexpr double full_reference = 2.5e11;

/// How many rows of C `full_reference` allows to check, at least 2.
inline Index count_of_rows_to_check(const GemmShape& shape) {
  const double per_row = static_cast<double>(shape.n) * static_cast<double>(shape.k);
  const Index wanted = std::max<Index>(2, static_cast<Index>(full_reference / std::max(per_row, 1.0)));
  return std::min(shape.m, wanted);
}

/// As many: the first, the last and evenly spread ones.
inline std::vector<Index> rows_to_check(const GemmShape& shape) {
  const Index count = count_of_rows_to_check(shape);
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) rows.push_back(count == shape.m ? i : i * (shape.m - 1) / (count - 1));
  return rows;
}

inline Seconds summarise(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  const double median = samples.size() % 2 == 1 ? samples[half] : 0.5 * (samples[half - 1] + samples[half]);
  return {median, samples.front(), samples.back(), samples.size()};
}

/// Verifies each candidate on a product, then times them in turn, A B C A B C …, so that they share what the
/// machine does meanwhile. Caches are warm: every run uses the same operands.
/// @param progress  called with what is going on
template <class T>
std::vector<Result> sample(const std::vector<const Candidate<T>*>& candidates, Operands<T>& operands,
                           const Sampling& sampling,
                           const std::function<void(const std::string&)>& progress) {
  const GemmShape shape = operands.on_host().shape();
  std::vector<Result> results(candidates.size());
  progress("reference");
  const Reference<T> reference(operands.on_host(), rows_to_check(shape));

  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate<T>& c = *candidates[i];
    Result& r = results[i];
    r.path = c.path, r.backend = c.device->backend, r.kernel = c.kernel, r.tile = c.tile, r.shape = shape;
    r.request_intensity = c.request_intensity;
    progress("verify " + c.path + ' ' + c.kernel + ' ' + c.tile);
    r.reason = c.refusal(operands.on_device());
    if (!r.reason.empty()) {
      r.status = "unsupported";
      continue;
    }
    operands.reset();
    c.device->seconds([&] { c.launch(operands.on_device()); });
    const Verification verification = reference.compare(operands.result());
    r.error_ratio = verification.ratio;
    r.rows_checked = reference.rows_checked();
    r.status = verification.passed() ? "ok" : "failed";
    if (!verification.passed()) {
      r.reason =
          rooftile::detail::text("wrong result (row ", verification.row, ", column ", verification.col, ", ",
                                 verification.ratio, " times its error bound): report this kernel");
    }
  }

  std::vector<std::vector<double>> samples(candidates.size());
  for (bool running = true; running;) {
    running = false;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const double spent = std::accumulate(samples[i].begin(), samples[i].end(), 0.0);
      const bool enough = samples[i].size() >= sampling.samples ||
                          (samples[i].size() >= sampling.least && spent > sampling.seconds);
      if (results[i].status != "ok" || enough) continue;
      progress("time " + candidates[i]->path + ' ' + candidates[i]->kernel + ' ' + candidates[i]->tile);
      samples[i].push_back(
          candidates[i]->device->seconds([&] { candidates[i]->launch(operands.on_device()); }));
      running = true;
    }
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!samples[i].empty()) results[i].seconds = summarise(samples[i]);
  }
  return results;
}

}  // namespace rooftile::perf
