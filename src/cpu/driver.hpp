// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/blocks.hpp"
#include "cpu/threads.hpp"
#include "plan/cpu_plan.hpp"
#include "rooftile/detail/block_epilogue.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/problem.hpp"

/// The entry points of the CPU engine. They do not depend on Kokkos, make no decisions, and are compiled once
/// for all libraries that compute on CPUs.
namespace rooftile::portable {

/// The epilogue of products of T.
template <class T>
using EpilogueOf = detail::BlockEpilogue<Out<T>>;

/// Products of T. The files `driver_*.cpp` instantiate it.
template <class T>
struct CpuDriver {
  using Epilogue = EpilogueOf<T>;

  /// Computes products on the host and returns when they are done.
  /// @param epilogue  of the first product
  /// @pre the arguments are prepared, and C has elements
  /// @throws std::bad_alloc before C is written
  static void run(const Threads& threads, const BatchArgs<T>& batch, const CpuPlan& plan,
                  const Epilogue& epilogue = {});

  /// Computes a tiny product, whose elements are not converted, without a plan.
  /// @param real  the block sizes of real numbers
  /// @return whether the product was tiny
  static bool run_if_tiny(const BatchArgs<T>& batch, const TileShape& real);

  /// Elements of the workspace of all threads together.
  static Index workspace_elements(const CpuPlan& plan);
  /// Allocates the memory that `run` needs, so that `run` cannot fail. @throws std::bad_alloc
  static void reserve(const BatchArgs<T>& batch, const CpuPlan& plan);

  /// Computes one product on the calling thread.
  /// @param memory  a workspace of `workspace_elements`
  static void run_one(const GemmArgs<T>& product, const CpuPlan& plan, Scalar<T>* memory,
                      const Epilogue& epilogue);
};

/// Products of 8-bit floats. This reference converts the operands to fp32, with their scales, and multiplies
/// them as fp32. `driver_float8.cpp` instantiates it.
template <class R>
struct CpuDriver<Mixed<float8_e4m3, R>> {
  using T = Mixed<float8_e4m3, R>;
  using Epilogue = EpilogueOf<T>;

  /// As `CpuDriver::run`, but makes its own plan. @pre there is no epilogue
  static void run(const Threads& threads, const BatchArgs<T>& batch, const CpuPlan& plan,
                  const Epilogue& epilogue = {});
};

/// Computes products one after another from exact int8 products (docs/numerics.md). Uses fp64 where the guard
/// requires it.
/// @pre as for `CpuDriver::run`
/// @throws std::bad_alloc before C is written
template <class T>
void run_residues(const Threads& threads, const BatchArgs<T>& batch, const GemmPlan& plan);

/// Computes products in the compute mode of the plan.
template <class T>
void run_on_cpu(const Threads& threads, const BatchArgs<T>& batch, const GemmPlan& plan,
                const EpilogueOf<T>& epilogue = {}) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, complex<double>>) {
    if (takes_residues(plan.math)) return run_residues(threads, batch, plan);
  }
  CpuDriver<T>::run(threads, batch, plan.cpu, epilogue);
}

/// Computes a tiny product without a plan, because making a plan takes longer than the product.
/// @param real  the block sizes of real numbers
/// @return whether the product was tiny
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
