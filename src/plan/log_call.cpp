// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/log_call.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

#include "plan/log_line.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile::detail {

Index logged_alignment(const void* address) {
  const auto bits =
      reinterpret_cast<std::uintptr_t>(address) | static_cast<std::uintptr_t>(max_logged_alignment);
  return static_cast<Index>(bits & (~bits + 1));
}

void log_product(const LogSink& sink, LoggedCall call, const GemmPlan* plan) noexcept {
  std::array<char, 64> kernel{}, tile{};
  if (plan != nullptr && call.product.count > 0 && call.product.shape.m > 0 && call.product.shape.n > 0) {
    const std::string_view name = rung_of(plan->kernel).name;
    const TileShape t = plan->tile;
    std::snprintf(kernel.data(), kernel.size(), "%.*s%s", static_cast<int>(name.size()), name.data(),
                  plan->repack ? "+repack" : "");
    if (t) std::snprintf(tile.data(), tile.size(), t.bk == 1 ? "%dx%d" : "%dx%dx%d", t.bm, t.bn, t.bk);
    call.product.math = plan->math;
    call.path = to_string(plan->path), call.kernel = kernel.data(), call.tile = tile.data();
    call.how = to_string(plan->algorithm), call.why = plan->why;
  }
  LogLine(call).write(sink);
}

}  // namespace rooftile::detail
