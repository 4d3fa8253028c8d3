// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Portable products with an epilogue, in a file of its own: Kokkos' compiler for CUDA sees no Catch2
/// (`captured_product.hpp`).
namespace rooftile::testing {

/// What became of a number of products.
struct FusedProducts {
  int computed = 0;
  int batches = 0;    ///< and some groups
  std::string fault;  ///< of the first that is wrong; empty if all are right
};

/// So many random products in every type, and a quarter as many batches, on the default execution space.
FusedProducts fuse_products(int of_each_type);

}  // namespace rooftile::testing
