// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Portable products with plans or epilogues. No Catch2: Kokkos' compiler for CUDA does not compile it.
namespace rooftile::testing {

/// The outcome of several products.
struct Explained {
  int computed = 0;   ///< by `gemm` and by `run`
  int refused = 0;    ///< by `explain` and `gemm`, with equal messages
  std::string fault;  ///< of the first product that differs from its plan; empty if none
};

/// Whether the default execution space has a device.
bool has_device();

/// Computes `computed` random products of every type and compares the launches that Kokkos Tools reports with
/// the plans.
Explained explain_products(int computed);

/// The outcome of several products.
struct FusedProducts {
  int computed = 0;  ///< products, some of them batches
  int groups = 0;
  std::string fault;  ///< of the first wrong product; empty if none
};

/// Computes `of_each_type` random products of every type, a quarter of them batches, and some groups.
FusedProducts fuse_products(int of_each_type);

}  // namespace rooftile::testing
