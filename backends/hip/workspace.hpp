// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <Kokkos_Core.hpp>

#include "backends/kokkos/teams.hpp"
#include "plan/workspace_parts.hpp"
#include "rooftile/error.hpp"

namespace rooftile::portable {

/// Device memory for work that is put on an instance while the object lives: the caller's memory or memory of
/// the device's pool. Pool memory is allocated and freed in stream order.
class DeviceWorkspace : public detail::WorkspaceParts {
 public:
  /// @param memory  the caller's memory of at least `bytes`; null: memory of the pool
  /// @throws OutOfMemory  if the device lacks memory; Error  if HIP reports another error
  DeviceWorkspace(const Kokkos::HIP& exec, std::size_t bytes, void* memory) : stream_(exec.hip_stream()) {
    hold(memory);
    if (memory != nullptr || bytes == 0) return;
    if (const hipError_t status = hipMallocAsync(&taken_, bytes, stream_); status != hipSuccess) {
      static_cast<void>(hipGetLastError());  // so that no later call reports it
      if (status == hipErrorOutOfMemory) {
        throw OutOfMemory(detail::text("too little device memory for a product's workspace (", bytes,
                                       " bytes): free memory, or take a kernel that needs none"));
      }
      throw Error(detail::text("could not allocate workspace for a product (", hipGetErrorName(status),
                               "): ", hipGetErrorString(status)));
    }
    hold(taken_);
  }
  ~DeviceWorkspace() {
    if (taken_ != nullptr) static_cast<void>(hipFreeAsync(taken_, stream_));
  }

 private:
  hipStream_t stream_;
  void* taken_ = nullptr;  // memory of the pool
};

template <class Args>
struct StoreArgs {
  Args args;
  Args* memory;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    if (member.team_rank() == 0) *memory = args;
  }
};

/// The arguments of a kernel, in workspace. As parameters, clang would load all of them before Kokkos' loop
/// over teams and keep them in more scalar registers than a wave has.
template <class Args>
struct KernelArgs {
  static constexpr std::size_t bytes = DeviceWorkspace::rounded(sizeof(Args));
  static constexpr int threads = 64;

  const Args* memory;

  KernelArgs(const Kokkos::HIP& exec, DeviceWorkspace& workspace, const Args& args) {
    Args* const stored = workspace.take<Args>(sizeof(Args));
    start_teams<threads, 0>(exec, "rooftile::store_args", 1, threads, 0, StoreArgs<Args>{args, stored});
    memory = stored;
  }
  KOKKOS_FUNCTION const Args& operator*() const { return *memory; }
};

}  // namespace rooftile::portable
