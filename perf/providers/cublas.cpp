// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <cublas_v2.h>

#include "../cuda_device.hpp"
#include "../vendor_candidate.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw Error(rooftile::detail::text("cuBLAS failed (", cublasGetStatusName(status), "): see its log"));
  }
}

template <class T>
Candidate<T> candidate(CudaDevice& gpu, const std::shared_ptr<cublasContext>& handle) {
  return vendor_candidate<T>(gpu, "cublas", [handle](const vendor::BlasForm<T>& f) {
    const auto op = [](bool transpose) { return transpose ? CUBLAS_OP_T : CUBLAS_OP_N; };
    const auto ta = op(f.transpose_a), tb = op(f.transpose_b);
    if constexpr (sizeof(T) == 4) {
      check(cublasSgemm_64(handle.get(), ta, tb, f.m, f.n, f.k, &f.alpha, f.a, f.lda, f.b, f.ldb, &f.beta,
                           f.c, f.ldc));
    } else {
      check(cublasDgemm_64(handle.get(), ta, tb, f.m, f.n, f.k, &f.alpha, f.a, f.lda, f.b, f.ldb, &f.beta,
                           f.c, f.ldc));
    }
  });
}

void add(Machine& machine) {
  auto* gpu = dynamic_cast<CudaDevice*>(machine.device("cuda"));
  if (gpu == nullptr) return;
  cublasHandle_t raw = nullptr;
  check(cublasCreate(&raw));
  const std::shared_ptr<cublasContext> handle(raw, cublasDestroy);
  check(cublasSetStream(raw, gpu->stream()));
  machine.fp32.push_back(candidate<float>(*gpu, handle));
  machine.fp64.push_back(candidate<double>(*gpu, handle));
}

const Provider provider{Provider::vendor, add};

}  // namespace
}  // namespace rooftile::perf
