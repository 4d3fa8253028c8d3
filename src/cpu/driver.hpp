// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/threads.hpp"
#include "plan/plan.hpp"
#include "rooftile/detail/block_epilogue.hpp"
#include "rooftile/problem.hpp"

/// The CPU engine's entries. They do not depend on Kokkos and are compiled once, for every library that
/// computes on CPUs.
namespace rooftile::portable {

/// Products of T, which `driver_*.cpp` instantiate.
template <class T>
struct CpuDriver {
  static constexpr bool has_epilogues = !is_mixed(own_math<T>());
  using Epilogue = detail::BlockEpilogue<T>;

  /// See `run_packed`.
  static void run(const Threads& threads, const BatchArgs<T>& batch, const TileShape& real);
  static void run_fused(const Threads& threads, const BatchArgs<T>& batch, const TileShape& real,
                        const Epilogue& epilogue) requires has_epilogues;

  /// Takes the memory that `run` needs for products, so that it then has it. @throws std::bad_alloc
  static void reserve(const Threads& threads, const BatchArgs<T>& batch, const TileShape& real);

  /// Computes a product by the calling thread.
  /// @param memory  a workspace of as many elements as `GroupSharing` says
  static void run_one(const GemmArgs<T>& product, const TileShape& blocks, Scalar<T>* memory);
  static void run_one_fused(const GemmArgs<T>& product, const TileShape& blocks, Scalar<T>* memory,
                            const Epilogue& epilogue) requires has_epilogues;
};

/// Computes products on the host and returns when they are done. It throws for lack of memory before it
/// writes C.
/// @param real      the blocks of real numbers
/// @param epilogue  what is done to elements of C that are computed, of the first product
/// @pre the arguments are prepared, C has elements
template <class T, class Epilogue = NoEpilogue>
void run_packed(const Threads& threads, const BatchArgs<T>& batch, const TileShape& real,
                [[maybe_unused]] const Epilogue& epilogue = {}) {
  if constexpr (Epilogue::exists) {
    CpuDriver<T>::run_fused(threads, batch, real, epilogue);
  } else {
    CpuDriver<T>::run(threads, batch, real);
  }
}

/// Computes products of `double` or `complex<double>` one after the other from exact products of int8, and
/// returns when they are done: docs/fp64-from-int8.md. A product is computed in fp64 itself if the guard says
/// so. It throws for lack of memory before it writes C.
/// @pre the arguments are prepared, C has elements, the plan is one of theirs
template <class T>
void run_residues(const Threads& threads, const BatchArgs<T>& batch, const GemmPlan& plan);

}  // namespace rooftile::portable
