// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// cuBLASLt, tuned as a caller would: the fastest of its first eight heuristics for the product.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <cublasLt.h>

#include "cublas_library.hpp"
#include "cuda_device.hpp"
#include "library_candidate.hpp"
#include "plan/check_scales.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

constexpr int heuristics_tried = 8;
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // NVIDIA's recommendation for Hopper

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Error(detail::text("cuBLASLt failed (status ", static_cast<int>(status), "): see its log"));
}

/// The cuBLASLt functions in use, resolved when measurement starts.
struct CublasLt : CublasLibrary {
#define ROOFTILE_LT(name) decltype(&cublasLt##name) name = symbol<decltype(&cublasLt##name)>("cublasLt" #name)
  ROOFTILE_LT(Create);
  ROOFTILE_LT(MatmulDescCreate);
  ROOFTILE_LT(MatmulDescDestroy);
  ROOFTILE_LT(MatmulDescSetAttribute);
  ROOFTILE_LT(MatrixLayoutCreate);
  ROOFTILE_LT(MatrixLayoutDestroy);
  ROOFTILE_LT(MatrixLayoutSetAttribute);
  ROOFTILE_LT(MatmulPreferenceCreate);
  ROOFTILE_LT(MatmulPreferenceDestroy);
  ROOFTILE_LT(MatmulPreferenceSetAttribute);
  ROOFTILE_LT(MatmulAlgoGetHeuristic);
  ROOFTILE_LT(Matmul);
#undef ROOFTILE_LT
};

struct Types {
  cudaDataType element, result, scale;
  cublasComputeType_t compute;
};

/// A product in the form of BLAS, with the formats and the scales of 8-bit floats: the scales of A (M,K), and
/// of B transposed.
template <class T>
struct ScaledForm : vendor::BlasForm<T> {
  Float8Format format_a = Float8Format::e4m3, format_b = Float8Format::e4m3;
  Float8Scales scales_a{}, scales_b{};
};

/// @pre `to_blas` succeeds
template <class T>
ScaledForm<T> scaled_form(const BatchArgs<T>& args) {
  ScaledForm<T> form;
  vendor::to_blas(args, static_cast<vendor::BlasForm<T>&>(form));
  if constexpr (detail::Float8<In<T>>) {
    form.scales_a = args.first.A.scales, form.scales_b = args.first.B.scales.transposed();
    form.format_a = args.first.A.format, form.format_b = args.first.B.format;
    if (form.a != args.first.A.data)
      std::swap(form.scales_a, form.scales_b), std::swap(form.format_a, form.format_b);
  }
  return form;
}

#if CUBLAS_VER_MAJOR * 100 + CUBLAS_VER_MINOR >= 1209
/// How cuBLASLt reads the scales of an operand (R,K); empty: it has no such layout.
std::optional<cublasLtMatmulMatrixScale_t> scale_mode(const Float8Scales& s, Index rows, Index k) {
  const Index steps = detail::scale_blocks(k), line = (steps + 3) / 4 * 4;
  if (s.rows == 1 && s.cols == 1) return CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
  if (s.rows == rows && s.cols == 1) return CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
  if (s.rows == rows && s.row_stride == 1 && s.col_stride == rows)
    return CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F;
  if (s.col_stride == 1 && s.row_stride == line) return CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
  return {};
}
#endif

