// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Converts the ladder's table and a vendor library into candidates of the benchmark.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "fake_device.hpp"
#include "perf/machine.hpp"
#include "perf/providers/ladder_candidates.hpp"
#include "perf/providers/library_candidate.hpp"
#include "perf/providers/nvml.hpp"
#include "perf/providers/openblas_core.hpp"
#include "perf/providers/rapl.hpp"
#include "plan/block_limits.hpp"
#include "tests/support/scratch_folder.hpp"

namespace rooftile::perf {
namespace {

using testing::FakeDevice;

constexpr BlockLimits today{1024, 48 * 1024, 227 * 1024};

double memory[3 * 64 * 64];

GemmArgs<double> product(Index m, Index n, Index k) {
  return {1, row_major<const double>(memory, m, k), row_major<const double>(memory + 4096, k, n), 0,
          row_major(memory + 8192, m, n)};
}

const Candidate<double>& named(const std::vector<Candidate<double>>& all, const std::string& kernel,
                               const std::string& tile) {
  for (const auto& c : all) {
    if (c.kernel == kernel && c.tile == tile) return c;
  }
  FAIL("no candidate " << kernel << ' ' << tile);
  return all.front();
}

/// The ladder's candidates on a path, and the arguments of their last launch.
struct Ladder {
  explicit Ladder(Path path)
      : all(ladder_candidates<double>(
            device, {path, today, ComputeMode::fp64, {}, 90, 132},
            [this](const BatchArgs<double>&, const GemmOptions& o) { options = o; })) {}

