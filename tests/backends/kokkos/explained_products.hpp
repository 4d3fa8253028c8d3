// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Portable products that are explained and then computed, in a file of its own: Kokkos' compiler for CUDA
/// sees no Catch2 (`captured_product.hpp`).
namespace rooftile::testing {

/// What became of a number of products.
struct Explained {
  int computed = 0;   ///< by `gemm` and by `run`
  int refused = 0;    ///< by `explain` and `gemm`, in the same words
  std::string fault;  ///< of the first that was not computed as explained; empty if all were
};

/// Whether the default execution space has a device.
bool has_device();

/// So many random products in every type, computed while Kokkos Tools says what is launched.
Explained explain_products(int computed);

}  // namespace rooftile::testing
