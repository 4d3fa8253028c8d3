// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "plan/call_name.hpp"
#include "plan/default_call.hpp"
#include "plan/device_accessible.hpp"
#include "plan/group.hpp"
#include "plan/group_plan.hpp"
#include "plan/log_call.hpp"
#include "plan/plan.hpp"
#include "plan/prepare.hpp"
#include "plan/recent_plans.hpp"
#include "plan/validate_enum.hpp"

/// The sequence of every call: log, region, checks, plan, run. An engine provides:
/// - `on_cpu`; `fused`: has an epilogue; `keeps_plans`: plans depend only on desc, options and `where()`
/// - `require()`: throws if it cannot compute; `enter()`: returns a scope object for planning and running
/// - `target(own)`, `plan(desc, options, own)`, and `validate(options, own)` for calls without work
/// - `run(plan, ready[, number in a group])`
/// - on CPUs: `run_default(ready)` for calls without options, and `run_group`
/// - on GPUs: `device_accessible(address)`, `shares_launches<T>`, `run_shared(…)`; fused: `check_epilogue()`
/// - `is_profiled()`, `in_region(name, compute)` and `wait()`
namespace rooftile::detail {

/// Runs a call in a profiler region and logs it.
/// @param explain  returns the plan, or the plans of a group
template <class Engine, class Products, class Compute, class Explain>
[[gnu::cold, gnu::noinline]] void observe_call(const Engine& engine, std::string_view name,
                                               const Products& products, const Compute& compute,
                                               const Explain& explain) {
  const auto in_region = [&] {
    engine.in_region([&] { return call_name(name, products, try_to(explain)); }, compute);
  };
  with_log(
      name, products, Engine::fused, in_region, [&] { engine.wait(); }, explain);
}

/// Runs a call. Without a log and a profiler, it runs directly.
template <class Engine, class Products, class Compute, class Explain>
void observe(const Engine& engine, std::string_view name, const Products& products, const Compute& compute,
             const Explain& explain) {
  if (is_log_off() && !engine.is_profiled()) [[likely]]
    return compute();
  observe_call(engine, name, products, compute, explain);
}

/// Prepares products for an engine. On CPUs, it also checks pointers. With an epilogue, batches are not
/// folded, since the epilogue needs the batch entry.
template <class Engine, class T>
BatchArgs<T> prepared_for(const Engine&, const BatchArgs<T>& args) {
  const BatchArgs<T> ready = prepared(args, !Engine::fused);
  if (Engine::on_cpu && ready.pointers.any()) check_pointers(ready);
  return ready;
}

/// Returns the description of prepared products, with strides on CPUs.
template <class Engine, class T>
GemmDesc describe_for(const Engine&, const BatchArgs<T>& ready) {
  GemmDesc desc = describe(ready);
  if constexpr (Engine::on_cpu) describe_strides(desc, ready);
  return desc;
}

/// @throws Error if the GPU cannot access the caller's memory
template <class Engine, class T>
void check_reached_by(const Engine& engine, const BatchArgs<T>& given, const void* workspace) {
  if constexpr (!Engine::on_cpu) {
    check_call_accessible(given, workspace,
                          [&](const void* address) { return engine.device_accessible(address); });
    if constexpr (Engine::fused) engine.check_epilogue();
  }
}

/// Plans and starts prepared products. @param given  the caller's products
template <class Engine, class T>
void start(const Engine& engine, const BatchArgs<T>& given, const BatchArgs<T>& ready,
           const GemmOptions& options) {
  constexpr ComputeMode own = own_mode<T>();
  if constexpr (Engine::on_cpu) {
    if (&options == &default_options || is_default_call(options, own)) return engine.run_default(ready);
  }
  [[maybe_unused]] const auto scope = engine.enter();
  const GemmDesc desc = describe_for(engine, ready);
  const auto make = [&] { return engine.plan(desc, options, own); };
  const auto run = [&](const GemmPlan& plan) {
    check_reached_by(engine, given, plan.memory);
    engine.run(plan, ready);
  };
  if constexpr (Engine::keeps_plans) {
    recent_plans().with_plan(engine.where(), desc, options, make, run);
  } else {
    run(make());
  }
}

/// Checks, plans and starts products.
template <class Engine, class T>
void compute(const Engine& engine, const BatchArgs<T>& args, const GemmOptions& options) {
  engine.require();
  if (!Engine::fused && is_prepared(args)) {  // avoids a copy, for small products
    check_one(args);
    return start(engine, args, args, options);
  }
  const BatchArgs<T> ready = prepared_for(engine, args);
  nothing_to_do(ready) ? engine.validate(options, own_mode<T>()) : start(engine, args, ready, options);
}

/// Returns the plan that `execute` would make.
template <class Engine, class T>
GemmPlan explain_call(const Engine& engine, const BatchArgs<T>& args, const GemmOptions& options) {
  const BatchArgs<T> ready = prepared_for(engine, args);
  [[maybe_unused]] const auto scope = engine.enter();
  return engine.plan(describe_for(engine, ready), options, own_mode<T>());
}

/// Computes products. @param name  name of the call in logs and profilers
template <class Engine, class T>
void execute(const Engine& engine, std::string_view name, const BatchArgs<T>& args,
             const GemmOptions& options) {
  observe(
      engine, name, args, [&] { compute(engine, args, options); },
      [&] { return explain_call(engine, args, options); });
}

/// Computes products by an existing plan. @throws Error if the plan is for other products
template <class Engine, class T>
void execute_plan(const Engine& engine, std::string_view name, const BatchArgs<T>& args,
                  const GemmPlan& plan) {
  const auto check = [&](const BatchArgs<T>& ready) {
    check_plan(plan, describe_for(engine, ready), engine.target(own_mode<T>()));
  };
  const auto compute = [&] {
    const BatchArgs<T> ready = prepared_for(engine, args);
    [[maybe_unused]] const auto scope = engine.enter();
    check(ready);
    if (nothing_to_do(ready)) return;
    check_reached_by(engine, args, plan.memory);
    if constexpr (Engine::on_cpu) {
      GemmPlan whole = plan;
      if (plan.cpu.algorithm == CpuAlgorithm::none)  // the caller has changed the kernel
        add_cpu_plan(whole, engine.target(own_mode<T>()).threads);
      engine.run(whole, ready);
    } else {
      if constexpr (Engine::template shares_launches<T>) {
        if (plan.together)
          return engine.run_shared(plan.kernel, plan.math, launch_of<T>(plan, ready.first), false);
      }
      engine.run(plan, ready);
    }
  };
  const auto explain = [&] {
    [[maybe_unused]] const auto scope = engine.enter();
    check(prepared_for(engine, args));
    return plan;
  };
  observe(engine, name, args, compute, explain);
}

/// Starts a group on a GPU.
template <class Engine, class T>
void start_group(const Engine& engine, std::span<const GemmArgs<T>> products, const GemmOptions& options) {
  [[maybe_unused]] const auto scope = engine.enter();
  const GroupPlan<T> group = plan_group(products, options, engine.target(own_mode<T>()));
  check_group_reached(products, options.workspace.data,
                      [&](const void* address) { return engine.device_accessible(address); });
  for (const auto& [number, args, plan] : group.alone) {
    if (!nothing_to_do<T>(args)) engine.template run<T>(plan, args);
  }
  bool behind = false;
  for (const SharedLaunch<T>& launch : group.shared) {
    if (launch.entries.empty()) continue;
    engine.run_shared(group.kernel, group.math, launch, behind);
    behind = true;
  }
}

/// Plans and starts products of a group one by one.
/// @param ready  the prepared products
template <class Engine, class T>
void start_one_by_one(const Engine& engine, std::span<const GemmArgs<T>> products,
                      const std::vector<GemmArgs<T>>& ready, const GemmOptions& options) {
  const std::vector<GemmPlan> plans = plans_of_group(engine, ready, options);
  if (ready.empty()) return;
  if constexpr (!Engine::on_cpu) {
    check_group_reached(products, options.workspace.data,
                        [&](const void* address) { return engine.device_accessible(address); });
    if constexpr (Engine::fused) engine.check_epilogue();
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    if (!nothing_to_do<T>(ready[i])) engine.template run<T>(plans[i], ready[i], i);
  }
}

/// Returns the plans that `execute_group` would make, one for each product.
template <class Engine, class T>
std::vector<GemmPlan> explain_group(const Engine& engine, std::span<const GemmArgs<T>> products,
                                    const GemmOptions& options) {
  [[maybe_unused]] const auto scope = engine.enter();
  if constexpr (Engine::on_cpu) {
    return engine.explain_group(prepared_group(products), options);
  } else if constexpr (Engine::template shares_launches<T>) {
    return plans_in_group(products, options, engine.target(own_mode<T>()));
  } else {
    return plans_of_group(engine, prepared_group(products), options);
  }
}

/// Computes a group of products of any shapes.
template <class Engine, class T>
void execute_group(const Engine& engine, std::string_view name, std::span<const GemmArgs<T>> products,
                   const GemmOptions& options) {
  const auto compute = [&] {
    engine.require();
    engine.validate(options, own_mode<T>());
    if constexpr (Engine::on_cpu) {
      engine.run_group(prepared_group(products), products, options);
    } else if constexpr (Engine::template shares_launches<T>) {
      start_group(engine, products, options);
    } else {
      start_one_by_one(engine, products, prepared_group(products), options);
    }
  };
  observe(engine, name, products, compute, [&] { return explain_group(engine, products, options); });
}

}  // namespace rooftile::detail
