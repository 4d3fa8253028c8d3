// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What tiles are rated by, on each device.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "rooftile/model/find_costs.hpp"

using namespace rooftile::model;
using Catch::Matchers::WithinRel;

namespace {

std::array<double, sizeof(Costs) / sizeof(double)> figures(const Costs& costs) {
  return std::bit_cast<std::array<double, sizeof(Costs) / sizeof(double)>>(costs);
}

}  // namespace

TEST_CASE("an H200 has the figures that were measured on it, to the last bit", "[model][costs]") {
  const Costs costs = costs_of(find_device("H200"));
  CHECK(costs == cost_rows::sm_90);
  CHECK((costs.multiply_add == 1 && costs.matrix_fp64 == 1 && costs.read == 1));
  CHECK((costs.matrix_32 == 0.125 && costs.matrix_16 == 0.0625));
  CHECK((costs.read_fragment_a == 0.5 && costs.read_fragment_b == 1));
  CHECK((costs.wait_lone_warp == 1.4 && costs.wait_lone_team == 1.43 && costs.wait_lone_barrier == 8));
  CHECK((costs.wait_few_multiplies == 1.25 && costs.wait_few_matrix == 1.1 && costs.enough_multiplies == 96));
  CHECK((costs.copy_byte == 0.003 && costs.l2_byte == 0.042));
  CHECK((costs.min_few_warps == 0.4 && costs.few_warps == 7.2));
  CHECK((costs.first_panels == 12000 && costs.first_panels_fp64 == 6000));
  CHECK((costs.element_copies == 7.7 && costs.min_element_copies == 64));
  CHECK((costs.ragged_k_fp64 == 0.08 && costs.ragged_k_32 == 0.35 && costs.ragged_mn_32 == 0.1));
  CHECK((costs.ragged_k_16 == 0.48 && costs.ragged_mn_16 == 0.2 && costs.ragged_pairs_16 == 0.1));
  CHECK((costs.ragged_small == 2 && costs.ragged_small_side == 128));
  CHECK((costs.unit_start == 26000 && costs.unit_bytes == 1000 && costs.unit_loop == 1.05));
  CHECK((costs.unit_margin == 1.01 && costs.unit_margin_slow_loop == 1.06));
  CHECK((costs.repack_start == 6000 && costs.repack_bytes == 1700));
  CHECK((costs.tf32x3_start == 30000 && costs.tf32x3_multiply_adds == 300));
  CHECK((costs.int8_start == 100000 && costs.int8_tile == 6500 && costs.int8_multiply_adds == 3300));
}

TEST_CASE("CPUs have the figures that were measured on some", "[model][costs]") {
  const CpuCosts& cpu = cost_rows::cpu;
  CHECK((cpu.waking == 512000 && cpu.waking_to_pack == 2097152 && cpu.calling_kokkos == 7077888));
  CHECK((cpu.reads_to_pack == 4 && cpu.reading == 24 && cpu.sharing == 80));
}

TEST_CASE("an H200's matrix instructions of 16 bits and 32 wait for panels in every tile", "[model][costs]") {
  const Costs& costs = cost_rows::sm_90;
  const double bm = 128, bn = 256;  // most multiply-adds for a byte
  for (const auto& [rate, size] : {std::pair{costs.matrix_16, 2}, {costs.matrix_32, 4}}) {
    const double copying = costs.l2_byte * (bm + bn) * size;
    CHECK(bm * bn / 128 * rate + costs.copies_not_hidden * copying <= copying);
  }
}

TEST_CASE("every device has costs that are positive and finite", "[model][costs]") {
  for (const Device& device : devices) {
    INFO(device.name);
    for (const double figure : figures(costs_of(device))) CHECK((figure > 0 && std::isfinite(figure)));
  }
}

TEST_CASE("architectures multiply at the rates of their devices' data sheets", "[model][costs]") {
  for (const char* const name : {"A100", "MI250X", "MI300X"}) {
    INFO(name);
    const Device& device = find_device(name);
    const Costs row = detail::row_of(device), sheet = detail::generic_row(device);
    CHECK_THAT(row.multiply_add, WithinRel(sheet.multiply_add, 0.01));
    CHECK_THAT(row.matrix_fp64, WithinRel(sheet.matrix_fp64, 0.01));
    CHECK_THAT(row.matrix_32, WithinRel(sheet.matrix_32, 0.01));
    CHECK_THAT(row.matrix_16, WithinRel(sheet.matrix_16, 0.01));
  }
  using Rates = std::array<double, 4>;
  const auto rates = [](const Costs& row) {
    return Rates{row.multiply_add, row.matrix_fp64, row.matrix_32, row.matrix_16};
  };
  CHECK(rates(cost_rows::sm_80) == Rates{2, 2, 0.25, 0.125});
  CHECK(rates(cost_rows::gfx90a) == Rates{2, 1, 1, 0.25});
  CHECK(rates(cost_rows::gfx942) == Rates{2, 1, 1, 0.125});
  CHECK(detail::row_of(find_device("A100")) == cost_rows::sm_80);
  CHECK(detail::row_of(find_device("MI250X")) == cost_rows::gfx90a);
  CHECK(detail::row_of(find_device("MI300X")) == cost_rows::gfx942);
}

