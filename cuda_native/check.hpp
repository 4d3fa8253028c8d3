// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "rooftile/error.hpp"

namespace rooftile::cuda_native {

/// Turns what the CUDA runtime reports into an Error, so that it is not reported once more by whatever the
/// caller asks next. `doing` completes "could not …".
inline void check(cudaError_t status, const char* doing, SourceLocation where = SourceLocation::current()) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw Error(
      detail::text("could not ", doing, " (", cudaGetErrorName(status), "): ", cudaGetErrorString(status)),
      where);
}

}  // namespace rooftile::cuda_native
