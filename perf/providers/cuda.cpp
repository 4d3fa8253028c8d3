// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The NVIDIA GPU, and the native ladder on it.
#include <array>
#include <cstdio>
#include <optional>

#include "cuda_ceilings.hpp"
#include "cuda_device.hpp"
#include "detect.hpp"
#include "ladder_candidates.hpp"
#include "nvml.hpp"
#include "plan/batch_operands.hpp"
#include "rooftile/cuda_native.hpp"
#include "rooftile/detail/batch_args.hpp"
#include "rooftile/model/architecture.hpp"

namespace rooftile::perf {

namespace {

/// Reads the clock from NVML and other values from `nvidia-smi`; the CUDA runtime does not report them.
class Gpu : public CudaDevice {
 public:
  using CudaDevice::CudaDevice;

  std::string state() override {
    return asked("driver_version,clocks.sm,clocks.mem,power.draw,temperature.gpu");
  }
  double clock_after_sample_mhz() override { return nvml().clock_mhz(); }
  double power_after_sample_w() override { return nvml().power_w(); }

 private:
  const Nvml& nvml() {
    if (!nvml_) nvml_.emplace(bus());
    return *nvml_;
  }

  /// The PCI address, which identifies the GPU in nvidia-smi and NVML. Their indices differ from the
  /// runtime's.
  std::string bus() const {
    std::array<char, 32> address{};
    if (cudaDeviceGetPCIBusId(address.data(), address.size(), number) != cudaSuccess) return {};
    return address.data();
  }

  std::string asked(const std::string& fields) const {
    std::string text;
    const std::string query =
        "nvidia-smi --query-gpu=" + fields + " --format=csv,noheader --id=" + bus() + " 2>/dev/null";
    if (std::FILE* pipe = popen(query.c_str(), "r")) {
      std::array<char, 256> line;
      while (std::fgets(line.data(), line.size(), pipe) != nullptr) text += line.data();
      pclose(pipe);
    }
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }

  std::optional<Nvml> nvml_;
};

void add_device(Machine& machine) {
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess || count == 0) {
    machine.absent.push_back({"cuda", cudaGetErrorString(status)});
    return;
  }
  machine.require_gpu(count);
  cudaDeviceProp properties;
  if (cudaSetDevice(machine.gpu) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, machine.gpu) != cudaSuccess) {
    return;
  }
  auto gpu = std::make_unique<Gpu>("cuda", properties.name);
  gpu->number = machine.gpu;
  gpu->hardware.memory_gib = rounded_gib(properties.totalGlobalMem);
  gpu->measure_ceilings = [stream = gpu->stream()](Device& device) {
    return measure_cuda_ceilings(device, stream);
  };
  machine.devices.push_back(std::move(gpu));
}

template <class T>
struct Entries {
  cudaStream_t stream;

  void operator()(const BatchArgs<T>& args, const GemmOptions& options) const {
    const auto& [alpha, A, B, beta, C] = args.first;
    const auto [count, stride_a, stride_b, stride_c, inner, outer_a, outer_b, outer_c] = args.batch;
    if (args.pointers.any() || inner != 0) {
      const auto [a, b, c] = detail::operands_of(args);
      return cuda_native::gemm_batched(stream, alpha, a, b, beta, c, options);
    }
    if (count == 1) return cuda_native::gemm(stream, alpha, A, B, beta, C, options);
    cuda_native::gemm_strided_batched(stream, alpha, A, stride_a, B, stride_b, beta, C, stride_c, count,
                                      options);
  }
  void operator()(std::span<const GemmArgs<T>> group, const GemmOptions& options) const {
    cuda_native::gemm_grouped(stream, group, options);
  }
};

void add_native(Machine& machine) {
  auto* gpu = dynamic_cast<CudaDevice*>(machine.device("cuda"));
  if (gpu == nullptr) return;
  for_each_product_type([&]<class T>() {
    if constexpr (has_gpu_kernel(own_mode<T>(), Path::native))
      add_ladder<T>(machine, *gpu, cuda_native::target, Entries<T>{gpu->stream()});
  });
}

void detect(std::vector<DetectedDevice>& found) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
    DetectedDevice gpu;
    gpu.name = lasting(properties.name);
    gpu.vendor = model::Vendor::nvidia;
    gpu.architecture = lasting(std::to_string(properties.major) + '.' + std::to_string(properties.minor));
    gpu.sms = properties.multiProcessorCount;
    gpu.clock_mhz = 1e-3 * attribute(cudaDevAttrClockRate, i);
    // Double data rate: two transfers per clock over the whole bus.
    gpu.bandwidth_gbs =
        2e-6 * attribute(cudaDevAttrMemoryClockRate, i) * attribute(cudaDevAttrGlobalMemoryBusWidth, i) / 8;
    gpu.l2_bytes = properties.l2CacheSize;
    gpu.limits = model::nvidia_limits(properties.major, properties.minor);
    gpu.source = "the CUDA runtime";
    gpu.hardware.memory_gib = rounded_gib(properties.totalGlobalMem);
    found.push_back(gpu);
  }
}

const Detector detector{detect};
const Provider device_provider{Provider::gpus, add_device};
const Provider native_provider{Provider::native, add_native};

}  // namespace
}  // namespace rooftile::perf
