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

/// From now on a signal or a time limit that ends the process first writes the case that is tried.
void tell_case_in_crashes();

/// The smallest case found that is computed wrongly.
struct Failure {
  Case smallest;
  std::string fault;
  int number;  ///< of the first one, before it shrank
};

struct Findings {
  std::optional<Failure> failure = {};
  std::map<std::string, int> computed = {};  ///< cases of each kernel, `path kernel tile math`
  int refused = 0;
  Tally tally;  ///< of the cases that were computed, all right

  /// Kernels that computed nothing: what was not tried is not known to be right.
  std::string untried(const Subject& subject) const;
};

/// Tries random cases until one is wrong, and then at most so many smaller ones. Those of the second half are
/// drawn into cells that have fewest so far. The same seed gives the same cases.
Findings search(Subject& subject, int cases, std::uint64_t seed, const Limits& limits, int max_smaller);

/// Tries one case so many times; the first fault, or that it is absent.
Verdict replay(Subject& subject, const Case& c, int times);

}  // namespace rooftile::testing
