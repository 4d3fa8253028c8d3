// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/07_pipelined.hpp"
#include "backends/kokkos/08_tensor_core.hpp"
#include "backends/kokkos/backend.hpp"
#include "backends/kokkos/engine.hpp"
#include "backends/kokkos/host_pointers.hpp"
#include "backends/kokkos/target.hpp"
#include "device/common/tile.hpp"
#include "plan/batch_parts.hpp"
#include "plan/device_accessible.hpp"
#include "plan/execute.hpp"
#include "plan/plan_fused.hpp"
#include "rooftile/detail/call_epilogue.hpp"
#include "rooftile/detail/operands.hpp"

/// Products with an epilogue on GPUs. Their kernels are compiled in the user's source file: a rung of matrix
/// instructions if the backend has them, otherwise a rung without.
namespace rooftile::portable {

/// Whether the kernel is compiled with epilogues.
template <Kernel kernel, class Exec, class T>
constexpr bool has_epilogues = rung_of(kernel).supports(own_mode<T>(), Path::portable) &&
                               detail::fuses(rung_of(kernel),
                                             contains(Backend<Exec>::warp_mma, own_mode<T>()),
                                             Backend<Exec>::asynchronous_copies);

/// Launches the kernel with the plan's tile, with as many products per launch as possible.
template <Kernel kernel, class Exec, class T, class Epilogue>
void launch_fused(const Exec& exec, const BatchArgs<T>& args, const GemmPlan& plan,
                  const Epilogue& epilogue) {
  constexpr const Rung& rung = rung_of(kernel);
  const auto launch_if = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    constexpr TileShape shape = rung.tiles[i];
    if constexpr (detail::takes_epilogue(rung, shape, type_of<T>())) {
      using Fused = FusedTile<TileOn<Exec, kernel, T, shape>, Epilogue>;
      if (shape != plan.tile) return;
      const Index most =
          max_products_of_launch<Exec>(args, tiles_of_league(args.first.C, Fused{{}, epilogue}));
      detail::for_each_part(args, most, knows_both_dimensions<Fused>,
                            [&](const BatchArgs<T>& part, Index begin) {
                              launch<kernel>(exec, part, Fused{{}, epilogue.of_entry(begin)}, plan.vectors);
                            });
    }
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (launch_if(std::integral_constant<std::size_t, i>{}), ...);
  }
  (std::make_index_sequence<rung.tiles.size()>{});
}

/// The engine of products with an epilogue on a GPU (`plan/execute.hpp`). Each product has its own launch.
/// @tparam T  element type of the products; `given` holds them with the caller's C
template <class Exec, class T, class Epilogue>
class FusedGpuEngine : public KokkosEngine<Exec> {
 public:
  static constexpr bool on_cpu = false, fused = true, keeps_plans = false;
  template <class U>
  static constexpr bool shares_launches = false;

  FusedGpuEngine(const Exec& exec, std::span<const GemmArgs<T>> given, const Epilogue& epilogue)
      : KokkosEngine<Exec>(exec), given_(given), epilogue_(epilogue) {}

  GemmPlan plan(const GemmDesc& desc, const GemmOptions& options, ComputeMode own) const {
    return detail::plan_fused(desc, options, this->target(own));
  }
  static void validate(const GemmOptions& options, ComputeMode own) {
    detail::validate_enum(options.kernel);
    detail::require_own_mode(options, own);
  }
  detail::Access device_accessible(const void* address) const {
    return Backend<Exec>::device_accessible(this->exec_, address);
  }

  /// @throws Error if an array that the epilogue reads is misaligned, or the GPU cannot access it
  void check_epilogue() const {
    detail::for_each_array(epilogue_, [&]<class E>(const char* name, const E* address) {
      if constexpr (!std::is_void_v<E>) detail::check_aligned(name, address);
      detail::check_accessible(name, address, [&](const void* x) { return device_accessible(x); });
    });
  }

  template <class U>
  void run(const GemmPlan& plan, const BatchArgs<U>& ready, std::size_t number = 0) const {
    if constexpr (!kernels_read_pointers) {
      if (ready.pointers.any()) return start(plan, HostPointers<U>(this->exec_, ready).args(), number);
    }
    start(plan, ready, number);
  }

 private:
  void start(const GemmPlan& plan, const BatchArgs<T>& ready, std::size_t number) const {
    const MatrixRef<T>& C = given_[number].C;  // the caller's C; `prepared` may change it
    const detail::PlacedEpilogue<Epilogue> placed{epilogue_, detail::has_rows_inside(C) ? 1 : 0,
                                                  detail::reads_conjugates(C) ? 1 : 0,
                                                  static_cast<Index>(number)};
    const auto launch_if = [&]<Kernel kernel>(std::integral_constant<Kernel, kernel>) {
      if constexpr (has_epilogues<kernel, Exec, T>) {
        if (kernel == plan.kernel) launch_fused<kernel>(this->exec_, ready, plan, placed);
      }
    };
    launch_if(std::integral_constant<Kernel, Kernel::pipelined>());
    launch_if(std::integral_constant<Kernel, Kernel::tensor_core>());
  }

  std::span<const GemmArgs<T>> given_;
  const Epilogue& epilogue_;
};

template <class Exec, class T, class Epilogue>
void gemm_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options,
                const Epilogue& epilogue) {
  const FusedGpuEngine<Exec, T, Epilogue> engine(exec, {&args.first, 1}, epilogue);
  detail::execute(engine, "rooftile::gemm_fused", args, options);
}

template <class Exec, class T>
GemmPlan explain_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options) {
  struct None {};
  return detail::explain_call(FusedGpuEngine<Exec, T, None>(exec, {&args.first, 1}, None()), args, options);
}

template <class Exec, class T, class Epilogue>
void gemm_grouped_fused(const Exec& exec, std::span<const GemmArgs<T>> products, const GemmOptions& options,
                        const Epilogue& epilogue) {
  const FusedGpuEngine<Exec, T, Epilogue> engine(exec, products, epilogue);
  detail::execute_group(engine, "rooftile::gemm_grouped_fused", products, options);
}

}  // namespace rooftile::portable
