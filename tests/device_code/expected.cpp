// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// expected SPACE ladder|fused: prints each functor of the ladder's table and, after a tab, its number of
// threads.
#include <algorithm>
#include <cctype>
#include <iostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/common/tile.hpp"
#include "plan/batch_parts.hpp"
#include "plan/group_plan.hpp"
#include "plan/kernel_table.hpp"
#include "plan/plan_fused.hpp"
#include "plan/refusal.hpp"
#include "plan/register_blocks.hpp"

namespace {

/// Converts a rung's name to its functor's name: `tiled_checked` to TiledChecked.
std::string functor(std::string_view rung) {
  std::string name;
  bool start = true;
  for (const char c : rung) {
    if (c != '_') name += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    start = c == '_';
  }
  return name;
}

/// The modes of a rung on the backend.
std::span<const rooftile::ComputeMode> maths_of(const rooftile::Rung& rung, bool cuda) {
  if (!rung.is_warp_mma()) return rung.modes_on(rooftile::Path::portable);
  if (cuda) return rooftile::ladder_modes::warp_mma;
  return rooftile::ladder_modes::mfma;
}

constexpr std::pair<rooftile::Type, const char*> types[] = {
    {rooftile::Type::fp32, "float"},
    {rooftile::Type::fp64, "double"},
    {rooftile::Type::fp16, "rooftile::float16"},
    {rooftile::Type::bf16, "rooftile::bfloat16"},
    {rooftile::Type::cfp32, "rooftile::complex<float>"},
    {rooftile::Type::cfp64, "rooftile::complex<double>"}};

bool computes(const rooftile::Rung& rung, rooftile::Type type, bool cuda) {
  const auto here = maths_of(rung, cuda);
  return std::any_of(here.begin(), here.end(), [&](rooftile::ComputeMode math) {
    return type_of(math) == type && rung.supports(math, rooftile::Path::portable);
  });
}

/// The last template argument of a functor, if any: whether lines are known to consist of whole vectors.
std::vector<std::string> kinds(const rooftile::Rung& rung, rooftile::Type type, bool cuda) {
  if (!rung.is_warp_mma()) return {""};
  if (cuda && rooftile::detail::has_vector_kernel(rung, type)) return {", false", ", true"};
  return {", false"};
}

/// Returns the tile's text in a functor's name. Empty if the tile is not built for the type.
using Name = std::string(const rooftile::Rung&, rooftile::TileShape, rooftile::Type type, bool cuda);

void print(const rooftile::Rung& rung, rooftile::TileShape tile, int threads, bool cuda, Name* name_of) {
  for (const auto& [type, name] : types) {
    const std::string tile_name = name_of(rung, tile, type, cuda);
    if (!computes(rung, type, cuda) || tile_name.empty()) continue;
    for (const std::string& kind : kinds(rung, type, cuda)) {
      std::cout << "rooftile::portable::" << functor(rung.name) << '<' << name << ", " << tile_name << kind
                << ">\t" << threads << '\n';
    }
  }
}

int min_teams(const rooftile::Rung& rung, rooftile::TileShape s, rooftile::Type type, bool cuda) {
  if (cuda) {
    const int teams = rooftile::detail::teams_per_sm(s, type);  // at most 3 where a fourth would spill
    return rung.is_warp_mma() && rung.split_k == rooftile::SplitK::stream_k && type == rooftile::Type::cfp32
               ? std::min(teams, 3)
               : teams;
  }
  return rung.is_warp_mma() ? 2 : 0;  // waves per SIMD unit: HIP's launch bound
}

std::string tile(rooftile::TileShape s, int teams) {
  std::string text = "Tile<rooftile::TileShape{";
  for (const int extent : {s.bm, s.bn, s.bk, s.tm}) text += std::to_string(extent) + ", ";
  return text + std::to_string(s.tn) + "}, " + std::to_string(teams) + ">";
}

std::string listed(const rooftile::Rung& rung, rooftile::TileShape s, rooftile::Type type, bool cuda) {
  if (!rooftile::detail::is_built(rung, rooftile::Path::portable, s, type)) return {};
  return "rooftile::" + tile(s, min_teams(rung, s, type, cuda));
}

/// The text of a tile that is compiled with epilogues.
std::string fused(const rooftile::Rung& rung, rooftile::TileShape s, rooftile::Type type, bool cuda) {
  using namespace rooftile::detail;
  const rooftile::Rung& other = rung_of(rooftile::Kernel::tensor_core);
  const bool fragments = rooftile::contains(maths_of(other, cuda), rooftile::own_mode(type));
  if (!fuses(rung, fragments, cuda) || !takes_epilogue(rung, s, type)) return {};
  return "rooftile::portable::FusedTile<" + listed(rung, s, type, cuda) + ">";
}

/// Prints the kernels of shared launches of a group, and the kernels that copy the group's products to the
/// device.
void print_groups(bool cuda) {
  for (const rooftile::Rung& rung : rooftile::ladder) {
    for (std::size_t i = 0; i < rung.groups.size(); ++i) {
      const auto tiles = rooftile::detail::group_tiles(rung, i, rooftile::Path::portable);
      if (!computes(rung, tiles.type, cuda)) continue;
      const auto* const type = std::find_if(std::begin(types), std::end(types),
                                            [&](const auto& entry) { return entry.first == tiles.type; });
      const int teams = min_teams(rung, tiles.large, tiles.type, cuda);
      std::cout << "rooftile::portable::Grouped<(rooftile::Kernel)" << static_cast<int>(rung.kernel) << ", "
                << type->second << ", rooftile::" << tile(tiles.large, teams)
                << ", rooftile::" << tile(tiles.small ? tiles.small : tiles.large, teams) << ">\t"
                << tiles.large.threads() << '\n';
    }
  }
  std::cout << "rooftile::portable::StoreWords<896>\t128\n";
}

/// Prints the additional kernels of rungs that split tiles: the sum of partial results, and the store of
/// their arguments.
void print_sharing(bool cuda) {
  for (const auto& [type, name] : types) {
    if (std::none_of(std::begin(rooftile::ladder), std::end(rooftile::ladder),
                     [&](const rooftile::Rung& rung) {
                       return rung.portable && rung.split_k == rooftile::SplitK::stream_k &&
                              computes(rung, type, cuda);
                     })) {
      continue;
    }
    std::cout << "rooftile::portable::StreamSum<" << name << ">\t256\n";
    if (!cuda) {
      std::cout << "rooftile::portable::StoreArgs<rooftile::detail::StreamArgs<" << name
                << ",rooftile::StridedArgs<" << name << ">>>\t64\n";
    }
  }
}

/// Prints the kernels that repack operands.
void print_repack() {
  for (const auto& [type, name] : types) {
    if (rooftile::can_be_repacked(type)) {
      std::cout << "rooftile::portable::Repack<" << name << ", rooftile::detail::StoreVector>\t256\n";
    }
  }
}

std::string at_run_time(const rooftile::Rung&, rooftile::TileShape, rooftile::Type, bool) {
  return "rooftile::RunTimeTile";
}

}  // namespace

int main(int, char** arguments) {
  const bool cuda = arguments[1] == std::string_view("Cuda");
  const bool with_epilogues = arguments[2] == std::string_view("fused");
  for (const rooftile::Rung& rung : rooftile::ladder) {
    if (!rung.portable || rung.is_for_hopper()) continue;  // those are compiled for sm_90a (warpgroup.cpp)
    if (with_epilogues) {
      for (const rooftile::TileShape tile : rung.tiles)
        print(rung, tile, threads_of_block(rung, tile), cuda, fused);
      continue;
    }
    if (rung.tiles_taken == rooftile::Tiles::any_square) {
      print(rung, {}, rooftile::RunTimeTile::max_threads, cuda, at_run_time);
    }
    for (const rooftile::TileShape tile : rung.tiles)
      print(rung, tile, threads_of_block(rung, tile), cuda, listed);
  }
  if (with_epilogues) return 0;
  print_sharing(cuda);
  print_groups(cuda);
  print_repack();
}
