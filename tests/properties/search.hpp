// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "memory.hpp"
#include "subject.hpp"
#include "tally.hpp"

namespace rooftile::testing {

/// Installs handlers: a signal or time limit that ends the process first writes the current case.
void tell_case_in_crashes();

/// The smallest wrong case found.
struct Failure {
  Case smallest;
  std::string fault;
  int number;  ///< of the first failure, before shrinking
};

struct Findings {
  std::optional<Failure> failure = {};
  std::map<std::string, int> computed = {};  ///< number of cases per kernel, `path kernel tile math`
  int refused = 0;
  Tally tally;  ///< of the computed cases, all of them right

  /// Kernels that computed no case and are therefore untested.
  std::string untried(const Subject& subject) const;
};

/// Tries random cases until one is wrong, and then at most `max_smaller` smaller ones. Cases in the second
/// half are drawn into the cells with the fewest cases so far. Equal seeds give equal cases.
Findings search(Subject& subject, int cases, std::uint64_t seed, const Limits& limits, int max_smaller);

/// Tries one case `times` times.
/// @return the first fault, or that the case is absent
Verdict replay(Subject& subject, const Case& c, int times);

}  // namespace rooftile::testing
