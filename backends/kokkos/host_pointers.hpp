// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <Kokkos_Core.hpp>

#include "plan/prepare.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::portable {

/// A batch's pointers, copied to the host, which launches each product by itself. The copy is enqueued on the
/// instance, and the constructor waits for it.
template <class T>
class HostPointers {
 public:
  /// @throws Error if a pointer to a matrix that is read or written is null
  template <class Exec>
  HostPointers(const Exec& exec, const BatchArgs<T>& args) : args_(args) {
    args_.pointers.a = copied(exec, args.pointers.a, a_);
    args_.pointers.b = copied(exec, args.pointers.b, b_);
    args_.pointers.c = copied(exec, args.pointers.c, c_);
    exec.fence("rooftile::pointers");
    detail::check_pointers(args_);
  }
  HostPointers(const HostPointers&) = delete;
  HostPointers& operator=(const HostPointers&) = delete;

  /// Returns the products with pointers on the host, valid while the object lives.
  const BatchArgs<T>& args() const { return args_; }

 private:
  template <class Exec, class Pointer>
  Pointer const* copied(const Exec& exec, Pointer const* pointers, std::vector<Pointer>& host) const {
    if (pointers == nullptr) return nullptr;
    host.resize(static_cast<std::size_t>(args_.batch.count));
    const std::size_t bytes = host.size() * sizeof(Pointer);
    // Copied as bytes: a View would read the asterisks of a pointer type as dimensions.
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    Kokkos::deep_copy(
        exec, Kokkos::View<char*, Kokkos::HostSpace, Unmanaged>(reinterpret_cast<char*>(host.data()), bytes),
        Kokkos::View<const char*, typename Exec::memory_space, Unmanaged>(
            reinterpret_cast<const char*>(pointers), bytes));
    return host.data();
  }

  BatchArgs<T> args_;
  std::vector<const In<T>*> a_, b_;
  std::vector<Out<T>*> c_;
};

}  // namespace rooftile::portable
