// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "plan/check.hpp"
#include "plan/group.hpp"

/// Checks that a GPU can access the memory of a call. A kernel that reads other memory destroys the process'
/// context on the GPU, long after the call.
namespace rooftile::detail {

/// The kind of an address by the GPU runtime (`cudaMemoryType`, `hipMemoryType`).
enum class MemoryKind {
  unregistered,  ///< pageable host memory, for example from malloc or the stack
  registered,    ///< memory of the device, or pinned or managed memory
  other_device,  ///< memory of another device without peer access
  untold         ///< the runtime gives no information
};

/// Whether a GPU can access an address; if not, the owner of the memory.
enum class Access { reached, host, other_device };

/// Returns whether a GPU can access an address.
/// @param reads_pageable  the GPU can read all host memory, as with NVLink-C2C or HMM
constexpr Access access_of(MemoryKind kind, bool reads_pageable) {
  if (kind == MemoryKind::other_device) return Access::other_device;
  return kind == MemoryKind::unregistered && !reads_pageable ? Access::host : Access::reached;
}

/// A cache of accessible regions of 2 MiB, the granularity of GPU memory, which avoids repeated queries. It
/// may accept inaccessible host memory next to pinned memory. It never refuses accessible memory.
template <std::size_t count>
class AccessibleRegions {
 public:
  /// Returns the access to an address. @param reach  queries an address whose region is not cached
  template <class Ask>
  Access of(const void* address, const Ask& reach) {
    const std::uintptr_t region = (reinterpret_cast<std::uintptr_t>(address) >> 21) + 1;  // never 0
    std::uintptr_t& known = known_[region % count];
    if (known == region) return Access::reached;
    const Access found = reach(address);
    if (found == Access::reached) known = region;
    return found;
  }

 private:
  std::array<std::uintptr_t, count> known_ = {};
};

/// @param reach  returns the `Access` of an address
/// @throws Error if the GPU cannot access the address
template <class Ask>
void check_accessible(const char* name, const void* address, const Ask& reach) {
  switch (reach(address)) {
    case Access::reached:
      return;
    case Access::host:
      throw Error(text("host memory that the GPU cannot access (", name, ", ", address,
                       "): copy it to the device, or allocate pinned or managed memory"));
    case Access::other_device:
      throw Error(text("another GPU's memory, which the stream's GPU cannot access (", name, ", ", address,
                       "): copy it to the stream's GPU, or enable peer access"));
  }
}

/// @throws Error if an address is not a multiple of the element size, or the GPU cannot access it
template <class E, class Ask>
void check_operand(const char* name, const E* address, const Ask& reach) {
  check_aligned(name, address);
  check_accessible(name, address, reach);
}

/// Checks the operands of a caller that are read or written, so that errors name the caller's operands. With
/// pointers, it checks the array but not the matrices. @pre `prepared` accepts the products
template <class T, class Ask>
void check_operands_reached(const BatchArgs<T>& args, const Ask& reach) {
  const auto& [first, batch, pointers] = args;
  if (batch.count == 0 || is_empty(first.C)) return;
  const auto check = [&](const char* name, const char* name_of_pointers, const auto& X, const auto* each) {
    if (is_empty(X)) return;
    if (each == nullptr) return check_operand(name, X.data, reach);
    check_operand(name_of_pointers, each, reach);
  };
  check("C", "pointers of C", first.C, pointers.c);
  if (first.alpha == Scalar<T>(0)) return;
  check("A", "pointers of A", first.A, pointers.a);
  check("B", "pointers of B", first.B, pointers.b);
  if constexpr (Float8<In<T>>) {
    if (is_empty(first.A)) return;
    const auto check_scales_of = [&](const char* name, const float* scales) {
      if (scales != nullptr) check_operand(name, scales, reach);
    };
    check_scales_of("scales of A", first.A.scales.data);
    check_scales_of("scales of B", first.B.scales.data);
  }
}

/// Checks the operands and the workspace of a call.
/// @param reach  returns the `Access` of an address; takes about 100 ns
/// @throws Error if memory is not accessible, or an operand is not aligned to its elements
template <class T, class Ask>
void check_call_accessible(const BatchArgs<T>& args, const void* workspace, const Ask& reach) {
  AccessibleRegions<1> regions;
  const auto known = [&](const void* address) { return regions.of(address, reach); };
  check_operands_reached(args, known);
  if (workspace != nullptr) check_accessible("workspace", workspace, known);
}

/// Checks the operands and the workspace of a group. @throws Error with the number of the product
template <class T, class Ask>
void check_group_reached(std::span<const GemmArgs<T>> products, const void* workspace, const Ask& reach) {
  AccessibleRegions<256> regions;  // 512 MiB
  const auto known = [&](const void* address) { return regions.of(address, reach); };
  for_each_product(products.size(), [&](std::size_t i) { check_operands_reached<T>(products[i], known); });
  if (workspace != nullptr) check_accessible("workspace", workspace, known);
}

}  // namespace rooftile::detail
