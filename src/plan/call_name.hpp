// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.hpp"
#include "plan/prepare.hpp"
#include "rooftile/ladder.hpp"

/// Names of calls in profilers: the function, the mode, the shape and the kernel. Calls with one name do
/// equal work, so profilers can add their times.
namespace rooftile::detail {

/// Returns the name of the kernel, with `+repack` if operands are repacked.
inline std::string kernel_name(const GemmPlan& plan) {
  return std::string(rung_of(plan.kernel).name) + (plan.repack ? "+repack" : "");
}

/// Returns `rooftile::gemm fp64 500x300x200 packed`; for a batch, `rooftile::gemm fp64 32 of 8x8x8 packed`.
/// @param plan  empty: the call is refused
template <class T>
std::string call_name(std::string_view call, const BatchArgs<T>& args, const std::optional<GemmPlan>& plan) {
  std::string name(call);
  name.append(" ").append(to_string(plan ? plan->math : own_mode<T>())).append(" ");
  if (args.batch.count != 1) name.append(std::to_string(args.batch.count)).append(" of ");
  name.append(to_string(args.first.shape()));
  if (plan && !nothing_to_do(args)) name.append(" ").append(kernel_name(*plan));
  return name;
}

/// Returns `rooftile::gemm_grouped fp64 12 products packed`. The kernel is omitted if the kernels differ.
template <class T>
std::string call_name(std::string_view call, std::span<const GemmArgs<T>> products,
                      const std::optional<std::vector<GemmPlan>>& plans) {
  const bool planned = plans && !plans->empty();
  std::string name(call);
  name.append(" ").append(to_string(planned ? plans->front().math : own_mode<T>())).append(" ");
  name.append(std::to_string(products.size())).append(" products");
  if (!planned) return name;
  const std::string kernel = kernel_name(plans->front());
  const bool same = std::all_of(plans->begin(), plans->end(),
                                [&](const GemmPlan& plan) { return kernel_name(plan) == kernel; });
  return same ? name.append(" ").append(kernel) : name;
}

}  // namespace rooftile::detail
