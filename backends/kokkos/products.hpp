// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/backend.hpp"
#include "plan/batch_parts.hpp"
#include "rooftile/problem.hpp"

/// Batches in the form that kernels take.
namespace rooftile::portable {

/// Whether kernels read pointers. On AMD GPUs the host reads them, because each product has its own launch
/// there, and kernels save the registers.
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

/// The batch argument of a kernel.
template <class T>
using Products = ProductsIf<kernels_read_pointers>::template Of<T>;

/// Returns a batch, or a part of one, for a kernel.
/// @pre if kernels read no pointers: there are no pointers, or there is one product whose pointers the host
///   can read
template <class T>
Products<T> products_of(const BatchArgs<T>& batch) {
  if constexpr (kernels_read_pointers) {
    return batch;
  } else {
    return {batch.pointers.any() ? batch.product(0) : batch.first, batch.batch};
  }
}

/// Returns the most products of a batch that a launch may have, up to `max_count`.
template <class T>
Index products_of_launch(const BatchArgs<T>& batch, Index max_count) {
  return kernels_read_pointers || !batch.pointers.any() ? max_count : 1;
}

}  // namespace rooftile::portable
