// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/backend.hpp"
#include "backends/kokkos/host_pointers.hpp"
#include "backends/kokkos/products.hpp"
#include "backends/kokkos/region.hpp"
#include "backends/kokkos/run.hpp"
#include "backends/kokkos/run_group.hpp"
#include "backends/kokkos/target.hpp"
#include "cpu/explain.hpp"
#include "cpu/usual_options.hpp"
#include "plan/call_name.hpp"
#include "plan/log_call.hpp"
#include "plan/plan.hpp"
#include "plan/prepare.hpp"
#include "plan/reach.hpp"
#include "plan/recent_plans.hpp"
#include "rooftile/detail/kokkos.hpp"

namespace rooftile::detail {

/// Threads of a CPU that share a product which the calling one starts; 1 on GPUs.
template <class Exec>
int threads_of(const Exec& exec) {
  if constexpr (portable::Backend<Exec>::one_thread_teams) {
    return portable::Backend<Exec>::computes_alone(exec) ? 1 : portable::Backend<Exec>::threads(exec);
  } else {
    return 1;
  }
}

template <class Exec>
Target portable_target(const Exec& exec, Math math) {
  static_assert(portable::HasBackend<Exec>, "this execution space has no backend: add a folder in backends/");
  static_assert(!portable::Backend<Exec>::one_thread_teams || portable::HasThreads<Exec>,
                "the backend of a CPU says which of its threads calls: see backends/backend.hpp");
  using Backend = portable::Backend<Exec>;
  require_kokkos();
  return {.path = Path::portable,
          .limits = Backend::limits(exec),
          .math = math,
          .cache_blocks = Backend::cache_blocks(mode_of(math).sum),
          .sms = Backend::sm_count(exec),
          .fragments = Backend::has_fragments(exec) ? Backend::fragments : std::span<const Math>{},
          .asynchronous_copies = Backend::asynchronous_copies,
          .device = Backend::device_name(exec),
          .costs = Backend::costs(exec),
          .reads_pointers = portable::kernels_read_pointers,
          .threads = threads_of(exec),
          .warpgroups = Backend::has_warpgroups(exec) ? Backend::warpgroups : std::span<const Math>{}};
}

template <class Exec>
GemmPlan explain_row_major(const Exec& exec, const GemmShape& shape, Index count, Math own,
                           const GemmOptions& options) {
  const auto [type, result] = std::pair(type_of(own), mode_of(own).result);
  check_row_major(shape, count, size_of(result));  // whose elements are no smaller than those of A and B
  GemmDesc desc = describe(shape, type, count);
  desc.result_type = result;
  return plan(desc, options, portable_target(exec, own));
}

template <class Exec>
void release_workspace(const Exec& exec) {
  require_kokkos();
  portable::Backend<Exec>::release_workspace(exec);
}

/// What starts each rung that the execution space has.
template <class Exec, class T>
constexpr auto portable_kernels =
    kernel_table<portable::Run<Exec, T>>([]<Kernel kernel>(std::integral_constant<Kernel, kernel>) {
      constexpr const Rung& rung = rung_of(kernel);
      using Backend = portable::Backend<Exec>;
      constexpr bool here = rung.is_for(Backend::one_thread_teams) &&
                            (!rung.fragments || !Backend::fragments.empty()) &&
                            (!rung.is_for_hopper() || !Backend::warpgroups.empty());
      // Mixed types have objects of few rungs, and Hopper's rungs have objects of few types.
      constexpr bool computes = std::any_of(std::begin(all_maths), std::end(all_maths), [](Math math) {
        return is_mode_of<T>(math) && rung.supports(math, Path::portable);
      });
      constexpr bool built = !(is_mixed(own_math<T>()) || rung.is_for_hopper()) || computes;
      if constexpr (rung.portable && here && built) {
        return portable::runs<kernel, Exec, T>;
      } else {
        return KernelRow<portable::Run<Exec, T>>{};
      }
    });

/// What starts products of T that share launches, on GPUs.
template <class Exec, class T>
constexpr auto portable_groups =
    kernel_table<portable::RunGroup<Exec, T>>([]<Kernel kernel>(std::integral_constant<Kernel, kernel>) {
      if constexpr (rung_of(kernel).groups.empty() || is_mixed(own_math<T>())) {
        return KernelRow<portable::RunGroup<Exec, T>>{};
      } else {
        return portable::group_runs<kernel, Exec, T>;
      }
    });

/// Does what a plan says.
template <class Exec, class T>
void start(const Exec& exec, const BatchArgs<T>& args, const GemmPlan& plan) {
  const portable::Run<Exec, T> run = portable_kernels<Exec, T>(plan.kernel, plan.math);
  if constexpr (!portable::Backend<Exec>::one_thread_teams && can_be_repacked(type_of<T>()) &&
                !is_mixed(own_math<T>())) {
    if (plan.repack) return portable::run_repacked(exec, args, plan, run);
  }
  if constexpr (!portable::Backend<Exec>::one_thread_teams && !portable::kernels_read_pointers) {
    if (args.pointers.any()) return run(exec, portable::HostPointers<T>(exec, args).args(), plan);
  }
  run(exec, args, plan);
}

/// Plans prepared products and calls f with the plan. CPUs have one kernel and blocks for all, which are
/// looked for once: a small product takes less time than that.
template <class Exec, class T, class F>
void with_plan(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options, const F& f) {
  const auto look = [&](const GemmDesc& desc) {
    return plan(desc, options, portable_target(exec, own_math<T>()));
  };
  using Backend = portable::Backend<Exec>;
  if constexpr (!Backend::one_thread_teams) {
    const GemmDesc desc = describe(args);
    recent_plans().with_plan(
        {Path::portable, Backend::device(exec)}, desc, options, [&] { return look(desc); }, f);
  } else {
    if constexpr (rung_of(Kernel::packed).supports(own_math<T>(), Path::portable)) {
      if (&options == &default_options || portable::are_usual(options, own_math<T>())) {
        static const GemmPlan usual = look(describe(args));
        return f(usual);
      }
    }
    f(look(describe(args)));
  }
}

/// @throws Error where a GPU does not reach what the caller gave
template <class Exec, class T>
void check_reached_by(const Exec& exec, const BatchArgs<T>& given, const void* workspace) {
  if constexpr (!portable::Backend<Exec>::one_thread_teams) {
    check_call_reached(given, workspace,
                       [&](const void* x) { return portable::Backend<Exec>::reach(exec, x); });
  }
}

/// Plans prepared products and starts them.
template <class Exec, class T>
void start_planned(const Exec& exec, const BatchArgs<T>& given, const BatchArgs<T>& ready,
                   const GemmOptions& options) {
  with_plan(exec, ready, options, [&](const GemmPlan& plan) {
    check_reached_by(exec, given, plan.memory);
    start(exec, ready, plan);
  });
}

/// `prepared`; on CPUs pointers are looked at, too.
template <class Exec, class T>
BatchArgs<T> prepared_for(const Exec&, const BatchArgs<T>& args, bool folds = true) {
  const BatchArgs<T> ready = prepared(args, folds);
  if (portable::Backend<Exec>::one_thread_teams && ready.pointers.any()) check_pointers(ready);
  return ready;
}

/// The plan of prepared products.
template <class Exec, class T>
GemmPlan explain_ready(const Exec& exec, const BatchArgs<T>& ready, const GemmOptions& options) {
  GemmPlan found = plan(describe(ready), options, portable_target(exec, own_math<T>()));
  using Backend = portable::Backend<Exec>;
  if constexpr (Backend::one_thread_teams &&
                rung_of(Kernel::packed).supports(own_math<T>(), Path::portable)) {
    if (nothing_to_do(ready) || takes_residues(found.math)) return found;
    found.by_caller = Backend::computes_alone(exec);
    if (found.kernel == Kernel::packed)
      portable::explain_packed(ready, Backend::threads(exec), found.by_caller, found);
  }
  return found;
}

template <class Exec, class T>
GemmPlan explain(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options) {
  return explain_ready(exec, prepared_for(exec, args), options);
}

/// `run`, for nobody to see.
template <class Exec, class T>
void compute_unseen(const GemmPlan& plan, const Exec& exec, const BatchArgs<T>& args) {
  const Target here = portable_target(exec, own_math<T>());
  const BatchArgs<T> ready = prepared_for(exec, args);
  check_plan(plan, describe(ready), here);
  if (nothing_to_do(ready)) return;
  check_reached_by(exec, args, plan.memory);
  if constexpr (!portable::Backend<Exec>::one_thread_teams && !is_mixed(own_math<T>())) {
    if (plan.together)
      return portable_groups<Exec, T>(plan.kernel, plan.math)(exec, launch_of<T>(plan, ready.first));
  }
  start(exec, ready, plan);
}

/// `gemm`, for nobody to see. @pre Kokkos runs
template <class Exec, class T>
void compute_unseen(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options) {
  if (is_prepared(args)) {  // without a copy, which small products would feel
    check_one(args);
    return start_planned(exec, args, args, options);
  }
  const BatchArgs<T> ready = prepared_for(exec, args);
  if (!nothing_to_do(ready)) return start_planned(exec, args, ready, options);
  require_known(options.kernel);
  resolved(options.math, own_math<T>());
}

/// What a log that wants times waits for.
template <class Exec>
auto wait_for(const Exec& exec) {
  return [&exec] { exec.fence("rooftile::log"); };
}

/// The plan that `run` computes by. @throws Error as it would
template <class Exec, class T>
GemmPlan checked(const GemmPlan& plan, const Exec& exec, const BatchArgs<T>& args) {
  check_plan(plan, describe(prepared_for(exec, args)), portable_target(exec, own_math<T>()));
  return plan;
}

// The same for Kokkos' tools, and with a log: apart, so that calls without either pay nothing for it.

template <class Exec, class T>
[[gnu::cold, gnu::noinline]] void compute_in_region(const Exec& exec, const BatchArgs<T>& args,
                                                    const GemmOptions& options) {
  portable::in_region(
      exec,
      [&] { return call_name("rooftile::gemm", args, try_to([&] { return explain(exec, args, options); })); },
      [&] { compute_unseen(exec, args, options); });
}

/// `gemm`, without a log.
template <class Exec, class T>
void compute(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options) {
  require_kokkos();
  portable::is_tool_loaded() ? compute_in_region(exec, args, options) : compute_unseen(exec, args, options);
}

template <class Exec, class T>
[[gnu::cold, gnu::noinline]] void compute_logged(const Exec& exec, const BatchArgs<T>& args,
                                                 const GemmOptions& options) {
  with_log(
      "rooftile::gemm", args, false, [&] { compute(exec, args, options); }, wait_for(exec),
      [&] { return explain(exec, args, options); });
}

template <class Exec, class T>
void gemm(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options) {
  is_log_off() ? compute(exec, args, options) : compute_logged(exec, args, options);
}

template <class Exec, class T>
void run(const GemmPlan& plan, const Exec& exec, const BatchArgs<T>& args) {
  const auto how = [&] { return checked(plan, exec, args); };
  const auto compute = [&] {
    portable::in_region(
        exec, [&] { return call_name("rooftile::run", args, try_to(how)); },
        [&] { compute_unseen(plan, exec, args); });
  };
  with_log("rooftile::run", args, false, compute, wait_for(exec), how);
}

}  // namespace rooftile::detail
