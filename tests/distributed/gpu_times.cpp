// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Started by mpirun: times of products of n x n matrices shared by GPUs, beside one GPU's in the same run. A
// line for each type, depth of panels and number of NCCL's thread blocks, with the share of so many times the
// single rate, and how much of the time of messages alone is hidden behind the products.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "backends/mpi/agreement.hpp"
#include "backends/nccl/device.hpp"
#include "rooftile/cuda_native.hpp"
#include "rooftile/error.hpp"
#include "tests/distributed/gpu_case.hpp"

namespace {

using namespace rooftile;
using namespace rooftile::distributed;

constexpr int repetitions = 5;

/// Memory of the device with numbers from -1 to 1, which repeat.
template <class T>
class Random {
 public:
  explicit Random(Index elements) {
    constexpr Index some = Index{1} << 22;
    cuda_native::check(cudaMalloc(&memory_, static_cast<std::size_t>(elements) * sizeof(T)), "allocate");
    static const std::vector<T> numbers = [] {
      std::mt19937 engine(1);
      std::vector<T> all(some);
      for (T& x : all) x = T(static_cast<float>(engine() % 65536) / 32768.0F - 1.0F);
      return all;
    }();
    for (Index i = 0; i < elements; i += some - 77) {
      const auto bytes = static_cast<std::size_t>(std::min(some - 77, elements - i)) * sizeof(T);
      cuda_native::check(cudaMemcpy(data() + i, numbers.data(), bytes, cudaMemcpyHostToDevice), "copy");
    }
  }
  ~Random() { cudaFree(memory_); }
  Random(const Random&) = delete;
  Random& operator=(const Random&) = delete;
  T* data() const { return static_cast<T*>(memory_); }

 private:
  void* memory_ = nullptr;
};

/// The median of the slowest process' seconds. Collective.
template <class F>
double seconds_of(const F& f) {
  std::vector<double> all;
  for (int i = 0; i < repetitions + 1; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = std::chrono::steady_clock::now();
    f();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (i > 0) all.push_back(seconds);  // the first one warms up
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

/// Some bits of C, mixed.
template <class T>
std::uint64_t bits_of(const T* c, Index elements) {
  std::vector<T> some(static_cast<std::size_t>(std::min<Index>(elements, Index{1} << 20)));
  cuda_native::check(cudaMemcpy(some.data(), c + (elements - static_cast<Index>(some.size())),
                                some.size() * sizeof(T), cudaMemcpyDeviceToHost),
                     "copy");
  Fingerprint mixed;
  mixed.add_bytes(some.data(), some.size() * sizeof(T));
  return mixed.value();
}

/// The lines of a type.
template <class T>
void time_type(const char* name, Index n, CudaEngine engine, Math math, std::initializer_list<Index> depths,
               std::initializer_list<int> ctas) {
  int rank = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const Grid grid = processes == 4 ? Grid{2, 2} : Grid{1, processes};
  const Layout layout = block_cyclic(n, n, 256, 256);
  const Index rows = layout.rows.held(grid.rows, rank / grid.cols),
              cols = layout.cols.held(grid.cols, rank % grid.cols);
  const GemmOptions options{.math = math};
  const auto wait = [] { cuda_native::check(cudaStreamSynchronize(nullptr), "wait"); };
  const Scalar<T> one(1), zero(0);
  double single = 0, local = 0;
  {
    const Random<T> a(n * n), b(n * n), c(n * n);
    const auto whole = [&](const Random<T>& x) { return column_major(x.data(), n, n); };
    single = seconds_of([&] {
      if (rank > 0) return;
      cuda_native::gemm(nullptr, one, whole(a), whole(b), zero, whole(c), options);
      wait();
    });
    local = seconds_of([&] {
      cuda_native::gemm(nullptr, one, column_major<const T>(a.data(), rows, n),
                        column_major<const T>(b.data(), n, cols), zero, column_major(c.data(), rows, cols),
                        options);
      wait();
    });
  }
  const Random<T> a(rows * cols), b(rows * cols), c(rows * cols);
  const auto shared = [&](const Random<T>& x) {
    return DistributedMatrix<T>(layout, column_major(x.data(), rows, cols));
  };
  for (const Index depth : depths) {
    for (const int max_ctas : ctas) {
      CudaContext context(
          MPI_COMM_WORLD,
          {.grid = grid, .products = {.workspace = std::size_t{16} << 30, .depth = depth}, .timeout = 30},
          {.engine = engine, .max_ctas = max_ctas});
      std::uint64_t bits = 0;
      bool same = true;
      const auto product = [&] {
        gemm(context, nullptr, one, shared(a), shared(b), zero, shared(c), options);
      };
      const double time = seconds_of(product);
      bits = bits_of(c.data(), rows * cols);
      product();
      same = bits == bits_of(c.data(), rows * cols);
      context.on_device().multiplies = false;
      const double messages = seconds_of(product);
      const Plan plan =
          explain_cuda<T>(grid, shared(a), shared(b), shared(c), context.processes().options().products);
      if (rank > 0) continue;
      const double flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
      std::printf("%-6s %6lld %-8s %5lld %4d  %8.2f %8.2f %8.2f %8.2f  %7.1f  %5.3f  %6.2f  %s %.2f GB\n",
                  name, static_cast<long long>(n), std::string(to_string(context.engine())).c_str(),
                  static_cast<long long>(plan.depth), max_ctas, 1e3 * single, 1e3 * local, 1e3 * time,
                  1e3 * messages, 1e-12 * flops / time, single / (processes * time),
                  1 - (time - local) / messages, same ? "same" : "OTHER",
                  1e-9 * static_cast<double>(plan.workspace));
      std::fflush(stdout);
    }
  }
}

}  // namespace

/// gpu_times N ENGINE quick|sweep
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!test::take_gpu(rank, 1)) return 0;
  const Index n = std::atoi(argv[1]);
  const CudaEngine engine = test::engine_named(argv[2]);
  if (rank == 0) {
    std::printf("%-6s %6s %-8s %5s %4s  %8s %8s %8s %8s  %7s  %5s  %6s\n", "type", "n", "engine", "depth",
                "ctas", "single", "local", "shared", "messages", "TFLOP/s", "share", "hidden");
  }
  try {
    const bool sweeps = engine == CudaEngine::nccl && std::string_view(argv[3]) == "sweep";
    time_type<double>("fp64", n, engine, Math::automatic, {2048}, {0});
    if (std::string_view(argv[3]) != "quick") {
      if (sweeps) time_type<bfloat16>("bf16", n, engine, Math::automatic, {4096}, {4, 8, 16});
      time_type<bfloat16>("bf16", n, engine, Math::automatic, {2048, 4096}, {0});
      time_type<float>("fp32", n, engine, Math::automatic, {2048}, {0});
      time_type<float>("tf32", n, engine, Math::tf32, {2048}, {0});
      if (sweeps) time_type<double>("fp64", n, engine, Math::automatic, {2048}, {8});
    }
  } catch (const Error& error) {
    std::printf("rank %d: %s\n", rank, error.what());
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
