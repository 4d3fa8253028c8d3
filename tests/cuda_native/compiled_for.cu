// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Compiled for an old and for a new architecture. COMPILED_FOR is the name of the function, which contains
// the architecture.
#include "cuda_native/start.hpp"

namespace rooftile::testing {
namespace {

__global__ void nothing() {}

}  // namespace

bool COMPILED_FOR() {
  return cuda_native::waits_itself(nothing);
}

}  // namespace rooftile::testing
