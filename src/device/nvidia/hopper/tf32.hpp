// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace rooftile::detail::hopper {

/// Returns the nearest tf32, a float with 10 bits of mantissa; ties away from zero. Numbers within 2⁻¹² of
/// the largest float become infinite.
__device__ inline float round_to_tf32(float x) {
  std::uint32_t y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return __uint_as_float(y);
}

}  // namespace rooftile::detail::hopper
