// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distributed/mpi/messages.hpp"

namespace rooftile::distributed {

/// Brings the layers' parts of C to who holds C, who adds them in the order of the layers. A message holds
/// the rows and columns that one process computes and the other holds, by columns.
template <class T>
class PartialSums {
 public:
  /// @param C  where it lies
  /// @throws std::bad_alloc; later, no memory is asked for
  PartialSums(const Context& context, const DistributedMatrix<T>& C, const Division& division);

  /// This process's part of C on its layer, of unknown contents, at the beginning of the workspace. What is
  /// behind it is free until `add`. @return (0,0) where it computes none
  MatrixRef<T> take(std::byte* workspace);
  /// The end of it.
  std::byte* behind() const { return reinterpret_cast<std::byte*>(partial_ + sizes_.partial); }

  /// C = beta·C + the sum of all layers' parts; `beta == 0` overwrites C.
  void add(T beta);

 private:
  struct Partner {
    int rank;
    Index elements;  ///< of its message
  };

  /// Calls f(row in the part, column in it, row in C, column in C, rows, columns) for each block of C that
  /// one process computes and the other holds; indices are those of their memory.
  template <class F>
  void for_each_block(int computes, int holds, const F& f) const;
  /// C = beta·C + message, of what a process computes and this one holds.
  void add_message(int computes, const T* message, T beta);
  MatrixRef<T> partial() const;

  const Context& context_;
  DistributedMatrix<T> C_;
  Division division_;
  SumSizes sizes_;
  std::vector<Partner> sources_;  ///< who computes something of C that this process holds, itself, too
  std::vector<Partner> targets_;  ///< who holds something of what it computes, itself, too
  Messages messages_;
  T* partial_ = nullptr;
};

}  // namespace rooftile::distributed
