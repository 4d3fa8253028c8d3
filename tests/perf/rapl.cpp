// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/providers/rapl.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/scratch_folder.hpp"

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

}  // namespace
}  // namespace rooftile::perf
