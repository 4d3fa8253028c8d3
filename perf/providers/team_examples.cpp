// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of examples/08_team, for `bench --team`.
#include "examples/08_team/block_jacobi.hpp"
#include "examples/08_team/cholesky.hpp"
#include "examples/08_team/sum_factorization.hpp"
#include "kokkos_devices.hpp"

namespace rooftile::perf {
namespace {

/// @param on_cpu,on_gpu  number of elements, matrices or blocks; the data exceeds the caches
template <class Kernel, class Exec>
void add_example(Machine& machine, Device& device, const Exec& exec, const char* name, int on_cpu,
                 int on_gpu) {
  const int count = is_gpu(device) ? on_gpu : on_cpu;
  const auto prepare = [exec, count]() -> TeamRun {
    const Kernel kernel = Kernel::make(exec, count);
    const auto before = [=] {
      if constexpr (requires { kernel.fill(exec); }) kernel.fill(exec);
    };
    return {before, [=] { kernel.run(exec); }, [=] { return kernel.error(); }};
  };
  machine.team_examples.push_back(
      {&device, name, count, Kernel::flops * count, Kernel::bytes * count, prepare});
}

void add(Machine& machine) {
  if (!Kokkos::is_initialized()) return;  // the portable provider reports why
  for_each_kokkos_device(machine, [&]<class Exec>(Device& device, const Exec& exec) {
    using namespace team_example;
    add_example<SumFactorization<Exec>>(machine, device, exec, "sum factorisation", 10000, 100000);
    add_example<Cholesky<Exec>>(machine, device, exec, "Cholesky 64x64", 2000, 20000);
    add_example<BlockJacobi<Exec>>(machine, device, exec, "block-Jacobi 32x32x8", 10000, 60000);
  });
}

const Provider provider{Provider::peer, add};

}  // namespace
}  // namespace rooftile::perf
