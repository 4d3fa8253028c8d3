// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Gives the program only a GPU without arithmetic, which takes the model's time by costs of its own.
#include <cstdint>

#include "perf/providers/ladder_candidates.hpp"
#include "tests/support/targets.hpp"

namespace rooftile::perf {
namespace {

constexpr double clock_mhz = 1700, launch_cycles = 5000;

class ModelledGpu : public Device {
 public:
  ModelledGpu() : Device("cuda", "NVIDIA H200") {}

  /// Addresses that differ, where nothing is read or written.
  void* allocate(std::size_t bytes) override {
    const std::uintptr_t address = next_;
    next_ += (bytes + 255) / 256 * 256;
    return reinterpret_cast<void*>(address);
  }
  void release(void*) noexcept override {}
  void upload(void*, const void*, std::size_t) override {}
  void download(void*, const void*, std::size_t) override {}
  void flush_caches() override {}
  double seconds(const std::function<void()>& work) override {
    cycles = 0;
    work();
    return 1e-6 * cycles / rooftile::perf::clock_mhz;
  }
  double clock_mhz() override { return cycles > 0 ? rooftile::perf::clock_mhz : 0; }  // under load alone

  double cycles = 0;  ///< that launches took

 private:
  std::uintptr_t next_ = std::uintptr_t{1} << 40;
};

Target h200(Math math) {
  Target target = testing::h200(Path::native, math);
  target.device = "NVIDIA H200";
  return target;
}

double cycles_of(const GemmDesc& desc, const GemmOptions& options) {
  Target planted = h200(options.math);
  planted.costs.repack_start = 7000, planted.costs.repack_bytes = 1234, planted.costs.unit_bytes = 800;
  planted.costs.l2_byte = 0.05, planted.costs.tf32x3_start = 25000;
  const GemmPlan made = plan(desc, options, planted);
  if (made.math != Math::tf32x3) return made.cycles;
  return rooftile::detail::tf32x3_cycles(planted.costs, made.tile, desc.shape, planted.sms, 1);
}

const Provider provider{
    Provider::peer, [](Machine& machine) {
      machine = {};
      auto device = std::make_unique<ModelledGpu>();
      ModelledGpu& gpu = *device;
      machine.devices.push_back(std::move(device));
      for_each_element([&]<class T>() {
        add_ladder<T>(machine, gpu, h200, [&gpu](const BatchArgs<T>& args, const GemmOptions& options) {
          const auto desc = describe(args.first.C.col_stride == 1 ? args : args.transposed());
          gpu.cycles += launch_cycles + cycles_of(desc, options);
        });
      });
    }};

}  // namespace
}  // namespace rooftile::perf
