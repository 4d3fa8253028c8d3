// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/function.hpp"

namespace rooftile::detail {

/// What the asynchronous kernels do that another thread, TMA or the tensor cores may be ahead of or behind.
enum class Step { wait, arrive, copy, store, barrier };

/// Nothing. A test build puts tests/delay_injection before this folder on its include path: there each step
/// of a warp is held up for a time drawn at random, so that orders of events come about that an idle GPU
/// never shows.
template <Step>
ROOFTILE_FUNCTION void shake() {}

}  // namespace rooftile::detail
