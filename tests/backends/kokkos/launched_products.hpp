// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Portable products with plans or epilogues, without Catch2, which Kokkos' compiler for CUDA does not take.
namespace rooftile::testing {

/// The outcome of a number of products.
struct Explained {
  int computed = 0;   ///< by `gemm` and by `run`
  int refused = 0;    ///< by `explain` and `gemm`, in the same words
  std::string fault;  ///< of the first that was not computed as explained; empty if all were
};

/// Whether the default execution space has a device.
bool has_device();

/// So many random products in every type, computed while Kokkos Tools says what is launched.
Explained explain_products(int computed);

/// The outcome of a number of products.
struct FusedProducts {
  int computed = 0;  ///< products, and batches of some
  int groups = 0;
  std::string fault;  ///< of the first that is wrong; empty if all are right
};

/// So many random products in every type, a quarter of them batches, and some groups.
FusedProducts fuse_products(int of_each_type);

}  // namespace rooftile::testing