  FakeDevice device;
  GemmOptions options;
  std::vector<Candidate<double>> all;
};

TEST_CASE("every tile that is built for a rung is one candidate", "[candidates]") {
  Ladder native(Path::native);
  std::map<std::string, std::set<std::string>> tiles;
  for (const auto& c : native.all) {
    CHECK((c.device == &native.device && c.path == "native"));
    CHECK(tiles[c.kernel].insert(c.tile).second);
  }
  for (const Rung& rung : ladder)
    CHECK(tiles.contains(std::string(rung.name)) == rung.supports(ComputeMode::fp64, Path::native));
  CHECK(tiles["naive"] == std::set<std::string>{"16x16", "32x32", "32x8", "8x32", "4x64"});
  // The other tiles of this rung are not built for fp64.
  CHECK(tiles["pipelined"] == std::set<std::string>{"128x128x16", "64x128x16", "64x64x16", "32x64x16"});
  CHECK(tiles["tensor_core+repack"] == tiles["tensor_core"]);
  CHECK((tiles["packed"] == std::set<std::string>{""} && tiles["automatic"] == tiles["packed"]));
}

TEST_CASE("a math mode has candidates where a rung of the device computes in it", "[candidates]") {
  FakeDevice device;
  static constexpr ComputeMode matrix_maths[] = {ComputeMode::tf32, ComputeMode::fp64};
  for (const bool fragments : {false, true}) {
    for (const auto& [math, any] :
         {std::pair{ComputeMode::fp32, true}, {ComputeMode::tf32, fragments}, {ComputeMode::tf32x3, false}}) {
      INFO(to_string(math) << ' ' << fragments);
      Target target{Path::portable, today, math, {}, 0, 132};
      if (fragments) target.warp_mma = matrix_maths;
      const auto all =
          ladder_candidates<float>(device, target, [](const BatchArgs<float>&, const GemmOptions&) {});
      CHECK(all.empty() != any);
      for (const auto& c : all) CHECK(c.math == math);
    }
  }
}

TEST_CASE("the library's own choice is a candidate, named as on a product", "[candidates]") {
  Ladder native(Path::native);
  const auto& automatic = named(native.all, "automatic", "");
  CHECK(automatic.chosen(product(32, 32, 32)).kernel == "tensor_core");
  const KernelName chosen = automatic.chosen(product(33, 32, 32));
  CHECK((chosen.kernel == "tensor_core" && chosen.tile == "32x32x16"));
  CHECK(automatic.refusal(product(33, 32, 32)) == "");
  automatic.launch(product(33, 32, 32));
  const GemmOptions& options = native.options;
  CHECK((options.kernel == Kernel::automatic && !options.tile && options.math == ComputeMode::fp64));
}

TEST_CASE("a tuning table is for the library's own choice alone, and its name says so", "[candidates]") {
  FakeDevice device;
  Target h200{Path::native, today, ComputeMode::fp64, {}, 90, 132};
  h200.device = "a GPU";
  const TuningTable table{
      "a GPU", {{Path::native, ComputeMode::fp64, {32, 32, 32}, {}, Kernel::naive, cta(8, 32), 1, 2}}};
  GemmOptions options;
  const auto all = ladder_candidates<double>(
      device, h200, [&](const BatchArgs<double>&, const GemmOptions& o) { options = o; }, &table);
  const auto& automatic = named(all, "automatic", "");
  const KernelName name = automatic.chosen(product(32, 32, 32));
  CHECK((name.kernel == "naive" && name.tile == "8x32" && name.tuned));
  CHECK_FALSE(automatic.chosen(product(16, 16, 16)).tuned);
  automatic.launch(product(32, 32, 32));
  CHECK(options.tuning == &table);
  named(all, "tiled", "8x8x8").launch(product(32, 32, 32));
  CHECK(options.tuning == nullptr);

  h200.device = "another";
  const auto others = ladder_candidates<double>(
      device, h200, [](const BatchArgs<double>&, const GemmOptions&) {}, &table);
  CHECK(
      named(others, "automatic", "").refusal(product(32, 32, 32)) ==
      "tuning table of another device (a GPU, here is another): run `rooftile tune` here, or pass no table");
  CHECK(named(others, "tiled", "8x8x8").refusal(product(32, 32, 32)) == "");
}

TEST_CASE("a candidate launches its own kernel with its own tile", "[candidates]") {
  Ladder ladder_of(Path::native);
  for (const auto& c : ladder_of.all) {
    c.launch(product(32, 32, 32));
    if (c.chosen) continue;
    CHECK(to_string(NamedKernel{ladder_of.options.kernel, ladder_of.options.repack}) == c.kernel);
    CHECK((c.tile.empty() ? !ladder_of.options.tile : to_string(ladder_of.options.tile) == c.tile));
  }
}

TEST_CASE("a candidate refuses a product that its kernel cannot compute", "[candidates]") {
  Ladder native(Path::native), portable(Path::portable);
  const std::string no_divisor = "tile does not divide the product (m ";
  const auto& tiled = named(native.all, "tiled", "16x16x16");
  const auto& single = named(native.all, "single_block", "");
  CHECK(tiled.refusal(product(32, 48, 16)) == "");
  CHECK(tiled.refusal(product(33, 48, 16)).text.starts_with(no_divisor + "33, n 48, k 16 by 16x16x16)"));
  CHECK((single.refusal(product(32, 32, 5)) == "" && single.refusal(product(33, 32, 5)) != ""));
  CHECK(named(portable.all, "single_block", "")
            .refusal(product(2, 2, 2))
            .text.starts_with("kernel not on the portable path (single_block)"));
  // A column-major C is computed as its transpose, so the rows of a tile correspond to columns of C.
  auto args = product(48, 20, 16);
  args.C = column_major(args.C.data, 48, 20);
  CHECK(tiled.refusal(args).text.starts_with(no_divisor + "20, n 48, k 16 by 16x16x16)"));
}

TEST_CASE("a candidate knows its request intensity", "[candidates]") {
  Ladder native(Path::native);
  CHECK(named(native.all, "naive", "4x64").request_intensity == 0.125);
  CHECK(named(native.all, "tiled", "32x32x32").request_intensity == 4);
  CHECK(named(native.all, "pipelined", "128x128x16").request_intensity == 16);  // per block, not per thread
  // 64 columns share a row of A, and 128 rows share a column of B: 2 FLOP per (1/64 + 1/128) of 8 bytes.
  CHECK(named(native.all, "pipelined", "64x128x16").request_intensity == Catch::Approx(32 / 3.0));
  CHECK(named(native.all, "single_block", "").request_intensity == 0.125);
}

TEST_CASE("a vendor's candidate passes the BLAS form on, or refuses the strides", "[candidates]") {
  FakeDevice device;
  vendor::BlasForm<double> seen;
  const auto c =
      vendor_candidate<double>(device, ComputeMode::fp64, "library", [&](const auto& form) { seen = form; });
  CHECK((c.path == "vendor" && c.kernel == "library" && c.tile.empty() && c.device == &device));
  CHECK(c.refusal(product(3, 4, 5)) == "");
  c.launch(product(3, 4, 5));
  CHECK((seen.m == 4 && seen.n == 3 && seen.k == 5));  // row-major C: BLAS gets its transpose
  CHECK(seen.c == memory + 8192);
  auto strided = product(3, 4, 5);
  strided.A.col_stride = 2, strided.A.row_stride = 10;
  CHECK(c.refusal(strided) == "BLAS takes no matrix with two strides: use leading dimensions");
}

TEST_CASE("a dense matrix has no gaps; one row or one column is dense in either order", "[candidates]") {
  CHECK(dense(row_major(memory, 3, 4)) == Dense::by_rows);
  CHECK(dense(column_major(memory, 3, 4)) == Dense::by_columns);
  CHECK(dense(MatrixRef<double>{memory, 1, 4, 9, 1}) == Dense::by_rows);
  CHECK(dense(MatrixRef<double>{memory, 3, 1, 1, 9}) == Dense::by_rows);
  using Gaps = MatrixRef<double>;
  for (const auto& X :
       {Gaps{memory, 3, 4, 5, 1}, {memory, 3, 4, 1, 5}, {memory, 3, 4, 8, 2}, {memory, 3, 1, 2, 1}})
    CHECK(dense(X) == Dense::no);
}

TEST_CASE("a peer's candidate takes dense operands in the type's own mode", "[candidates]") {
  FakeDevice device;
  int calls = 0;
  const auto c = peer_candidate<double>(device, "library", [&](const BatchArgs<double>&) { ++calls; });
  CHECK((c.path == "peer" && c.kernel == "library" && c.math == ComputeMode::fp64 && is_baseline(c.path)));
  CHECK_FALSE(is_baseline("portable"));
  c.launch(product(3, 4, 5));
  CHECK(calls == 1);
  CHECK(c.refusal(product(3, 4, 5)) == "");
  auto padded = product(3, 4, 5);
  padded.B.row_stride = 8;
  CHECK(c.refusal(padded) ==
        "library is compiled for matrices without gaps (LayoutRight and LayoutLeft): take contiguous ones");
}

}  // namespace
}  // namespace rooftile::perf

