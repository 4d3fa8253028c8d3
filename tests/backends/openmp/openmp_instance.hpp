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

/// Instances of all threads, which tests/backends/CMakeLists.txt has four of, and of fewer.
struct Instances {
  const Kokkos::OpenMP& all;
  Kokkos::OpenMP one{1}, three{3};
};
inline const Instances& instances() {
  static const Instances found{instance()};
  return found;
}

}  // namespace rooftile::testing
