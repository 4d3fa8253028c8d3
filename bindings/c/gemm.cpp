// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <vector>

#include "bindings/c/handle.hpp"
#include "bindings/offload/explain.hpp"
#include "bindings/offload/offload.hpp"
#include "bindings/offload/on_cpu.hpp"
#include "plan/execute.hpp"
#include "plan/group.hpp"
#include "plan/prepare.hpp"
#include "rooftile/detail/batch_args.hpp"

namespace rooftile::c {

namespace {

/// The types of products, indexed by `rooftile_type`. The numbers are part of the ABI.
using Products =
    std::tuple<float, double, float16, bfloat16, complex<float>, complex<double>, Mixed<float16, float>,
               Mixed<bfloat16, float>, Mixed<float, double>, Mixed<std::int8_t, std::int32_t>>;
template <int type>
constexpr ComputeMode math_of_type = own_mode<std::tuple_element_t<std::size_t{type}, Products>>();
static_assert(math_of_type<ROOFTILE_FP32> == ComputeMode::fp32 &&
              math_of_type<ROOFTILE_FP64> == ComputeMode::fp64 &&
              math_of_type<ROOFTILE_FP16> == ComputeMode::fp16 &&
              math_of_type<ROOFTILE_BF16> == ComputeMode::bf16 &&
              math_of_type<ROOFTILE_CFP32> == ComputeMode::cfp32 &&
              math_of_type<ROOFTILE_CFP64> == ComputeMode::cfp64);
static_assert(math_of_type<ROOFTILE_FP16_FP32> == ComputeMode::fp16_fp32 &&
              math_of_type<ROOFTILE_BF16_FP32> == ComputeMode::bf16_fp32 &&
              math_of_type<ROOFTILE_FP32_FP64> == ComputeMode::fp32_fp64 &&
              math_of_type<ROOFTILE_INT8_INT32> == ComputeMode::int8_int32);

/// Calls f with the type of the products. @throws Error for an unknown number
template <class F>
void with_type(int type, const F& f) {
  int number = 0;
  bool known = false;
  const auto call_if = [&]<class T>(std::type_identity<T> products) {
    if (number++ != type) return;
    known = true;
    f(products);
  };
  [&]<class... Ts>(std::type_identity<std::tuple<Ts...>>) {
    (call_if(std::type_identity<Ts>()), ...);
  }(std::type_identity<Products>());
  if (!known) throw Error(detail::text("unknown type (", type, "): take one of rooftile_type"));
}

/// Reads alpha or beta, which may be unaligned.
template <class T>
Scalar<T> scalar(const char* name, const void* value) {
  if (value == nullptr)
    throw Error(detail::text("null ", name, " (type ", to_string(type_of<T>(), result_type_of<T>()),
                             "): give its address"));
  Scalar<T> copy;
  std::memcpy(&copy, value, sizeof copy);
  return copy;
}

template <class T>
MatrixRef<T> matrix(T* data, const rooftile_layout& layout) {
  const MatrixRef<T> X{data, layout.rows, layout.cols, layout.row_stride, layout.col_stride};
  return layout.conjugated != 0 ? X.conjugated() : X;
}

/// Throws the GPU library's refusal of products that only a GPU could compute.
[[noreturn]] void refuse(const gpu::Answer& answer) {
  if (answer.no_memory) throw OutOfMemory(answer.why);
  if (answer.wrong) throw Error(answer.why);
  throw std::runtime_error(answer.why);
}

/// Lets the GPU library compute products. @return whether it did
/// @param given  the products before A and B were swapped
/// @throws std::exception if neither the GPU nor the CPU can
template <class T>
bool computed_by_gpu(const BatchArgs<T>& given, const BatchArgs<T>& ready) {
  if constexpr (!is_mixed(own_mode<T>())) {
    if (ready.batch.count != 1 || ready.pointers.any() || !bindings::may_take_gpu(ready.shape()))
      return false;
    gpu::Answer answer;
    const bool swapped = ready.first.A.data != given.first.A.data;
    const auto outcome =
        bindings::multiply_by_gpu<T, &bindings::compute_on_cpu<T>>(ready.first, swapped, answer);
    if (outcome == gpu::Outcome::refused) refuse(answer);
    return outcome == gpu::Outcome::done;
  }
  return false;
}

/// Computes products of a handle without a stream, without a log.
template <class T>
void compute(const BatchArgs<T>& args) {
  const BatchArgs<T> given = detail::single_resolved(args), ready = detail::prepared(given);
  detail::check_pointers(ready);
  if (detail::nothing_to_do(ready) || computed_by_gpu(given, ready)) return;
  detail::start(portable::HostEngine(), given, ready, bindings::wanted_options<T>());
}

/// Enqueues work in a handle's stream. @throws Error, std::runtime_error
template <class T, class F>
void enqueue(rooftile_handle handle, const F& f) {
  if constexpr (!has_gpu_kernel(own_mode<T>(), Path::native)) {
    throw Error(detail::text("element types not supported on GPUs (",
                             to_string(type_of<T>(), result_type_of<T>()), "): take a handle of the host"));
  } else {
    gpu::Answer answer;
    if (f(*handle->gpu, answer) == gpu::Outcome::refused) refuse(answer);
  }
}

/// Enqueues products in a handle's stream, and logs them if a log is set.
template <class T>
[[gnu::noinline]] void multiply_in_stream(rooftile_handle handle, const char* name,
                                          const BatchArgs<T>& args) {
  const auto compute = [&] {
    static_cast<void>(detail::prepared(args));  // throws if the arguments are invalid
    enqueue<T>(handle, [&](const gpu::Functions& part, gpu::Answer& answer) {
      return part.enqueue(bindings::wanted_math<T>(), &args, handle->stream, answer);
    });
  };
  const auto explain = [&] {
    GemmPlan plan;
    if (!handle->gpu->explain(bindings::wanted_math<T>(), &args, handle->stream, plan))
      throw Error("no plan");
    return plan;
  };
  detail::observe(portable::HostEngine(), name, args, compute, explain);
}

/// Computes products. @throws Error, std::bad_alloc before C is written
template <class T>
void multiply(rooftile_handle handle, const char* name, const BatchArgs<T>& args) {
  if (handle->gpu != nullptr) return multiply_in_stream(handle, name, args);
  bindings::last_was_gpu = false;
  detail::observe(
      portable::HostEngine(), name, args, [&] { compute(args); },
      [&] { return bindings::explain(detail::prepared(detail::single_resolved(args))); });
}

/// One product of a group.
template <class T>
GemmArgs<T> product_of(const rooftile_product& x) {
  return {scalar<T>("alpha", x.alpha), matrix(static_cast<const In<T>*>(x.A), x.a),
          matrix(static_cast<const In<T>*>(x.B), x.b), scalar<T>("beta", x.beta),
          matrix(static_cast<Out<T>*>(x.C), x.c)};
}

/// Computes a group of products. @throws Error, std::bad_alloc before any C is written
template <class T>
void multiply(rooftile_handle handle, std::span<const rooftile_product> group) {
  std::vector<GemmArgs<T>> products(group.size());
  detail::for_each_product(group.size(), [&](std::size_t i) { products[i] = product_of<T>(group[i]); });
  const std::span<const GemmArgs<T>> given(products);
  if (handle->gpu == nullptr)
    return detail::execute_group(portable::HostEngine(), "rooftile_gemm_grouped", given,
                                 bindings::wanted_options<T>());
  static_cast<void>(detail::prepared_group(given));  // throws if the arguments are invalid
  const auto compute = [&] {
    enqueue<T>(handle, [&](const gpu::Functions& part, gpu::Answer& answer) {
      return part.enqueue_group(bindings::wanted_math<T>(), products.data(), products.size(), handle->stream,
                                answer);
    });
  };
  const auto explain = [] { return std::vector<GemmPlan>(); };  // launches on a GPU are not logged
  detail::observe(portable::HostEngine(), "rooftile_gemm_grouped", given, compute, explain);
}

/// A batch of matrices by address. Without addresses, all entries would be one matrix.
/// @param used  whether the matrices are read or written
template <class T, class Pointer>
BatchRef<T> pointed_to(const char* name, Pointer const* addresses, const rooftile_layout& layout,
                       int64_t count, bool used) {
  const bool empty = layout.rows == 0 || layout.cols == 0;
  if (addresses == nullptr && count > 0 && used && !empty)
    throw Error(
        detail::text("null array of pointers (", name, ", ", count, " matrices): give the addresses of all"));
  return pointer_batch<T>(reinterpret_cast<T* const*>(addresses), matrix<T>(nullptr, layout), count);
}

/// A strided batch. @param batch_of  returns the strides and the number of products
template <class BatchOf>
rooftile_status strided(const char* name, rooftile_handle handle, int type, const void* alpha, const void* A,
                        rooftile_layout a, const void* B, rooftile_layout b, const void* beta, void* C,
                        rooftile_layout c, const BatchOf& batch_of) {
  return guarded(handle, [&] {
    const Batch batch = batch_of();
    with_type(type, [&]<class T>(std::type_identity<T>) {
      multiply<T>(handle, name,
                  {{scalar<T>("alpha", alpha), matrix(static_cast<const In<T>*>(A), a),
                    matrix(static_cast<const In<T>*>(B), b), scalar<T>("beta", beta),
                    matrix(static_cast<Out<T>*>(C), c)},
                   batch});
    });
  });
}

/// The number of products of a two-dimensional batch; 0 if a dimension is empty. @throws Error
Index products_of(int64_t outer, int64_t inner) {
  detail::check_sizes({}, std::min(outer, inner));
  Index count = 0;
  if (__builtin_mul_overflow(outer, inner, &count))
    throw Error(detail::text("too many products (", outer, " x ", inner, "): give fewer in a call"));
  return count;
}

}  // namespace

extern "C" {

rooftile_status rooftile_gemm(rooftile_handle handle, int type, const void* alpha, const void* A,
                              rooftile_layout a, const void* B, rooftile_layout b, const void* beta, void* C,
                              rooftile_layout c) {
  return strided("rooftile_gemm", handle, type, alpha, A, a, B, b, beta, C, c, [] { return Batch{}; });
}

rooftile_status rooftile_gemm_strided_batched(rooftile_handle handle, int type, const void* alpha,
                                              const void* A, rooftile_layout a, int64_t stride_a,
                                              const void* B, rooftile_layout b, int64_t stride_b,
                                              const void* beta, void* C, rooftile_layout c, int64_t stride_c,
                                              int64_t count) {
  return strided("rooftile_gemm_strided_batched", handle, type, alpha, A, a, B, b, beta, C, c, [&] {
    return Batch{count, stride_a, stride_b, stride_c};
  });
}

rooftile_status rooftile_gemm_nested_batched(rooftile_handle handle, int type, const void* alpha,
                                             const void* A, rooftile_layout a, rooftile_steps steps_a,
                                             const void* B, rooftile_layout b, rooftile_steps steps_b,
                                             const void* beta, void* C, rooftile_layout c,
                                             rooftile_steps steps_c, int64_t outer, int64_t inner) {
  return strided("rooftile_gemm_nested_batched", handle, type, alpha, A, a, B, b, beta, C, c, [&] {
    return Batch{products_of(outer, inner),
                 steps_a.inner,
                 steps_b.inner,
                 steps_c.inner,
                 inner,
                 steps_a.outer,
                 steps_b.outer,
                 steps_c.outer};
  });
}

rooftile_status rooftile_gemm_batched(rooftile_handle handle, int type, const void* alpha,
                                      const void* const* A, rooftile_layout a, const void* const* B,
                                      rooftile_layout b, const void* beta, void* const* C, rooftile_layout c,
                                      int64_t count) {
  return guarded(handle, [&] {
    with_type(type, [&]<class T>(std::type_identity<T>) {
      const Scalar<T> factor = scalar<T>("alpha", alpha);
      const bool reads = factor != Scalar<T>(0) && c.rows != 0 && c.cols != 0;
      const auto as = pointed_to<const In<T>>("A", A, a, count, reads);
      const auto bs = pointed_to<const In<T>>("B", B, b, count, reads);
      const auto cs = pointed_to<Out<T>>("C", C, c, count, true);
      multiply<T>(handle, "rooftile_gemm_batched",
                  detail::batch_args<T>(factor, as, bs, scalar<T>("beta", beta), cs));
    });
  });
}

rooftile_status rooftile_gemm_grouped(rooftile_handle handle, int type, const rooftile_product* products,
                                      int64_t count) {
  return guarded(handle, [&] {
    detail::check_sizes({}, count);
    if (products == nullptr && count > 0)
      throw Error(detail::text("null array of products (", count, "): give their address"));
    with_type(type, [&]<class T>(std::type_identity<T>) {
      multiply<T>(handle, std::span(products, static_cast<std::size_t>(count)));
    });
  });
}

}  // extern "C"

}  // namespace rooftile::c
