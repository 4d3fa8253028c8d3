// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <cublas_v2.h>
#include <dlfcn.h>

#include "cublas_library.hpp"
#include "cuda_device.hpp"
#include "library_candidate.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw Error(detail::text("cuBLAS failed (status ", static_cast<int>(status), "): see its log"));
  }
}

/// The cuBLAS functions in use. They are resolved at run time, when the first product needs them.
struct Cublas : CublasLibrary {
#define ROOFTILE_CUBLAS_FUNCTION(name, function) \
  decltype(&cublas##function) name = symbol<decltype(&cublas##function)>("cublas" #function)
  ROOFTILE_CUBLAS_FUNCTION(create, Create_v2);
  ROOFTILE_CUBLAS_FUNCTION(destroy, Destroy_v2);
  ROOFTILE_CUBLAS_FUNCTION(set_math_mode, SetMathMode);
  ROOFTILE_CUBLAS_FUNCTION(set_stream, SetStream_v2);
  ROOFTILE_CUBLAS_FUNCTION(sgemm, Sgemm_v2_64);
  ROOFTILE_CUBLAS_FUNCTION(dgemm, Dgemm_v2_64);
  ROOFTILE_CUBLAS_FUNCTION(gemm_ex, GemmEx_64);
  ROOFTILE_CUBLAS_FUNCTION(gemm_strided_batched, GemmStridedBatchedEx_64);
  ROOFTILE_CUBLAS_FUNCTION(gemm_batched, GemmBatchedEx_64);
#undef ROOFTILE_CUBLAS_FUNCTION
#if CUBLAS_VERSION >= 120400  // null if the library is older than the header
  decltype(&cublasSgemmGroupedBatched_64) sgemm_grouped =
      reinterpret_cast<decltype(&cublasSgemmGroupedBatched_64)>(
          dlsym(library, "cublasSgemmGroupedBatched_64"));
  decltype(&cublasDgemmGroupedBatched_64) dgemm_grouped =
      reinterpret_cast<decltype(&cublasDgemmGroupedBatched_64)>(
          dlsym(library, "cublasDgemmGroupedBatched_64"));
#endif
};

using Handle = std::shared_ptr<cublasContext>;

Handle handle_of(const Cublas& cublas, const CudaDevice& gpu, cublasMath_t mode) {
  cublasHandle_t raw = nullptr;
  check(cublas.create(&raw));
  const Handle handle(raw, cublas.destroy);
  check(cublas.set_math_mode(raw, mode));
  check(cublas.set_stream(raw, gpu.stream()));
  return handle;
}

cublasOperation_t op(vendor::Operation operation) {
  constexpr cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
  return operations[static_cast<int>(operation)];
}

template <class T>
bool is_batch(const vendor::BlasForm<T>& f) {
  return f.batch.count != 1 || f.pointers.any();
}

/// The cuBLAS type names of A and B, of C, and of the accumulator.
struct Types {
  cudaDataType element, result;
  cublasComputeType_t compute;
};

template <class T>
void multiply_batch(const Cublas& cublas, const Handle& handle, const vendor::BlasForm<T>& f,
                    const Types& types) {
  const auto& [type, result, compute] = types;
  if (f.pointers.any()) {
    const auto untyped = [](auto* pointers) { return reinterpret_cast<const void* const*>(pointers); };
    check(cublas.gemm_batched(handle.get(), op(f.a_as), op(f.b_as), f.m, f.n, f.k, &f.alpha,
                              untyped(f.pointers.a), type, f.lda, untyped(f.pointers.b), type, f.ldb, &f.beta,
                              reinterpret_cast<void* const*>(f.pointers.c), result, f.ldc, f.batch.count,
                              compute, CUBLAS_GEMM_DEFAULT));
    return;
  }
  check(cublas.gemm_strided_batched(handle.get(), op(f.a_as), op(f.b_as), f.m, f.n, f.k, &f.alpha, f.a, type,
                                    f.lda, f.batch.stride_a, f.b, type, f.ldb, f.batch.stride_b, &f.beta, f.c,
                                    result, f.ldc, f.batch.stride_c, f.batch.count, compute,
                                    CUBLAS_GEMM_DEFAULT));
}

#if CUBLAS_VERSION >= 120400
/// Arguments of a grouped gemm for products of different shapes. Each product is one group. The pointer
/// arrays are in device memory, all other arguments on the host.
template <class T>
class Grouped {
 public:
  Grouped(CudaDevice& gpu, std::span<const GemmArgs<T>> products)
      : sizes_(products.size(), 1),
        a_(gpu, products.size()),
        b_(gpu, products.size()),
        c_(gpu, products.size()) {
    std::vector<const T*> a, b;
    std::vector<T*> c;
    for (const GemmArgs<T>& product : products) {
      vendor::BlasForm<T> f;
      if (const std::string problem = vendor::to_blas<T>(product, f); !problem.empty()) throw Error(problem);
      a_as_.push_back(op(f.a_as)), b_as_.push_back(op(f.b_as));
      m_.push_back(f.m), n_.push_back(f.n), k_.push_back(f.k);
      lda_.push_back(f.lda), ldb_.push_back(f.ldb), ldc_.push_back(f.ldc);
      alpha_.push_back(f.alpha), beta_.push_back(f.beta);
      a.push_back(f.a), b.push_back(f.b), c.push_back(f.c);
    }
    a_.upload(a), b_.upload(b), c_.upload(c);
  }

