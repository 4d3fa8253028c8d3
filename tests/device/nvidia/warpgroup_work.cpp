// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>

#include <catch2/catch_test_macros.hpp>

#include "device/nvidia/warpgroup/work.hpp"
#include "plan/plan_steps.hpp"

namespace rooftile {
namespace {

TEST_CASE("clusters of every shape compute each tile of each split and product once", "[warpgroup]") {
  for (const detail::ClusterShape cluster : detail::cluster_shapes) {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {5, 3}, {37, 2}, {3, 41}, {16, 16}}) {
      INFO(cluster.m << 'x' << cluster.n << " of " << rows << 'x' << columns);
      const detail::hopper::WarpgroupWork work{rows, columns, 10, 5, 2, 3, 1, 1, cluster};
      std::map<std::tuple<int, int, int, int>, int> times;
      for (int index = 0; index < work.items(); ++index) {
        const auto item = work.item(index);
        for (int block = 0; block < cluster.size(); ++block) {
          const int row = item.tile_m + block % cluster.m, column = item.tile_n + block / cluster.m;
          if (row < rows && column < columns) ++times[{row, column, item.split, item.product}];
        }
      }
      CHECK(times.size() == static_cast<std::size_t>(rows * columns * 2 * 3));
      for (const auto& [tile, count] : times) REQUIRE(count == 1);
    }
  }
}

}  // namespace
}  // namespace rooftile
