// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The native path on the current CUDA device.
#include "cuda_native/check.hpp"
#include "device.hpp"
#include "plan/batch_operands.hpp"
#include "rooftile/cuda_native.hpp"
#include "rooftile/detail/batch_args.hpp"

namespace rooftile::testing {
namespace {

using cuda_native::check;

class Native : public DeviceOfElements<Native> {
 public:
  Native() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream"); }
  ~Native() override { static_cast<void>(cudaStreamDestroy(stream_)); }
  Native(const Native&) = delete;
  Native& operator=(const Native&) = delete;

  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) == cudaSuccess) return memory;
    static_cast<void>(cudaGetLastError());  // clears the error for the next launch
    throw Error(detail::text("out of memory (", bytes, " bytes of the GPU): free some"));
  }
  void release(void* memory) noexcept override { static_cast<void>(cudaFree(memory)); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "copy to the device");
    wait();
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "copy from the device");
    wait();
  }
  void wait() override { check(cudaStreamSynchronize(stream_), "run a kernel"); }
  Target target(ComputeMode math) const override { return cuda_native::target(math); }

  template <class T>
  void run(const BatchArgs<T>& args, const GemmOptions& options) const {
    const auto& [alpha, A, B, beta, C] = args.first;
    const auto [count, stride_a, stride_b, stride_c, inner, outer_a, outer_b, outer_c] = args.batch;
    if (args.pointers.any() || inner != 0) {
      const auto [a, b, c] = detail::operands_of(args);
      return cuda_native::gemm_batched(stream_, alpha, a, b, beta, c, options);
    }
    if (count == 1) return cuda_native::gemm(stream_, alpha, A, B, beta, C, options);
    cuda_native::gemm_strided_batched(stream_, alpha, A, stride_a, B, stride_b, beta, C, stride_c, count,
                                      options);
  }
  template <class T>
  void run(std::span<const GemmArgs<T>> group, const GemmOptions& options) const {
    cuda_native::gemm_grouped(stream_, group, options);
  }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace

std::unique_ptr<Device> find_device(std::string& lack) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return std::make_unique<Native>();
  lack = cudaGetErrorString(status);
  return nullptr;
}

}  // namespace rooftile::testing
