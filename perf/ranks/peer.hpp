// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace rooftile::perf {

/// A product of distributed matrices by another library. Interfaces other than PBLAS derive their own class.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  /// The library's file, and the file of the BLAS that it calls.
  virtual std::string files() const = 0;
  /// Why comparisons with the library are unreliable here, and a remedy; empty: no known reason.
  virtual std::string warning() const { return {}; }
  /// Creates the grid before the first product. Collective.
  virtual void use(distributed::Grid grid) = 0;
  /// The function that computes a product. Collective. @throws Error if the sizes overflow the library's
  /// integers
  virtual std::function<void()> call(const AnySharedArgs& args) = 0;
};

/// The libraries with PBLAS gemm and BLACS that this process finds.
/// @param files  library files; empty: ScaLAPACK and COSMA on the loader's search path
std::vector<std::unique_ptr<Peer>> find_pblas(const std::vector<std::string>& files,
                                              std::vector<Absent>& absent);

}  // namespace rooftile::perf
