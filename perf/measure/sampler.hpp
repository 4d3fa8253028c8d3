// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "../record/record.hpp"
#include "operands.hpp"
#include "rooftile/reference.hpp"

namespace rooftile::perf {

/// The largest product, in multiply-adds, whose references cover every row of C; beyond, evenly spread rows.
inline constexpr double full_reference = 1.25e11;

/// How long to measure, and how much to verify.
struct Sampling {
  std::size_t samples = 15;           ///< of each kernel
  double seconds = 1;                 ///< a kernel stops earlier once it has taken this long …
  std::size_t least = 3;              ///< … and has this many
  double reference = full_reference;  ///< multiply-adds of each of the two references
};

/// `wanted` of `count` numbers from 0 on, the first and the last among them; all if there are no more.
inline std::vector<Index> evenly_spread(Index count, Index wanted) {
  std::vector<Index> numbers;
  if (wanted >= count) wanted = count;
  for (Index i = 0; i < wanted; ++i) {
    numbers.push_back(wanted == count ? i : i * (count - 1) / (wanted - 1));
  }
  return numbers;
}

/// How many rows of C so many multiply-adds allow to check, at least 2.
inline Index count_of_rows_to_check(const GemmShape& shape, double reference = full_reference) {
  const double per_row = static_cast<double>(shape.n) * static_cast<double>(shape.k);
  const Index wanted = std::max<Index>(2, static_cast<Index>(reference / std::max(per_row, 1.0)));
  return std::min(shape.m, wanted);
}

/// As many: the first, the last and evenly spread ones.
inline std::vector<Index> rows_to_check(const GemmShape& shape, double reference = full_reference) {
  return evenly_spread(shape.m, count_of_rows_to_check(shape, reference));
}

/// The products of a batch to check, at least 2: the first, the last and evenly spread ones.
inline constexpr Index max_products_to_check = 1000;
inline std::vector<Index> products_to_check(const GemmShape& shape, Index count,
                                            double reference = full_reference) {
  const auto affordable = static_cast<Index>(std::min(reference / std::max(0.5 * shape.flops(), 1.0), 1e9));
  return evenly_spread(count, std::clamp<Index>(affordable, 2, max_products_to_check));
}

inline Seconds summarise(std::vector<double> samples) {
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  const double median = sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
  return {median, sorted.front(), sorted.back(), sorted.size(), std::move(samples)};
}

/// What a table calls a candidate on a product.
template <class T>
std::string title_of(const Candidate<T>& c) {
  return c.path + ' ' + c.kernel + ' ' + c.tile;
}

/// Launches each candidate that is still ok on operands of one kind and compares it with their reference.
///
/// Integers must come out exactly: of random numbers, one product in 65,536 may be lost within the bound.
template <class T>
void verify(const std::vector<const Candidate<T>*>& candidates, Operands<T>& operands, Values values,
            const Sampling& sampling, const std::function<void(const std::string&)>& progress,
            std::vector<Result>& results) {
  const bool exact = values == Values::integers;
  const std::string of = exact ? " of integers" : "";
  operands.fill(values);
  progress("reference" + of);
  const BatchArgs<T> batch = operands.on_host();
  const GemmShape shape = batch.shape();
  const std::vector<Index> products = products_to_check(shape, batch.batch.count, sampling.reference);
  const double each = sampling.reference / static_cast<double>(products.size());
  std::vector<Reference<T>> references;
  for (const Index p : products) {
    references.emplace_back(batch.product(p), rows_to_check(shape, each), candidates.front()->math);
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate<T>& c = *candidates[i];
    Result& r = results[i];
    if (r.status != "ok") continue;
    progress("verify " + title_of(c) + of);
    operands.reset();
    c.device->seconds([&] { c.launch(operands.on_device()); });
    const BatchRef<const T> result = operands.result();
    r.rows_checked = 0;
    for (std::size_t p = 0; p < products.size(); ++p) {
      const MatrixRef<const T> c_p = result[products[p]];
      const Verification found = exact ? references[p].compare_exact(c_p) : references[p].compare(c_p);
      r.rows_checked += references[p].rows_checked();
      r.error_ratio = std::max(r.error_ratio, found.ratio);
      if (found.passed() || r.status != "ok") continue;
      r.status = "failed";
      r.reason = rooftile::detail::text(
          "wrong result", of, " (",
          result.count > 1 ? rooftile::detail::text("product ", products[p], ", ") : "", "row ", found.row,
          ", column ", found.col, ", ",
          exact ? std::string("not exact") : rooftile::detail::text(found.ratio, " times its error bound"),
          "): report this kernel");
    }
  }
}

/// What a sample of a CPU takes at least, in seconds: of shorter products it is the mean of several,
/// since reading the clock takes about as long as the smallest.
inline constexpr double shortest_sample = 1e-5;
inline constexpr Index max_runs = 1024;

/// The time of one run of a candidate, of `runs` in a row, which grow to what the sample wants.
template <class T>
double seconds_of(const Candidate<T>& candidate, Operands<T>& operands, Index& runs) {
  const std::function<void()> call = candidate.call(operands.on_device());
  const auto run = [&] {
    return candidate.device->seconds([&] {
      for (Index i = 0; i < runs; ++i) call();
    });
  };
  double seconds = run();
  while (!is_gpu(*candidate.device) && seconds < shortest_sample && runs < max_runs) {
    runs *= 2;
    seconds = run();
  }
  return seconds / static_cast<double>(runs);
}

/// Times the candidates whose results are ok in turn, A B C A B C …, so that they share what the machine does
/// meanwhile. Caches are warm: every run uses the same operands.
template <class T>
void time_in_turn(const std::vector<const Candidate<T>*>& candidates, Operands<T>& operands,
                  const Sampling& sampling, const std::function<void(const std::string&)>& progress,
                  std::vector<Result>& results) {
  std::vector<std::vector<double>> samples(candidates.size());
  std::vector<Index> runs(candidates.size(), 1);
  for (bool running = true; running;) {
    running = false;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const double spent = std::accumulate(samples[i].begin(), samples[i].end(), 0.0);
      const bool enough = samples[i].size() >= sampling.samples ||
                          (samples[i].size() >= sampling.least && spent > sampling.seconds);
      if (results[i].status != "ok" || enough) continue;
      progress("time " + title_of(*candidates[i]));
      samples[i].push_back(seconds_of(*candidates[i], operands, runs[i]));
      running = true;
    }
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!samples[i].empty()) results[i].seconds = summarise(samples[i]);
  }
}

