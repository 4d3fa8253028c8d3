// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "cpu/driver.hpp"
#include "cpu/five_loops.hpp"
#include "cpu/parts.hpp"
#include "cpu/team.hpp"
#include "cpu/workspace.hpp"

/// The computation of the products of a call by kernel `packed`. Only `driver_*.cpp` include this file.
namespace rooftile::portable {

/// Elements of the workspace of a single-threaded product, in the accumulator type of T.
template <class T>
inline constexpr Index small_workspace = detail::small_workspace_bytes / Index{sizeof(Scalar<T>)};

/// C = alpha·A·B + beta·C with a row-major copy of B. @param memory  as many elements as B has
template <class T>
void multiply_with_copy(GemmArgs<T> product, T* memory) {
  copy_by_rows(product.B, memory, product.B.cols);
  const auto copy = row_major<const T>(memory, product.B.rows, product.B.cols);
  product.B = detail::reads_conjugates(product.B) ? copy.conjugated() : copy;
  multiply_unpacked<T>(product, 0, 1);
}

/// Computes some products of a batch on the calling thread. @pre plan.single_threaded
/// @param memory  the workspace of one thread, `elements_of_one`
template <class T>
void multiply_alone(const BatchArgs<T>& batch, Range products, const CpuPlan& plan, Scalar<T>* memory,
                    const EpilogueOf<T>& epilogue) {
  const bool unpacked = plan.algorithm == CpuAlgorithm::unpacked;
  if (unpacked && !plan.pack_b && !epilogue.exists())
    return multiply_unpacked(batch, products.begin, products.end);
  for (Index i = products.begin; i < products.end; ++i) {
    const EpilogueOf<T> finish = epilogue.of_entry(i);
    if (unpacked && !plan.pack_b) {
      multiply_unpacked(batch, i, i + 1);
      finish.finish(batch.first.C.at(batch.c(i)), 0, 0);
      continue;
    }
    if (unpacked) {
      multiply_with_copy<T>(batch.product(i), memory);
      finish.finish(batch.first.C.at(batch.c(i)), 0, 0);
      continue;
    }
    const auto& [alpha, A, B, beta, C] = batch.product(i);
    multiply_whole(OneThread{}, SumArgs<T>{alpha, A, B, beta, C}, plan, memory, memory, finish);
  }
}

/// The overload for 16-bit elements. Converts the operands, multiplies them, and rounds the sums.
template <Rounded E>
void multiply_alone(const BatchArgs<E>& batch, Range products, const CpuPlan& plan, Scalar<E>* memory,
                    const EpilogueOf<E>& epilogue) {
  using T = Scalar<E>;
  const auto [m, n, k] = batch.shape();
  T *const a = memory, *const b = a + m * k, *const c = b + k * n;
  const GemmArgs<T> sums{1, row_major<const T>(a, m, k), row_major<const T>(b, k, n), 0, row_major(c, m, n)};
  for (Index i = products.begin; i < products.end; ++i) {
    const GemmArgs<E> product = batch.product(i);
    copy_by_rows(product.A, a, k);
    copy_by_rows(product.B, b, n);
    plan.algorithm == CpuAlgorithm::dot_products ? multiply_dots(sums) : multiply_unpacked<T>(sums, 0, 1);
    if (epilogue.exists()) {
      update_sums(product.C, product.alpha, c, n, product.beta);
      epilogue.of_entry(i).finish(row_major<const T>(c, m, n), product.C, 0, 0);
    } else {
      update_by_rows(product.C, product.alpha, c, n, product.beta);
    }
  }
}

/// The overload for mixed types. Packs all of A and B.
template <Widened E>
void multiply_alone(const BatchArgs<E>& batch, Range products, const CpuPlan& plan, Scalar<E>* memory,
                    const EpilogueOf<E>& epilogue) {
  const Workspace<Scalar<E>> space{memory, plan.space};
  for (Index i = products.begin; i < products.end; ++i)
    multiply(OneThread{}, batch.product(i), plan, space, epilogue.of_entry(i));
}

/// Computes products one after another, each with all threads that started and have a workspace (the five
/// loops of BLIS). One launch covers all products, and only the launch can fail.
template <class T>
struct PackedTogether {
  const Threads* threads;
  const BatchArgs<T>* batch;
  const CpuPlan* plan;
  Workspace<Scalar<T>> space;
  Team* team;
  const EpilogueOf<T>* epilogue;

  void operator()(Index) const {
    const auto [rank, started] = threads->this_thread();
    const int size = static_cast<int>(std::min<Index>(started, space.size.blocks));
    if (rank >= size || !team->joins(rank)) return;
    const ThreadOfTeam self(*team, rank, size);
    for (Index i = 0; i < batch->batch.count; ++i) {
      if (i > 0) self.barrier();  // the next product reuses the workspace
      multiply(self, batch->product(i), *plan, space, epilogue->of_entry(i));
    }
  }
};

/// Computes products of a batch, some of them on each thread.
template <class T>
struct PackedEach {
  const BatchArgs<T>* batch;
  const CpuPlan* plan;
  Scalar<T>* memory;  ///< workspaces of all threads, one after another
  Index elements;     ///< elements of the workspace of one thread
  const EpilogueOf<T>* epilogue;

