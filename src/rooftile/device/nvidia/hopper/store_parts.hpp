// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "rooftile/device/common/repack.hpp"
#include "rooftile/device/nvidia/hopper/tf32.hpp"

namespace rooftile::detail::hopper {

/// Of `detail::Repack`: stores 16 bytes as they are, or of fp32 their big and their small tf32 parts.
/// @pre `from` is aligned to 4 bytes
struct StoreParts {
  static constexpr int rows = 1;

  Index small_parts = 0;  ///< 0, or elements from the big tf32 part of each to the small one

  template <class T>
  __device__ void operator()(T* to, const T* from) const {
    if constexpr (std::is_same_v<T, float>) {
      if (small_parts > 0) {
        Vector<float, 4> big, small;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          big.value[e] = round_to_tf32(from[e]);
          small.value[e] = round_to_tf32(from[e] - big.value[e]);
        }
        *reinterpret_cast<Vector<float, 4>*>(to + small_parts) = small;
        *reinterpret_cast<Vector<float, 4>*>(to) = big;
        return;
      }
    }
    detail::StoreVector{}(to, from);
  }
};

}  // namespace rooftile::detail::hopper
