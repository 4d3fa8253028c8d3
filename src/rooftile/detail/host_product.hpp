// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/problem.hpp"

namespace rooftile::detail {

/// C = alpha·A·B + beta·C by the calling thread of a CPU, with the kernels of `gemm`. Compiled in the library
/// for every type of `team_gemm`. @pre the shapes conform, and C shares no element with A, B or itself
template <class T>
void host_product(const GemmArgs<T>& args);

}  // namespace rooftile::detail