  void operator()(Index rank) const {
    const Range mine = part(batch->batch.count, 1, plan->independent, rank);
    Scalar<T>* const own = memory + rank * elements;
    if (plan->single_threaded) return multiply_alone(*batch, mine, *plan, own, *epilogue);
    for (Index i = mine.begin; i < mine.end; ++i)
      multiply(OneThread{}, batch->product(i), *plan, Workspace<Scalar<T>>{own, plan->space},
               epilogue->of_entry(i));
  }
};

/// Elements of the workspace of one thread, or of all threads that share a product.
template <class T>
Index elements_of_one(const CpuPlan& plan) {
  const bool none = !Converted<T> && plan.algorithm == CpuAlgorithm::unpacked && !plan.pack_b;
  return !plan.single_threaded ? plan.space.elements() : none ? 0 : small_workspace<T>;
}

template <class T>
Index CpuDriver<T>::workspace_elements(const CpuPlan& plan) {
  return plan.independent * elements_of_one<T>(plan);
}

template <class T>
Scalar<T>* workspace_of(Index elements) {
  if (elements == 0) return nullptr;
  return static_cast<Scalar<T>*>(kept_workspace().of(static_cast<std::size_t>(elements) * sizeof(Scalar<T>)));
}

template <class T>
bool CpuDriver<T>::run_if_tiny(const BatchArgs<T>& batch, const TileShape& real) {
  if constexpr (!Converted<T>) {
    constexpr detail::CpuTypes types(own_mode<T>());
    const auto [exists, swapped, pack_b] =
        detail::tiny_plan(detail::cpu_product(batch), types, blocks_of<T>(real));
    if (!exists) return false;
    if (!swapped && !pack_b) {
      multiply_unpacked(batch, 0, 1);
      return true;
    }
    const GemmArgs<T> given = batch.product(0), product = swapped ? given.transposed() : given;
    pack_b ? multiply_with_copy<T>(product, workspace_of<T>(small_workspace<T>))
           : multiply_unpacked<T>(product, 0, 1);
    return true;
  }
  return false;
}

/// Computes the products without swapping operands.
template <class T>
void run_as_given(const Threads& threads, const BatchArgs<T>& batch, const CpuPlan& plan,
                  const EpilogueOf<T>& epilogue) {
  const Index count = batch.batch.count, elements = elements_of_one<T>(plan);
  // A plan may run where the other threads have their own work.
  const bool alone = (plan.independent == 1 && plan.cooperative == 1) || threads.computes_alone();
  if (alone && plan.single_threaded)
    return multiply_alone(batch, {0, count}, plan, workspace_of<T>(elements), epilogue);
  if (alone) {
    const Workspace<Scalar<T>> space{workspace_of<T>(elements), plan.space};
    for (Index i = 0; i < count; ++i)
      multiply(OneThread{}, batch.product(i), plan, space, epilogue.of_entry(i));
  } else if (plan.independent > 1) {
    const PackedEach<T> work{&batch, &plan, workspace_of<T>(plan.independent * elements), elements,
                             &epilogue};
    threads.start(plan.independent, Threads::Work(work));
  } else {
    const Workspace<Scalar<T>> space{workspace_of<T>(elements), plan.space};
    Team team(plan.cooperative);
    const PackedTogether<T> work{&threads, &batch, &plan, space, &team, &epilogue};
    threads.start(plan.cooperative, Threads::Work(work));
  }
}

template <class T>
void CpuDriver<T>::run(const Threads& threads, const BatchArgs<T>& batch, const CpuPlan& plan,
                       const Epilogue& epilogue) {
  if constexpr (detail::is_complex<T>) {
    if (plan.parts != CpuParts::none) {
      const auto args = plan.swapped_parts ? batch.first.transposed() : batch.first;
      const auto multiply = [&](const GemmArgs<Real<T>>& product) {
        plan.swapped ? run_as_given<Real<T>>(threads, product.transposed(), plan, {})
                     : run_as_given<Real<T>>(threads, product, plan, {});
      };
      return multiply_parts(plan.parts, args, plan.columns, multiply,
                            plan.swapped_parts ? epilogue.transposed() : epilogue);
    }
  }
  if (plan.swapped) return run_as_given(threads, batch.transposed(), plan, epilogue.transposed());
  run_as_given(threads, batch, plan, epilogue);
}

template <class T>
void CpuDriver<T>::reserve(const BatchArgs<T>& batch, const CpuPlan& plan) {
  const auto take = [&plan]<class S>(std::type_identity<S>) {
    static_cast<void>(kept_workspace().of(static_cast<std::size_t>(CpuDriver<S>::workspace_elements(plan)) *
                                          sizeof(Scalar<S>)));
    static_cast<void>(Team(plan.cooperative));
  };
  if constexpr (detail::is_complex<T>) {
    if (plan.parts != CpuParts::none) {
      const GemmShape shape = (plan.swapped_parts ? batch.first.transposed() : batch.first).shape();
      static_cast<void>(PartsMemory<Real<T>>(plan.parts, shape, plan.columns));
      return take(std::type_identity<Real<T>>());
    }
  }
  take(std::type_identity<T>());
}

template <class T>
void CpuDriver<T>::run_one(const GemmArgs<T>& product, const CpuPlan& plan, Scalar<T>* memory,
                           const Epilogue& epilogue) {
  const GemmArgs<T> given = plan.swapped ? product.transposed() : product;
  const EpilogueOf<T> finish = plan.swapped ? epilogue.transposed() : epilogue;
  if (plan.single_threaded) return multiply_alone<T>(given, {0, 1}, plan, memory, finish);
  multiply(OneThread{}, given, plan, Workspace<Scalar<T>>{memory, plan.space}, finish);
}

}  // namespace rooftile::portable
