// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Started by mpirun: random products and redistributions in GPU memory, compared with the definition.
#include <cstring>

#include <nccl.h>

#include "tests/distributed/gpu_case.hpp"
#include "tests/distributed/mpi_process.hpp"

namespace {

/// Bytes that this process has sent, and bytes of its first allocation, which is the workspace.
double bytes_sent = 0;
std::size_t bytes_asked_for = 0;

}  // namespace

/// The linker redirects calls to these functions. They count bytes and fill new device memory with NaN.
extern "C" {
cudaError_t __real_cudaMalloc(void** memory, std::size_t size);
cudaError_t __wrap_cudaMalloc(void** memory, std::size_t size) {
  if (bytes_asked_for == 0) bytes_asked_for = size;
  const cudaError_t status = __real_cudaMalloc(memory, size);
  if (status != cudaSuccess) return status;
  cudaMemset(*memory, 0xff, size);  // non-blocking streams would not wait for it
  return cudaDeviceSynchronize();
}
ncclResult_t __real_ncclSend(const void* data, std::size_t count, ncclDataType_t type, int rank,
                             ncclComm_t communicator, cudaStream_t stream);
ncclResult_t __wrap_ncclSend(const void* data, std::size_t count, ncclDataType_t type, int rank,
                             ncclComm_t communicator, cudaStream_t stream) {
  bytes_sent += static_cast<double>(count);
  return __real_ncclSend(data, count, type, rank, communicator, stream);
}
/// Counts bytes. MPI's profiling interface lets a program replace the function.
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  int size = 0;
  MPI_Type_size(type, &size);
  bytes_sent += static_cast<double>(count) * size;
  return PMPI_Isend(data, count, type, to, tag, communicator, request);
}
}