TEST_CASE("other devices multiply as their data sheets say, else as an H200", "[model][costs]") {
  const Costs ada = costs_of(find_device("RTX 4090")), volta = costs_of(find_device("V100"));
  CHECK(ada.multiply_add == 1);
  CHECK_THAT(ada.matrix_fp64, WithinRel(64.0, 0.01));  // no matrix instructions: its two fp64 lanes
  CHECK_THAT(ada.matrix_16, WithinRel(0.5, 0.01));
  CHECK(volta.multiply_add == 2);
  CHECK_THAT(volta.matrix_16, WithinRel(0.25, 0.01));
  CHECK(volta.matrix_32 == cost_rows::sm_90.matrix_32);
  CHECK(unknown_costs == cost_rows::sm_90);
}

TEST_CASE("kernels start in as many seconds, and memory delivers as many bytes a second", "[model][costs]") {
  Device device;
  device.clock_mhz = 1980, device.bandwidth_gbs = 4800;
  const Costs usual = costs_of(device);
  device.clock_mhz *= 2;
  const Costs fast = costs_of(device);
  CHECK((fast.repack_start == 2 * usual.repack_start && fast.unit_start == 2 * usual.unit_start));
  CHECK((fast.tf32x3_start == 2 * usual.tf32x3_start && fast.int8_start == 2 * usual.int8_start));
  CHECK(fast.first_panels == 2 * usual.first_panels);
  CHECK(fast.first_panels_fp64 == 2 * usual.first_panels_fp64);
  CHECK((fast.repack_bytes == usual.repack_bytes / 2 && fast.unit_bytes == usual.unit_bytes / 2));
  CHECK(fast.l2_byte == usual.l2_byte);  // L2 and the SMs share a clock
  CHECK(fast.multiply_add == usual.multiply_add);
  device.bandwidth_gbs *= 2;
  CHECK(costs_of(device).repack_bytes == usual.repack_bytes);
  CHECK(costs_of(device).unit_bytes == usual.unit_bytes);
  CHECK(costs_of(device).repack_start == fast.repack_start);
  device.clock_mhz = 0.5, device.bandwidth_gbs = 0.5;  // no device, but numbers
  CHECK_THAT(costs_of(device).repack_start, WithinRel(usual.repack_start * 0.5 / 1980));
  CHECK_THAT(costs_of(device).repack_bytes, WithinRel(usual.repack_bytes * (0.5 / 4800) / (0.5 / 1980)));
  device.clock_mhz = 0, device.bandwidth_gbs = 9600;
  CHECK(costs_of(device).repack_start == usual.repack_start);
  device.bandwidth_gbs = 0;
  CHECK(costs_of(device) == cost_rows::sm_90);
}

TEST_CASE("a device that is here has the costs of the table's, or of its architecture", "[model][costs]") {
  const auto here = [](std::string_view name, Vendor vendor, std::string_view architecture) {
    Device told;
    told.name = name, told.vendor = vendor, told.architecture = architecture;
    told.sms = 48, told.clock_mhz = 990, told.bandwidth_gbs = 2400;
    return costs_here(told);
  };
  CHECK(here("NVIDIA H200", Vendor::nvidia, "9.0") == costs_of(find_device("H200")));
  CHECK(here("AMD Instinct MI300X", Vendor::amd, "gfx942:sramecc+:xnack-") ==
        costs_of(find_device("MI300X")));
  const Costs pcie = here("NVIDIA H800 PCIe", Vendor::nvidia, "9.0");
  CHECK((pcie.repack_start == 3000 && pcie.repack_bytes == 1700));
  const Costs turing = here("Quadro RTX 5000", Vendor::nvidia, "7.5");
  CHECK(turing.multiply_add == costs_of(find_device("T4")).multiply_add);
  CHECK(turing.repack_start == 3000);
  const Costs cdna = here("AMD Instinct MI300A", Vendor::amd, "gfx942:sramecc+:xnack-");
  CHECK((cdna.matrix_32 == 1 && cdna.unit_start == 13000));
  const Costs unknown = here("a GPU", Vendor::nvidia, "99.0");
  CHECK((unknown.multiply_add == 1 && unknown.unit_start == 13000));
}
