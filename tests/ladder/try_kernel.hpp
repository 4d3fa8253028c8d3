// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <catch2/catch_test_macros.hpp>

#include "product.hpp"
#include "this_ladder.hpp"

namespace rooftile::testing {

/// Tries a kernel on a problem; one that it does not take must be refused and leave C alone.
/// @return whether the kernel took it
template <class T>
bool try_kernel(const LadderKernel<T>& kernel, const Problem<T>& problem) {
  INFO(kernel.kernel << ' ' << kernel.tile << ' ' << to_string(kernel.math) << ": " << problem);
  bool taken = false;
  const std::string wrong = fault(
      *kernel.device, problem,
      [&](const GemmArgs<T>& args) {
        taken = problem.shape.m == 0 || problem.shape.n == 0 || kernel.refusal(args).empty();
        if (taken) {
          kernel.launch(args);
        } else {
          CHECK_THROWS_AS(kernel.launch(args), Error);
        }
        return taken;
      },
      kernel.math);
  CHECK(wrong == "");
  return taken;
}

/// A kernel in a math mode, whatever its tile.
template <class T>
std::string title(const LadderKernel<T>& kernel) {
  return kernel.kernel + ' ' + std::string(to_string(kernel.math));
}

/// Whether a kernel is the one for CPUs, with the blocks of their caches.
template <class T>
bool is_of_caches(const LadderKernel<T>& kernel) {
  return !kernel.automatic() && rung_of(kernel.options.kernel).tiles_taken == Tiles::of_caches;
}

/// Whether a kernel is for teaching and on a CPU, which large products would keep busy for minutes.
template <class T>
bool is_slow(const LadderKernel<T>& kernel) {
  return kernel.device->target(kernel.math).is_cpu() && !kernel.automatic() && !is_of_caches(kernel);
}

/// Calls f with every combination of elements of the lists.
template <class F>
void combine(const F& f) {
  f();
}
template <class F, class List, class... Lists>
void combine(const F& f, const List& list, const Lists&... lists) {
  for (const auto& x : list) combine([&](const auto&... others) { f(x, others...); }, lists...);
}

/// The edges of a kernel's tile; 16 for the kernel that takes all of C and for the library's own choice.
/// Where there is no step along K, that of a row stands for it, and for all edges of the blocks of caches:
/// those along N and K are thousands.
template <class T>
GemmShape edges(const LadderKernel<T>& kernel) {
  const TileShape tile = kernel.options.tile;
  if (!tile) return {16, 16, 16};
  if (is_of_caches(kernel)) return {tile.bm, tile.bm, tile.bm};
  return {tile.bm, tile.bn, tile.bk > 1 ? tile.bk : tile.bm};
}

}  // namespace rooftile::testing
