// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/int8_choice.hpp"

#include <algorithm>

#include "numerics/moduli.hpp"
#include "numerics/parts.hpp"
#include "numerics/residue.hpp"
#include "numerics/scale.hpp"
#include "rooftile/error.hpp"
#include "rooftile/ladder_tiles.hpp"
#include "rooftile/types.hpp"

namespace rooftile::detail {

namespace {

/// Returns the int8 tiles that each pair of SMs computes one after the other. The SMs of a pair share B.
/// @param type  element type; complex elements have three int8 products for each modulus
double int8_rounds(const GemmShape& shape, int sms, int moduli, Type type) {
  constexpr TileShape tile = ladder_tiles::warpgroup_int8[0];
  constexpr int pair = 2;
  const Index tiles = (shape.m + pair * tile.bm - 1) / (pair * tile.bm) * ((shape.n + tile.bn - 1) / tile.bn);
  const Index pairs = std::max(sms / pair, 1);
  return static_cast<double>((tiles * moduli * residues::products_of(type) + pairs - 1) / pairs);
}

/// Returns the memory traffic of one product in bytes, except that of the int8 products.
double int8_bytes(const GemmShape& shape, int moduli, Type type) {
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  const double size = static_cast<double>(size_of(type)), planes = moduli * residues::products_of(type);
  return (3 * size + planes) * (m + n) * k + (size + 2 * planes) * m * n;
}

}  // namespace

std::string_view why_not_int8(const GemmShape& shape, Path path, Type type) {
  if (shape.k == 0) return "fp64 itself: there is nothing to multiply";
  if (path == Path::native && shape.k > residues::max_products)
    return "fp64 itself: K is too long for int32 accumulators of int8 products";
  if (path == Path::native && std::max(shape.m, shape.n) > max_int8_extent)
    return "fp64 itself: C has more rows or columns than a launch has blocks";
  return shape.k > residues::max_k / residues::parts_of(type)
             ? "fp64 itself: K is longer than what products of int8 are proven for"
             : "";
}

void check_moduli(int moduli, ComputeMode math) {
  if (moduli == 0) return;
  if (!takes_residues(math)) {
    throw Error(text("number of moduli for a mode without them (", moduli, ", ", to_string(math),
                     "): compute in fp64_int8 or cfp64_int8, or leave it out"));
  }
  if (moduli < residues::min_moduli || moduli > residues::max_moduli) {
    throw Error(text("no such number of moduli (", moduli, "): take ", residues::min_moduli, " to ",
                     residues::max_moduli, ", or 0 for as many as the guard finds"));
  }
}

double int8_seconds(const model::Costs& costs, const GemmShape& shape, int sms, Index count, int moduli,
                    Type type) {
  constexpr TileShape tile = ladder_tiles::warpgroup_int8[0];
  const auto k = static_cast<double>(shape.k);
  const double cycles = costs.int8_start + int8_bytes(shape, moduli, type) / costs.int8_bytes +
                        int8_rounds(shape, sms, moduli, type) *
                            (costs.int8_tile + k * tile.bm * tile.bn / costs.int8_multiply_adds);
  return static_cast<double>(count) * cycles / (1e6 * costs.clock_mhz);
}

}  // namespace rooftile::detail
