// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <cublas_v2.h>
#include <dlfcn.h>

#include "../cuda_device.hpp"
#include "../vendor_candidate.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw Error(rooftile::detail::text("cuBLAS failed (status ", static_cast<int>(status), "): see its log"));
  }
}

/// The library, opened when the first product wants it: linked, its 600 MB would cost every command 70 ms.
struct Cublas {
  void* library = open();
  decltype(&cublasCreate_v2) create = symbol<decltype(&cublasCreate_v2)>("cublasCreate_v2");
  decltype(&cublasDestroy_v2) destroy = symbol<decltype(&cublasDestroy_v2)>("cublasDestroy_v2");
  decltype(&cublasSetStream_v2) set_stream = symbol<decltype(&cublasSetStream_v2)>("cublasSetStream_v2");
  decltype(&cublasSgemm_v2_64) sgemm = symbol<decltype(&cublasSgemm_v2_64)>("cublasSgemm_v2_64");
  decltype(&cublasDgemm_v2_64) dgemm = symbol<decltype(&cublasDgemm_v2_64)>("cublasDgemm_v2_64");

 private:
  /// Where the toolkit had it, else wherever the loader finds it: the program may have moved to another
  /// machine.
  static void* open() {
    const std::string path = ROOFTILE_CUBLAS;
    if (void* there = dlopen(path.c_str(), RTLD_NOW)) return there;
    if (void* found = dlopen(path.substr(path.rfind('/') + 1).c_str(), RTLD_NOW)) return found;
    throw Error(rooftile::detail::text("could not open cuBLAS (", path, "): ", dlerror()));
  }
  template <class F>
  F symbol(const char* name) const {
    if (void* found = dlsym(library, name)) return reinterpret_cast<F>(found);
    throw Error(rooftile::detail::text("cuBLAS lacks a function (", name, "): take version 12 or newer"));
  }
};

template <class T>
Candidate<T> candidate(CudaDevice& gpu, const Cublas& cublas, const std::shared_ptr<cublasContext>& handle) {
  return vendor_candidate<T>(gpu, "cublas", [&cublas, handle](const vendor::BlasForm<T>& f) {
    const auto op = [](bool transpose) { return transpose ? CUBLAS_OP_T : CUBLAS_OP_N; };
    const auto gemm = [&] {
      if constexpr (sizeof(T) == 4) {
        return cublas.sgemm;
      } else {
        return cublas.dgemm;
      }
    }();
    check(gemm(handle.get(), op(f.transpose_a), op(f.transpose_b), f.m, f.n, f.k, &f.alpha, f.a, f.lda, f.b,
               f.ldb, &f.beta, f.c, f.ldc));
  });
}

void add(Machine& machine) {
  auto* gpu = dynamic_cast<CudaDevice*>(machine.device("cuda"));
  if (gpu == nullptr) return;
  try {
    static const Cublas cublas;
    cublasHandle_t raw = nullptr;
    check(cublas.create(&raw));
    const std::shared_ptr<cublasContext> handle(raw, cublas.destroy);
    check(cublas.set_stream(raw, gpu->stream()));
    machine.fp32.push_back(candidate<float>(*gpu, cublas, handle));
    machine.fp64.push_back(candidate<double>(*gpu, cublas, handle));
  } catch (const Error& error) {
    machine.absent.push_back({"cublas", error.what()});
  }
}

const Provider provider{Provider::vendor, add};

}  // namespace
}  // namespace rooftile::perf
