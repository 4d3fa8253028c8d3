// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

#include <algorithm>
#include <initializer_list>

namespace rooftile::testing {
namespace {

Operation operation_of(const Placing& operand, const Placing& result) {
  const bool transposed = is_by_rows(operand.storage) != is_by_rows(result.storage);
  if (operand.conjugated) return transposed ? Operation::C : Operation::conj;
  return transposed ? Operation::T : Operation::N;
}

Layout layout_of(Storage storage) {
  return storage == Storage::row      ? Layout::row
         : storage == Storage::column ? Layout::column
                                      : Layout::general;
}

BatchKind batch_of(const Case& c) {
  if (c.group) return BatchKind::group;
  if (c.a.pointers || c.b.pointers || c.c.pointers) return BatchKind::pointers;
  if (c.inner > 0) return BatchKind::nested;
  return c.count > 1 ? BatchKind::strided : BatchKind::none;
}

}  // namespace

bool is_by_rows(Storage storage) {
  return storage != Storage::column && storage != Storage::strided_column;
}

bool may_be_in(const Cell& cell, const KernelName& kernel) {
  return cell.math == kernel.math && (cell.batch != BatchKind::group || kernel.kernel == "automatic");
}

std::vector<Cell> cells_of(const KernelName& kernel) {
  std::vector<Operation> operations{Operation::N, Operation::T};
  if (is_complex(type_of(kernel.math))) operations.insert(operations.end(), {Operation::C, Operation::conj});
  std::vector<Cell> cells;
  for (const Operation a : operations) {
    for (const Operation b : operations) {
      for (const Layout c : {Layout::row, Layout::column, Layout::general}) {
        for (const BatchKind batch :
             {BatchKind::none, BatchKind::strided, BatchKind::nested, BatchKind::pointers, BatchKind::group})
          cells.push_back({kernel.math, a, b, c, batch});
      }
    }
  }
  std::erase_if(cells, [&](const Cell& cell) { return !may_be_in(cell, kernel); });
  return cells;
}

std::optional<Cell> cell_of(const Case& c) {
  if (std::min({c.shape.m, c.shape.n, c.shape.k}) < 2 || c.count == 0 || c.alpha == 0) return std::nullopt;
  return Cell{c.math, operation_of(c.a, c.c), operation_of(c.b, c.c), layout_of(c.c.storage), batch_of(c)};
}

}  // namespace rooftile::testing
