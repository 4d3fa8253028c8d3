// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "cpu/driver.hpp"
#include "cpu/group.hpp"
#include "plan/execute.hpp"

/// The CPU engines (`plan/execute.hpp`).
namespace rooftile::portable {

/// The base class of both CPU engines.
/// @tparam Self  the engine, which provides `threads()` and `target(own)`
template <class Self>
class CpuEngine {
 public:
  static constexpr bool on_cpu = true, fused = false, keeps_plans = false;

  GemmPlan plan(const GemmDesc& desc, const GemmOptions& options, ComputeMode own) const {
    return rooftile::plan(desc, options, self().target(own));
  }
  void validate(const GemmOptions& options, ComputeMode own) const {
    detail::validate_enum(options.kernel);
    resolved(options.math, own);
  }

  /// The epilogue of product `number`. The default has none.
  template <class T>
  EpilogueOf<T> epilogue_at(std::size_t /*number*/) const {
    return {};
  }

  template <class T>
  void run_default(const BatchArgs<T>& ready) const {
    static const TileShape real = real_blocks<T>();
    const EpilogueOf<T> epilogue = self().template epilogue_at<T>(0);
    if (!epilogue.exists() && run_if_tiny(ready, real)) return;
    const auto& threads = self().threads();
    const int count = threads.computes_alone() ? 1 : threads.count();
    const CpuPlan plan = detail::plan_on_cpu(detail::cpu_product(ready), real, count);
    CpuDriver<T>::run(threads, ready, plan, epilogue);
  }

  /// @param ready  the prepared products
  template <class T>
  void run_group(const std::vector<GemmArgs<T>>& ready, std::span<const GemmArgs<T>> given,
                 const GemmOptions& options) const {
    if (ready.empty()) return;
    if (detail::Float8<In<T>> || (!Self::fused && !divides(options)))
      return detail::start_one_by_one(self(), given, ready, options);
    if constexpr (!detail::Float8<In<T>>) {
      const GemmDesc first = detail::describe_for<Self, T>(self(), ready.front());
      const GemmPlan usual = self().plan(first, options, own_mode<T>());
      const auto& threads = self().threads();
      const auto epilogue_at = [&](std::size_t number) { return self().template epilogue_at<T>(number); };
      portable::run_group<T>(threads, ready, plan_group<T>(threads, ready, usual.tile), epilogue_at);
    }
  }

  template <class T>
  std::vector<GemmPlan> explain_group(const std::vector<GemmArgs<T>>& ready,
                                      const GemmOptions& options) const {
    std::vector<GemmPlan> plans = detail::plans_of_group(self(), ready, options);
    if (ready.empty() || detail::Float8<In<T>> || !divides(options)) return plans;
    const detail::CpuGroup group = plan_group<T>(self().threads(), ready, plans.front().tile);
    const auto take = [&](const std::vector<Index>& numbers, bool independent) {
      for (const Index i : numbers) {
        GemmPlan& plan = plans[static_cast<std::size_t>(i)];
        detail::add_cpu_plan(plan, group.plans[static_cast<std::size_t>(i)]);
        if (independent) plan.threads = 1, plan.single_threaded = false;
      }
    };
    take(group.cooperative, false), take(group.independent, true);
    return plans;
  }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }

  /// Whether the threads divide a group: only for kernel `packed`, in the compute mode of the element type.
  static bool divides(const GemmOptions& options) {
    return (options.kernel == Kernel::automatic || options.kernel == Kernel::packed) &&
           !takes_residues(options.math);
  }
};

}  // namespace rooftile::portable
