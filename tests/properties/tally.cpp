// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "tally.hpp"

#include <algorithm>
#include <initializer_list>

#include "rooftile/error.hpp"
#include "rooftile/find_kernel.hpp"
#include "rooftile/ladder.hpp"

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

/// Whether a kernel, not the library's choice, follows pointers. TMA cannot.
bool takes_pointers(const KernelName& kernel) {
  return kernel.kernel != "automatic" && !rung_of(find_named(kernel.kernel).kernel).tma;
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

Tally::Tally(const std::vector<KernelName>& kernels) {
  for (const KernelName& kernel : kernels) {
    for (const Cell& cell : cells_of(kernel)) products_.emplace(cell, 0);
  }
  std::erase_if(products_, [&](const auto& entry) {
    const Cell& cell = entry.first;
    return cell.batch == BatchKind::pointers &&
           std::none_of(kernels.begin(), kernels.end(),
                        [&](const KernelName& k) { return k.math == cell.math && takes_pointers(k); });
  });
}

void Tally::count(const Case& c) {
  if (const std::optional<Cell> cell = cell_of(c)) ++products_[*cell];
}

Cell Tally::next_fewest() {
  const auto fewer = [](const auto& x, const auto& y) { return x.second < y.second; };
  const int fewest = std::min_element(products_.begin(), products_.end(), fewer)->second;
  const auto has_fewest = [fewest](const auto& entry) { return entry.second == fewest; };
  auto next =
      std::find_if(last_ ? products_.upper_bound(*last_) : products_.begin(), products_.end(), has_fewest);
  if (next == products_.end()) next = std::find_if(products_.begin(), products_.end(), has_fewest);
  last_ = next->first;
  return next->first;
}

std::string Tally::holes() const {
  std::string lines;
  for (const auto& [cell, products] : products_) {
    if (products > 0) continue;
    lines += detail::text(to_string(cell.math), ' ', name_in(operation_names, cell.a), ' ',
                          name_in(operation_names, cell.b), ", C by ", name_in(layout_names, cell.c), ", ",
                          name_in(batch_names, cell.batch), '\n');
  }
  return lines;
}

nlohmann::ordered_json Tally::to_json() const {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& [cell, products] : products_) {
    if (cell.batch == BatchKind::none) {
      rows.push_back({{"math", to_string(cell.math)},
                      {"a", name_in(operation_names, cell.a)},
                      {"b", name_in(operation_names, cell.b)},
                      {"c", name_in(layout_names, cell.c)}});
    }
    rows.back()[name_in(batch_names, cell.batch)] = products;
  }
  return rows;
}

}  // namespace rooftile::testing
