// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "../record/record.hpp"

/// `rooftile compare`: what became of each kernel from one run to another.
namespace rooftile::perf {

/// Ambiguous: the medians are apart, but the samples do not say that this is no chance.
enum class Verdict { slower, ambiguous, faster, same };
inline constexpr std::array<std::string_view, 4> verdict_names = {"slower", "ambiguous", "faster", "same"};
inline std::string_view name(Verdict verdict) {
  return verdict_names[static_cast<std::size_t>(verdict)];
}

struct Sensitivity {
  double threshold = 0.03;     ///< by how much the medians have to differ: the slower over the faster, less 1
  double false_alarms = 0.05;  ///< at most, the probability that anything of what is unchanged is called so
};

/// One kernel on one product in both runs. The pointers lead into the runs.
struct Pair {
  const Result* before = nullptr;
  const Result* after = nullptr;
  double before_seconds = 0, after_seconds = 0;  ///< medians
  double probability = 1;  ///< that samples differ so by chance, after Holm's correction for all pairs
  bool too_few = false;    ///< samples: no difference between them would be enough
  Verdict verdict = Verdict::same;

  /// 0.05: 5 % slower; -0.05: 5 % faster.
  double change() const { return after_seconds / before_seconds - 1; }
};

struct Comparison {
  std::vector<Pair> pairs;                      ///< that have times in both runs, in the order of the new one
  std::size_t only_before = 0, only_after = 0;  ///< times that the other run has none beside
  std::vector<const Result*> broken;            ///< that had a time, and are wrong in the new run

  std::size_t count(Verdict verdict) const;
  /// Of Rooftile's own kernels: the vendor's and the peer's say what became of the machine.
  bool any_slower() const;
};

/// What a result is of: only equal ones are compared. The library's own choice is one, whichever it took.
std::string identity_of(const Result& r);

/// Compares the kernels that both runs have, which outlive what is returned, by a rank test of their samples.
/// @throws Error for runs that cannot be compared, or where no kernel has a time in both
Comparison compare(const Run& before, const std::string& before_file, const Run& after,
                   const std::string& after_file, const Sensitivity& sensitivity);

}  // namespace rooftile::perf
