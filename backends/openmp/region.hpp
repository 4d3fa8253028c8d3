// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

namespace rooftile::portable {

/// Whether the calling thread computes a product without the others: it is one of a parallel region, be it
/// OpenMP's own or Kokkos', which would wait for itself if it were to divide it again; or there are none.
template <class Exec>
bool computes_alone([[maybe_unused]] const Exec& exec) {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) return omp_get_level() > 0;
#endif
  return exec.concurrency() == 1;
}

/// The calling thread of a parallel region, and how many it has.
struct ThreadOfRegion {
  int rank;
  int size;
};
inline ThreadOfRegion thread_of_region() {
#ifdef KOKKOS_ENABLE_OPENMP
  return {omp_get_thread_num(), omp_get_num_threads()};
#else
  return {0, 1};
#endif
}

}  // namespace rooftile::portable
