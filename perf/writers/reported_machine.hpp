// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../record/record.hpp"

namespace rooftile::perf {

/// A file that `bench --json` wrote.
struct NamedRun {
  std::string file;  ///< as the user named it
  Run run;           ///< that it holds
};

/// A result, and what else was measured of its product in the same run.
struct ReportedResult {
  Result result;               ///< its roof share is that of the machine's ceilings
  double low = 0, high = 0;    ///< 95 % interval of the ratio to the vendor; 0: not known
  std::string vendor_problem;  ///< why a vendor's function did not run on the product; empty: all ran
  bool vendor_ran = false;     ///< a vendor's function ran on the product
};

/// A device with the results of all files that measured it.
struct ReportedMachine {
  /// A run that measured the device, and the device as the run describes it.
  struct Source {
    const NamedRun* named;         ///< whose run it is
    const MeasuredDevice* device;  ///< of that run
  };

  MeasuredDevice device;                ///< with the largest ceilings of its sources
  std::vector<Source> sources;          ///< in the order of the files
  std::vector<ReportedResult> results;  ///< of all sources
  bool needs_file = false;              ///< another machine has the same title but for the file's name

  /// `NVIDIA H200, 140 GiB (cuda)`, `AMD EPYC, family 25, model 17 (openmp, 2 threads)`; of unknown hardware
  /// in several files `AMD EPYC (openmp) of old.json`.
  std::string title() const;
};

/// The machines of all files. Files merge where identity, backend, threads and processes are equal and the
/// hardware is known: a name alone may be that of two different CPUs.
/// @param runs  outlive the return value
std::vector<ReportedMachine> machines_in(const std::vector<NamedRun>& runs);

/// The results alone, for `summaries_of`.
std::vector<Result> results_of(const ReportedMachine& machine);

/// A ceiling of a compute mode or of a memory level, with its label.
struct LabelledRate {
  std::string label;  ///< such as `FMA chains` or `mma.sync`
  double rate = 0;    ///< GFLOP/s or GB/s
};

/// The compute ceilings that apply to a mode, the highest first, in GFLOP/s of the mode's products; empty for
/// a mode that this version does not have.
std::vector<LabelledRate> compute_ceilings(const std::string& math, const Ceilings& ceilings);

/// The rates of memory and of the levels between it and the units, in GB/s.
std::vector<LabelledRate> memory_ceilings(const Ceilings& ceilings);

}  // namespace rooftile::perf
