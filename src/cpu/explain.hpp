// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "cpu/parts.hpp"
#include "cpu/plan.hpp"
#include "plan/plan.hpp"

namespace rooftile::portable {

/// Fills in how `packed` computes products, as the rung decides it at each call: a tiny product takes less
/// time than to look at a plan.
/// @param threads  that the instance has
/// @param alone    whether the calling thread is one of a parallel region
template <class T>
void explain_packed(const BatchArgs<T>& batch, int threads, bool alone, GemmPlan& plan) {
  const TileShape blocks = blocks_of<T>(plan.tile);
  const Index count = batch.batch.count;
  if (alone) threads = 1;
  if constexpr (detail::is_complex<T>) {
    const GemmArgs<T> args = small_first(batch.first);
    if (const Parts parts = parts_of(args, plan.tile); count == 1 && parts != Parts::none) {
      using R = Real<T>;
      const Index columns = columns_at_a_time<R>(parts, args.shape());
      explain_packed<R>(real_product<R>(parts, args, columns, nullptr, nullptr), threads, alone, plan);
      (plan.swapped ? plan.b : plan.a).repack = true;
      plan.swapped = plan.swapped != (batch.first.C.rows > batch.first.C.cols);
      return;
    }
  }
  plan.threads = 1;
  plan.by_caller = true;
  if (!Converted<T> && count == 1 && is_tiny(batch.first, blocks)) {
    plan.algorithm = CpuAlgorithm::in_place;
    return;
  }
  plan.swapped = better_transposed(batch.first, blocks);
  const BatchArgs<T> given = plan.swapped ? batch.transposed() : batch;
  const Sharing how = sharing_of(given, blocks, threads);
  const Plan& own = how.plan;
  plan.algorithm = own.dots       ? CpuAlgorithm::dot_products
                   : own.few_rows ? CpuAlgorithm::few_rows
                   : own.in_place ? CpuAlgorithm::in_place
                                  : CpuAlgorithm::panels;
  plan.a = {own.pack_a, given.first.A.col_stride == 1};
  plan.b = {own.pack_b, given.first.B.row_stride == 1};
  plan.splits = own.slices;
  plan.by_caller = alone || how.small;
  if (!plan.by_caller) plan.threads = how.each > 1 ? how.each : how.together;
}

}  // namespace rooftile::portable
