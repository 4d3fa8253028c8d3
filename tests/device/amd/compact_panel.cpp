// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Offsets of the elements in a panel for AMD's matrix instructions.
#include <cstddef>
#include <set>
#include <tuple>

#include <catch2/catch_template_test_macros.hpp>

#include "device/amd/staged_pipeline.hpp"
#include "plan/register_blocks.hpp"

namespace rooftile {
namespace {

using detail::CompactPanel, detail::Major;

template <class T, int BK, int BX>
using Both = std::tuple<CompactPanel<T, BK, BX, Major::k>, CompactPanel<T, BK, BX, Major::x>>;
using Panels =
    decltype(std::tuple_cat(Both<float16, 32, 128>{}, Both<float16, 32, 32>{}, Both<float, 16, 128>{},
                            Both<double, 8, 64>{}, Both<double, 16, 64>{}));

template <class Panel>
constexpr std::size_t element_size = sizeof(*Panel::data);

TEMPLATE_LIST_TEST_CASE("a compact panel has a place for each element", "[compact_panel]", Panels) {
  std::set<int> places;
  for (int k = 0; k < TestType::BK; ++k) {
    for (int x = 0; x < TestType::BX; ++x) places.insert(TestType::offset(k, x));
  }
  CHECK(places.size() == static_cast<std::size_t>(TestType::BK) * TestType::BX);
  CHECK(*places.begin() == 0);
  CHECK(*places.rbegin() < TestType::elements);
}

/// Lane 16g+i reads 16 bytes: if K-major, piece g of line i along k; if MN-major, piece i of line g along x.
/// Eight lanes must use all eight banks.
TEMPLATE_LIST_TEST_CASE("lanes read a compact panel from different banks", "[compact_panel]", Panels) {
  constexpr int width = TestType::width;
  const auto bank = [](int g, int i) {  // 16-byte banks, of which there are eight
    const int offset =
        TestType::major == Major::k ? TestType::offset(g * width, i) : TestType::offset(g, i * width);
    CHECK(offset % width == 0);
    return offset / width % 8;
  };
  constexpr bool by_k = TestType::major == Major::k;
  constexpr int pieces = by_k ? TestType::BK / width : TestType::BK;
  constexpr int neighbours = by_k ? TestType::BX : TestType::BX / width;
  for (int g = 0; g < pieces; ++g) {
    for (int i = 0; i + 8 <= neighbours; i += 8) {
      std::set<int> banks;
      for (int lane = 0; lane < 8; ++lane) banks.insert(bank(g, i + lane));
      INFO(g << ' ' << i);
      CHECK(banks.size() == 8);
    }
  }
}

TEST_CASE("the model counts the bytes of compact panels", "[compact_panel]") {
  const Rung& rung = rung_of(Kernel::tensor_core);
  const auto of_model = [&](TileShape s, Type type) { return detail::stage_bytes(rung, s, type, false); };
  CHECK(of_model({128, 128, 32, 16, 8}, Type::fp16) ==
        2 * 2 * CompactPanel<float16, 32, 128, Major::k>::elements);
  CHECK(of_model({128, 128, 16, 16, 8}, Type::fp32) ==
        4 * 2 * CompactPanel<float, 16, 128, Major::k>::elements);
  CHECK(of_model({64, 64, 16, 4, 4}, Type::fp64) == 8 * 2 * CompactPanel<double, 16, 64, Major::k>::elements);
  for (const TileShape tile : rung.tiles) {
    for (const Type type : {Type::fp16, Type::fp32, Type::fp64}) {
      if (!detail::is_built(rung, Path::portable, tile, type)) continue;
      CHECK(of_model(tile, type) < detail::stage_bytes(rung, tile, type));
    }
  }
}

}  // namespace
}  // namespace rooftile
