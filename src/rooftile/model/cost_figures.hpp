// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <string_view>

#include "rooftile/model/cost_model.hpp"

namespace rooftile::model {

/// A figure of `Costs`, as files name it.
struct CostFigure {
  std::string_view name;  ///< the member's
  CostMember member;      ///< where it is
};

/// All of them, in the order of the members.
inline constexpr CostFigure cost_figures[] = {
    {"multiply_add", &Costs::multiply_add},
    {"matrix_fp64", &Costs::matrix_fp64},
    {"matrix_32", &Costs::matrix_32},
    {"matrix_16", &Costs::matrix_16},
    {"read", &Costs::read},
    {"read_fragment_a", &Costs::read_fragment_a},
    {"read_fragment_b", &Costs::read_fragment_b},
    {"wait_lone_warp", &Costs::wait_lone_warp},
    {"wait_lone_team", &Costs::wait_lone_team},
    {"wait_few_multiplies", &Costs::wait_few_multiplies},
    {"wait_few_matrix", &Costs::wait_few_matrix},
    {"enough_multiplies", &Costs::enough_multiplies},
    {"wait_lone_barrier", &Costs::wait_lone_barrier},
    {"copy_byte", &Costs::copy_byte},
    {"l2_byte", &Costs::l2_byte},
    {"min_few_warps", &Costs::min_few_warps},
    {"few_warps", &Costs::few_warps},
    {"copies_not_hidden", &Costs::copies_not_hidden},
    {"first_panels", &Costs::first_panels},
    {"first_panels_fp64", &Costs::first_panels_fp64},
    {"element_copies", &Costs::element_copies},
    {"min_element_copies", &Costs::min_element_copies},
    {"ragged_k_fp64", &Costs::ragged_k_fp64},
    {"ragged_k_32", &Costs::ragged_k_32},
    {"ragged_mn_32", &Costs::ragged_mn_32},
    {"ragged_k_16", &Costs::ragged_k_16},
    {"ragged_mn_16", &Costs::ragged_mn_16},
    {"ragged_pairs_16", &Costs::ragged_pairs_16},
    {"ragged_small", &Costs::ragged_small},
    {"ragged_small_side", &Costs::ragged_small_side},
    {"unit_start", &Costs::unit_start},
    {"unit_bytes", &Costs::unit_bytes},
    {"unit_loop", &Costs::unit_loop},
    {"unit_margin", &Costs::unit_margin},
    {"unit_margin_slow_loop", &Costs::unit_margin_slow_loop},
    {"repack_start", &Costs::repack_start},
    {"repack_bytes", &Costs::repack_bytes},
    {"tf32x3_start", &Costs::tf32x3_start},
    {"tf32x3_multiply_adds", &Costs::tf32x3_multiply_adds},
    {"int8_start", &Costs::int8_start},
    {"int8_tile", &Costs::int8_tile},
    {"int8_multiply_adds", &Costs::int8_multiply_adds},
};
static_assert(sizeof(Costs) == std::size(cost_figures) * sizeof(double));

/// The name of a figure.
constexpr std::string_view name_of(CostMember member) {
  for (const CostFigure& figure : cost_figures) {
    if (figure.member == member) return figure.name;
  }
  return {};
}

}  // namespace rooftile::model
