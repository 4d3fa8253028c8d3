// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "subject.hpp"

namespace rooftile::testing {

/// How an operand lies, seen from C's major order: as C, the other way, and both read as conjugates.
enum class Operation { N, T, C, conj };
inline constexpr const char* operation_names[] = {"N", "T", "C", "conj"};

/// Where the elements of C are: neighbours in rows or in columns, or with strides that are neither's.
enum class Layout { row, column, general };
inline constexpr const char* layout_names[] = {"row", "column", "general"};

/// How a product says where its matrices are. A batch with an array of pointers is one of pointers.
enum class BatchKind { none, strided, nested, pointers, group };
inline constexpr const char* batch_names[] = {"none", "strided", "nested", "pointers", "group"};

template <class Kind>
constexpr const char* name_in(const auto& names, Kind kind) {
  return names[static_cast<std::size_t>(kind)];
}

/// A kind of product: the random ones together must be of every kind that there is.
struct Cell {
  ComputeMode math;
  Operation a, b;
  Layout c;
  BatchKind batch;

  friend auto operator<=>(const Cell&, const Cell&) = default;
};

/// All cells of a kernel's mode: only complex numbers have conjugates, only the library's choice groups.
std::vector<Cell> cells_of(const KernelName& kernel);
bool may_be_in(const Cell& cell, const KernelName& kernel);

/// The cell that a case is in; none with an extent below 2, without a batch entry or without a product.
std::optional<Cell> cell_of(const Case& c);

/// Whether the rows of a matrix follow each other, not its columns.
bool is_by_rows(Storage storage);

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
