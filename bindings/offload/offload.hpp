// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "bindings/gpu/costs.hpp"
#include "bindings/gpu/interface.hpp"
#include "bindings/offload/wanted_math.hpp"
#include "cpu/openmp_threads.hpp"

/// Access to the GPU library, `librooftile_gpu`. It is opened for the first product that may need it, if
/// there is a driver, and if `ROOFTILE_GPU` is `auto` or names its file. The CPU computes all other products.
namespace rooftile::bindings {

/// Which products are passed to the GPU library.
enum class GpuUse {
  unread,     ///< not yet determined
  off,        ///< none: no driver, no GPU library, or a forked process
  large,      ///< only large ones: the program itself has not loaded CUDA
  every_one,  ///< all: operands may be in device memory
};
extern std::atomic<GpuUse> gpu_use;

/// Whether to call `multiply_by_gpu`. The only cost of offloading for a call in a process without a GPU.
inline bool may_take_gpu(const GemmShape& shape) noexcept {
  const GpuUse use = gpu_use.load(std::memory_order_relaxed);
  if (use == GpuUse::off) [[likely]]
    return false;
  return use != GpuUse::large || shape.flops() >= 2 * gpu::offload_costs.asking;
}

/// A product for the GPU library.
struct GpuProduct {
  ComputeMode math;  ///< wanted mode of the element types
  const void* args;  ///< a `GemmArgs` of the element types
  bool swapped;      ///< whether A and B are swapped relative to the caller's names
  GemmShape shape;
  double bytes;          ///< larger amount that a link carries in one direction, for operands on the host
  double multiply_adds;  ///< in equivalents of fp64
  void (*rest)(const void* args);  ///< computes a product of these types on the CPU
};

/// Computes a product on the GPU if that is possible and worthwhile. @param answer  receives the reason of a
/// refusal
gpu::Outcome multiply_by_gpu(const GpuProduct& product, gpu::Answer& answer) noexcept;

/// `multiply_by_gpu` for typed arguments.
/// @param swapped  whether A and B of `args` are swapped relative to the caller's names
/// @tparam rest  computes a product on the CPU
template <class T, void (*rest)(const GemmArgs<T>&)>
[[gnu::cold, gnu::noinline]] gpu::Outcome multiply_by_gpu(const GemmArgs<T>& args, bool swapped,
                                                          gpu::Answer& answer) noexcept {
  const auto [m, n, k] = args.shape();
  const auto elements = [](Index rows, Index cols) {
    return static_cast<double>(rows) * static_cast<double>(cols);
  };
  const double there = elements(m, k) + elements(k, n) + (args.beta != Scalar<T>(0) ? elements(m, n) : 0);
  const double narrow = sizeof(Real<Scalar<T>>) / 8.0;  // fp32 vectors have twice as many lanes
  return multiply_by_gpu(
      {wanted_math<T>(), &args, swapped, args.shape(), sizeof(T) * std::max(there, elements(m, n)),
       narrow * real_multiply_adds(type_of<T>()) * args.shape().flops() / 2,
       [](const void* product) { rest(*static_cast<const GemmArgs<T>*>(product)); }},
      answer);
}

/// The GPU library, which the first call opens. @return null without one; `answer.why` has the reason
const gpu::Functions* gpu_part(gpu::Answer& answer) noexcept;

/// The GPU library for a caller that requires it. Also null if the environment or a fork forbids it; a line
/// in the log then gives the reason.
const gpu::Functions* gpu_part_or_none(gpu::Answer& answer) noexcept;

/// Whether the GPU computed the calling thread's last product, for the log.
extern thread_local bool last_was_gpu;

}  // namespace rooftile::bindings
