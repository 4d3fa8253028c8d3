// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The portable ladder, on every device that this Kokkos build supports.
#include <algorithm>
#include <cctype>

#include "backends/kokkos/target.hpp"
#include "kokkos_devices.hpp"
#include "ladder_candidates.hpp"
#include "plan/batch_operands.hpp"
#include "rooftile/gemm_grouped.hpp"

namespace rooftile::perf {
namespace {

template <class Exec, class T>
struct Entries {
  Exec exec;

  void operator()(const BatchArgs<T>& args, const GemmOptions& options) const {
    const auto& [alpha, A, B, beta, C] = args.first;
    const auto [count, stride_a, stride_b, stride_c, inner, outer_a, outer_b, outer_c] = args.batch;
    if (args.pointers.any() || inner != 0) {
      const auto [a, b, c] = detail::operands_of(args);
      return gemm_batched(exec, alpha, a, b, beta, c, options);
    }
    if (count == 1) return gemm(exec, alpha, A, B, beta, C, options);
    gemm_strided_batched(exec, alpha, A, stride_a, B, stride_b, beta, C, stride_c, count, options);
  }
  void operator()(std::span<const GemmArgs<T>> group, const GemmOptions& options) const {
    gemm_grouped(exec, group, options);
  }
};

template <class Exec>
void add_path(Machine& machine, Device& device, const Exec& exec) {
  const auto target = [exec](ComputeMode math) { return detail::portable_target(exec, math); };
  for_each_product_type([&]<class T>() { add_ladder<T>(machine, device, target, Entries<Exec, T>{exec}); });
}

void add(Machine& machine) {
  if (!Kokkos::is_initialized()) {
    // Kokkos built for a GPU fails to initialise on a machine without one.
    try {
      auto settings = Kokkos::InitializationSettings().set_disable_warnings(true);
      if (std::any_of(machine.devices.begin(), machine.devices.end(),
                      [](const auto& d) { return is_gpu(*d); })) {
        settings.set_device_id(machine.gpu);
      }
      static const Kokkos::ScopeGuard kokkos(settings);
    } catch (const std::exception& error) {
      machine.absent.push_back({"portable", error.what()});
      return;
    }
  }
  using HostExec = Kokkos::DefaultHostExecutionSpace;
  Device& host = *machine.device("host");
  host.backend = HostExec::name();
  std::transform(host.backend.begin(), host.backend.end(), host.backend.begin(), ::tolower);
  for_each_kokkos_device(machine, [&](Device& device, const auto& exec) { add_path(machine, device, exec); });
}

const Provider provider{Provider::portable, add};

}  // namespace
}  // namespace rooftile::perf