  template <class Function>
  void multiply(Function function, const Handle& handle) const {
    check(function(handle.get(), a_as_.data(), b_as_.data(), m_.data(), n_.data(), k_.data(), alpha_.data(),
                   a_.data(), lda_.data(), b_.data(), ldb_.data(), beta_.data(), c_.data(), ldc_.data(),
                   static_cast<std::int64_t>(sizes_.size()), sizes_.data()));
  }

 private:
  std::vector<cublasOperation_t> a_as_, b_as_;
  std::vector<std::int64_t> m_, n_, k_, lda_, ldb_, ldc_, sizes_;
  std::vector<T> alpha_, beta_;
  Buffer<const T*> a_, b_;
  Buffer<T*> c_;
};
#endif

/// Adds the grouped function to a candidate, if the library has it.
template <class T>
Candidate<T> with_groups(Candidate<T> candidate, [[maybe_unused]] CudaDevice& gpu,
                         [[maybe_unused]] const Cublas& cublas, [[maybe_unused]] const Handle& handle) {
#if CUBLAS_VERSION >= 120400
  const auto function = function_for<T>(cublas.sgemm_grouped, cublas.dgemm_grouped);
  if (function == nullptr) return candidate;
  candidate.group = [&gpu, handle, function](std::span<const GemmArgs<T>> products) {
    const auto grouped = std::make_shared<const Grouped<T>>(gpu, products);
    return [grouped, handle, function] { grouped->multiply(function, handle); };
  };
#endif
  return candidate;
}

template <class T>
Candidate<T> plain(CudaDevice& gpu, ComputeMode math, const Cublas& cublas, const Handle& handle) {
  const char* name = math == own_mode<T>()      ? "cublas"
                     : std::is_same_v<T, float> ? "cublas in fp32"
                                                : "cublas in fp64";
  const auto multiply = [&cublas, handle](const vendor::BlasForm<T>& f) {
    if (is_batch(f)) {
      constexpr Types fp32{CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
          fp64{CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
      return multiply_batch(cublas, handle, f, std::is_same_v<T, float> ? fp32 : fp64);
    }
    const auto gemm = function_for<T>(cublas.sgemm, cublas.dgemm);
    check(gemm(handle.get(), op(f.a_as), op(f.b_as), f.m, f.n, f.k, &f.alpha, f.a, f.lda, f.b, f.ldb, &f.beta,
               f.c, f.ldc));
  };
  return with_groups(vendor_candidate<T>(gpu, math, name, multiply), gpu, cublas, handle);
}

template <class T>
Candidate<T> tensor(CudaDevice& gpu, ComputeMode math, const Types& types, const Cublas& cublas,
                    const Handle& handle) {
  return vendor_candidate<T>(gpu, math, "cublas", [=, &cublas](const vendor::BlasForm<T>& f) {
    if (is_batch(f)) return multiply_batch(cublas, handle, f, types);
    check(cublas.gemm_ex(handle.get(), op(f.a_as), op(f.b_as), f.m, f.n, f.k, &f.alpha, f.a, types.element,
                         f.lda, f.b, types.element, f.ldb, &f.beta, f.c, types.result, f.ldc, types.compute,
                         CUBLAS_GEMM_DEFAULT));
  });
}

/// A candidate with the default mode of cuBLAS, which may reduce split-K partial sums in 16 bits.
template <class T>
Candidate<T> reduced(Candidate<T> candidate) {
  candidate.path = "peer", candidate.kernel = "cublas_default", candidate.on_request = true;
  return candidate;
}

void add(Machine& machine) {
  auto* gpu = dynamic_cast<CudaDevice*>(machine.device("cuda"));
  if (gpu == nullptr) return;
  try {
    static const Cublas cublas;
    // By default, cuBLAS may reduce split-K partial sums in the type of C. A comparison requires full
    // precision.
    constexpr auto full_sums =
        static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    const Handle handle = handle_of(cublas, *gpu, full_sums);
    const Handle reducing = handle_of(cublas, *gpu, CUBLAS_DEFAULT_MATH);
    const auto add_tensor = [&]<class T>(std::type_identity<T>, ComputeMode math, const Types& types) {
      machine.add(tensor<T>(*gpu, math, types, cublas, handle));
    };
    const std::type_identity<float> of_fp32;
    const std::type_identity<float16> of_fp16;
    const std::type_identity<bfloat16> of_bf16;
    const std::type_identity<complex<float>> of_cfp32;
    const std::type_identity<complex<double>> of_cfp64;
    const Types fp16{CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F},
        bf16{CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F}, cfp64{CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F};
    machine.add(plain<float>(*gpu, ComputeMode::fp32, cublas, handle));
    add_tensor(of_fp32, ComputeMode::tf32, {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32});
    // tf32x3 has fp32 accuracy, which is SGEMM in cuBLAS; fp64_int8 has fp64 accuracy, which is DGEMM.
    machine.add(plain<float>(*gpu, ComputeMode::tf32x3, cublas, handle));
    machine.add(plain<double>(*gpu, ComputeMode::fp64, cublas, handle));
    machine.add(plain<double>(*gpu, ComputeMode::fp64_int8, cublas, handle));
    add_tensor(of_fp16, ComputeMode::fp16, fp16);
    add_tensor(of_bf16, ComputeMode::bf16, bf16);
    machine.add(reduced(tensor<float16>(*gpu, ComputeMode::fp16, fp16, cublas, reducing)));
    machine.add(reduced(tensor<bfloat16>(*gpu, ComputeMode::bf16, bf16, cublas, reducing)));
    add_tensor(std::type_identity<Mixed<float16, float>>(), ComputeMode::fp16_fp32,
               {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F});
    add_tensor(std::type_identity<Mixed<bfloat16, float>>(), ComputeMode::bf16_fp32,
               {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F});
    add_tensor(std::type_identity<Mixed<std::int8_t, std::int32_t>>(), ComputeMode::int8_int32,
               {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I});
    add_tensor(of_cfp32, ComputeMode::cfp32, {CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F});
    add_tensor(of_cfp32, ComputeMode::cfp32_tf32, {CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F_FAST_TF32});
    add_tensor(of_cfp64, ComputeMode::cfp64, cfp64);
    add_tensor(of_cfp64, ComputeMode::cfp64_int8, cfp64);
  } catch (const Error& error) {
    machine.absent.push_back({"cublas", error.what()});
  }
}

const Provider provider{Provider::vendor, add};

}  // namespace
}  // namespace rooftile::perf
