// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "cpu/driver.hpp"
#include "cpu/five_loops.hpp"
#include "cpu/parts.hpp"

/// Products of any shapes in one call.
namespace rooftile::portable {

/// How the products of a group are divided among threads: by number.
struct GroupSharing {
  std::vector<Index> together;  ///< that all threads compute together, one after the other
  std::vector<Index> apart;     ///< that one thread each computes, the larger ones first
  std::vector<Index> begins;    ///< in `apart`, of pieces that threads take one by one; and the end
  Index elements = 0;           ///< of a thread's workspace, at most
};

/// Of C = A·B and Cᵀ = Bᵀ·Aᵀ the one that is computed.
template <class T>
GemmArgs<T> better_of(const GemmArgs<T>& product, const TileShape& blocks) {
  return better_transposed(product, blocks) ? product.transposed() : product;
}

/// What one thread needs for a product. May lower the plan's NC and MC.
template <class T>
WorkspaceSize workspace_of_one(const GemmArgs<T>& given, Plan& plan) {
  return fit_workspace(given.shape(), plan, 1, max_workspace_bytes / Index{sizeof(Scalar<T>)});
}

/// Numbers of products that one thread each computes.
class Apart {
 public:
  /// @param work  the product's multiply-adds
  void add(Index number, double work) {
    magnitudes_[static_cast<std::size_t>(std::clamp(std::ilogb(work), 0, max_magnitude))].push_back(
        {number, work});
    work_ += work;
  }
  double work() const { return work_; }

  /// Puts the larger ones first, so that the threads end together, in pieces that are worth to be fetched.
  void share(GroupSharing& how) const {
    constexpr double worth_fetching = cpu_costs.waking / 8;
    double piece = worth_fetching;
    for (auto magnitude = magnitudes_.rbegin(); magnitude != magnitudes_.rend(); ++magnitude) {
      for (const auto& [number, work] : *magnitude) {
        if (piece >= worth_fetching) how.begins.push_back(static_cast<Index>(how.apart.size())), piece = 0;
        how.apart.push_back(number);
        piece += work;
      }
    }
    how.begins.push_back(static_cast<Index>(how.apart.size()));
  }

 private:
  struct Product {
    Index number;
    double work;
  };
  static constexpr int max_magnitude = 63;