/// Descriptors for products of one form, and the algorithms for them.
class Plan {
 public:
  template <class T>
  Plan(const CublasLt& lt, cublasLtHandle_t handle, const Types& types, const ScaledForm<T>& f) : lt_(lt) {
    check(lt.MatmulDescCreate(&product_, types.compute, types.scale));
    set_operation(CUBLASLT_MATMUL_DESC_TRANSA, f.a_as), set_operation(CUBLASLT_MATMUL_DESC_TRANSB, f.b_as);
    if (!set_scales(f)) return;
    const auto stored = [](vendor::Operation as, Index rows, Index cols) {
      return as == vendor::Operation::none ? std::pair(rows, cols) : std::pair(cols, rows);
    };
    const auto element = [&](Float8Format format) {
      return format == Float8Format::e5m2 ? CUDA_R_8F_E5M2 : types.element;
    };
    a_ = layout(element(f.format_a), stored(f.a_as, f.m, f.k), f.lda, f.batch.count, f.batch.stride_a);
    b_ = layout(element(f.format_b), stored(f.b_as, f.k, f.n), f.ldb, f.batch.count, f.batch.stride_b);
    c_ = layout(types.result, {f.m, f.n}, f.ldc, f.batch.count, f.batch.stride_c);
    ask(handle, {address(f.a), address(f.b), address(f.c)});
  }
  ~Plan() {
    for (cublasLtMatrixLayout_t x : {a_, b_, c_}) {
      if (x != nullptr) lt_.MatrixLayoutDestroy(x);
    }
    lt_.MatmulDescDestroy(product_);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  bool any() const { return !found_.empty(); }

  /// Computes D, which is C or, to keep C unchanged, another matrix.
  template <class T>
  cublasStatus_t multiply(cublasLtHandle_t handle, const vendor::BlasForm<T>& f, Out<T>* d,
                          std::size_t algorithm, void* workspace, cudaStream_t stream) const {
    return lt_.Matmul(handle, product_, &f.alpha, f.a, a_, f.b, b_, &f.beta, f.c, c_, d, c_,
                      &found_[algorithm].algo, workspace, workspace_bytes, stream);
  }

  template <class T>
  std::size_t fastest(cublasLtHandle_t handle, CudaDevice& gpu, const vendor::BlasForm<T>& f,
                      void* workspace) {
    if (fastest_) return *fastest_;
    const Index elements = (f.batch.count - 1) * f.batch.stride_c + f.ldc * f.n;
    const Buffer<Out<T>> scratch(gpu, static_cast<std::size_t>(elements));
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const auto run = [&] { return multiply(handle, f, scratch.data(), i, workspace, gpu.stream()); };
      if (run() != CUBLAS_STATUS_SUCCESS) continue;
      const auto sample = [&] { return gpu.seconds_behind([&] { check(run()); }, [&] { check(run()); }); };
      std::vector<double> seconds{sample()};
      // The times of long products vary little.
      const std::size_t samples = seconds[0] > 1e-2 ? 1 : seconds[0] > 2e-3 ? 3 : 5;
      while (seconds.size() < samples) seconds.push_back(sample());
      std::sort(seconds.begin(), seconds.end());
      const double median = seconds[seconds.size() / 2];
      if (median < best) best = median, fastest_ = i;
    }
    if (!fastest_) throw Error("cuBLASLt runs none of its algorithms: see its log");
    return *fastest_;
  }

 private:
  static std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

  void set_operation(cublasLtMatmulDescAttributes_t which, vendor::Operation operation) {
    constexpr cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
    const cublasOperation_t as = operations[static_cast<int>(operation)];
    set_attribute(which, as);
  }

  void set_attribute(cublasLtMatmulDescAttributes_t which, auto value) {
    check(lt_.MatmulDescSetAttribute(product_, which, &value, sizeof value));
  }

  /// @return whether cuBLASLt supports the layouts of the scales
  template <class T>
  bool set_scales(const ScaledForm<T>& f) {
    if (f.scales_a.data == nullptr && f.scales_b.data == nullptr) return true;
#if CUBLAS_VER_MAJOR * 100 + CUBLAS_VER_MINOR >= 1209
    const auto a = scale_mode(f.scales_a, f.m, f.k), b = scale_mode(f.scales_b, f.n, f.k);
    if (f.batch.count != 1 || !a || !b) return false;
    set_attribute(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, static_cast<std::int32_t>(*a));
    set_attribute(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, static_cast<std::int32_t>(*b));
    set_attribute(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, static_cast<const void*>(f.scales_a.data));
    set_attribute(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, static_cast<const void*>(f.scales_b.data));
    return true;
#else
    return false;
#endif
  }

