// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/backend.hpp"
#include "plan/batch_parts.hpp"
#include "rooftile/problem.hpp"

/// Batches as kernels get them.
namespace rooftile::portable {

/// Whether kernels read pointers. AMD's GPUs do not: where each product has a launch of its own, the host
/// does, and kernels keep the registers that it would take.
inline constexpr bool kernels_read_pointers = Backend<Kokkos::DefaultExecutionSpace>::batch_in_one_launch;

template <bool with_pointers>
struct ProductsIf {
  template <class T>
  using Of = BatchArgs<T>;
};
template <>
struct ProductsIf<false> {
  template <class T>
  using Of = StridedArgs<T>;
};

/// What a kernel gets.
template <class T>
using Products = ProductsIf<kernels_read_pointers>::template Of<T>;

/// A batch, or a part of one, for a kernel. @pre where kernels read no pointers: there are none, or there is
/// one product, and the host can read them
template <class T>
Products<T> products_of(const BatchArgs<T>& batch) {
  if constexpr (kernels_read_pointers) {
    return batch;
  } else {
    return {batch.pointers.any() ? batch.product(0) : batch.first, batch.batch};
  }
}

/// Products of a batch that a launch may have, of at most so many.
template <class T>
Index products_of_launch(const BatchArgs<T>& batch, Index max_count) {
  return kernels_read_pointers || !batch.pointers.any() ? max_count : 1;
}

}  // namespace rooftile::portable