  std::array<std::vector<Product>, max_magnitude + 1> magnitudes_;  // by powers of 2 of the work
  double work_ = 0;
};

/// By whom a product of a group is computed best: it is small; it fits a core's caches; it is large.
enum class Place { one_thread, core, together };

/// As `one_thread_each` has it for a batch.
template <class T>
Place place_of(const GemmArgs<T>& product, const TileShape& real, int threads) {
  const TileShape blocks = blocks_of<T>(real);
  if (threads == 1) return Place::together;
  if constexpr (!Converted<T>) {
    if (is_tiny(product, blocks)) return Place::one_thread;
  }
  if constexpr (detail::is_complex<T>) {
    if (parts_of(small_first(product), real) != Parts::none) return Place::together;
  }
  const GemmArgs<T> given = better_of(product, blocks);
  if (plan_for(given, blocks, threads).alone) return Place::one_thread;
  const Plan by_one = plan_for(given, blocks, 1);
  return by_one.alone || by_one.in_l2 ? Place::core : Place::together;
}

/// Small products get a thread each, and so do those whose operands fit a core's L2, if there are enough for
/// all threads. Empty ones are left out.
template <class T>
GroupSharing sharing_of(std::span<const GemmArgs<T>> products, const TileShape& real, int threads) {
  const TileShape blocks = blocks_of<T>(real);
  GroupSharing how;
  Apart apart;
  std::vector<Index> of_cores;
  const auto product = [&](Index i) -> const GemmArgs<T>& { return products[static_cast<std::size_t>(i)]; };
  for (Index i = 0; i < static_cast<Index>(products.size()); ++i) {
    if (product(i).C.rows == 0 || product(i).C.cols == 0) continue;
    const Place place = place_of(product(i), real, threads);
    if (place == Place::one_thread) apart.add(i, multiply_adds<T>(product(i).shape()));
    if (place == Place::core) of_cores.push_back(i);
    if (place == Place::together) how.together.push_back(i);
  }
  if (static_cast<Index>(of_cores.size()) < threads) {
    how.together.insert(how.together.end(), of_cores.begin(), of_cores.end());
    of_cores.clear();
  }
  if (apart.work() > 0 || !of_cores.empty()) how.elements = small_workspace<T>;
  for (const Index i : of_cores) {
    const GemmArgs<T> given = better_of(product(i), blocks);
    Plan plan = plan_for(given, blocks, 1);
    how.elements = std::max(how.elements, workspace_of_one(given, plan).elements());
    apart.add(i, multiply_adds<T>(product(i).shape()));
  }
  apart.share(how);
  if (apart.work() <= cpu_costs.waking) {  // less than to wake others: each is done at once in its turn
    how.together.insert(how.together.end(), how.apart.begin(), how.apart.end());
    how.apart.clear();
  }
  return how;
}

/// Nothing is done to any C of a group.
struct NoEpilogues {
  constexpr NoEpilogue operator()(std::size_t) const { return {}; }
};

/// What threads do that take pieces of products one after the other.
template <class T, class Epilogues>
struct PackedApart {
  std::span<const GemmArgs<T>> products;
  const GroupSharing* how;
  TileShape blocks;
  Scalar<T>* memory;  ///< of the first thread, before that of the others
  std::atomic<std::size_t>* next;
  Epilogues epilogue_of;

  void operator()(Index rank) const {
    while (true) {
      const std::size_t piece = next->fetch_add(1, std::memory_order_relaxed);
      if (piece + 1 >= how->begins.size()) return;
      for (Index i = how->begins[piece]; i < how->begins[piece + 1]; ++i) {
        const auto number = static_cast<std::size_t>(how->apart[static_cast<std::size_t>(i)]);
        Scalar<T>* const own = memory + rank * how->elements;
        const auto epilogue = epilogue_of(number);
        if constexpr (epilogue.exists) {
          CpuDriver<T>::run_one_fused(products[number], blocks, own, epilogue);
        } else {
          CpuDriver<T>::run_one(products[number], blocks, own);
        }
      }
    }
  }
};

/// Computes products on the host and returns when they are done. Each has the bits that `run_packed` gives
/// it. For want of memory for a workspace it throws before any C is written.
/// @param epilogue_of  called with the number of a product for what is done to its C
/// @pre the products are prepared; some C may be empty
template <class T, class Epilogues = NoEpilogues>
void run_group(const Threads& threads, std::span<const GemmArgs<T>> products, const TileShape& real,
               const Epilogues& epilogue_of = {}) {
  const int size = threads.computes_alone() ? 1 : threads.count();
  const GroupSharing how = sharing_of(products, real, size);
  const auto product = [&](Index i) -> const GemmArgs<T>& { return products[static_cast<std::size_t>(i)]; };
  for (const Index i : how.together) CpuDriver<T>::reserve(threads, product(i), real);
  const auto elements = static_cast<std::size_t>(size * how.elements);
  auto* const memory = static_cast<Scalar<T>*>(kept_workspace().of(elements * sizeof(Scalar<T>)));
  for (const Index i : how.together)
    run_packed<T>(threads, product(i), real, epilogue_of(static_cast<std::size_t>(i)));
  if (how.apart.empty()) return;
  std::atomic<std::size_t> next = 0;
  const PackedApart<T, Epilogues> work{products, &how, blocks_of<T>(real), memory, &next, epilogue_of};
  threads.start(size, Threads::Work(work));
}

}  // namespace rooftile::portable
