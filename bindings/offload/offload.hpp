// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "bindings/gpu/costs.hpp"
#include "bindings/gpu/interface.hpp"
#include "bindings/offload/wanted_math.hpp"
#include "cpu/openmp_threads.hpp"

/// The way to the GPU part, `librooftile_gpu`, which is opened when a product first may want it: where there
/// is a driver, and `ROOFTILE_GPU` says `auto` or names its file. What it cannot compute stays with the CPU.
namespace rooftile::bindings {

/// Whom the GPU part is asked about.
enum class GpuUse {
  unread,     ///< nobody has looked yet
  off,        ///< no product: there is no driver, no GPU part, or this process was forked
  large,      ///< products of some size: the program itself had not loaded CUDA
  every_one,  ///< every product: its operands may lie on a GPU
};
extern std::atomic<GpuUse> gpu_use;

/// Whether `multiply_by_gpu` is to be asked: all that a call costs whose process has no GPU.
inline bool may_take_gpu(const GemmShape& shape) noexcept {
  const GpuUse use = gpu_use.load(std::memory_order_relaxed);
  if (use == GpuUse::off) [[likely]]
    return false;
  return use != GpuUse::large || shape.flops() >= 2 * gpu::offload_costs.asking;
}

/// What a call of the GPU part is about.
struct GpuProduct {
  ComputeMode math;  ///< that is wanted, of the elements
  const void* args;  ///< a `GemmArgs` of them
  bool swapped;      ///< its A is what the caller names B, and its B the caller's A
  GemmShape shape;
  double bytes;                    ///< that a link carries one way, if the operands lie on the host
  double multiply_adds;            ///< of fp64's length
  void (*rest)(const void* args);  ///< computes such a product on the CPU
};

/// Computes a product, if that is the GPU's. @param answer  why not, where it is refused
gpu::Outcome multiply_by_gpu(const GpuProduct& product, gpu::Answer& answer) noexcept;

/// The same. @param swapped  whether A of `args` is what the caller names B, and B the caller's A
/// @tparam rest  computes a product on the CPU
template <class T, void (*rest)(const GemmArgs<T>&)>
[[gnu::cold, gnu::noinline]] gpu::Outcome multiply_by_gpu(const GemmArgs<T>& args, bool swapped,
                                                          gpu::Answer& answer) noexcept {
  const auto [m, n, k] = args.shape();
  const auto elements = [](Index rows, Index cols) {
    return static_cast<double>(rows) * static_cast<double>(cols);
  };
  const double there = elements(m, k) + elements(k, n) + (args.beta != Scalar<T>(0) ? elements(m, n) : 0);
  const double narrow = sizeof(Real<Scalar<T>>) / 8.0;  // fp32's vectors have twice as many
  return multiply_by_gpu(
      {wanted_math<T>(), &args, swapped, args.shape(), sizeof(T) * std::max(there, elements(m, n)),
       narrow * real_multiply_adds(type_of<T>()) * args.shape().flops() / 2,
       [](const void* product) { rest(*static_cast<const GemmArgs<T>*>(product)); }},
      answer);
}

/// The GPU part, which is opened now if it was not. @return null: there is none, and `answer.why` says why
const gpu::Functions* gpu_part(gpu::Answer& answer) noexcept;

/// The same for a caller that asks for it by name; also null where the environment or a fork rules it out,
/// and then a line in the log says why.
const gpu::Functions* gpu_part_or_none(gpu::Answer& answer) noexcept;

/// Whether the calling thread's last product was the GPU's: what a log says of it.
extern thread_local bool last_was_gpu;

}  // namespace rooftile::bindings
