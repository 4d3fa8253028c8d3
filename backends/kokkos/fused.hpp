// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backends/kokkos/engine.hpp"
#include "plan/plan_fused.hpp"
#include "rooftile/detail/block_epilogue.hpp"

/// Products with an epilogue on a CPU execution space: kernel `packed`, which calls the epilogue for each
/// block of C.
namespace rooftile::portable {

/// The engine of products with an epilogue on a CPU (`plan/execute.hpp`).
/// @tparam T  element type of the products; `given` holds them with the caller's C
template <class Exec, class T>
class FusedCpuEngine : public KokkosEngine<Exec>, public CpuEngine<FusedCpuEngine<Exec, T>> {
 public:
  static constexpr bool fused = true;

  FusedCpuEngine(const Exec& exec, std::span<const GemmArgs<T>> given,
                 const detail::BlockEpilogue<T>& epilogue)
      : KokkosEngine<Exec>(exec), given_(given), epilogue_(epilogue) {}

  KokkosThreads<Exec> threads() const { return KokkosThreads<Exec>(this->exec_); }

  void validate(const GemmOptions& options, ComputeMode own) const {
    detail::validate_enum(options.kernel);
    detail::require_own_mode(options, own);
  }
  GemmPlan plan(const GemmDesc& desc, const GemmOptions& options, ComputeMode own) const {
    detail::require_own_mode(options, own);
    GemmPlan plan = rooftile::plan(desc, options, this->target(own));
    detail::require_epilogue(plan.kernel);
    plan.epilogue = true;
    return plan;
  }

  template <class U>
  EpilogueOf<U> epilogue_at(std::size_t number) const {
    return epilogue_.placed(given_[number].C).of_entry(static_cast<Index>(number));
  }
  template <class U>
  void run(const GemmPlan& plan, const BatchArgs<U>& ready, std::size_t number = 0) const {
    CpuDriver<U>::run(threads(), ready, plan.cpu, epilogue_at<U>(number));
  }

 private:
  std::span<const GemmArgs<T>> given_;
  const detail::BlockEpilogue<T>& epilogue_;
};

}  // namespace rooftile::portable

namespace rooftile::detail {

template <class Exec, class T>
void gemm_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options,
                const BlockEpilogue<T>& epilogue) {
  execute(portable::FusedCpuEngine<Exec, T>(exec, {&args.first, 1}, epilogue), "rooftile::gemm_fused", args,
          options);
}

template <class Exec, class T>
GemmPlan explain_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options) {
  return explain_call(portable::FusedCpuEngine<Exec, T>(exec, {&args.first, 1}, {}), args, options);
}

template <class Exec, class T>
void gemm_grouped_fused(const Exec& exec, std::span<const GemmArgs<T>> products, const GemmOptions& options,
                        const BlockEpilogue<T>& epilogue) {
  execute_group(portable::FusedCpuEngine<Exec, T>(exec, products, epilogue), "rooftile::gemm_grouped_fused",
                products, options);
}

}  // namespace rooftile::detail
