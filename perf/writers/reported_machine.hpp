// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../record/record.hpp"

namespace rooftile::perf {

/// A result file of `bench --json`.
struct NamedRun {
  std::string file;  ///< as the user typed it
  Run run;           ///< content of the file
};

/// A result, with information about its product from other results of the run.
struct ReportedResult {
  Result result;               ///< `roofline_fraction` uses the machine's merged ceilings
  double low = 0, high = 0;    ///< 95 % interval of the vendor ratio; 0: not known
  std::string vendor_problem;  ///< why a vendor function did not run on the product; empty: all ran
  bool vendor_ran = false;     ///< whether a vendor function ran on the product
};

/// A device with the results of all files that measured it.
struct ReportedMachine {
  /// A run that measured the device, and the device as the run describes it.
  struct Source {
    const NamedRun* named;         ///< the run
    const MeasuredDevice* device;  ///< the device in this run
  };

  MeasuredDevice device;                ///< ceilings: the maxima over the sources
  std::vector<Source> sources;          ///< in the order of the files
  std::vector<ReportedResult> results;  ///< of all sources
  bool needs_file = false;              ///< the title needs the file's name to be unique

  /// `NVIDIA H200, 140 GiB (cuda)`, `AMD EPYC, family 25, model 17 (openmp, 2 threads)`. For unknown hardware
  /// in several files: `AMD EPYC (openmp) of old.json`.
  std::string title() const;
};

/// The machines of all files. Results of two files merge if identity, backend, threads and processes are
/// equal and the hardware is known, since different CPUs may have equal names.
/// @param runs  must outlive the return value
std::vector<ReportedMachine> machines_in(const std::vector<NamedRun>& runs);

/// The `Result` of each reported result, for `summaries_of`.
std::vector<Result> results_of(const ReportedMachine& machine);

/// A ceiling of a compute mode or of a memory level, with its label.
struct LabelledRate {
  std::string label;  ///< such as `FMA chains` or `mma.sync`
  double rate = 0;    ///< GFLOP/s or GB/s
};

/// The compute ceilings of a mode in GFLOP/s of its products, highest first; empty for a mode that this
/// version does not know.
std::vector<LabelledRate> compute_ceilings(const std::string& math, const Ceilings& ceilings);

/// The bandwidths of memory and of the cache levels, in GB/s.
std::vector<LabelledRate> memory_ceilings(const Ceilings& ceilings);

}  // namespace rooftile::perf