// The order of a machine's devices, and the values that RAPL, NVML and OpenBLAS report.
namespace rooftile::testing {
namespace {

bool has_gpu = false;

/// Registered before the host, because tests are linked before the harness.
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

/// A copy of Linux' powercap folder with the files that the harness reads.
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

TEST_CASE("power is the energy of all packages per second, also where a counter wraps", "[rapl]") {
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
  linux_has.zone("intel-rapl:1", "package-1", "1000000");  // 2 J more
  CHECK(rapl.watts(0.5) == Catch::Approx(12));
  CHECK(rapl.watts(Rapl::shortest / 2) == 0);
  rapl.begin();
  CHECK(rapl.watts(0.5) == 0);
}

TEST_CASE("without readable counters there is no power", "[rapl]") {
  CHECK(Rapl("/nowhere").watts(1) == 0);
  const Powercap linux_has;
  linux_has.zone("intel-rapl:0", "package-0", "not for you");
  Rapl rapl(linux_has.path());
  linux_has.zone("intel-rapl:0", "package-0", "9000000");
  CHECK(rapl.watts(1) == 0);
  linux_has.zone("dtpm", "constraint", "7");
  CHECK(Rapl(linux_has.path()).watts(1) == 0);
}

TEST_CASE("NVML tells the clock and the power of the GPU at a bus, where it is there", "[nvml]") {
  const std::string here = "0000:01:00.0", other = "0000:02:00.0";
  for (const auto& [bus, library, mhz, watts] : {std::tuple{here, ROOFTILE_DRIVER_STUB, 1980, 645},
                                                 {other, ROOFTILE_DRIVER_STUB, 0, 0},
                                                 {"", ROOFTILE_DRIVER_STUB, 0, 0},
                                                 {here, "/nowhere/libnvidia-ml.so.1", 0, 0},
                                                 {here, "libm.so.6", 0, 0}}) {
    Nvml nvml(bus, library);
    CAPTURE(bus, library);
    CHECK((nvml.clock_mhz() == mhz && nvml.power_w() == watts));
  }
}

TEST_CASE("an OpenBLAS whose kernels are below its CPU is told, with the remedy", "[openblas_core]") {
  struct Case {
    const char *kernels, *set;
    Vectors cpu;
    std::string remedy;
  };
  const std::string newer = ", or take a newer OpenBLAS";
  const Case cases[] = {{"SkylakeX", "", Vectors::avx512, ""},
                        {"Cooperlake", "Cooperlake", Vectors::avx512, ""},
                        {"Zen", "", Vectors::avx2, ""},
                        {"Haswell", "Haswell", Vectors::avx2, ""},
                        {"Nehalem", "", Vectors::other, ""},
                        {"NEOVERSEV1", "", Vectors::other, ""},  // not x86-64
                        {"Haswell", "", Vectors::avx512, "set OPENBLAS_CORETYPE=SkylakeX" + newer},
                        {"Prescott", "", Vectors::avx, "set OPENBLAS_CORETYPE=Sandybridge" + newer},
                        {"Sandybridge", "sandybridge", Vectors::avx2,
                         "OPENBLAS_CORETYPE=sandybridge): unset OPENBLAS_CORETYPE"}};
  for (const auto& [kernels, set, cpu, remedy] : cases) {
    CAPTURE(kernels);
    const std::string told = held_below_cpu(kernels, set, cpu);
    CHECK((remedy.empty() ? told.empty() : told.ends_with(remedy)));
  }
}

}  // namespace
}  // namespace rooftile::perf
