// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The texts' kernels in CUDA.
#include <algorithm>

#include "../providers/cuda_device.hpp"
#include "native/add.cuh"
#include "native/branch.cuh"
#include "native/increment.cuh"
#include "native/product.cuh"
#include "native/registers.cuh"
#include "native/transpose.cuh"
#include "rooftile/model/architecture.hpp"

namespace rooftile::perf {
namespace {

void add_native(Machine& machine, std::vector<TextKernels>& all) {
  auto* const gpu = dynamic_cast<CudaDevice*>(machine.device("cuda"));
  if (gpu == nullptr) return;
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    cudaDeviceGetAttribute(&value, which, gpu->number);
    return value;
  };
  TextKernels own;
  own.device = gpu;
  own.path = "native";
  own.sms = attribute(cudaDevAttrMultiProcessorCount);
  own.limits = model::nvidia_limits(attribute(cudaDevAttrComputeCapabilityMajor),
                                    attribute(cudaDevAttrComputeCapabilityMinor));
  const cudaStream_t stream = gpu->stream();
  const model::SmLimits limits = own.limits;
  for (int blocks = 1; blocks * text_threads <= limits.threads; blocks *= 2) {
    for (const int elements : {1, 2, 4}) {
      for (const int bytes : {4, 8, 16}) own.increments.push_back({bytes, elements, blocks});
    }
  }
  own.increment = [=](float* a, Index count, const IncrementLaunch& launch) {
    native::run_increment(stream, limits, a, count, launch);
  };
  own.resident = [=](const IncrementLaunch& launch) { return native::resident_blocks(limits, launch); };
  own.lanes = {32};
  own.branch = [=](std::uint32_t* x, Index count, int branching, int) {
    native::run_branches(stream, x, count, branching);
  };
  own.hold = [=](std::uint32_t* x, Index count, const RegisterLaunch& launch) {
    native::run_registers(stream, x, count, launch);
  };
  own.held = native::held_registers;
  own.transpose = [=](float* to, const float* from, Index order, const TransposeLaunch& launch) {
    native::run_transpose(stream, to, from, order, launch);
  };
  own.shares_tiles = true;
  own.product = [=](float* c, const float* a, const float* b, const GemmShape& shape, bool fused) {
    native::run_product(stream, c, a, b, shape, fused);
  };
  own.add = [=](float* c, const float* a, const float* b, Index count) {
    native::run_add(stream, c, a, b, count);
  };
  all.push_back(std::move(own));
}

const TextKernelProvider provider{add_native};

}  // namespace
}  // namespace rooftile::perf
