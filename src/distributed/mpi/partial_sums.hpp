// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distributed/mpi/messages.hpp"

namespace rooftile::distributed {

/// Sends the partial sums of all layers to the processes that hold C, which add them in the order of the
/// layers. A message contains, in column-major order, the rows and columns that one process computes and the
/// other holds.
template <class T>
class PartialSums {
 public:
  /// @param C  the matrix in its own layout
  /// @throws std::bad_alloc; later calls allocate no memory
  PartialSums(const Context& context, const DistributedMatrix<T>& C, const Division& division);

  /// Takes this process's partial sums of C, uninitialized, from the beginning of the workspace. The rest of
  /// the workspace is free until `add`. @return an empty matrix if this process computes nothing
  MatrixRef<T> take(std::byte* workspace);
  /// The end of the memory that `take` returned.
  std::byte* behind() const { return reinterpret_cast<std::byte*>(partial_ + sizes_.partial); }

  /// C = beta·C + the partial sums of all layers; `beta == 0` overwrites C.
  void add(T beta);

 private:
  struct Partner {
    int rank;
    Index elements;  ///< elements of its message
  };

  /// Calls f(row in the part, column in the part, row in C, column in C, rows, columns) for each block of C
  /// that one process computes and the other holds. Indices are local.
  template <class F>
  void for_each_block(int computes, int holds, const F& f) const;
  /// C = beta·C + message, for the elements that process `computes` computes and this process holds.
  void add_message(int computes, const T* message, T beta);
  MatrixRef<T> partial() const;

  const Context& context_;
  DistributedMatrix<T> C_;
  Division division_;
  SumSizes sizes_;
  std::vector<Partner> sources_;  ///< processes, this one included, that compute elements held here
  std::vector<Partner> targets_;  ///< processes, this one included, that hold elements computed here
  Messages messages_;
  T* partial_ = nullptr;
};

}  // namespace rooftile::distributed
