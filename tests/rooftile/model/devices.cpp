// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rooftile/model/find_device.hpp"

using namespace rooftile::model;
using Catch::Matchers::ContainsSubstring, Catch::Matchers::MessageMatches, Catch::Matchers::WithinRel;

TEST_CASE("devices are found by name and alias, however written", "[model]") {
  REQUIRE(find_device("rtx3070").name == "RTX 3070");
  REQUIRE(find_device("h100-sxm").name == "H100 SXM");
  REQUIRE(find_device("H100").name == "H100 SXM");
  REQUIRE(find_device("fermi").name == "GTX 580");
  REQUIRE(find_device("Tesla V100-SXM2").name == "V100");
}

TEST_CASE("an unknown device suggests near names", "[model]") {
  REQUIRE_THROWS_MATCHES(find_device("RTX 3080"), rooftile::Error,
                         MessageMatches(ContainsSubstring("RTX 3070")));
  REQUIRE_THROWS_MATCHES(find_device("MI300"), rooftile::Error, MessageMatches(ContainsSubstring("MI300X")));
  REQUIRE_THROWS_AS(find_device(""), rooftile::Error);
  // A name that holds another, or is held by it, is the nearest, however many letters there are.
  CHECK(detail::near_names("4090").starts_with("RTX 4090"));
  CHECK(detail::near_names("nvidiageforcertx4090laptopgpu").starts_with("RTX 4090"));
}

TEST_CASE("names differ by as many letters as must be put in, taken out or replaced", "[model]") {
  CHECK(detail::edits("", "") == 0);
  CHECK(detail::edits("abc", "abc") == 0);
  CHECK((detail::edits("", "abc") == 3 && detail::edits("abc", "") == 3));
  CHECK((detail::edits("a100", "a10") == 1 && detail::edits("a10", "a100") == 1));
  CHECK((detail::edits("h100", "h200") == 1 && detail::edits("kitten", "sitting") == 3));
  CHECK((detail::edits("intention", "execution") == 5 && detail::edits("ab", "ba") == 2));
}

TEST_CASE("a driver's name finds its row of the table", "[model]") {
  REQUIRE(built_in_like("NVIDIA H200")->name == "H200");
  REQUIRE(built_in_like("NVIDIA GeForce RTX 4090")->name == "RTX 4090");
  REQUIRE(built_in_like("AMD Instinct MI300X")->name == "MI300X");
  REQUIRE(built_in_like("NVIDIA GeForce RTX 5090") == nullptr);
  REQUIRE(built_in_like("Intel(R) Xeon(R) CPU @ 2.00GHz") == nullptr);
}

TEST_CASE("names and aliases of the built-in devices are unambiguous", "[model]") {
  for (const Device& device : devices) {
    REQUIRE(&find_device(device.name) == &device);
    REQUIRE(&find_device(device.alias) == &device);
    REQUIRE(!device.source.empty());
  }
}

TEST_CASE("each NVIDIA GPU's limits are those of its compute capability", "[model]") {
  for (const Device& device : devices) {
    if (device.vendor != Vendor::nvidia) continue;
    CAPTURE(std::string(device.name));
    const std::string cc(device.architecture);
    const std::size_t dot = cc.find('.');
    const SmLimits expected = nvidia_limits(std::stoi(cc.substr(0, dot)), std::stoi(cc.substr(dot + 1)));
    REQUIRE((device.limits.threads == expected.threads && device.limits.shared == expected.shared));
    REQUIRE(device.limits.granularity.partitions == expected.granularity.partitions);
  }
}

TEST_CASE("a data sheet's fp32 peak is cores × clock × 2 to its last digit", "[model]") {
  for (const Device& device : devices) {
    // G80's 367 counts more than multiply-adds; MI300X and MI355X issue two fp32 operations per core.
    if (device.vendor == Vendor::cpu || device.name == "G80") continue;
    CAPTURE(std::string(device.name));
    const double issues = device.name == "MI300X" || device.name == "MI355X" ? 2 : 1;
    REQUIRE_THAT(device.vector.fp32, WithinRel(issues * peak_of_cores(device.cores, device.clock_mhz), 0.01));
  }
}

TEST_CASE("an unknown compute capability is refused", "[model]") {
  REQUIRE_THROWS_MATCHES(nvidia_limits(4, 0), rooftile::Error, MessageMatches(ContainsSubstring("4.0")));
}
