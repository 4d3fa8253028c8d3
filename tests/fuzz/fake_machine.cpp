// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The machine for fuzzed command lines: a CPU and a GPU whose kernels multiply by the definition.
#include "perf/providers/ladder_candidates.hpp"
#include "tests/perf/fake_device.hpp"
#include "tests/support/targets.hpp"

namespace rooftile::fuzz {
namespace {

using perf::Machine, perf::Provider;

/// Little memory, so that large products are refused instead of computed.
class SmallDevice : public testing::FakeDevice {
 public:
  explicit SmallDevice(const std::string& backend_) {
    backend = backend_;
    measure_ceilings = [](Device&) { return perf::Ceilings{100, 50, 10}; };
  }

  void* allocate(std::size_t bytes) override {
    if (bytes > (1 << 20))
      throw Error(detail::text("out of memory (", bytes, " bytes): take a smaller product"));
    return FakeDevice::allocate(bytes);
  }
};

template <class MakeTarget>
void add_path(Machine& machine, const std::string& backend, const MakeTarget& target) {
  auto device = std::make_unique<SmallDevice>(backend);
  SmallDevice& clock = *device;
  machine.devices.push_back(std::move(device));
  for_each_element([&]<class T>() {
    perf::add_ladder<T>(machine, clock, target, [&clock](const BatchArgs<T>& args, const GemmOptions&) {
      for (Index i = 0; i < args.batch.count; ++i) testing::multiply(args.product(i));
      clock.took += 0.5;
    });
  });
}

/// Replaces the devices that earlier providers found.
void replace(Machine& machine) {
  const TuningTable* const tuning = machine.tuning;
  machine = {};
  machine.tuning = tuning;
  machine.absent.push_back({"vendor", "not in this test"});
  add_path(machine, "openmp", [](ComputeMode math) {
    Target target = testing::cpu(math);
    target.device = "CPU";
    return target;
  });
  add_path(machine, "cuda", [](ComputeMode math) {
    Target target = testing::h200(Path::native, math);
    target.device = "NVIDIA H200";
    return target;
  });
}

const Provider provider{Provider::peer, replace};

}  // namespace
}  // namespace rooftile::fuzz
