// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace rooftile::perf {

/// Another library's product of shared matrices. One with another interface than PBLAS' is a class of its
/// own.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  /// Its file, and that of the BLAS that it calls.
  virtual std::string files() const = 0;
  /// Why its figures may mean little here, and what to do; empty: nothing is known.
  virtual std::string warning() const { return {}; }
  /// Makes the grid, before the first product. By all processes.
  virtual void use(distributed::Grid grid) = 0;
  /// What computes a product, by all processes. @throws Error where the library cannot count its elements
  virtual std::function<void()> call(const AnySharedArgs& args) = 0;
};

/// The libraries with PBLAS' gemm and BLACS that this process finds.
/// @param files  of them; none: ScaLAPACK's and COSMA's, where the loader finds them
std::vector<std::unique_ptr<Peer>> find_pblas(const std::vector<std::string>& files,
                                              std::vector<Absent>& absent);

}  // namespace rooftile::perf
