// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "cpu/driver.hpp"
#include "cpu/workspace.hpp"
#include "plan/cpu_group.hpp"

/// Products of different shapes in one call.
namespace rooftile::portable {

/// The division of a group among threads. @pre the products are prepared; a C may be empty
template <class T>
detail::CpuGroup plan_group(const Threads& threads, std::span<const GemmArgs<T>> products,
                            const TileShape& real) {
  std::vector<detail::CpuProduct> described;
  described.reserve(products.size());
  for (const GemmArgs<T>& product : products) described.push_back(detail::cpu_product<T>(product));
  return detail::plan_cpu_group(described, real, threads.computes_alone() ? 1 : threads.count());
}

/// The work of one thread, which takes pieces of the group until none is left.
/// @tparam EpilogueAt  maps the number of a product to its epilogue
template <class T, class EpilogueAt>
struct TakePieces {
  std::span<const GemmArgs<T>> products;
  const detail::CpuGroup* group;
  Scalar<T>* memory;  ///< workspaces of all threads, one after another
  Index elements;     ///< elements of the workspace of one thread
  std::atomic<std::size_t>* next;
  const EpilogueAt* epilogue_at;

  void operator()(Index rank) const {
    while (true) {
      const std::size_t piece = next->fetch_add(1, std::memory_order_relaxed);
      if (piece + 1 >= group->begins.size()) return;
      for (std::size_t i = group->begins[piece]; i < group->begins[piece + 1]; ++i) {
        const auto number = static_cast<std::size_t>(group->independent[i]);
        CpuDriver<T>::run_one(products[number], group->plans[number], memory + rank * elements,
                              (*epilogue_at)(number));
      }
    }
  }
};

/// Computes products on the host. Each result is bitwise equal to that of `CpuDriver::run`.
/// @param epilogue_at  maps the number of a product to its epilogue
/// @throws std::bad_alloc before any C is written
template <class T, class EpilogueAt>
void run_group(const Threads& threads, std::span<const GemmArgs<T>> products, const detail::CpuGroup& group,
               const EpilogueAt& epilogue_at) {
  const auto at = [](const auto& all, Index i) -> const auto& {
    return all[static_cast<std::size_t>(i)];
  };
  for (const Index i : group.cooperative) CpuDriver<T>::reserve(at(products, i), at(group.plans, i));
  Index elements = 0;
  for (const Index i : group.independent)
    elements = std::max(elements, CpuDriver<T>::workspace_elements(at(group.plans, i)));
  const int size = threads.computes_alone() ? 1 : threads.count();
  auto* const memory = static_cast<Scalar<T>*>(
      kept_workspace().of(static_cast<std::size_t>(size * elements) * sizeof(Scalar<T>)));
  for (const Index i : group.cooperative)
    CpuDriver<T>::run(threads, at(products, i), at(group.plans, i), epilogue_at(static_cast<std::size_t>(i)));
  if (group.independent.empty()) return;
  std::atomic<std::size_t> next = 0;
  const TakePieces<T, EpilogueAt> work{products, &group, memory, elements, &next, &epilogue_at};
  threads.start(size, Threads::Work(work));
}
}  // namespace rooftile::portable
