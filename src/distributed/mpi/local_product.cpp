// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "distributed/mpi/local_product.hpp"

#include <new>

#include "cpu/host_engine.hpp"
#include "cpu/without_memory.hpp"
#include "plan/prepare.hpp"

namespace rooftile::distributed {

template <class T>
void multiply_here(const GemmArgs<T>& args) {
  const BatchArgs<T> ready = detail::prepared<T>(args);
  if (detail::nothing_to_do(ready)) return;
  try {
    detail::start(portable::HostEngine(), ready, ready, default_options);
  } catch (const std::bad_alloc&) {  // thrown before C was written
    portable::multiply_without_memory(ready.first);
  }
}

template void multiply_here(const GemmArgs<float>&);
template void multiply_here(const GemmArgs<double>&);
template void multiply_here(const GemmArgs<complex<float>>&);
template void multiply_here(const GemmArgs<complex<double>>&);

}  // namespace rooftile::distributed
