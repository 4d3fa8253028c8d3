// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Portable products with an epilogue, in a file of its own: Kokkos' compiler for CUDA sees no Catch2
/// (`captured_product.hpp`).
namespace rooftile::testing {

/// What became of a number of products.
struct FusedProducts {
  int computed = 0;  ///< products, and batches of some
  int groups = 0;
  std::string fault;  ///< of the first that is wrong; empty if all are right
};

/// So many random products in every type, a quarter of which are batches, and some groups, on the default
/// execution space.
FusedProducts fuse_products(int of_each_type);

}  // namespace rooftile::testing
