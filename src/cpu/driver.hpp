// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/blocks.hpp"
#include "cpu/threads.hpp"
#include "plan/cpu_plan.hpp"
#include "rooftile/detail/block_epilogue.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/problem.hpp"

/// The CPU engine's entries. They do not depend on Kokkos, make no decisions, and are compiled once, for
/// every library that computes on CPUs.
namespace rooftile::portable {

/// The epilogue of products of T.
template <class T>
using EpilogueOf = detail::BlockEpilogue<Out<T>>;

/// Products of T, which `driver_*.cpp` instantiate.
template <class T>
struct CpuDriver {
  using Epilogue = EpilogueOf<T>;

  /// Computes products on the host and returns when they are done; for lack of memory it throws before it
  /// writes C. @param epilogue  of the first product @pre arguments are prepared, C has elements
  static void run(const Threads& threads, const BatchArgs<T>& batch, const CpuPlan& plan,
                  const Epilogue& epilogue = {});

  /// Computes a tiny product, whose elements are not converted, at once. @return whether it was one
  /// @param real  the blocks of real numbers
  static bool run_if_tiny(const BatchArgs<T>& batch, const TileShape& real);

  /// Elements of the workspace of all threads.
  static Index workspace_elements(const CpuPlan& plan);
  /// Takes the memory that `run` needs, so that it then has it. @throws std::bad_alloc
  static void reserve(const BatchArgs<T>& batch, const CpuPlan& plan);

  /// Computes a product by the calling thread.
  /// @param memory  a workspace of `workspace_elements`
  static void run_one(const GemmArgs<T>& product, const CpuPlan& plan, Scalar<T>* memory,
                      const Epilogue& epilogue);
};

/// Computes products one by one from exact products of int8 (docs/numerics.md), in fp64 where the guard
/// says so; for lack of memory it throws before it writes C. @pre as of `CpuDriver::run`
template <class T>
void run_residues(const Threads& threads, const BatchArgs<T>& batch, const GemmPlan& plan);

/// Computes products in the mode of the plan.
template <class T>
void run_on_cpu(const Threads& threads, const BatchArgs<T>& batch, const GemmPlan& plan,
                const EpilogueOf<T>& epilogue = {}) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, complex<double>>) {
    if (takes_residues(plan.math)) return run_residues(threads, batch, plan);
  }
  CpuDriver<T>::run(threads, batch, plan.cpu, epilogue);
}

/// Computes a tiny product at once: to make a plan takes longer. @return whether it was one
/// @param real  the blocks of real numbers
template <class T>
bool run_if_tiny(const BatchArgs<T>& batch, const TileShape& real) {
  if constexpr (Converted<T>) {
    return false;
  } else {
    if (batch.batch.count != 1) return false;
    const MatrixRef<const T>& B = batch.first.B;
    const bool vectors = B.col_stride == 1 || B.cols == 1;
    if (!detail::is_tiny_as_given(batch.shape(), detail::is_complex<T>, vectors, blocks_of<T>(real)))
      return CpuDriver<T>::run_if_tiny(batch, real);
    multiply_unpacked(batch, 0, 1);
    return true;
  }
}

}  // namespace rooftile::portable
