// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "increment.hpp"

namespace rooftile::perf::host {

inline void add(float* c, const float* a, const float* b, Index count) {
  using V = Wide<64>;
  const Index accesses = count / 16;
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < accesses; ++i)
    reinterpret_cast<V*>(c)[i] = reinterpret_cast<const V*>(a)[i] + reinterpret_cast<const V*>(b)[i];
}

}  // namespace rooftile::perf::host