  cublasLtMatrixLayout_t layout(cudaDataType type, std::pair<Index, Index> extents, Index ld, Index count,
                                Index stride) {
    cublasLtMatrixLayout_t made = nullptr;
    check(lt_.MatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(extents.first),
                                 static_cast<std::uint64_t>(extents.second), ld));
    if (count == 1) return made;
    const auto batch = static_cast<std::int32_t>(count);
    check(lt_.MatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch));
    check(lt_.MatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                       sizeof stride));
    return made;
  }

  /// Requests algorithms that accumulate in the compute type and use four real products per complex product,
  /// as Rooftile does. Algorithms with three products (Gaussian) are less accurate.
  void ask(cublasLtHandle_t handle, const std::array<std::uintptr_t, 3>& addresses) {
    cublasLtMatmulPreference_t wish = nullptr;
    check(lt_.MatmulPreferenceCreate(&wish));
    const auto set = [&](cublasLtMatmulPreferenceAttributes_t which, auto value) {
      check(lt_.MatmulPreferenceSetAttribute(wish, which, &value, sizeof value));
    };
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{workspace_bytes});
    set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
        static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    set(CUBLASLT_MATMUL_PREF_IMPL_MASK,
        ~cublasLtNumericalImplFlags_t{CUBLASLT_NUMERICAL_IMPL_FLAGS_GAUSSIAN});
    const auto alignment = [&](std::size_t i) {
      return static_cast<std::uint32_t>(std::min<std::uintptr_t>(addresses[i] & (~addresses[i] + 1), 256));
    };
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(0));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(1));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(2));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(2));
    int count = 0;
    found_.resize(heuristics_tried);
    const auto status = lt_.MatmulAlgoGetHeuristic(handle, product_, a_, b_, c_, c_, wish, heuristics_tried,
                                                   found_.data(), &count);
    found_.resize(status == CUBLAS_STATUS_SUCCESS ? static_cast<std::size_t>(count) : 0);
    std::erase_if(found_, [](const auto& result) { return result.state != CUBLAS_STATUS_SUCCESS; });
    check(lt_.MatmulPreferenceDestroy(wish));
  }

  const CublasLt& lt_;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
  std::vector<cublasLtMatmulHeuristicResult_t> found_;
  std::optional<std::size_t> fastest_;
};

/// The library's handle, its workspace, and the plans of one type and mode.
template <class T>
struct Plans {
  const CublasLt& lt;
  cublasLtHandle_t handle;
  CudaDevice& gpu;
  Types types;
  std::shared_ptr<Buffer<char>> workspace;
  std::map<std::vector<Index>, Plan> of_form{};

  Plan& of(const ScaledForm<T>& f) {
    const auto multiple_of_256 = [](const void* x) {
      return static_cast<Index>(reinterpret_cast<std::uintptr_t>(x) % 256);
    };
    const std::vector<Index> key{f.m,
                                 f.n,
                                 f.k,
                                 static_cast<Index>(f.a_as),
                                 static_cast<Index>(f.b_as),
                                 f.lda,
                                 f.ldb,
                                 f.ldc,
                                 f.batch.count,
                                 f.batch.stride_a,
                                 f.batch.stride_b,
                                 f.batch.stride_c,
                                 multiple_of_256(f.a),
                                 multiple_of_256(f.b),
                                 multiple_of_256(f.c),
                                 static_cast<Index>(reinterpret_cast<std::uintptr_t>(f.scales_a.data)),
                                 static_cast<Index>(reinterpret_cast<std::uintptr_t>(f.scales_b.data)),
                                 static_cast<Index>(f.format_a),
                                 static_cast<Index>(f.format_b),
                                 f.scales_a.rows,
                                 f.scales_a.cols,
                                 f.scales_b.rows,
                                 f.scales_b.cols};
    return of_form.try_emplace(key, lt, handle, types, f).first->second;
  }
};

