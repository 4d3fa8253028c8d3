// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/device.hpp"
#include "cuda_native/device_accessible.hpp"
#include "cuda_native/group.hpp"
#include "cuda_native/range.hpp"
#include "cuda_native/run.hpp"
#include "cuda_native/workspace.hpp"
#include "plan/device_target.hpp"
#include "plan/execute.hpp"
#include "plan/kernel_table.hpp"
#include "plan/refusal.hpp"
#include "rooftile/cuda_native.hpp"
#include "rooftile/detail/batch_args.hpp"

namespace rooftile::cuda_native {
namespace {

template <class T>
constexpr auto runs = detail::kernel_table<Run<T>>([]<Kernel kernel>(std::integral_constant<Kernel, kernel>) {
  if constexpr (rung_of(kernel).native) {
    return detail::kernel_row<kernel, Path::native, T, Run<T>>(
        []<ComputeMode math>(std::integral_constant<ComputeMode, math>) { return &run<kernel, math>; });
  } else {
    return detail::KernelRow<Run<T>>{};
  }
});

using Query = KernelResources (*)(TileShape);
template <class T>
constexpr auto queries = detail::kernel_table<Query>([]<Kernel kernel>(
                                                         std::integral_constant<Kernel, kernel>) {
  if constexpr (rung_of(kernel).native) {
    return detail::kernel_row<kernel, Path::native, T, Query>(
        []<ComputeMode math>(std::integral_constant<ComputeMode, math>) { return &resources<kernel, math>; });
  } else {
    return detail::KernelRow<Query>{};
  }
});

/// Selects the function that runs a group with a kernel, by mode. It is a class, because nvcc loses T in a
/// nested lambda.
template <class T, Kernel kernel>
struct GroupRun {
  template <ComputeMode math>
  constexpr RunGroup<T> operator()(std::integral_constant<ComputeMode, math>) const {
    if constexpr (math == own_mode<T>() && detail::shares_launches(rung_of(kernel), type_of<T>())) {
      return &run_group<kernel, math>;
    } else {
      return nullptr;
    }
  }
};

template <class T>
constexpr auto group_runs =
    detail::kernel_table<RunGroup<T>>([]<Kernel kernel>(std::integral_constant<Kernel, kernel>) {
      return detail::kernel_row<kernel, Path::native, T, RunGroup<T>>(GroupRun<T, kernel>{});
    });

/// The engine of the native ladder (`plan/execute.hpp`).
class StreamEngine {
 public:
  static constexpr bool on_cpu = false, fused = false, keeps_plans = true;
  template <class T>
  static constexpr bool shares_launches = !is_mixed(own_mode<T>());

  explicit StreamEngine(cudaStream_t stream) : stream_(stream) {}

  static void require() {}
  OnDeviceOf enter() const { return OnDeviceOf(stream_); }
  static detail::PathOnDevice where() { return {Path::native, current_device()}; }
  static Target target(ComputeMode own) { return cuda_native::target(own); }
  static GemmPlan plan(const GemmDesc& desc, const GemmOptions& options, ComputeMode own) {
    return rooftile::plan(desc, options, target(own));
  }
  static void validate(const GemmOptions& options, ComputeMode own) {
    detail::validate_enum(options.kernel);
    resolved(options.math, own);
  }
  static detail::Access device_accessible(const void* address) {
    return cuda_native::device_accessible(current_device(), address);
  }

  template <class T>
  void run(const GemmPlan& plan, const BatchArgs<T>& ready, std::size_t /*number*/ = 0) const {
    const Run<T> kernel = runs<T>(plan.kernel, plan.math);
    if constexpr (may_be_repacked<T>) {
      if (plan.repack) return run_repacked(stream_, ready, plan, kernel);
    }
    kernel(stream_, ready, plan);
  }
  template <class T>
  void run_shared(Kernel kernel, ComputeMode math, const detail::SharedLaunch<T>& launch, bool behind) const {
    group_runs<T>(kernel, math)(stream_, launch, behind);
  }

  static bool is_profiled() { return nvtx_domain() != nullptr; }
  template <class Name, class Compute>
  static void in_region(const Name& name, const Compute& compute) {
    const Range range(name);
    compute();
  }
  void wait() const { check(cudaStreamSynchronize(stream_), "wait for a product that is logged"); }

