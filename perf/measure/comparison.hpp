// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "../record/record.hpp"

/// `rooftile compare`: how the time of each kernel changed between two runs.
namespace rooftile::perf {

/// Ambiguous: the medians differ by more than the threshold, but the rank test is not significant.
enum class Verdict { slower, ambiguous, faster, same };
inline constexpr std::array<std::string_view, 4> verdict_names = {"slower", "ambiguous", "faster", "same"};
inline std::string_view name(Verdict verdict) {
  return verdict_names[static_cast<std::size_t>(verdict)];
}

struct Sensitivity {
  double threshold = 0.03;     ///< minimum difference of medians: slower / faster - 1
  double false_alarms = 0.05;  ///< upper limit of the probability of any false alarm
};

/// One kernel on one product in both runs. The pointers refer to the runs.
struct Pair {
  const Result* before = nullptr;
  const Result* after = nullptr;
  double before_seconds = 0, after_seconds = 0;  ///< medians
  double probability = 1;  ///< p-value of the rank test after Holm's correction over all pairs
  bool too_few = false;    ///< with so few samples, no difference can be significant
  Verdict verdict = Verdict::same;

  /// Relative change of the time. 0.05: 5 % slower; -0.05: 5 % faster.
  double change() const { return after_seconds / before_seconds - 1; }
};

struct Comparison {
  std::vector<Pair> pairs;                      ///< measured in both runs, in the order of the new run
  std::size_t only_before = 0, only_after = 0;  ///< results without a time in the other run
  std::vector<const Result*> broken;            ///< had a time before; wrong in the new run

  std::size_t count(Verdict verdict) const;
  /// Whether a kernel of Rooftile is slower. Baselines are ignored: they show changes of the machine.
  bool any_slower() const;
};

/// The key for comparing results. The library's own choice has one key, whichever kernel it chose.
std::string identity_of(const Result& r);

/// Compares the kernels in both runs by a rank test of their samples. The runs must outlive the return value.
/// @throws Error if the runs cannot be compared, or if no kernel has a time in both
Comparison compare(const Run& before, const std::string& before_file, const Run& after,
                   const std::string& after_file, const Sensitivity& sensitivity);

}  // namespace rooftile::perf
