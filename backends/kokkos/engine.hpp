// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "backends/kokkos/backend.hpp"
#include "backends/kokkos/host_pointers.hpp"
#include "backends/kokkos/products.hpp"
#include "backends/kokkos/region.hpp"
#include "backends/kokkos/run.hpp"
#include "backends/kokkos/run_group.hpp"
#include "backends/kokkos/target.hpp"
#include "backends/kokkos/threads.hpp"
#include "cpu/engine.hpp"
#include "plan/execute.hpp"
#include "plan/kernel_table.hpp"
#include "rooftile/detail/operands.hpp"
#include "rooftile/ladder.hpp"

/// The engines of the portable ladder (`plan/execute.hpp`).
namespace rooftile::portable {

/// The functions that start the rungs of an execution space.
template <class Exec, class T>
constexpr auto portable_kernels =
    detail::kernel_table<Run<Exec, T>>([]<Kernel kernel>(std::integral_constant<Kernel, kernel>) {
      constexpr const Rung& rung = rung_of(kernel);
      using Backend = Backend<Exec>;
      constexpr bool here = rung.is_for(Backend::one_thread_teams) &&
                            (!rung.is_warp_mma() || !Backend::warp_mma.empty()) &&
                            (!rung.is_for_hopper() || !Backend::wgmma.empty());
      // Only a few rungs are instantiated for mixed types, and Hopper's rungs only for a few types.
      constexpr bool computes = std::any_of(std::begin(all_modes), std::end(all_modes), [](ComputeMode math) {
        return is_mode_of<T>(math) && rung.supports(math, Path::portable);
      });
      constexpr bool built = !(is_mixed(own_mode<T>()) || rung.is_for_hopper()) || computes;
      if constexpr (rung.portable && here && built) {
        return runs<kernel, Exec, T>;
      } else {
        return detail::KernelRow<Run<Exec, T>>{};
      }
    });

/// The functions that start several products of T in one launch, on GPUs.
template <class Exec, class T>
constexpr auto portable_groups =
    detail::kernel_table<RunGroup<Exec, T>>([]<Kernel kernel>(std::integral_constant<Kernel, kernel>) {
      if constexpr (rung_of(kernel).groups.empty() || is_mixed(own_mode<T>())) {
        return detail::KernelRow<RunGroup<Exec, T>>{};
      } else {
        return group_runs<kernel, Exec, T>;
      }
    });

/// The base of the Kokkos engines.
template <class Exec>
class KokkosEngine {
 public:
  explicit KokkosEngine(const Exec& exec) : exec_(exec) {}

  static void require() { detail::require_kokkos(); }
  static int enter() { return 0; }
  Target target(ComputeMode own) const { return detail::portable_target(exec_, own); }

  static bool is_profiled() { return is_tool_loaded(); }
  template <class Name, class Compute>
  void in_region(const Name& name, const Compute& compute) const {
    portable::in_region(exec_, name, compute);
  }
  void wait() const { exec_.fence("rooftile::log"); }

 protected:
  const Exec& exec_;
};

/// The engine of a GPU.
template <class Exec>
class GpuEngine : public KokkosEngine<Exec> {
 public:
  static constexpr bool on_cpu = false, fused = false, keeps_plans = true;
  template <class T>
  static constexpr bool shares_launches = !is_mixed(own_mode<T>());

  using KokkosEngine<Exec>::KokkosEngine;

  detail::PathOnDevice where() const { return {Path::portable, Backend<Exec>::device(this->exec_)}; }
  GemmPlan plan(const GemmDesc& desc, const GemmOptions& options, ComputeMode own) const {
    return rooftile::plan(desc, options, this->target(own));
  }
  void validate(const GemmOptions& options, ComputeMode own) const {
    detail::validate_enum(options.kernel);
    resolved(options.math, own);
  }
  detail::Access device_accessible(const void* address) const {
    return Backend<Exec>::device_accessible(this->exec_, address);
  }

  template <class T>
  void run(const GemmPlan& plan, const BatchArgs<T>& ready, std::size_t /*number*/ = 0) const {
    const Run<Exec, T> kernel = portable_kernels<Exec, T>(plan.kernel, plan.math);
    if constexpr (may_be_repacked<T>) {
      if (plan.repack) return run_repacked(this->exec_, ready, plan, kernel);
    }
    if constexpr (!kernels_read_pointers) {
      if (ready.pointers.any()) return kernel(this->exec_, HostPointers<T>(this->exec_, ready).args(), plan);
    }
    kernel(this->exec_, ready, plan);
  }
  template <class T>
  void run_shared(Kernel kernel, ComputeMode math, const detail::SharedLaunch<T>& launch,
                  bool /*behind*/) const {
    portable_groups<Exec, T>(kernel, math)(this->exec_, launch);
  }
};

/// The engine of a CPU.
template <class Exec>
class KokkosCpuEngine : public KokkosEngine<Exec>, public CpuEngine<KokkosCpuEngine<Exec>> {
 public:
  using KokkosEngine<Exec>::KokkosEngine;

  KokkosThreads<Exec> threads() const { return KokkosThreads<Exec>(this->exec_); }

  template <class T>
  void run(const GemmPlan& plan, const BatchArgs<T>& ready, std::size_t /*number*/ = 0) const {
    portable_kernels<Exec, T>(plan.kernel, plan.math)(this->exec_, ready, plan);
  }
};

template <class Exec>
using EngineOf = std::conditional_t<Backend<Exec>::one_thread_teams, KokkosCpuEngine<Exec>, GpuEngine<Exec>>;

}  // namespace rooftile::portable
