// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rooftile/detail/function.hpp"
#include "rooftile/float16.hpp"

/// The operands of a warp's matrix instructions.
namespace rooftile::detail {

/// A word of shared memory: two neighbours of 16 bits along k, or one element of tf32.
using Word = std::uint32_t;

/// A lane's words of four matrices.
struct FourWords {
  Word x[4];
};

/// Returns a word that tensor cores read as the nearest tf32, ties away from zero. They read its upper 19
/// bits, so half of the last of these bits is added. NaN is returned unchanged, because the addition could
/// overflow its bits.
ROOFTILE_FUNCTION Word rounded_to_tf32(Word word) {
  const auto value = bits_as<float>(word);
  return value == value ? word + 0x1000U : word;
}

}  // namespace rooftile::detail
