// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/problem.hpp"

namespace rooftile::detail {

/// Computes C = alpha·A·B + beta·C on the calling CPU thread, with the kernels of `gemm`. The library
/// instantiates it for every type of `team_gemm`.
/// @pre the shapes conform, the elements of C are distinct, and C does not overlap A or B
template <class T>
void host_product(const GemmArgs<T>& args);

}  // namespace rooftile::detail
