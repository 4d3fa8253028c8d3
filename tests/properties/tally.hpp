// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "cell.hpp"
#include "subject.hpp"

namespace rooftile::testing {

/// How many products of each cell a path computed.
class Tally {
 public:
  /// With every cell of every mode that the path has.
  explicit Tally(const std::vector<KernelName>& kernels);

  /// A case that was computed, and was right.
  void count(const Case& c);

  /// A cell that has fewest products, each such in turn. @pre there is a kernel
  Cell next_fewest();

  std::size_t cells() const { return products_.size(); }
  /// Cells without a product, a line each: `cfp32 N conj, C by column, strided`.
  std::string holes() const;

  /// A row for each mode, operations and layout of C, with the number of products of each kind of batch.
  nlohmann::ordered_json to_json() const;

 private:
  std::map<Cell, int> products_;
  std::optional<Cell> last_;  ///< that was asked for
};

}  // namespace rooftile::testing
