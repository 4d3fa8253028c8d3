// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include "cuda_native/warpgroup/problem.hpp"
#include "device/common/split_sum.hpp"
#include "device/common/tile.hpp"
#include "device/nvidia/warpgroup/roles.hpp"
#include "plan/batch_parts.hpp"
#include "plan/plan_steps.hpp"
#include "rooftile/ladder.hpp"

/// Turns products of any layout into launches of the `warpgroup` kernel, for both ladders. `On` is a stream
/// or a Kokkos execution space instance. It provides `workspace(bytes, memory)`, `repack(copies)`,
/// `multiply(WarpgroupLaunch)`, `sum(split_sum, count)` and, for one tile, `run<math, shape>(problem, plan)`.
namespace rooftile::cuda_native {

/// The instances of the kernel for a tile. Large tiles give the tensor cores the most work per stage. Small
/// tiles are for products with few tiles. Complex numbers have two accumulator columns per column of C.
template <ComputeMode math, TileShape shape>
struct WarpgroupInstance {
  using T = typename WarpgroupMath<math>::T;
  static constexpr int sums = sums_of<T> * shape.bn, parts = WarpgroupMath<math>::parts / sums_of<T>;
  static constexpr int stages = 196608 / (swizzle_bytes * (shape.bm + parts * sums));

  template <Major a, Major b, class Out>
  using Tile = WarpgroupTile<RealOf<T>, Out, shape.bm / slab_rows, sums, stages, a, b, parts>;
};

/// The parameters of a launch.
template <class G_>
struct WarpgroupLaunch {
  using G = G_;

  CUtensorMap a, b, c;  ///< c: used if TMA stores C in boxes
  WarpgroupArgs<typename G::Out, typename G::Factors> args;

