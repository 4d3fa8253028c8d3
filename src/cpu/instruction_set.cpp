// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/instruction_set.hpp"

#include "cpu/blocks.hpp"

namespace rooftile::portable {

std::string_view instruction_set() {
  return instruction_sets[chosen_set()];
}

}  // namespace rooftile::portable
