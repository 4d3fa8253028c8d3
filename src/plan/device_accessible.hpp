// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "plan/check.hpp"
#include "plan/group.hpp"

/// Whether a GPU reaches what callers give it. A kernel that reads any other memory ends all that the process
/// has on the GPU, long after the call.
namespace rooftile::detail {

/// What a GPU's runtime says of an address: `cudaMemoryType`, `hipMemoryType`.
enum class MemoryKind {
  unregistered,  ///< memory of the host that the runtime has no part in: of malloc, of the stack
  registered,    ///< of the device, or pinned, or managed
  other_device,  ///< of another device, to which the device has no access
  untold         ///< the runtime does not say
};

/// Whether a GPU reaches an address, or whose memory it is.
enum class Access { reached, host, other_device };

/// Whether a GPU reaches what lies at an address.
/// @param reads_pageable  whether it reads all memory of the host, as with NVLink-C2C or HMM
constexpr Access access_of(MemoryKind kind, bool reads_pageable) {
  if (kind == MemoryKind::other_device) return Access::other_device;
  return kind == MemoryKind::unregistered && !reads_pageable ? Access::host : Access::reached;
}

/// Regions of 2 MiB, of which GPUs' memory is made, that are reached: what lies in one of them is not asked
/// for again. Some that are not reached may pass, beside pinned memory; none is refused that is.
template <std::size_t count>
class AccessibleRegions {
 public:
  /// @param reach  called with an address whose region is not known
  template <class Ask>
  Access of(const void* address, const Ask& reach) {
    const std::uintptr_t region = (reinterpret_cast<std::uintptr_t>(address) >> 21) + 1;  // no 0
    std::uintptr_t& known = known_[region % count];
    if (known == region) return Access::reached;
    const Access found = reach(address);
    if (found == Access::reached) known = region;
    return found;
  }

 private:
  std::array<std::uintptr_t, count> known_ = {};
};

/// @param reach  the `Access` of an address
/// @throws Error where an address is not reached
template <class Ask>
void check_accessible(const char* name, const void* address, const Ask& reach) {
  switch (reach(address)) {
    case Access::reached:
      return;
    case Access::host:
      throw Error(text("memory of the host, which the GPU does not reach (", name, ", ", address,
                       "): copy it to the device, or allocate pinned or managed memory"));
    case Access::other_device:
      throw Error(text("memory of another GPU, which the stream's GPU does not reach (", name, ", ", address,
                       "): copy it to the stream's GPU, or enable peer access"));
  }
}

/// @throws Error where an address is not a multiple of an element's size, or is not reached
template <class E, class Ask>
void check_operand(const char* name, const E* address, const Ask& reach) {
  check_aligned(name, address);
  check_accessible(name, address, reach);
}

/// Checks products as the caller gave them, so that operands have the caller's names. It checks operands that
/// are read or written, or their pointers, but not what those lead to. @pre `prepared` takes them
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
}

/// Checks a call's operands and workspace. @param reach  the `Access` of an address, in some 100 ns
/// @throws Error where it does not, or an operand is not aligned to its elements
template <class T, class Ask>
void check_call_accessible(const BatchArgs<T>& args, const void* workspace, const Ask& reach) {
  AccessibleRegions<1> regions;
  const auto known = [&](const void* address) { return regions.of(address, reach); };
  check_operands_reached(args, known);
  if (workspace != nullptr) check_accessible("workspace", workspace, known);
}

/// The same of a group. @throws Error with the number of the product
template <class T, class Ask>
void check_group_reached(std::span<const GemmArgs<T>> products, const void* workspace, const Ask& reach) {
  AccessibleRegions<256> regions;  // half a GiB
  const auto known = [&](const void* address) { return regions.of(address, reach); };
  for_each_product(products.size(), [&](std::size_t i) { check_operands_reached<T>(products[i], known); });
  if (workspace != nullptr) check_accessible("workspace", workspace, known);
}

}  // namespace rooftile::detail
