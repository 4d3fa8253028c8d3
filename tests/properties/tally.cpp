// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "tally.hpp"

#include <algorithm>

#include "rooftile/error.hpp"

namespace rooftile::testing {

Tally::Tally(const std::vector<KernelName>& kernels) {
  for (const KernelName& kernel : kernels) {
    for (const Cell& cell : cells_of(kernel)) products_.emplace(cell, 0);
  }
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
