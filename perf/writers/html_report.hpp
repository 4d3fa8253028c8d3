// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../record/record.hpp"

namespace rooftile::perf {

struct NamedRun {
  std::string file;
  Run run;
};

/// A device, of all files together: one of the same identity, backend and numbers of threads and processes is
/// the same.
struct ReportedMachine {
  const MeasuredDevice* device;  ///< of the first file that has it, whose ceilings count
  std::vector<const Result*> results;

  /// `NVIDIA H200, 140 GiB (cuda)`, `AMD EPYC, family 25, model 17 (openmp, 2 threads)`; of files of before
  /// `AMD EPYC (openmp, 4 processes of 1 thread)`.
  std::string title() const;
};

/// @param runs  outlive what is returned
std::vector<ReportedMachine> machines_in(const std::vector<NamedRun>& runs);

/// A page that needs no other file and no network: all results in tables, and where the build has Chart.js, a
/// chart of them. It is XML as well as HTML.
std::string html_report(const std::vector<NamedRun>& runs, const std::vector<ReportedMachine>& machines);

bool has_charts();

}  // namespace rooftile::perf