 private:
  cudaStream_t stream_;
};

template <class T>
void gemm_of(cudaStream_t stream, const BatchArgs<T>& args, const GemmOptions& options) {
  detail::execute(StreamEngine(stream), "cuda_native::gemm", args, options);
}

}  // namespace

template <class T>
GemmPlan explain(cudaStream_t stream, const BatchArgs<T>& products, const GemmOptions& options) {
  return detail::explain_call(StreamEngine(stream), products, options);
}

template <class T>
void run(const GemmPlan& plan, cudaStream_t stream, const BatchArgs<T>& products) {
  detail::execute_plan(StreamEngine(stream), "cuda_native::run", products, plan);
}

template <class T>
void gemm_grouped(cudaStream_t stream, std::span<const GemmArgs<T>> products, const GemmOptions& options) {
  detail::execute_group(StreamEngine(stream), "cuda_native::gemm_grouped", products, options);
}

template <class T>
std::vector<GemmPlan> explain_grouped(cudaStream_t stream, std::span<const GemmArgs<T>> products,
                                      const GemmOptions& options) {
  return detail::explain_group(StreamEngine(stream), products, options);
}

template <Element T>
void gemm(cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
          std::type_identity_t<MatrixRef<const T>> A, std::type_identity_t<MatrixRef<const T>> B,
          std::type_identity_t<Scalar<T>> beta, MatrixRef<T> C, const GemmOptions& options) {
  gemm_of<T>(stream, {{alpha, A, B, beta, C}, {}}, options);
}

template <Element T>
void gemm_strided_batched(cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
                          std::type_identity_t<MatrixRef<const T>> A, Index stride_a,
                          std::type_identity_t<MatrixRef<const T>> B, Index stride_b,
                          std::type_identity_t<Scalar<T>> beta, MatrixRef<T> C, Index stride_c, Index count,
                          const GemmOptions& options) {
  gemm_of<T>(stream, {{alpha, A, B, beta, C}, {count, stride_a, stride_b, stride_c}}, options);
}

template <Element T>
void gemm_batched(cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
                  const std::type_identity_t<BatchRef<const T>>& A,
                  const std::type_identity_t<BatchRef<const T>>& B, std::type_identity_t<Scalar<T>> beta,
                  const BatchRef<T>& C, const GemmOptions& options) {
  gemm_of(stream, detail::batch_args<T>(alpha, A, B, beta, C), options);
}

void release_workspace(cudaStream_t stream) {
  const OnDeviceOf there(stream);
  release_pool(current_device());
}

Target target(ComputeMode math) {
  const DeviceFacts& here = facts_of(current_device());
  return native_target(here.limits, here.capability, here.sms, here.costs, math, here.name);
}

template <class T>
KernelResources resources(Kernel kernel, TileShape tile, ComputeMode math) {
  detail::validate_enum(kernel);
  const Rung& rung = rung_of(kernel);
  const Target here = target(resolved(math, own_mode<T>()));
  // A product of exactly one tile: every rung takes its shape.
  if (const Refusal problem = refusal(rung, {tile.bm, tile.bn, tile.bk}, tile, here); !problem.empty())
    throw Unsupported(problem);
  return queries<T>(kernel, here.math)(tile);
}

#define ROOFTILE_PRODUCTS(...)                                                                          \
  template void gemm_grouped(cudaStream_t, std::span<const GemmArgs<__VA_ARGS__>>, const GemmOptions&); \
  template GemmPlan explain(cudaStream_t, const BatchArgs<__VA_ARGS__>&, const GemmOptions&);           \
  template std::vector<GemmPlan> explain_grouped(cudaStream_t, std::span<const GemmArgs<__VA_ARGS__>>,  \
                                                 const GemmOptions&);                                   \
  template void run(const GemmPlan&, cudaStream_t, const BatchArgs<__VA_ARGS__>&);                      \
  template KernelResources resources<__VA_ARGS__>(Kernel, TileShape, ComputeMode);
#define ROOFTILE_ENTRIES(T)                                                                                  \
  template void gemm<T>(cudaStream_t, Scalar<T>, MatrixRef<const T>, MatrixRef<const T>, Scalar<T>,          \
                        MatrixRef<T>, const GemmOptions&);                                                   \
  template void gemm_strided_batched<T>(cudaStream_t, Scalar<T>, MatrixRef<const T>, Index,                  \
                                        MatrixRef<const T>, Index, Scalar<T>, MatrixRef<T>, Index, Index,    \
                                        const GemmOptions&);                                                 \
  template void gemm_batched<T>(cudaStream_t, Scalar<T>, const BatchRef<const T>&, const BatchRef<const T>&, \
                                Scalar<T>, const BatchRef<T>&, const GemmOptions&);                          \
  ROOFTILE_PRODUCTS(T)
ROOFTILE_ENTRIES(float)
ROOFTILE_ENTRIES(double)
ROOFTILE_ENTRIES(float16)
ROOFTILE_ENTRIES(bfloat16)
ROOFTILE_ENTRIES(complex<float>)
ROOFTILE_ENTRIES(complex<double>)
ROOFTILE_PRODUCTS(Mixed<float16, float>)
ROOFTILE_PRODUCTS(Mixed<bfloat16, float>)
ROOFTILE_PRODUCTS(Mixed<std::int8_t, std::int32_t>)
ROOFTILE_PRODUCTS(Mixed<float8_e4m3, float>)
ROOFTILE_PRODUCTS(Mixed<float8_e4m3, bfloat16>)
ROOFTILE_PRODUCTS(Mixed<float8_e4m3, float16>)
#undef ROOFTILE_ENTRIES
#undef ROOFTILE_PRODUCTS

}  // namespace rooftile::cuda_native

template <class T>
void rooftile::detail::gemm_on_cuda(cudaStream_t stream, const BatchArgs<T>& products,
                                    const GemmOptions& options) {
  cuda_native::gemm_of(stream, products, options);
}
template void rooftile::detail::gemm_on_cuda(cudaStream_t, const BatchArgs<Mixed<float16, float>>&,
                                             const GemmOptions&);
template void rooftile::detail::gemm_on_cuda(cudaStream_t, const BatchArgs<Mixed<bfloat16, float>>&,
                                             const GemmOptions&);
template void rooftile::detail::gemm_on_cuda(cudaStream_t, const BatchArgs<Mixed<std::int8_t, std::int32_t>>&,
                                             const GemmOptions&);
template void rooftile::detail::gemm_on_cuda(cudaStream_t, const BatchArgs<Mixed<float8_e4m3, float>>&,
                                             const GemmOptions&);
template void rooftile::detail::gemm_on_cuda(cudaStream_t, const BatchArgs<Mixed<float8_e4m3, bfloat16>>&,
                                             const GemmOptions&);
template void rooftile::detail::gemm_on_cuda(cudaStream_t, const BatchArgs<Mixed<float8_e4m3, float16>>&,
                                             const GemmOptions&);

rooftile::GemmPlan rooftile::detail::explain_on_cuda(const GemmShape& shape, Index count, ComputeMode own,
                                                     const GemmOptions& options) {
  return plan(describe_row_major(shape, own, count), options, cuda_native::target(own));
}
