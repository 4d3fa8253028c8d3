// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "rooftile/distributed/context.hpp"
#include "rooftile/distributed/distributed_matrix.hpp"
#include "rooftile/distributed/plan.hpp"
#include "rooftile/options.hpp"

/// @file
/// Products of distributed matrices in GPU memory.
namespace rooftile::distributed {

/// How messages get from one GPU to another.
enum class CudaEngine {
  automatic,  ///< copies on one host, NCCL between hosts, staging if processes share a GPU
  nccl,       ///< NCCL; each process needs a GPU of its own
  copies,     ///< DMA engines of the GPUs, which use no SM; on one host only
  staging     ///< MPI, through host memory
};

/// Returns the name, such as `nccl`.
constexpr std::string_view to_string(CudaEngine engine) {
  constexpr std::string_view names[] = {"automatic", "nccl", "copies", "staging"};
  return names[static_cast<std::size_t>(engine)];
}

/// Options of a context on GPUs. All processes give equal options.
struct CudaOptions {
  CudaEngine engine = CudaEngine::automatic;  ///< sends the messages
  int max_ctas =
      0;  ///< maximum thread blocks of NCCL, which occupy SMs that products then cannot use; 0: NCCL decides
};

/// The processes that compute together, each on its current device, with the rules of `Context`. It keeps a
/// stream, an NCCL communicator and workspace on the device.
class CudaContext {
 public:
  /// Makes a context. Collective.
  /// @throws Error  on all processes, as `Context` does; also if a process has no GPU, an engine is not
  ///                available, or NCCL fails
  explicit CudaContext(MPI_Comm communicator, const ContextOptions& options = {},
                       const CudaOptions& cuda_options = {});
  /// Frees the context. Collective; call it before MPI_Finalize.
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  Context& processes() const { return *processes_; }  ///< its processes
  CudaEngine engine() const;                          ///< in use
  int device() const;                                 ///< of this process
  /// Frees the workspace on the device. Not collective.
  void release_workspace() noexcept;

  class Device;
  /// Returns the resources on the device. For internal use.
  Device& on_device() const { return *device_; }

 private:
  std::unique_ptr<Context> processes_;
  std::unique_ptr<Device> device_;
};

/// Computes C (m,n) = alpha·A (m,k)·B (k,n) + beta·C of distributed matrices in GPU memory.
///
/// Elements are float, double, float16, bfloat16 or complex. Local matrices are in memory of the context's
/// device, in any layouts on its grid. Each process computes the elements of C that it holds, panel after
/// panel along K, by `cuda_native::gemm`. Messages of the next panel overlap with the product. C of 16-bit
/// elements is rounded after each panel.
///
/// Collective, with the rules of `gemm` for host memory. Operands are read after earlier work on `stream`.
/// Returns when this process's part of C is ready and its operands may be reused. Every run gives equal bits,
/// with any engine.
///
/// Workspace: see `explain_cuda`; it is on the device and the context keeps it. Staging also needs pinned
/// host memory for the messages. The kernels' own workspace and short lists are not counted.
/// @param stream  of the context's device
/// @param options  of the local products; kernel, tile, mode and repack must be equal on all processes
/// @throws Error  on all processes, as `gemm` for host memory; also if `options` cannot compute some
///                process's part, or `Options::layers` is more than 1. If CUDA or NCCL fails later, the
///                contents of C are undefined and the context is lost.
template <class T>
void gemm(CudaContext& context, cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
          const DistributedMatrix<const T>& A, const DistributedMatrix<const T>& B,
          std::type_identity_t<Scalar<T>> beta, const DistributedMatrix<T>& C,
          const GemmOptions& options = default_options);

/// Computes a product with operands that are not const. @see the overload for const operands
template <class T>
void gemm(CudaContext& context, cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
          const DistributedMatrix<T>& A, const DistributedMatrix<T>& B, std::type_identity_t<Scalar<T>> beta,
          const DistributedMatrix<T>& C,
          const GemmOptions& options = default_options) requires(!std::is_const_v<T>) {
  gemm<T>(context, stream, alpha, DistributedMatrix<const T>(A), DistributedMatrix<const T>(B), beta, C,
          options);
}

/// Computes B (m,n) = A (m,n) for matrices with different layouts in GPU memory.
///
/// Local matrices are in memory of the context's device, of any type that products have. Both may be
/// sub-matrices, transposed and conjugated.
///
/// Collective, with the rules of `redistribute` for host memory. A is read after earlier work on `stream`.
/// Returns when this process's part of B is ready.
///
/// Workspace: at most `Options::workspace` bytes on the device, which the context keeps. Staging also needs
/// pinned host memory for the messages.
/// @param stream  of the context's device
/// @throws Error  on all processes, as `redistribute` for host memory. If CUDA or NCCL fails later, the
///                contents of B's sub-matrix are undefined and the context is lost.
template <class T>
void redistribute(CudaContext& context, cudaStream_t stream, const DistributedMatrix<const T>& A,
                  const DistributedMatrix<T>& B);

/// Redistributes an operand that is not const. @see the overload for const operands
template <class T>
void redistribute(CudaContext& context, cudaStream_t stream, const DistributedMatrix<T>& A,
                  const DistributedMatrix<T>& B) requires(!std::is_const_v<T>) {
  redistribute<T>(context, stream, DistributedMatrix<const T>(A), B);
}

/// Returns the plan of a product on GPUs. Reads only the layouts, on the host.
/// @throws Error  as `explain`, and for more than one layer
template <class T>
Plan explain_cuda(const Grid& grid, const DistributedMatrix<const T>& A, const DistributedMatrix<const T>& B,
                  const DistributedMatrix<T>& C, const Options& options = {}) {
  return explain({grid, A.rows, A.cols, B.rows, B.cols, C.rows, C.cols, type_of<T>(), true, true}, options);
}

}  // namespace rooftile::distributed