/// Verifies each candidate on a product or a batch of them, then times them in turn.
/// @param candidates  of one math mode
/// @param progress    called with what is going on
template <class T>
std::vector<Result> sample(const std::vector<const Candidate<T>*>& candidates, Operands<T>& operands,
                           const Sampling& sampling,
                           const std::function<void(const std::string&)>& progress) {
  std::vector<Result> results(candidates.size());
  if (candidates.empty()) return results;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate<T>& c = *candidates[i];
    Result& r = results[i];
    r.path = c.path, r.device = c.device->name, r.backend = c.device->backend;
    r.kernel = c.kernel, r.tile = c.tile;
    r.dtype = to_string(type_of<T>()), r.math = to_string(c.math), r.shape = operands.on_host().shape();
    r.batch = operands.on_host().batch.count;
    r.request_intensity = c.request_intensity;
    r.reason = c.refusal(operands.on_device());
    r.status = r.reason.empty() ? "ok" : "unsupported";
    if (!c.chosen) continue;
    r.automatic = true;
    if (r.status == "ok") {
      const KernelName name = c.chosen(operands.on_device());
      r.kernel = name.kernel, r.tile = name.tile, r.tuned = name.tuned;
    }
  }
  verify(candidates, operands, Values::integers, sampling, progress, results);
  verify(candidates, operands, Values::uniform, sampling, progress, results);
  time_in_turn(candidates, operands, sampling, progress, results);
  return results;
}

}  // namespace rooftile::perf
