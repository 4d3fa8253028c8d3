// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <Kokkos_Core.hpp>

#include "cuda_native/workspace.hpp"

namespace rooftile::portable {

/// Device memory for work that is put on an instance while the object lives: the caller's memory or memory of
/// the native ladder's pool. Pool memory is allocated and freed in stream order, also during a capture.
struct DeviceWorkspace : cuda_native::Workspace {
  DeviceWorkspace(const Kokkos::Cuda& exec, std::size_t bytes, void* memory)
      : cuda_native::Workspace(exec.cuda_stream(), bytes, memory, exec.cuda_device()) {}
};

/// The arguments of a kernel, passed as parameters, which lie in constant memory.
template <class Args>
struct KernelArgs {
  static constexpr std::size_t bytes = 0;  ///< bytes of workspace

  Args args;

  KernelArgs(const Kokkos::Cuda&, DeviceWorkspace&, const Args& args_) : args(args_) {}
  KOKKOS_FUNCTION const Args& operator*() const { return args; }
};

}  // namespace rooftile::portable
