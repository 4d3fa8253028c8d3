// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::portable {

/// Starts a rung's kernel on `exec` and returns. Instantiated once per rung and execution space, in objects
/// of their own, so that users compile no kernel.
/// @pre the arguments are checked, C has elements, the rung takes the shape and `tile`
template <Kernel kernel, class Exec, class T>
void run(const Exec& exec, const GemmArgs<T>& args, TileShape tile);

}  // namespace rooftile::portable
