// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "cpu/driver.hpp"
#include "cpu/five_loops.hpp"
#include "cpu/group.hpp"
#include "cpu/parts.hpp"
#include "cpu/workspace.hpp"

/// How kernel `packed` computes the products of a call. Only `driver_*.cpp` include it.
namespace rooftile::portable {

/// Whether a thread that works alone needs memory.
template <class Epilogue>
bool packs_alone(const Plan& plan) {
  return !plan.in_place || plan.pack_b || Epilogue::exists;
}

/// Some products of a batch by the calling thread.
/// @param memory  `small_workspace_bytes`, if `packs_alone`
/// @pre plan.alone
template <class T, class Epilogue = NoEpilogue>
void multiply_alone(const BatchArgs<T>& batch, Range products, const Plan& plan, Scalar<T>* memory,
                    const Epilogue& epilogue = {}) {
  if (!packs_alone<Epilogue>(plan)) return multiply_in_place(batch, products.begin, products.end);
  for (Index i = products.begin; i < products.end; ++i) {
    const Epilogue finish = epilogue.of_entry(i);
    if (plan.in_place && !plan.pack_b) {
      multiply_in_place(batch, i, i + 1);
      finish.finish(batch.first.C.at(batch.c(i)), 0, 0);
      continue;
    }
    if (plan.in_place) {
      GemmArgs<T> product = batch.product(i);
      copy_by_rows(product.B, memory, product.B.cols);
      const auto copy = row_major<const T>(memory, product.B.rows, product.B.cols);
      product.B = detail::reads_conjugates(product.B) ? copy.conjugated() : copy;
      multiply_in_place<T>(product, 0, 1);
      finish.finish(product.C, 0, 0);
      continue;
    }
    const auto& [alpha, A, B, beta, C] = batch.product(i);
    multiply_whole(OneThread{}, SumArgs<T>{alpha, A, B, beta, C}, plan, memory, memory, finish);
  }
}

/// The same of 16 bits: as a product of what they become, whose sums are rounded.
template <Rounded E, class Epilogue = NoEpilogue>
void multiply_alone(const BatchArgs<E>& batch, Range products, const Plan& plan, Scalar<E>* memory,
                    const Epilogue& epilogue = {}) {
  using T = Scalar<E>;
  const auto [m, n, k] = batch.shape();
  T *const a = memory, *const b = a + m * k, *const c = b + k * n;
  const GemmArgs<T> sums{1, row_major<const T>(a, m, k), row_major<const T>(b, k, n), 0, row_major(c, m, n)};
  for (Index i = products.begin; i < products.end; ++i) {
    const GemmArgs<E> product = batch.product(i);
    copy_by_rows(product.A, a, k);
    copy_by_rows(product.B, b, n);
    plan.dots ? multiply_dots(sums) : multiply_in_place<T>(sums, 0, 1);
    if constexpr (Epilogue::exists) {
      update_sums(product.C, product.alpha, c, n, product.beta);
      epilogue.of_entry(i).finish(row_major<const T>(c, m, n), product.C, 0, 0);
    } else {
      update_by_rows(product.C, product.alpha, c, n, product.beta);
    }
  }
}

/// The same of mixed types: all of A and B is packed.
template <Widened E, class Epilogue = NoEpilogue>
void multiply_alone(const BatchArgs<E>& batch, Range products, const Plan& plan, Scalar<E>* memory,
                    const Epilogue& epilogue = {}) {
  using T = Scalar<E>;
  const Workspace<T> space{memory, workspace_size(batch.shape(), plan, 1)};
  for (Index i = products.begin; i < products.end; ++i)
    multiply(OneThread{}, batch.product(i), plan, space, epilogue.of_entry(i));
}

/// Panels of A and B packed for the caches, multiplied out of the registers: BLIS' five loops, by all threads
/// that were started, as many as there are and have a workspace. Products one after the other, in one launch,
/// which is all that can fail.
template <class T, class Epilogue>
struct Packed {
  const Threads* threads;
  BatchArgs<T> batch;
  Plan plan;
  Workspace<Scalar<T>> space;
  Team* team;
  Epilogue epilogue;

  void operator()(Index) const {
    const auto [rank, started] = threads->this_thread();
    const int size = static_cast<int>(std::min<Index>(started, space.size.blocks));
    if (rank >= size || !team->joins(rank)) return;
    const ThreadOfTeam self(*team, rank, size);
    for (Index i = 0; i < batch.batch.count; ++i) {
      if (i > 0) self.barrier();  // the workspace is the next product's then
      multiply(self, batch.product(i), plan, space, epilogue.of_entry(i));
    }
  }
};

/// The same for products of a batch, of which each thread computes some by itself.
template <class T, class Epilogue>
struct PackedEach {
  BatchArgs<T> batch;
  Plan plan;
  Workspace<Scalar<T>> space;  ///< of the first thread, before those of the others
  Index threads;
  Epilogue epilogue;

