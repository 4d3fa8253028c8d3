// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <type_traits>

#include "distributed/mpi/watchdog.hpp"
#include "rooftile/distributed/distributed_matrix.hpp"
#include "rooftile/error.hpp"
#include "rooftile/types.hpp"

namespace rooftile::distributed {

/// A hash of the arguments that must be equal on all processes (FNV-1a).
class Fingerprint {
 public:
  template <class... T>
  requires((std::is_integral_v<T> || std::is_enum_v<T>)&&...) void add(const T&... values) {
    (add_bytes(&values, sizeof values), ...);
  }
  void add(const Slice& slice) {
    const auto& [dealing, begin, extent, to_rows] = slice;
    add(dealing.extent, dealing.block, dealing.first_block(), dealing.source, begin, extent, to_rows);
  }
  void add_bytes(const void* data, std::size_t size) {
    const auto* const bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 0x100000001b3;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// The fingerprint of those arguments of a product that must be equal on all processes.
template <class T>
Fingerprint fingerprint_of(Scalar<T> alpha, const DistributedMatrix<const T>& A,
                           const DistributedMatrix<const T>& B, Scalar<T> beta,
                           const DistributedMatrix<T>& C) {
  Fingerprint fingerprint;
  fingerprint.add(type_of<T>());
  fingerprint.add_bytes(&alpha, sizeof alpha);
  fingerprint.add_bytes(&beta, sizeof beta);
  for (const Slice* slice : {&A.rows, &A.cols, &B.rows, &B.cols, &C.rows, &C.cols}) fingerprint.add(*slice);
  fingerprint.add(detail::reads_conjugates(A.local), detail::reads_conjugates(B.local),
                  detail::reads_conjugates(C.local));
  return fingerprint;
}

/// Calls `prepare`, and returns why this process cannot take part; empty if it can.
template <class F>
std::string refusal_of(const F& prepare) {
  try {
    prepare();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::bad_alloc&) {
    return "too little memory for lists of messages: free some, or take more processes";
  }
  return {};
}

/// The contribution of a process to an agreement.
struct Proposal {
  std::string refusal;            ///< why this process cannot take part; empty if it can
  std::uint64_t fingerprint = 0;  ///< of the arguments that must be equal on all processes
  bool a_along_k = false;         ///< whether the local elements of A are contiguous along K
  bool b_along_k = false;         ///< whether the local elements of B are contiguous along K
};

/// Combines the proposals of all processes. Collective. Messages are contiguous along K if the operand of any
/// process is.
/// @throws Error, on all processes, if one refuses or is missing, or if fingerprints differ
Proposal agree(Watchdog& watch, const Proposal& proposal);

}  // namespace rooftile::distributed
