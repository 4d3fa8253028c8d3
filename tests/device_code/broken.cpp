// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Not a kernel of the ladder: it keeps an array in thread-local memory, which check.py must reject.
#ifdef __HIP__
#include <hip/hip_runtime.h>
#endif

namespace rooftile::portable {

template <class T>
__global__ void broken(const T* in, T* out, int at) {
  T values[64];
  for (int i = 0; i < 64; ++i) values[i] = in[(i * at) % 64];
  out[threadIdx.x] = values[at] + values[at / 2];
}
template __global__ void broken(const float*, float*, int);

}  // namespace rooftile::portable
