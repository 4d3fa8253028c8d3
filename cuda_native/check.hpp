// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "rooftile/error.hpp"

namespace rooftile::cuda_native {

/// Returns the advice for a status that means that there is no device, otherwise null.
constexpr const char* advice_without_device(cudaError_t status) {
  switch (status) {
    case cudaErrorNoDevice:
      return "use a machine with an NVIDIA GPU, and let CUDA_VISIBLE_DEVICES name it";
    case cudaErrorInsufficientDriver:  // also reported without a driver
    case cudaErrorStubLibrary:
      return "install the NVIDIA driver, or a newer one";
    default:
      return nullptr;
  }
}

/// An error of the system or of a GPU that CUDA reports. The arguments of the call are not its cause.
class CudaFault : public Error {
 public:
  explicit CudaFault(const std::string& what, SourceLocation where = SourceLocation::current())
      : Error(what, where) {}
};

/// Throws a CudaFault if the CUDA runtime reported an error. Clears the error, so that the caller's next CUDA
/// call does not report it again.
/// @param doing  completes "could not …"
inline void check(cudaError_t status, const char* doing, SourceLocation where = SourceLocation::current()) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  if (const char* const advice = advice_without_device(status); advice != nullptr)
    throw CudaFault(detail::text("no CUDA device (", cudaGetErrorName(status), "): ", advice), where);
  throw CudaFault(
      detail::text("could not ", doing, " (", cudaGetErrorName(status), "): ", cudaGetErrorString(status)),
      where);
}

}  // namespace rooftile::cuda_native
