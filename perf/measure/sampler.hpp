// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "statistics.hpp"
#include "verify.hpp"

namespace rooftile::perf {

Seconds summarise(std::vector<double> samples);

/// The minimum duration of a CPU sample in seconds. A sample of a shorter product is the mean of several
/// calls, since reading the clock takes about as long as the smallest product.
inline constexpr double shortest_sample = 1e-5;
inline constexpr Index max_runs = 1024;

/// The mean time of `runs` consecutive calls. On a CPU, `runs` grows until a sample is long enough. An
/// untimed call precedes them, so that the caches are in the state of a program's loop. With `cold`, the
/// caches are flushed after that call, which evicts the data but treats the instructions of all kernels
/// equally.
double seconds_of(Device& device, const std::function<void()>& call, Index& runs, bool cold = false);

std::string in_words(const Sampling& sampling);

bool is_enough(const std::vector<double>& samples, const Sampling& sampling);

struct Timed {
  std::string title;
  Device* device;
  std::function<void()> call;
};

/// Times the calls interleaved, A B C A B C …, so that disturbances of the machine affect all of them.
/// @return the samples of each; after an interruption, the samples so far
std::vector<Seconds> time_in_turn(const std::vector<Timed>& all, const Sampling& sampling,
                                  const std::function<void(const std::string&)>& progress);

/// Times rows or results interleaved and sets the seconds of each.
/// @param timed_of  what to time for the row with this index; empty: skip the row
template <class Row, class Of>
void time_rows(std::vector<Row>& rows, const Sampling& sampling,
               const std::function<void(const std::string&)>& progress, const Of& timed_of) {
  std::vector<Timed> timed;
  std::vector<Row*> of_timed;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::optional<Timed> one = timed_of(i);
    if (!one) continue;
    timed.push_back(std::move(*one));
    of_timed.push_back(&rows[i]);
  }
  const std::vector<Seconds> seconds = time_in_turn(timed, sampling, progress);
  for (std::size_t i = 0; i < seconds.size(); ++i) of_timed[i]->seconds = seconds[i];
}

/// Times the candidates with correct results, interleaved. Every run uses identical operands.
template <class T>
void time_in_turn(const std::vector<const Candidate<T>*>& candidates, Operands<T>& operands,
                  const Sampling& sampling, const std::function<void(const std::string&)>& progress,
                  std::vector<Result>& results);

template <class T>
void set_candidate(Result& r, const Candidate<T>& c) {
  r.path = c.path, r.device = c.device->name, r.backend = c.device->backend;
  r.kernel = c.kernel, r.tile = c.tile, r.automatic = static_cast<bool>(c.chosen);
  r.dtype = to_string(type_of<T>()), r.math = to_string(c.math);
}

/// Verifies each candidate on a product or a batch, then times the candidates interleaved.
/// @throws Interrupted if the run is interrupted before the first sample
template <class T>
std::vector<Result> sample(const std::vector<const Candidate<T>*>& candidates, Operands<T>& operands,
                           const Sampling& sampling, const std::function<void(const std::string&)>& progress);

}  // namespace rooftile::perf
