// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/problem.hpp"

namespace rooftile::distributed {

/// Computes a product on this process with OpenMP threads. Without memory for the workspace it uses a slow
/// kernel instead of failing, because other processes wait for the result. @pre the arguments are valid
template <class T>
void multiply_here(const GemmArgs<T>& args);

}  // namespace rooftile::distributed
