// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

namespace rooftile::testing {

/// Of Kokkos, which runs from the first call on, as long as the tests.
inline const Kokkos::OpenMP& instance() {
  static const Kokkos::ScopeGuard running;
  static const Kokkos::OpenMP exec;
  return exec;
}

}  // namespace rooftile::testing
