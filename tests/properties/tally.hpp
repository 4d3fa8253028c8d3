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

/// An operand's orientation relative to C's major order: equal (N), opposite (T), and both with conjugation
/// (conj, C).
enum class Operation { N, T, C, conj };
inline constexpr const char* operation_names[] = {"N", "T", "C", "conj"};

/// The layout of C: contiguous rows, contiguous columns, or other strides.
enum class Layout { row, column, general };
inline constexpr const char* layout_names[] = {"row", "column", "general"};

/// How a product gives its matrices. A batch with any array of pointers counts as `pointers`.
enum class BatchKind { none, strided, nested, pointers, group };
inline constexpr const char* batch_names[] = {"none", "strided", "nested", "pointers", "group"};

template <class Kind>
constexpr const char* name_in(const auto& names, Kind kind) {
  return names[static_cast<std::size_t>(kind)];
}

/// A kind of product. The random products together must cover every kind.
struct Cell {
  ComputeMode math;
  Operation a, b;
  Layout c;
  BatchKind batch;

  friend auto operator<=>(const Cell&, const Cell&) = default;
};

/// All cells of a kernel's mode. Only complex types have conjugates, and only the library's automatic choice
/// has groups.
std::vector<Cell> cells_of(const KernelName& kernel);
bool may_be_in(const Cell& cell, const KernelName& kernel);

/// The cell of a case. None if an extent is below 2 or if the case has no batch entry or no product.
std::optional<Cell> cell_of(const Case& c);

/// Whether a storage is row-major.
bool is_by_rows(Storage storage);

/// The number of products that a path computed in each cell.
class Tally {
 public:
  /// Contains every cell of every mode of the path, except pointers where all kernels use TMA.
  explicit Tally(const std::vector<KernelName>& kernels);

  /// Counts a case that was computed correctly.
  void count(const Case& c);

  /// A cell with the fewest products. Equal cells are returned in turn.
  /// @pre there is a kernel
  Cell next_fewest();

  std::size_t cells() const { return products_.size(); }
  /// The cells without a product, one per line: `cfp32 N conj, C by column, strided`.
  std::string holes() const;

  /// One row per mode, operations and layout of C, with the number of products of each batch kind.
  nlohmann::ordered_json to_json() const;

 private:
  std::map<Cell, int> products_;
  std::optional<Cell> last_;  ///< the last one returned
};

}  // namespace rooftile::testing
