// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../kernels.hpp"

namespace rooftile::perf::host {

inline void hold_registers(std::uint32_t* x, Index count, const RegisterLaunch& launch) {
  with_held(launch, [&]<int values, bool chained>() {
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < count / values; ++i) hold<values, chained>(x, i);
  });
}

}  // namespace rooftile::perf::host
