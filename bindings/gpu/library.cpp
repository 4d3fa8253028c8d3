// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The exported function of the library, and the CUDA implementation of its interface.
#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "bindings/gpu/costs.hpp"
#include "bindings/gpu/cuda_device.hpp"
#include "bindings/gpu/from_host.hpp"
#include "bindings/gpu/interface.hpp"
#include "cuda_native/device.hpp"
#include "plan/check.hpp"
#include "plan/refusal.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/log.hpp"
#include "rooftile/version.hpp"

namespace rooftile::gpu {
namespace {

using cuda_native::check;

/// The types of products in a stream: those that the native ladder computes.
using OnStream = decltype(std::tuple_cat(
    Elements(),
    std::tuple<Mixed<float16, float>, Mixed<bfloat16, float>, Mixed<std::int8_t, std::int32_t>>()));

/// Calls f with the type of the products of a compute mode. @tparam Products  a tuple of the supported types
/// @throws Error for another type
template <class Products, class F>
void with_products(ComputeMode math, const F& f) {
  const bool known = [&]<class... Ts>(std::type_identity<std::tuple<Ts...>>) {
    return ((is_mode_of<Ts>(math) && (f(std::type_identity<Ts>()), true)) || ...);
  }(std::type_identity<Products>());
  if (!known) {
    throw Error(detail::text("element types not supported on GPUs (",
                             to_string(type_of(math), mode_of(math).result), "): take the CPU"));
  }
}

/// Options for products in a mode on the current device. Without a kernel for the mode, the own mode of the
/// element types is used.
GemmOptions options_of(ComputeMode math) {
  if (mode_of(math).is_own()) return {};
  const Target target = cuda_native::target(math);
  const bool known = std::any_of(std::begin(ladder), std::end(ladder),
                                 [&](const Rung& rung) { return detail::computes(rung, target); });
  return {.math = known ? math : ComputeMode::automatic};
}

/// `options_of` on the device of a stream.
GemmOptions options_on(void* stream, ComputeMode math) {
  const cuda_native::OnDeviceOf there(static_cast<cudaStream_t>(stream));
  return options_of(math);
}

/// How a guarded call ended.
enum class End { well, no_memory, lost, wrong, error };

/// Calls f, and converts exceptions to a text.
template <class F>
End guarded(Answer& answer, const F& f) noexcept {
  const auto say = [&](std::string_view why, End end) {
    answer.why[why.copy(answer.why, sizeof answer.why - 1)] = '\0';
    answer.no_memory = end == End::no_memory;
    answer.wrong = end == End::wrong;
    return end;
  };
  try {
    return f(), End::well;
  } catch (const Lost& error) {
    return say(error.what(), End::lost);
  } catch (const OutOfMemory& error) {
    return say(error.what(), End::no_memory);
  } catch (const std::bad_alloc&) {
    return say("no memory on the host: free some", End::no_memory);
  } catch (const cuda_native::CudaFault& error) {
    return say(error.what(), End::error);
  } catch (const Error& error) {
    return say(error.what(), End::wrong);
  } catch (const std::exception& error) {
    return say(error.what(), End::error);
  }
}

/// The locations of the operands.
struct Found {
  Memories memories;
  bool any_on_device = false;     ///< in device memory or managed memory
  bool any_out_of_reach = false;  ///< not accessible to the CPU
  std::string problem;            ///< why GPU kernels cannot read an operand in place; empty if they can
  int device = -1;                ///< the device that owns the memory; -1 for none

