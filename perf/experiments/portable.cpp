// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The texts' kernels on every device that the Kokkos of this build reaches.
#include "../providers/kokkos_devices.hpp"
#include "portable/kernels.hpp"

namespace rooftile::perf {
namespace {

template <class Exec>
void add_path(Device& device, const Exec& exec, std::vector<TextKernels>& all) {
  namespace texts = portable_texts;
  const bool gpu = is_gpu(device);
  TextKernels own;
  own.device = &device;
  own.path = "portable";
  for (const int elements : {1, 2, 4}) {
    for (const int bytes : {4, 8, 16})
      own.increments.push_back({bytes, elements, 0, gpu ? 0 : exec.concurrency()});
  }
  own.increment = [exec](float* a, Index count, const IncrementLaunch& launch) {
    texts::run_increment(exec, a, count, launch);
  };
  own.lanes = {gpu ? 32 : 1};
  own.branch = [exec](std::uint32_t* x, Index count, int branching, int) {
    texts::run_branches(exec, x, count, branching);
  };
  own.hold = [exec](std::uint32_t* x, Index count, const RegisterLaunch& launch) {
    texts::run_registers(exec, x, count, launch);
  };
  own.transpose = [exec, gpu](float* to, const float* from, Index order, const TransposeLaunch& launch) {
    texts::run_transpose(exec, to, from, order, launch, gpu);
  };
  own.shares_tiles = gpu;
  own.add = [exec](float* c, const float* a, const float* b, Index count) {
    texts::run_add(exec, c, a, b, count);
  };
  all.push_back(std::move(own));
}

void add(Machine& machine, std::vector<TextKernels>& all) {
  if (!Kokkos::is_initialized()) return;
  for_each_kokkos_device(machine, [&](Device& device, const auto& exec) { add_path(device, exec, all); });
}

const TextKernelProvider provider{add};

}  // namespace
}  // namespace rooftile::perf
