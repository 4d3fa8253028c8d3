// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <type_traits>

#include <rocblas/rocblas.h>

#include "hip_device.hpp"
#include "library_candidate.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

void check(rocblas_status status) {
  if (status != rocblas_status_success) {
    throw Error(detail::text("rocBLAS failed (", rocblas_status_to_string(status), "): see its log"));
  }
}

template <class T>
Candidate<T> candidate(HipDevice& gpu, const std::shared_ptr<_rocblas_handle>& handle) {
  const auto call = [handle](const vendor::BlasForm<T>& f) {
    const auto op = [](vendor::Operation operation) {
      constexpr rocblas_operation operations[] = {rocblas_operation_none, rocblas_operation_transpose,
                                                  rocblas_operation_conjugate_transpose};
      return operations[static_cast<int>(operation)];
    };
    const auto ta = op(f.a_as), tb = op(f.b_as);
    const auto [count, stride_a, stride_b, stride_c, inner, outer_a, outer_b, outer_c] = f.batch;
    using Complex =
        std::conditional_t<std::is_same_v<Real<T>, float>, rocblas_float_complex, rocblas_double_complex>;
    using Number = std::conditional_t<detail::is_complex<T>, Complex, T>;
    const auto gemm = function_for<T>(rocblas_sgemm_strided_batched_64, rocblas_dgemm_strided_batched_64,
                                      rocblas_cgemm_strided_batched_64, rocblas_zgemm_strided_batched_64);
    const auto in = [](const T* x) { return reinterpret_cast<const Number*>(x); };
    check(gemm(handle.get(), ta, tb, f.m, f.n, f.k, in(&f.alpha), in(f.a), f.lda, stride_a, in(f.b), f.ldb,
               stride_b, in(&f.beta), reinterpret_cast<Number*>(f.c), f.ldc, stride_c, count));
  };
  return vendor_candidate<T>(gpu, own_mode<T>(), "rocblas", call, false);
}

void add(Machine& machine) {
  auto* gpu = dynamic_cast<HipDevice*>(machine.device("hip"));
  if (gpu == nullptr) return;
  rocblas_handle raw = nullptr;
  check(rocblas_create_handle(&raw));
  const std::shared_ptr<_rocblas_handle> handle(raw, rocblas_destroy_handle);
  check(rocblas_set_stream(raw, gpu->stream()));
  machine.add(candidate<float>(*gpu, handle));
  machine.add(candidate<double>(*gpu, handle));
  machine.add(candidate<complex<float>>(*gpu, handle));
  machine.add(candidate<complex<double>>(*gpu, handle));
}

const Provider provider{Provider::vendor, add};

}  // namespace
}  // namespace rooftile::perf
