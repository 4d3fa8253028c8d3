// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// The order of a machine's devices, and what RAPL, NVML and OpenBLAS tell of them.
#include <memory>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "fake_device.hpp"
#include "perf/machine.hpp"
#include "perf/providers/nvml.hpp"
#include "perf/providers/openblas_core.hpp"
#include "perf/providers/rapl.hpp"
#include "tests/support/scratch_folder.hpp"

namespace rooftile::testing {
namespace {

bool has_gpu = false;

/// Registered before the host is, since tests are linked before the harness.
const perf::Provider gpu{perf::Provider::gpus, [](perf::Machine& machine) {
                           if (has_gpu) machine.devices.push_back(std::make_unique<FakeDevice>());
                         }};

TEST_CASE("the host is a machine's first device, whatever was linked before it") {
  has_gpu = true;
  const perf::Machine machine = perf::find_machine();
  has_gpu = false;
  REQUIRE(machine.devices.size() >= 2);
  CHECK(machine.devices.front()->backend == perf::host_device()->backend);
  CHECK(machine.device("fake") != nullptr);
}

}  // namespace
}  // namespace rooftile::testing

namespace rooftile::perf {
namespace {

namespace fs = std::filesystem;

/// Linux' folder, as far as it is read.
class Powercap {
 public:
  void zone(const std::string& zone, const std::string& name, const std::string& energy) const {
    fs::create_directory(folder_ / zone);
    std::ofstream(fs::path(folder_ / zone) / "name") << name << '\n';
    std::ofstream(fs::path(folder_ / zone) / "energy_uj") << energy << '\n';
    std::ofstream(fs::path(folder_ / zone) / "max_energy_range_uj") << "1000000000\n";
  }
  fs::path path() const { return folder_ / ""; }

 private:
  testing::ScratchFolder folder_;
};

TEST_CASE("power is the energy of all packages over the time, also where a counter begins anew", "[rapl]") {
  const Powercap linux_has;
  linux_has.zone("intel-rapl:0", "package-0", "5000000");
  linux_has.zone("intel-rapl:0:0", "core", "1000000");
  linux_has.zone("intel-rapl:1", "package-1", "999000000");
  Rapl rapl(linux_has.path());
  rapl.begin();
  CHECK(rapl.watts(0.5) == 0);
  linux_has.zone("intel-rapl:0", "package-0", "9000000");
  linux_has.zone("intel-rapl:0:0", "core", "4000000");
  CHECK(rapl.watts(0.5) == Catch::Approx(8));
  linux_has.zone("intel-rapl:1", "package-1", "1000000");  // 2 J further
  CHECK(rapl.watts(0.5) == Catch::Approx(12));
  CHECK(rapl.watts(Rapl::shortest / 2) == 0);
  rapl.begin();
  CHECK(rapl.watts(0.5) == 0);
}

TEST_CASE("without counters, or leave to read them, there is no power", "[rapl]") {
  CHECK(Rapl("/nowhere").watts(1) == 0);
  const Powercap linux_has;
  linux_has.zone("intel-rapl:0", "package-0", "not for you");
  Rapl rapl(linux_has.path());
  linux_has.zone("intel-rapl:0", "package-0", "9000000");
  CHECK(rapl.watts(1) == 0);
  linux_has.zone("dtpm", "constraint", "7");
  CHECK(Rapl(linux_has.path()).watts(1) == 0);
}

TEST_CASE("the driver's library tells the clock and the power of the GPU at a bus", "[nvml]") {
  CHECK(Nvml("0000:01:00.0", ROOFTILE_DRIVER_STUB).clock_mhz() == 1980);
  CHECK(Nvml("0000:02:00.0", ROOFTILE_DRIVER_STUB).clock_mhz() == 0);
  CHECK(Nvml("", ROOFTILE_DRIVER_STUB).clock_mhz() == 0);
  CHECK(Nvml("0000:01:00.0", ROOFTILE_DRIVER_STUB).power_w() == 645);
  CHECK(Nvml("0000:02:00.0", ROOFTILE_DRIVER_STUB).power_w() == 0);
}

TEST_CASE("without the driver's library, or its functions, there is neither", "[nvml]") {
  CHECK(Nvml("0000:01:00.0", "/nowhere/libnvidia-ml.so.1").clock_mhz() == 0);
  CHECK(Nvml("0000:01:00.0", "libm.so.6").clock_mhz() == 0);
  CHECK(Nvml("0000:01:00.0", "libm.so.6").power_w() == 0);
}

TEST_CASE("an OpenBLAS that takes all that the CPU has is not held below it", "[openblas_core]") {
  CHECK(held_below_cpu("SkylakeX", "", Vectors::avx512).empty());
  CHECK(held_below_cpu("Cooperlake", "Cooperlake", Vectors::avx512).empty());
  CHECK(held_below_cpu("Zen", "", Vectors::avx2).empty());
  CHECK(held_below_cpu("Haswell", "Haswell", Vectors::avx2).empty());
  CHECK(held_below_cpu("Nehalem", "", Vectors::other).empty());
  CHECK(held_below_cpu("NEOVERSEV1", "", Vectors::other).empty());  // no x86-64
}

TEST_CASE("an OpenBLAS held below its CPU is said, and what to set", "[openblas_core]") {
  CHECK(held_below_cpu("Haswell", "", Vectors::avx512) ==
        "the vendor is held below this CPU (OpenBLAS takes its kernels for Haswell, AVX2, of a CPU with "
        "AVX-512): "
        "set OPENBLAS_CORETYPE=SkylakeX, or take a newer OpenBLAS");
  CHECK(held_below_cpu("Sandybridge", "sandybridge", Vectors::avx2) ==
        "the vendor is held below this CPU (OpenBLAS takes its kernels for Sandybridge, AVX, of a CPU with "
        "AVX2, "
        "OPENBLAS_CORETYPE=sandybridge): unset OPENBLAS_CORETYPE");
  CHECK(held_below_cpu("Prescott", "", Vectors::avx)
            .ends_with("set OPENBLAS_CORETYPE=Sandybridge, or take a newer OpenBLAS"));
}

}  // namespace
}  // namespace rooftile::perf
