// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Prints what the ladder's table promises of the device code: one portable functor a line and, after a tab,
// the threads of its team.
#include <cctype>
#include <iostream>
#include <string>
#include <utility>

#include "rooftile/ladder.hpp"

namespace {

/// `tiled_checked` is the functor TiledChecked.
std::string functor(std::string_view rung) {
  std::string name;
  bool start = true;
  for (const char c : rung) {
    if (c != '_') name += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    start = c == '_';
  }
  return name;
}

void print(const rooftile::Rung& rung, const std::string& tile, int threads) {
  using rooftile::Type;
  for (const auto& [type, name] : {std::pair{Type::fp32, "float"},
                                   {Type::fp64, "double"},
                                   {Type::fp16, "rooftile::float16"},
                                   {Type::bf16, "rooftile::bfloat16"}}) {
    if (!rung.supports(own_math(type))) continue;
    std::cout << "rooftile::portable::" << functor(rung.name) << '<' << name << ", rooftile::" << tile
              << ">\t" << threads << '\n';
  }
}

std::string type_of(rooftile::TileShape s) {
  std::string text = "Tile<rooftile::TileShape{";
  for (const int extent : {s.bm, s.bn, s.bk, s.tm}) text += std::to_string(extent) + ", ";
  return text + std::to_string(s.tn) + "}>";
}

}  // namespace

int main() {
  for (const rooftile::Rung& rung : rooftile::ladder) {
    if (!rung.portable) continue;
    if (rung.tiles_taken == rooftile::Tiles::any_square) {
      print(rung, "RunTimeTile", rooftile::RunTimeTile::max_threads);
    }
    for (const rooftile::TileShape tile : rung.tiles) print(rung, type_of(tile), tile.threads());
  }
}
