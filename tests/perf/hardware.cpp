// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// CPUs by family and model, GPUs by memory size.
#include "perf/record/hardware.hpp"

#include <sstream>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "perf/providers/cpuinfo.hpp"

namespace rooftile::perf {
namespace {

CpuInfo cpu(const std::string& text) {
  std::istringstream file(text);
  return cpu_info(file);
}

TEST_CASE("an x86 CPU has a name, a family and a model", "[hardware]") {
  const CpuInfo zen3 = cpu(
      "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n"
      "stepping\t: 1\n\nprocessor\t: 1\ncpu family\t: 99\nmodel\t\t: 99\nmodel name\t: another\n");
  CHECK((name_of(zen3) == "AMD EPYC" && hardware_of(zen3) == Hardware{25, 1, 0}));
  // Model numbers start at 0.
  CHECK(hardware_of(cpu("cpu family\t: 26\nmodel\t\t: 0\n")) == Hardware{26, 0, 0});
}

TEST_CASE("a CPU without a valid family and model is unknown", "[hardware]") {
  for (const char* text :
       {"", "CPU implementer\t: 0x41\nCPU part\t: 0xd4f\n", "cpu family\t: 25\n", "model\t\t: 1\n",
        "cpu family\t: 25\nmodel\t\t: IBM pSeries\n", "cpu family\t: 25x\nmodel\t\t: 1\n",
        "cpu family\t: 25\nmodel\t\t: -1\n", "cpu family\t: 99999999999\nmodel\t\t: 1\n",
        "cpu family\t:\nmodel\t\t: 1\n", "no colon\n"}) {
    CAPTURE(text);
    CHECK((hardware_of(cpu(text)) == Hardware() && name_of(cpu(text)) == "CPU"));
  }
}

TEST_CASE("an identity has the family and the model, or the memory, beside the name", "[hardware]") {
  CHECK(identity("AMD EPYC", {}) == "AMD EPYC");
  CHECK(identity("AMD EPYC", {26, 0, 0}) == "AMD EPYC, family 26, model 0");
  CHECK(identity("NVIDIA H200", {0, 0, 140}) == "NVIDIA H200, 140 GiB");
}

TEST_CASE("a GPU's memory is rounded, so that the driver's share does not count", "[hardware]") {
  const auto mib = [](std::size_t count) { return count << 20; };
  CHECK((rounded_gib(mib(81004)) == 80 && rounded_gib(mib(81559)) == 80 && rounded_gib(mib(81920)) == 80));
  CHECK(rounded_gib(mib(81920) + 1) == 81);
  CHECK(rounded_gib(0) == 0);
}

}  // namespace
}  // namespace rooftile::perf
