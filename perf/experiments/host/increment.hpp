// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../kernels.hpp"

namespace rooftile::perf::host {

/// A vector register of so many bytes, or several where the CPU's are smaller.
template <int bytes>
using Wide [[gnu::vector_size(bytes), gnu::may_alias]] = float;

/// Each thread has a part, and goes through it by accesses of V. What is compiled here is not vectorised by
/// the compiler, so that one of 4 bytes is one.
template <class V>
void increment_by(float* a, Index count, int threads) {
  V* const v = reinterpret_cast<V*>(a);
  const Index accesses = count * static_cast<Index>(sizeof(float)) / static_cast<Index>(sizeof(V));
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index i = 0; i < accesses; ++i) v[i] += 1;
}

inline void increment(float* a, Index count, const IncrementLaunch& launch) {
  switch (launch.bytes) {
    case 64:
      return increment_by<Wide<64>>(a, count, launch.threads);
    case 32:
      return increment_by<Wide<32>>(a, count, launch.threads);
    case 16:
      return increment_by<Wide<16>>(a, count, launch.threads);
    default:
      return increment_by<float>(a, count, launch.threads);
  }
}

}  // namespace rooftile::perf::host