template <class T>
Candidate<T> candidate(const std::shared_ptr<Plans<T>>& plans, ComputeMode math, const char* name) {
  constexpr bool follows_pointers = false;
  const auto unused = [](const vendor::BlasForm<T>&) {};
  Candidate<T> made = vendor_candidate<T>(plans->gpu, math, name, unused, follows_pointers);
  made.refusal = [plans, by_form = made.refusal](const BatchArgs<T>& args) -> Refusal {
    if (const Refusal refused = by_form(args); !refused.empty()) return refused;
    if (args.batch.inner > 0) return {Reason::shape, "cuBLASLt has batches of one dimension: take cublas"};
    const ScaledForm<T> form = scaled_form(args);
    if (form.m > 0 && form.n > 0 && form.k > 0 && plans->of(form).any()) return {};
    return {Reason::shape, "cuBLASLt has no algorithm for this product: take cublas"};
  };
  made.call = [plans](const BatchArgs<T>& args) -> std::function<void()> {
    const ScaledForm<T> form = scaled_form(args);
    Plan& plan = plans->of(form);
    void* const workspace = plans->workspace->data();
    const std::size_t algorithm = plan.fastest(plans->handle, plans->gpu, form, workspace);
    return [plans, &plan, form, algorithm, workspace] {
      check(plan.multiply(plans->handle, form, form.c, algorithm, workspace, plans->gpu.stream()));
    };
  };
  return made;
}

void add(Machine& machine) {
  auto* gpu = dynamic_cast<CudaDevice*>(machine.device("cuda"));
  if (gpu == nullptr) return;
  try {
    static const CublasLt lt;
    cublasLtHandle_t handle = nullptr;  // never destroyed
    check(lt.Create(&handle));
    const auto workspace = std::make_shared<Buffer<char>>(*gpu, workspace_bytes);
    const auto add_mode = [&]<class T>(std::type_identity<T>, ComputeMode math, const Types& types,
                                       const char* name = "cublaslt") {
      machine.add(
          candidate(std::make_shared<Plans<T>>(Plans<T>{lt, handle, *gpu, types, workspace}), math, name));
    };
    const Types fp32{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
        fp64{CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
    const Types cfp64{CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F};
    add_mode(std::type_identity<float>(), ComputeMode::fp32, fp32);
    add_mode(std::type_identity<float>(), ComputeMode::tf32x3, fp32, "cublaslt in fp32");
    add_mode(std::type_identity<float>(), ComputeMode::tf32,
             {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32});
    add_mode(std::type_identity<double>(), ComputeMode::fp64, fp64);
    add_mode(std::type_identity<double>(), ComputeMode::fp64_int8, fp64, "cublaslt in fp64");
    add_mode(std::type_identity<float16>(), ComputeMode::fp16,
             {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F});
    add_mode(std::type_identity<bfloat16>(), ComputeMode::bf16,
             {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F});
    add_mode(std::type_identity<Mixed<float16, float>>(), ComputeMode::fp16_fp32,
             {CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F});
    add_mode(std::type_identity<Mixed<bfloat16, float>>(), ComputeMode::bf16_fp32,
             {CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F});
    add_mode(std::type_identity<Mixed<std::int8_t, std::int32_t>>(), ComputeMode::int8_int32,
             {CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I});
    add_mode(std::type_identity<Mixed<float8_e4m3, float>>(), ComputeMode::fp8_fp32,
             {CUDA_R_8F_E4M3, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F});
    add_mode(std::type_identity<Mixed<float8_e4m3, bfloat16>>(), ComputeMode::fp8_bf16,
             {CUDA_R_8F_E4M3, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F});
    add_mode(std::type_identity<Mixed<float8_e4m3, float16>>(), ComputeMode::fp8_fp16,
             {CUDA_R_8F_E4M3, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F});
    add_mode(std::type_identity<complex<float>>(), ComputeMode::cfp32,
             {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F});
    add_mode(std::type_identity<complex<float>>(), ComputeMode::cfp32_tf32,
             {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F_FAST_TF32});
    add_mode(std::type_identity<complex<double>>(), ComputeMode::cfp64, cfp64);
    add_mode(std::type_identity<complex<double>>(), ComputeMode::cfp64_int8, cfp64, "cublaslt in cfp64");
  } catch (const Error& error) {
    machine.absent.push_back({"cublaslt", error.what()});
  }
}

const Provider provider{Provider::vendor, add};

}  // namespace
}  // namespace rooftile::perf
