// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rooftile/detail/check.hpp"
#include "rooftile/detail/group.hpp"

/// Whether a GPU reaches what callers give it. A kernel that reads any other memory ends all that the process
/// has on the GPU, long after the call.
namespace rooftile::detail {

/// What a GPU's runtime says of an address: `cudaMemoryType`, `hipMemoryType`.
enum class MemoryKind {
  unregistered,  ///< memory of the host that the runtime has no part in: of malloc, of the stack
  registered,    ///< of a device, or pinned, or managed
  untold         ///< the runtime does not say
};

/// Whether a GPU reaches what lies at an address.
/// @param reads_pageable  whether it reads all memory of the host, as with NVLink-C2C or HMM
/// @param ask             for the address' `MemoryKind`, if that matters
template <class Ask>
bool is_reached(bool reads_pageable, const Ask& ask) {
  return reads_pageable || ask() != MemoryKind::unregistered;
}

/// Regions of 2 MiB, of which GPUs' memory is made, that are reached: what lies in one of them is not asked
/// for again. Some that are not reached may pass, beside pinned memory; none is refused that is.
template <std::size_t count>
class ReachedRegions {
 public:
  /// @param reaches  called with an address whose region is not known
  template <class Reaches>
  bool contains(const void* address, const Reaches& reaches) {
    const std::uintptr_t region = (reinterpret_cast<std::uintptr_t>(address) >> 21) + 1;  // no 0
    std::uintptr_t& known = known_[region % count];
    if (known == region) return true;
    if (!reaches(address)) return false;
    known = region;
    return true;
  }

 private:
  std::array<std::uintptr_t, count> known_ = {};
};

/// @throws Error where an address is not reached
template <class Reached>
void check_reached(const char* name, const void* address, const Reached& reached) {
  if (reached(address)) return;
  throw Error(text("memory of the host, which the GPU does not reach (", name, ", ", address,
                   "): copy it to the device, or allocate pinned or managed memory"));
}

/// @throws Error where an address is not a multiple of an element's size, or is not reached
template <class E, class Reached>
void check_operand(const char* name, const E* address, const Reached& reached) {
  check_aligned(name, address);
  check_reached(name, address, reached);
}

/// Checks products as the caller gave them, so that operands have the caller's names. It checks operands that
/// are read or written, or their pointers, but not what those lead to. @pre `prepared` takes them
template <class T, class Reached>
void check_operands_reached(const BatchArgs<T>& args, const Reached& reached) {
  const auto& [first, batch, pointers] = args;
  if (batch.count == 0 || is_empty(first.C)) return;
  const auto check = [&](const char* name, const char* name_of_pointers, const auto& X, const auto* each) {
    if (is_empty(X)) return;
    if (each == nullptr) return check_operand(name, X.data, reached);
    check_operand(name_of_pointers, each, reached);
  };
  check("C", "pointers of C", first.C, pointers.c);
  if (first.alpha == Scalar<T>(0)) return;
  check("A", "pointers of A", first.A, pointers.a);
  check("B", "pointers of B", first.B, pointers.b);
}

/// Checks a call's operands and workspace. @param reaches  whether the GPU reaches an address, which takes
/// some 100 ns to find out
/// @throws Error where it does not, or an operand is not aligned to its elements
template <class T, class Reaches>
void check_call_reached(const BatchArgs<T>& args, const void* workspace, const Reaches& reaches) {
  ReachedRegions<1> regions;
  const auto reached = [&](const void* address) { return regions.contains(address, reaches); };
  check_operands_reached(args, reached);
  if (workspace != nullptr) check_reached("workspace", workspace, reached);
}

/// The same of a group. @throws Error with the number of the product
template <class T, class Reaches>
void check_group_reached(std::span<const GemmArgs<T>> products, const void* workspace,
                         const Reaches& reaches) {
  ReachedRegions<256> regions;  // half a GiB
  const auto reached = [&](const void* address) { return regions.contains(address, reaches); };
  for_each_product(products.size(), [&](std::size_t i) { check_operands_reached<T>(products[i], reached); });
  if (workspace != nullptr) check_reached("workspace", workspace, reached);
}

}  // namespace rooftile::detail
