// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include "rooftile/error.hpp"

namespace rooftile::detail {

/// @throws Error before Kokkos' start and after its end
inline void require_kokkos() {
  if (Kokkos::is_initialized()) return;
  throw Error(Kokkos::is_finalized()
                  ? "Kokkos is not running (already finalized): compute before Kokkos::finalize"
                  : "Kokkos is not running (not yet initialized): call Kokkos::initialize first");
}

}  // namespace rooftile::detail
