// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <Kokkos_Core.hpp>

#include "backends/kokkos/teams.hpp"
#include "plan/workspace_parts.hpp"
#include "rooftile/error.hpp"

namespace rooftile::portable {

/// Device memory for the work that is put on an instance while the object lives: taken and given back in its
/// order, from the device's own pool. Or the caller's memory.
class DeviceWorkspace : public detail::WorkspaceParts {
 public:
  /// @param memory  the caller's, with room for as many bytes; null: from the pool
  /// @throws OutOfMemory where the device has not so much memory, Error where HIP refuses for another reason
  DeviceWorkspace(const Kokkos::HIP& exec, std::size_t bytes, void* memory) : stream_(exec.hip_stream()) {
    hold(memory);
    if (memory != nullptr || bytes == 0) return;
    if (const hipError_t status = hipMallocAsync(&taken_, bytes, stream_); status != hipSuccess) {
      static_cast<void>(hipGetLastError());  // or the next launch would report it, too
      if (status == hipErrorOutOfMemory) {
        throw OutOfMemory(detail::text("too little device memory for a product's workspace (", bytes,
                                       " bytes): free memory, or take a kernel that needs none"));
      }
      throw Error(detail::text("could not take workspace for a product (", hipGetErrorName(status),
                               "): ", hipGetErrorString(status)));
    }
    hold(taken_);
  }
  ~DeviceWorkspace() {
    if (taken_ != nullptr) static_cast<void>(hipFreeAsync(taken_, stream_));
  }

 private:
  hipStream_t stream_;
  void* taken_ = nullptr;  // from the pool
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

/// Arguments of a kernel: here, in workspace. Parameters, clang would load before Kokkos' loop over teams,
/// all of them, and keep them in more scalar registers than a wave has.
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
