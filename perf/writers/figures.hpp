// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../record/record.hpp"
#include "svg.hpp"

/// The pictures of a report, out of the records of its files alone.
namespace rooftile::perf {

/// A file of `bench --json`, and its name.
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

/// A picture and what it is called as a file, without ending: small letters, digits and hyphens.
struct Figure {
  std::string name;
  Svg picture;
};

/// A roofline of all machines, if there are several, and of each; then for each machine and math mode how
/// fast each path is on each product, and over the size of square ones; of products that processes share,
/// what more of them gain. Pictures that nothing would be in are left out.
std::vector<Figure> figures_of(const std::vector<ReportedMachine>& machines);

}  // namespace rooftile::perf