namespace rooftile::distributed::test {

namespace {

/// Whether the bytes sent by all processes and the workspace of this process match `explain_cuda`.
/// Collective. Direct copies between GPUs are not counted.
/// @param fresh  whether the context had no workspace before
bool is_as_told(const CudaContext& on_gpus, const Plan& plan, bool fresh) {
  const Context& context = on_gpus.processes();
  double sent = bytes_sent;
  MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const bool asks = fresh && context.in_grid() && plan.panels > 0;
  return (sent == plan.bytes_moved || on_gpus.engine() == CudaEngine::copies) &&
         (!asks || bytes_asked_for == plan.workspace);
}

/// The number of wrong elements on this process after a product of random operands.
template <class T>
int wrong_of_product(CudaContext& on_gpus, Draw& draw, std::string_view fault) {
  Context& context = on_gpus.processes();
  const auto extent = [&] { return draw(0, 9) == 0 ? draw(0, 1) : draw(1, 60); };
  const Index m = extent(), n = extent(), k = extent();
  Shared<T> A(context, draw, 0, m, k), B(context, draw, 1, k, n), C(context, draw, 2, m, n);
  const Scalar<T> alpha(static_cast<Real<Scalar<T>>>(draw(-1, 2))),
      beta(static_cast<Real<Scalar<T>>>(draw(-1, 2)));
  if (beta == Scalar<T>(0)) {
    C.for_each(context, [](T& x, Index, Index, bool inside) { x = inside ? not_a_number<T>() : x; });
  }
  std::vector<T> before = C.memory();
  if (alpha == Scalar<T>(0)) A.memory().assign(A.memory().size(), not_a_number<T>());
  OnGpu<T> a(A.memory()), b(B.memory()), c(C.memory());
  const Index steps = fault == "step" && k > 0 ? k - 1 : k;
  const DistributedMatrix<T> of_a = there(A, a).block(0, 0, m, steps),
                             of_b = there(B, b).block(0, 0, steps, n), of_c = there(C, c);
  const Plan plan = explain({context.grid(), of_a.rows, of_a.cols, of_b.rows, of_b.cols, of_c.rows, of_c.cols,
                             type_of<T>(), alpha != Scalar<T>(0), true},
                            context.options().products);
  const bool fresh = draw.coin();
  if (fresh) on_gpus.release_workspace();
  a.from(A.memory()), b.from(B.memory()), c.from(C.memory());
  bytes_sent = 0, bytes_asked_for = 0;
  gemm<T>(on_gpus, nullptr, alpha, of_a, of_b, beta, of_c);
  if (fault == "explain" && context.rank() == 0) bytes_sent += 1;
  const bool told = is_as_told(on_gpus, plan, fresh);
  if (!(fault == "rank" && context.rank() == 0)) c.to(C.memory());
  if (fault == "outside" && context.rank() == 0) C.memory().back() = T(1);
  return (told ? 0 : 1) + wrong_elements<T>(context, A, B, C, alpha, beta, k, before);
}

/// Whether the context's workspace limit is the requested one. The default is an eighth of the smallest GPU's
/// memory, at least 1 GiB. Collective.
bool allows(std::size_t asked, const CudaContext& on_gpus) {
  const Context& context = on_gpus.processes();
  cudaDeviceProp properties;
  cuda_native::check(cudaGetDeviceProperties(&properties, on_gpus.device()), "query");
  std::uint64_t memory =
      context.in_grid() ? properties.totalGlobalMem : std::numeric_limits<std::uint64_t>::max();
  MPI_Allreduce(MPI_IN_PLACE, &memory, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  const std::uint64_t usual = std::max(std::uint64_t{1} << 30, memory / 8);
  return context.options().products.workspace == (asked > 0 ? asked : usual);
}

/// The number of wrong elements on this process after a redistribution into a random layout.
template <class T>
int wrong_of_redistribution(CudaContext& on_gpus, Draw& draw, std::string_view fault) {
  Context& context = on_gpus.processes();
  const auto extent = [&] { return draw(0, 9) == 0 ? draw(0, 1) : draw(1, 60); };
  const Index m = extent(), n = extent();
  Shared<T> A(context, draw, 0, m, n), B(context, draw, 1, m, n);
  const std::vector<T> read = A.memory(), before = B.memory();
  OnGpu<T> a(A.memory()), b(B.memory());
  if (draw.coin()) on_gpus.release_workspace();
  a.from(A.memory()), b.from(B.memory());
  redistribute<T>(on_gpus, nullptr, there(A, a), there(B, b));
  a.to(A.memory());
  if (!(fault == "rank" && context.rank() == 0)) b.to(B.memory());
  if (fault == "outside" && context.rank() == 0) B.memory().back() = T(1);
  return wrong_of_move(context, A, B, read, before);
}

/// Products or redistributions of random types on a random grid.
/// @return wrong elements of all processes
int run(bool redistributes, unsigned seed, int processes, CudaEngine engine, std::string_view fault) {
  constexpr int cases = 10;
  Draw draw(seed);
  ContextOptions options = random_options(draw, processes, redistributes ? 2500 : 140000);
  if (!redistributes) options.products.layers = 0;
  options.timeout = 100;  // for a shared machine
  CudaContext context(MPI_COMM_WORLD, options,
                      {.engine = engine, .max_ctas = redistributes ? 0 : draw(0, 4)});
  int wrong = redistributes || allows(options.products.workspace, context) ? 0 : 1;
  for (int i = 0; i < cases; ++i) {
    with_random_gpu_type(draw, [&]<class T>(T) {
      wrong += redistributes ? wrong_of_redistribution<T>(context, draw, fault)
                             : wrong_of_product<T>(context, draw, fault);
    });
  }
  return wrong_of_all(wrong, seed, context.processes());
}

/// Whether processes that share a GPU get NCCL refused with its name in the message.
bool refuses_sharing() {
  try {
    CudaContext(MPI_COMM_WORLD, {.timeout = 20}, {.engine = CudaEngine::nccl});
  } catch (const Error& error) {
    const std::string_view text = error.what();
    if (text.find("two processes on one GPU, which NCCL refuses (ranks 0 and ") == 0) return true;
    std::printf("%s\n", error.what());
  }
  return false;
}

}  // namespace

}  // namespace rooftile::distributed::test

/// gpu_products WHAT ENGINE COUNT [SEED [FAULT]]: WHAT is `products` or `redistributions`; ten cases per
/// seed. With a fault the program must find an error: `rank` or `outside`, and for products also `step` or
/// `explain`. `gpu_products refused` checks that NCCL is refused for ranks on one GPU.
int main(int argc, char** argv) {
  using namespace rooftile::distributed;
  const test::MpiProcess mpi(argc, argv);
  const std::string_view what = argv[1];
  if (what == "refused") return !test::take_gpu(0, 1) || test::refuses_sharing() ? 0 : 1;
  const auto run = [&](auto... arguments) { return test::run(what == "redistributions", arguments...); };
  return test::run_seeds(argc - 1, argv + 1, argv[1], run);
}