  template <class T>
  Memory look(const char* name, const T* data, Index last) {
    cudaPointerAttributes facts{};
    const auto ask = [&](const T* address) {
      check(cudaPointerGetAttributes(&facts, address), "find where an operand lies");
      return facts.type;
    };
    switch (ask(data)) {
      case cudaMemoryTypeDevice:
        if (device >= 0 && device != facts.device)
          problem = detail::text("operands on several GPUs (", device, " and ", facts.device,
                                 "): copy them to one");
        device = facts.device;
        any_out_of_reach = true;
        [[fallthrough]];
      case cudaMemoryTypeManaged:
        any_on_device = true;
        if (!detail::is_aligned(data)) problem = detail::text_of_misaligned(name, data, sizeof(T));
        return Memory::device;
      case cudaMemoryTypeHost:  // only if all of it is pinned
        return ask(data + last) == cudaMemoryTypeHost ? Memory::pinned : Memory::pageable;
      default:
        return Memory::pageable;
    }
  }
};

/// Elements from the first to the last element of X.
template <class T>
Index last_of(const MatrixRef<T>& X) {
  return (X.rows - 1) * X.row_stride + (X.cols - 1) * X.col_stride;
}

/// The peak multiply-adds of T per second of a device.
template <class T>
double multiply_adds(int device) {
  const auto& facts = cuda_native::facts_of(device);
  const double cycles = std::is_same_v<Real<T>, double> ? facts.costs.rates.matrix_fp64
                        : is_16_bit(type_of<T>())       ? facts.costs.rates.matrix_16
                                                        : facts.costs.rates.lanes;
  int khz = 0;
  check(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device), "query a device's clock");
  return 128 * facts.sms * 1e3 * khz / (cycles * real_multiply_adds(type_of<T>()));
}

template <class T>
Rates rates_of(int device, const Memories& where) {
  constexpr OffloadCosts costs = offload_costs;
  const bool staged =
      where.a == Memory::pageable || where.b == Memory::pageable || where.c == Memory::pageable;
  return {1e9 * (staged ? costs.staged_gbs : costs.link_gbs), costs.share_of_peak * multiply_adds<T>(device),
          costs.start, costs.step};
}

CudaDevices& devices() {
  static auto* const all = new CudaDevices;
  return *all;
}

template <class T>
Outcome multiply_of(const HostCall& call, Answer& answer) {
  const auto& args = *static_cast<const GemmArgs<T>*>(call.product);
  const bool reads = args.alpha != Scalar<T>(0) && args.A.cols > 0;
  Found found;
  if (reads) {
    found.memories.a = found.look(call.swapped ? "B" : "A", args.A.data, last_of(args.A));
    found.memories.b = found.look(call.swapped ? "A" : "B", args.B.data, last_of(args.B));
  }
  found.memories.c = found.look("C", args.C.data, last_of(args.C));
  answer.device_memory = found.any_out_of_reach;
  if (!found.any_on_device && call.cpu_seconds <= 0) return Outcome::left;

  if (!found.problem.empty()) {
    if (!found.any_out_of_reach) return Outcome::left;  // managed memory: the CPU reads any address
    throw Error(found.problem);
  }
  const int number = found.device >= 0 ? found.device : cuda_native::current_device();
  const cuda_native::OnDevice there(number);
  const Memories where = found.memories;
  const auto is_there = [](Memory memory) { return memory == Memory::device; };
  if (is_there(where.c) && (!reads || (is_there(where.a) && is_there(where.b)))) {
    const auto& [alpha, A, B, beta, C] = call.swapped ? args.transposed() : args;  // with the caller's names
    cuda_native::gemm(cudaStreamPerThread, alpha, A, B, beta, C, options_of(call.math));
    if (const cudaError_t status = cudaStreamSynchronize(cudaStreamPerThread); status != cudaSuccess)
      throw Lost(detail::text("a product on the GPU stopped (", cudaGetErrorName(status), "): do not use C"));
    return Outcome::done;
  }
  if (!lines_of(args.A) || !lines_of(args.B) || !lines_of(args.C)) {
    if (!found.any_out_of_reach) return Outcome::left;
    throw Error(
        "operands on the GPU and the host, without a contiguous dimension (two strides above 1): copy all to "
        "one");
  }
  const Rates rates = rates_of<T>(number, where);
  if (!found.any_on_device &&
      best_schedule<T>(args.shape(), Transfers{true, true, true, args.beta != Scalar<T>(0)}, rates).seconds >=
          call.cpu_seconds)
    return Outcome::left;
  const CudaDevices::Taken taken(devices(), number);
  (*taken).compute_in(options_of(call.math));
  const auto rest = [&](const GemmArgs<T>& product) { call.rest(&product, call.context); };
  FromHost<T, CudaDevice, decltype(rest)> product(*taken, where, call.copiers, rates, rest);
  product.run(args);
  if (!product.problem().empty()) {
    answer.why[product.problem().copy(answer.why, sizeof answer.why - 1)] = '\0';
    answer.broken = true;
  }
  return Outcome::done;
}

Outcome multiply(const HostCall& call, Answer& answer) noexcept {
  Outcome outcome = Outcome::left;
  const End end = guarded(answer, [&] {
    with_products<Elements>(call.math,
                            [&]<class T>(std::type_identity<T>) { outcome = multiply_of<T>(call, answer); });
  });
  if (end == End::well) return outcome;
  if (end == End::lost || answer.device_memory) return Outcome::refused;
  answer.broken = end != End::no_memory;
  return Outcome::left;
}

/// Enqueues products in a stream. The caller waits for the stream.
template <class F>
Outcome enqueued(ComputeMode math, Answer& answer, const F& f) noexcept {
  return guarded(answer, [&] { with_products<OnStream>(math, f); }) == End::well ? Outcome::done
                                                                                 : Outcome::refused;
}

Outcome enqueue(ComputeMode math, const void* batch, void* stream, Answer& answer) noexcept {
  return enqueued(math, answer, [&]<class T>(std::type_identity<T>) {
    const auto& args = *static_cast<const BatchArgs<T>*>(batch);
    auto* const queue = static_cast<cudaStream_t>(stream);
    cuda_native::run(cuda_native::explain(queue, args, options_on(queue, math)), queue, args);
  });
}

Outcome enqueue_group(ComputeMode math, const void* products, std::size_t count, void* stream,
                      Answer& answer) noexcept {
  return enqueued(math, answer, [&]<class T>(std::type_identity<T>) {
    cuda_native::gemm_grouped(static_cast<cudaStream_t>(stream),
                              std::span(static_cast<const GemmArgs<T>*>(products), count),
                              options_on(stream, math));
  });
}

bool explain(ComputeMode math, const void* batch, void* stream, GemmPlan& plan) noexcept {
  Answer answer;
  const auto make = [&]<class T>(std::type_identity<T>) {
    plan = cuda_native::explain(static_cast<cudaStream_t>(stream), *static_cast<const BatchArgs<T>*>(batch),
                                options_on(stream, math));
  };
  return guarded(answer, [&] { with_products<OnStream>(math, make); }) == End::well;
}

constexpr Functions functions{version, &multiply, &enqueue, &enqueue_group, &explain};

}  // namespace

extern "C" const Functions* rooftile_gpu_open(Answer& answer) noexcept {
  const End end = guarded(answer, [] {
    set_log(nullptr);  // the caller has its own log
    static_cast<void>(cuda_native::target(ComputeMode::fp64));
  });
  return end == End::well ? &functions : nullptr;
}

}  // namespace rooftile::gpu
