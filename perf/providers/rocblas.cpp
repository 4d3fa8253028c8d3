// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <type_traits>

#include <rocblas/rocblas.h>

#include "hip_device.hpp"
#include "rooftile/error.hpp"
#include "vendor_candidate.hpp"

namespace rooftile::perf {
namespace {

void check(rocblas_status status) {
  if (status != rocblas_status_success) {
    throw Error(
        rooftile::detail::text("rocBLAS failed (", rocblas_status_to_string(status), "): see its log"));
  }
}

template <class T>
Candidate<T> candidate(HipDevice& gpu, const std::shared_ptr<_rocblas_handle>& handle) {
  return vendor_candidate<T>(gpu, own_math<T>(), "rocblas", [handle](const vendor::BlasForm<T>& f) {
    const auto op = [](bool transpose) {
      return transpose ? rocblas_operation_transpose : rocblas_operation_none;
    };
    const auto ta = op(f.transpose_a), tb = op(f.transpose_b);
    const auto [count, stride_a, stride_b, stride_c] = f.batch;
    if constexpr (std::is_same_v<T, float>) {
      check(rocblas_sgemm_strided_batched_64(handle.get(), ta, tb, f.m, f.n, f.k, &f.alpha, f.a, f.lda,
                                             stride_a, f.b, f.ldb, stride_b, &f.beta, f.c, f.ldc, stride_c,
                                             count));
    } else {
      check(rocblas_dgemm_strided_batched_64(handle.get(), ta, tb, f.m, f.n, f.k, &f.alpha, f.a, f.lda,
                                             stride_a, f.b, f.ldb, stride_b, &f.beta, f.c, f.ldc, stride_c,
                                             count));
    }
  });
}

void add(Machine& machine) {
  auto* gpu = dynamic_cast<HipDevice*>(machine.device("hip"));
  if (gpu == nullptr) return;
  rocblas_handle raw = nullptr;
  check(rocblas_create_handle(&raw));
  const std::shared_ptr<_rocblas_handle> handle(raw, rocblas_destroy_handle);
  check(rocblas_set_stream(raw, gpu->stream()));
  machine.candidates<float>().push_back(candidate<float>(*gpu, handle));
  machine.candidates<double>().push_back(candidate<double>(*gpu, handle));
}

const Provider provider{Provider::vendor, add};

}  // namespace
}  // namespace rooftile::perf
