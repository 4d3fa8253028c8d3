// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/function.hpp"

namespace rooftile::detail {

/// The steps of asynchronous kernels whose order relative to other threads, TMA or the tensor cores can vary.
enum class Step { wait, arrive, copy, store, barrier };

/// Does nothing. A test build puts tests/delay_injection before this folder on its include path. That version
/// delays each step of a warp by a random time, which provokes orders of events that an idle GPU never shows.
template <Step>
ROOFTILE_FUNCTION void shake() {}

}  // namespace rooftile::detail
