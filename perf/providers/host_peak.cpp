// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "host_peak.hpp"

#include "backends/openmp/simd.hpp"

namespace rooftile::perf {
namespace {

template <class T>
T chains(T seed) {
  return fma_chains<host_chains>(typename portable::Simd<T>::Vector{} + seed)[0];
}

}  // namespace
}  // namespace rooftile::perf

constinit const rooftile::perf::HostPeak ROOFTILE_IN_SET(rooftile_host_peak){
    rooftile::portable::vector_bytes, rooftile::perf::chains<float>, rooftile::perf::chains<double>};
