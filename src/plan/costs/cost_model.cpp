// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/costs/cost_model.hpp"

#include "rooftile/tuning.hpp"

namespace rooftile::model {

Costs costs_over(const TuningTable& table, Costs row) {
  if (table.modes.empty()) return row;
  row.kernels = {table.device, table.modes, table.tiles, row.rates, row.clock_mhz, row.bandwidth_gbs};
  row.is_generic = false;
  return row;
}

}  // namespace rooftile::model
