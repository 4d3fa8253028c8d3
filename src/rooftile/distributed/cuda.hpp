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
/// Products of matrices that processes share in memory of their GPUs.
namespace rooftile::distributed {

/// How messages get from one GPU to another.
enum class CudaEngine {
  automatic,  ///< copies; between hosts NCCL; where processes share a GPU there, which it refuses, staging
  nccl,       ///< NCCL, which needs a GPU for each process
  copies,     ///< by the GPUs' DMA engines, which take no SM from products; on one host
  staging     ///< through memory of the host, by MPI
};

/// `nccl`
constexpr std::string_view to_string(CudaEngine engine) {
  constexpr std::string_view names[] = {"automatic", "nccl", "copies", "staging"};
  return names[static_cast<std::size_t>(engine)];
}

/// What a context on GPUs is made with. All processes give the same.
struct CudaOptions {
  CudaEngine engine = CudaEngine::automatic;  ///< that sends
  int max_ctas =
      0;  ///< thread blocks that NCCL may take, of SMs that products then have not; 0: as NCCL will
};

/// The processes that compute together, each on the device that is current when it makes this: as `Context`,
/// with its rules. It keeps a stream, a communicator of NCCL, and workspace on the device for its next
/// products.
class CudaContext {
 public:
  /// Collective. @throws Error, on all processes, as a `Context`'s; where a process has no GPU, an
  ///         engine is asked for that cannot be, or NCCL fails
  explicit CudaContext(MPI_Comm communicator, const ContextOptions& options = {},
                       const CudaOptions& cuda_options = {});
  /// Collective, before MPI_Finalize.
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  Context& processes() const { return *processes_; }  ///< who they are
  CudaEngine engine() const;                          ///< that is used
  int device() const;                                 ///< of this process
  /// Gives the workspace on the device back. Not collective.
  void release_workspace() noexcept;

  class Device;
  /// What it has on its device. For the library's own use.
  Device& on_device() const { return *device_; }

 private:
  std::unique_ptr<Context> processes_;
  std::unique_ptr<Device> device_;
};

/// C (m,n) = alpha·A (m,k)·B (k,n) + beta·C, of each type that `cuda_native::gemm` takes, where the local
/// matrices lie in memory of the context's device; A, B and C in any layouts on its grid. Each process
/// computes the elements of C that it holds by `cuda_native::gemm`, panel after panel along K, while the next
/// panel's messages are under way. C of 16-bit elements is rounded after each panel.
///
/// Collective, with the rules of `gemm` for memory of the host. Operands are read after what was put on
/// `stream` before; blocks until this process's part of C is ready and its operands are free again. The same
/// bits in every run, whatever the engine.
///
/// Workspace: `explain_cuda`'s with the context's options, on the device, which the context keeps; with
/// staging, too, as much as messages need of the host's pinned memory. Kernels' own workspace and lists of a
/// few words are beside it.
/// @param stream   of the context's device
/// @param options  of each process's products: kernel, tile, math mode, workspace
/// @throws Error on all processes as `gemm` for memory of the host; where `options` names what cannot compute
///         some process's part; where `Options::layers` is more than 1. Where CUDA or NCCL fails later, C is
///         neither as before nor right, and the context is lost
template <class T>
void gemm(CudaContext& context, cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
          const DistributedMatrix<const T>& A, const DistributedMatrix<const T>& B,
          std::type_identity_t<Scalar<T>> beta, const DistributedMatrix<T>& C,
          const GemmOptions& options = default_options);

/// The same for operands that may be written to.
template <class T>
void gemm(CudaContext& context, cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
          const DistributedMatrix<T>& A, const DistributedMatrix<T>& B, std::type_identity_t<Scalar<T>> beta,
          const DistributedMatrix<T>& C,
          const GemmOptions& options = default_options) requires(!std::is_const_v<T>) {
  gemm<T>(context, stream, alpha, DistributedMatrix<const T>(A), DistributedMatrix<const T>(B), beta, C,
          options);
}

/// B (m,n) = A (m,n): the same elements in another layout, of each type that products have, where the local
/// matrices lie in memory of the context's device. Both may be parts of matrices, transposed and conjugated.
///
/// Collective, with the rules of `redistribute` for memory of the host. A is read after what was put on
/// `stream` before; blocks until this process's part of B is there.
///
/// Workspace: at most `Options::workspace` on the device, which the context keeps; the matrices pass in parts
/// that fit. With staging, too, as much as messages need of the host's pinned memory.
/// @param stream  of the context's device
/// @throws Error on all processes as `redistribute` for memory of the host. Where CUDA or NCCL fails later,
///         the elements of B's block are neither as before nor right, and the context is lost
template <class T>
void redistribute(CudaContext& context, cudaStream_t stream, const DistributedMatrix<const T>& A,
                  const DistributedMatrix<T>& B);

/// The same for an operand that may be written to.
template <class T>
void redistribute(CudaContext& context, cudaStream_t stream, const DistributedMatrix<T>& A,
                  const DistributedMatrix<T>& B) requires(!std::is_const_v<T>) {
  redistribute<T>(context, stream, DistributedMatrix<const T>(A), B);
}

/// How a product is computed on GPUs, of which only the layouts are looked at; on the host alone.
/// @throws Error as `explain`; for more than one layer
template <class T>
Plan explain_cuda(const Grid& grid, const DistributedMatrix<const T>& A, const DistributedMatrix<const T>& B,
                  const DistributedMatrix<T>& C, const Options& options = {}) {
  return explain({grid, A.rows, A.cols, B.rows, B.cols, C.rows, C.cols, type_of<T>(), true, true}, options);
}

}  // namespace rooftile::distributed
