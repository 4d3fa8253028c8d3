// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "command.hpp"
#include "machine.hpp"
#include "record/record.hpp"
#include "writers/output.hpp"

namespace rooftile::perf {

/// How a run of `rooftile bench` ends, and what is said of what was wrong or could not run.
/// @param ours  whether a kernel of ours must have been measured
inline int verdict_of(const std::vector<Result>& results, bool ours) {
  const auto failed = [&](bool baseline) {
    return std::count_if(results.begin(), results.end(), [&](const Result& r) {
      return r.status == "failed" && is_baseline(r.path) == baseline;
    });
  };
  if (const auto wrong = failed(true); wrong > 0) {
    fmt::print("\n{} of another library: no ratio to it there\n", counted(wrong, "wrong result"));
  }
  if (failed(false) > 0) return check_failed;
  const auto measured = [&](const Result& r) { return r.ok() && !(ours && is_baseline(r.path)); };
  if (std::any_of(results.begin(), results.end(), measured)) return ok;
  const Result& first = results.front();
  fmt::print(stderr, "rooftile: nothing was measured ({} {} {}: {})\n", first.path, first.kernel,
             to_string(first.shape), first.reason);
  return check_failed;
}

}  // namespace rooftile::perf
