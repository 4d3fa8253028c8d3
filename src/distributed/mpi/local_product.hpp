// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/problem.hpp"

namespace rooftile::distributed {

/// A product on this process alone, by OpenMP's threads; where there is no memory for the kernels' workspace,
/// slowly: the other processes wait for its part. @pre the product has no fault
template <class T>
void multiply_here(const GemmArgs<T>& args);

}  // namespace rooftile::distributed