  int cluster_size() const { return args.work.cluster.size(); }
  /// @param resident  clusters that run at the same time; each computes one item after the other
  int blocks(int resident) const { return std::min(args.work.items(), resident) * cluster_size(); }
};

/// The operands of the kernel and their tensor maps.
template <class T>
struct WarpgroupOperands {
  WarpgroupOperand<T> a, b;
  CUtensorMap a_map, b_map;
};

/// Repacks operands in the workspace where needed, and returns all operands.
template <ComputeMode math, class On, class T = typename WarpgroupMath<math>::T>
WarpgroupOperands<T> ready_operands(const On& on, const WarpgroupProblem<math>& p, const GemmPlan& plan,
                                    detail::WorkspaceParts& workspace) {
  const WarpgroupOperand<T> a = p.a(plan), b = p.b(plan);
  const detail::Repack<T, RepackStore<T>> copies{repack_of(a, b, workspace), repack_of(b, a, workspace)};
  on.repack(copies);
  constexpr bool rounds = mode_of(math).operand == Operand::tf32 && mode_of(math).terms == 1;
  const Elements elements = rounds ? Elements::rounded_to_tf32 : Elements::copied;
  return {a, b, tensor_map_of(a, copies.a, elements, plan.cluster.n),
          tensor_map_of(b, copies.b, elements, plan.cluster.m)};
}

/// Returns whether TMA can store C. TMA cannot read C, so beta must be 0. It writes whole units of 16 bytes,
/// also at the end of a row.
template <class Out>
bool fits_boxes(const WarpgroupResult<Out>& result) {
  return result.by == StoreBy::rows && result.beta == ScaleOf<Out>(0.0f) &&
         result.C.cols % StoreVector<Out>::size == 0;
}

/// Returns the tensor map of C. @pre `fits_boxes(result)`
template <class Out>
CUtensorMap result_map(const WarpgroupResult<Out>& result, int planes) {
  const MatrixRef<Out>& C = result.C;
  const Index apart = planes > 1 ? result.plane_stride : C.row_stride;
  return tensor_map(real_planes<Out>({C.data, C.rows, C.cols, C.row_stride, planes, apart}),
                    StoreStaging::rows, Elements::copied);
}

template <class G, class On, class T>
void launch_warpgroup(const On& on, const WarpgroupOperands<T>& operands,
                      WarpgroupArgs<typename G::Out, typename G::Factors> args) {
  CUtensorMap c_map = {};
  if (!G::a_in_registers && fits_boxes(args.result)) {
    args.result.by = StoreBy::boxes;
    c_map = result_map(args.result, args.work.planes());
  }
  on.multiply(WarpgroupLaunch<G>{operands.a_map, operands.b_map, c_map, args});
}

/// Launches the instance for the major orders of the operands.
template <ComputeMode math, TileShape shape, class On, class T, class Out, class Factors>
void launch_for_majors(const On& on, const WarpgroupOperands<T>& operands,
                       const WarpgroupArgs<Out, Factors>& args) {
  const auto launch = [&]<Major a, Major b>() {
    launch_warpgroup<typename WarpgroupInstance<math, shape>::template Tile<a, b, Out>>(on, operands, args);
  };
  const bool a_mn = operands.a.major == Major::mn, b_mn = operands.b.major == Major::mn;
  if constexpr (sizeof(T) == 2) {
    if (a_mn && b_mn) return launch.template operator()<Major::mn, Major::mn>();
    if (b_mn) return launch.template operator()<Major::k, Major::mn>();
  }
  if constexpr (sizeof(T) == 2 || std::is_same_v<T, float>) {
    if (a_mn) return launch.template operator()<Major::mn, Major::k>();
  }
  launch.template operator()<Major::k, Major::k>();
}

/// Returns how C is stored: by rows, or by columns if fp32 A goes through registers. Both require rows or
/// columns that consist of whole vectors; otherwise C is stored by elements.
template <class T>
StoreBy store_of(const GemmPlan& plan, const WarpgroupOperand<T>& a, int parts) {
  const auto [rows, columns] = plan.desc.result;
  if (plan.swapped ? columns : rows) return StoreBy::rows;
  const bool a_in_registers = std::is_same_v<T, float> && (parts == 2 || a.major == Major::mn);
  return a_in_registers && (plan.swapped ? rows : columns) ? StoreBy::columns : StoreBy::elements;
}

/// Computes products with tiles of one shape.
template <ComputeMode math, TileShape shape, class On, class T = typename WarpgroupMath<math>::T>
void run_warpgroup(const On& on, const WarpgroupProblem<math>& p, const GemmPlan& plan) {
  using Out = typename WarpgroupMath<math>::Out;
  using Factors = decltype(factors_of<math>(p));
  using Sum = detail::SplitSum<ScaleOf<Out>, Out>;
  const Index count = p.batch.count, stride_c = p.batch.stride_c;
  if (p.A.cols == 0) return on.sum(Sum{nullptr, 0, 0, 0, p.C, 0, p.beta, stride_c}, count);
  const WarpgroupWork work = cut(p, plan);
  const Index sums_cols = p.C.cols * sums_of<T>, sums_ld = (sums_cols + 3) / 4 * 4;
  const Index sums_plane = p.C.rows * sums_ld;
  const std::size_t sums_bytes =
      work.splits > 1 ? sizeof(float) * static_cast<std::size_t>(work.planes() * sums_plane) : 0;
  auto workspace = on.workspace(
      p.a(plan).workspace_bytes() + p.b(plan).workspace_bytes() + detail::WorkspaceParts::rounded(sums_bytes),
      plan.memory);
  const WarpgroupOperands<T> operands = ready_operands(on, p, plan, workspace);
  if constexpr (detail::splits_k(shape, type_of(math))) {
    if (work.splits > 1) {
      using Accumulator = AccumulatorOf<Out>;
      auto* const sums = workspace.template take<Accumulator>(sums_bytes);  // (count,splits,M,sums_ld)
      const MatrixRef<Accumulator> first = row_major(sums, p.C.rows, sums_cols, sums_ld);
      launch_for_majors<math, shape>(
          on, operands,
          WarpgroupArgs<Accumulator, Factors>{
              work, {first, sums_plane, 1, 0, StoreBy::rows}, factors_of<math>(p)});
      return on.sum(Sum{reinterpret_cast<const ScaleOf<Out>*>(sums), sums_ld / sums_of<T>,
                        sums_plane / sums_of<T>, work.splits, p.C, p.alpha, p.beta, stride_c},
                    count);
    }
  }
  const StoreBy by = store_of(plan, operands.a, WarpgroupMath<math>::parts);
  launch_for_majors<math, shape>(
      on, operands,
      WarpgroupArgs<Out, Factors>{work, {p.C, stride_c, p.alpha, p.beta, by}, factors_of<math>(p)});
}

/// Reinterprets the elements of a matrix as their CUDA types. The bits are equal.
template <class To, class From>
MatrixRef<To> as_elements(const MatrixRef<From>& x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else {
    return {reinterpret_cast<To*>(x.data), x.rows, x.cols, x.row_stride, x.col_stride};
  }
}

/// Implements `run` of a rung that uses this kernel.
template <Kernel kernel, ComputeMode math, class On>
void run_warpgroup_rung(const On& on, const BatchArgs<ProductIn<math>>& args, const GemmPlan& plan) {
  using T = typename WarpgroupMath<math>::T;
  const auto problem_of = [&](const BatchArgs<ProductIn<math>>& x) -> WarpgroupProblem<math> {
    const auto& [alpha, A, B, beta, C] = x.first;
    const WarpgroupProblem<math> given{as_elements<const T>(A),
                                       as_elements<const T>(B.transposed()),
                                       as_elements<typename WarpgroupMath<math>::Out>(C),
                                       alpha,
                                       beta,
                                       x.batch};
    return plan.swapped ? given.transposed() : given;
  };
  const auto run_if = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    constexpr TileShape shape = rung_of(kernel).tiles[i];
    if constexpr (detail::is_built(rung_of(kernel), Path::native, shape, type_of(math))) {
      if (shape != plan.tile) return;
      for_each_part(args, plan.batch_chunk, [&](const BatchArgs<ProductIn<math>>& part) {
        on.template run<math, shape>(problem_of(part), plan);
      });
    }
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (run_if(std::integral_constant<std::size_t, i>{}), ...);
  }
  (std::make_index_sequence<rung_of(kernel).tiles.size()>{});
}

}  // namespace rooftile::cuda_native
