// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

namespace rooftile::testing {

/// The shared instance. The first call initializes Kokkos until the tests end.
inline const Kokkos::OpenMP& instance() {
  static const Kokkos::ScopeGuard running;
  static const Kokkos::OpenMP exec;
  return exec;
}

/// Instances with all threads (tests/backends/CMakeLists.txt sets four), and with one and three.
struct Instances {
  const Kokkos::OpenMP& all;
  Kokkos::OpenMP one{1}, three{3};
};
inline const Instances& instances() {
  static const Instances found{instance()};
  return found;
}

}  // namespace rooftile::testing