  void operator()(Index rank) const {
    const Range mine = part(batch.batch.count, 1, threads, rank);
    if (plan.alone)
      return multiply_alone(batch, mine, plan, space.memory + rank * small_workspace<T>, epilogue);
    const Workspace<Scalar<T>> own{space.memory + rank * space.size.elements(), space.size};
    for (Index i = mine.begin; i < mine.end; ++i)
      multiply(OneThread{}, batch.product(i), plan, own, epilogue.of_entry(i));
  }
};

/// The calling thread's workspace for products. May lower the plan's NC and MC.
template <class T>
Workspace<Scalar<T>> workspace_of(const GemmShape& shape, Sharing& how) {
  using Sum = Scalar<T>;
  WorkspaceSize size{};
  if (!how.plan.alone)
    size = fit_workspace(shape, how.plan, how.together, max_workspace_bytes / Index{sizeof(Sum)});
  const auto elements =
      static_cast<std::size_t>(how.each * (how.plan.alone ? small_workspace<T> : size.elements()));
  return {static_cast<Sum*>(kept_workspace().of(elements * sizeof(Sum))), size};
}

/// Computes the products as they are given. What is small is done at once.
template <class T, class Epilogue>
void run_as_given(const Threads& threads, const BatchArgs<T>& batch, TileShape blocks,
                  const Epilogue& epilogue) {
  const bool alone = threads.computes_alone();
  const Index count = batch.batch.count;
  Sharing how = sharing_of(batch, blocks, alone ? 1 : threads.count());
  if (how.small && !packs_alone<Epilogue>(how.plan))
    return multiply_alone<T>(batch, {0, count}, how.plan, nullptr, epilogue);
  const Workspace<Scalar<T>> space = workspace_of<T>(batch.shape(), how);
  if (how.small) return multiply_alone(batch, {0, count}, how.plan, space.memory, epilogue);
  if (alone) {
    for (Index i = 0; i < count; ++i)
      multiply(OneThread{}, batch.product(i), how.plan, space, epilogue.of_entry(i));
  } else if (how.each > 1) {
    const PackedEach<T, Epilogue> work{batch, how.plan, space, how.each, epilogue};
    threads.start(how.each, Threads::Work(work));
  } else {
    Team team(how.together);
    const Packed<T, Epilogue> work{&threads, batch, how.plan, space, &team, epilogue};
    threads.start(how.together, Threads::Work(work));
  }
}

/// See `run_packed`.
template <class T, class Epilogue>
void multiply_packed(const Threads& threads, const BatchArgs<T>& batch, const TileShape& real,
                     const Epilogue& epilogue) {
  const TileShape blocks = blocks_of<T>(real);
  if constexpr (!Converted<T>) {
    if (batch.batch.count == 1 && is_tiny(batch.first, blocks)) {
      multiply_in_place(batch, 0, 1);
      return epilogue.finish(batch.first.C, 0, 0);
    }
  }
  if constexpr (detail::is_complex<T>) {
    using R = Real<T>;
    const auto args = small_first(batch.first);
    if (const Parts parts = parts_of(args, real); batch.batch.count == 1 && parts != Parts::none) {
      return multiply_parts(
          parts, args, [&](const GemmArgs<R>& product) { CpuDriver<R>::run(threads, product, real); },
          is_small_first(batch.first) ? epilogue : epilogue.transposed());
    }
  }
  if (better_transposed(batch.first, blocks))
    return run_as_given(threads, batch.transposed(), blocks, epilogue.transposed());
  run_as_given(threads, batch, blocks, epilogue);
}

template <class T>
void CpuDriver<T>::reserve(const Threads& threads, const BatchArgs<T>& batch, const TileShape& real) {
  if constexpr (detail::is_complex<T>) {
    using R = Real<T>;
    const auto args = small_first(batch.first);
    if (const Parts parts = parts_of(args, real); batch.batch.count == 1 && parts != Parts::none) {
      const Index columns = columns_at_a_time<R>(parts, args.shape());
      const PartsMemory<R> memory(parts, args.shape(), columns);
      const GemmArgs<R> product = real_product<R>(parts, args, columns, memory.operand, memory.sums);
      return CpuDriver<R>::reserve(threads, product, real);
    }
  }
  const TileShape blocks = blocks_of<T>(real);
  if constexpr (!Converted<T>) {
    if (batch.batch.count == 1 && is_tiny(batch.first, blocks)) return;
  }
  const BatchArgs<T> given = better_transposed(batch.first, blocks) ? batch.transposed() : batch;
  Sharing how = sharing_of(given, blocks, threads.computes_alone() ? 1 : threads.count());
  workspace_of<T>(given.shape(), how);
  static_cast<void>(Team(how.together));
}

/// A product by the calling thread.
template <class T, class Epilogue>
void multiply_by_one(const GemmArgs<T>& product, const TileShape& blocks, Scalar<T>* memory,
                     const Epilogue& epilogue) {
  if constexpr (!Converted<T>) {
    if (is_tiny(product, blocks)) {
      multiply_in_place<T>(product, 0, 1);
      return epilogue.finish(product.C, 0, 0);
    }
  }
  const bool swapped = better_transposed(product, blocks);
  const GemmArgs<T> given = swapped ? product.transposed() : product;
  const Epilogue finish = swapped ? epilogue.transposed() : epilogue;
  Plan plan = plan_for(given, blocks, 1);
  if (plan.alone) return multiply_alone<T>(given, {0, 1}, plan, memory, finish);
  const WorkspaceSize size = workspace_of_one(given, plan);
  multiply(OneThread{}, given, plan, Workspace<Scalar<T>>{memory, size}, finish);
}

template <class T>
void CpuDriver<T>::run(const Threads& threads, const BatchArgs<T>& batch, const TileShape& real) {
  multiply_packed(threads, batch, real, NoEpilogue());
}

template <class T>
void CpuDriver<T>::run_fused(const Threads& threads, const BatchArgs<T>& batch, const TileShape& real,
                             const Epilogue& epilogue) requires has_epilogues {
  multiply_packed(threads, batch, real, epilogue);
}

template <class T>
void CpuDriver<T>::run_one(const GemmArgs<T>& product, const TileShape& blocks, Scalar<T>* memory) {
  multiply_by_one(product, blocks, memory, NoEpilogue());
}

template <class T>
void CpuDriver<T>::run_one_fused(const GemmArgs<T>& product, const TileShape& blocks, Scalar<T>* memory,
                                 const Epilogue& epilogue) requires has_epilogues {
  multiply_by_one(product, blocks, memory, epilogue);
}

}  // namespace rooftile::portable
