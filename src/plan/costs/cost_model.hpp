// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "plan/costs/sm_90.hpp"
#include "rooftile/kernel_costs.hpp"
#include "rooftile/model/device.hpp"

namespace rooftile {
struct TuningTable;
}

namespace rooftile::model {

/// The costs of a device, by which `choose` compares kernels, tiles, splits of K and repacking.
struct Costs {
  KernelCosts kernels = {};     ///< of the device's architecture, or of sm_90 if it was not measured
  Rates rates = {};             ///< of the device; steps along K scale with them
  double clock_mhz = 1980;      ///< clock of the device
  double bandwidth_gbs = 3350;  ///< bandwidth of its memory
  bool is_generic = false;      ///< its architecture was not measured

  double int8_start = 100000;        ///< fp64 from int8: cycles to start the kernels
  double int8_tile = 6500;           ///< fp64 from int8: cycles to reduce the sums of a tile to residues
  double int8_multiply_adds = 3300;  ///< fp64 from int8: int8 multiply-adds per cycle and SM
  double int8_bytes = 1600;          ///< fp64 from int8: bytes per cycle of the device's memory
};

/// Costs of CPUs, which decide the number of threads and packing. Cache blocks follow from the caches.
struct CpuCosts {
  double waking;          ///< multiply-adds below which waking threads costs more than it saves
  double waking_to_pack;  ///< limit of `waking` if threads pack B and wait for each other
  double calling_kokkos;  ///< limit for one thread, below which calling Kokkos costs more than packing saves
  /// An operand is packed if more micropanels of the other operand read it, and A and B together exceed L2.
  int reads_to_pack;
  double reading;  ///< time to read or pack an element of A or B, in multiply-adds
  double sharing;  ///< extra time for an element of B from another core's cache, in multiply-adds
};

/// The measured costs of an architecture.
struct MeasuredCosts {
  std::string_view architecture;  ///< compute capability or LLVM target
  const KernelCosts* kernels;     ///< written by `scripts/fit-costs`
};
/// The architectures on which kernels were measured.
inline constexpr MeasuredCosts measured_costs[] = {{"9.0", &sm_90}};

namespace cost_rows {

/// Measured on the processors of docs/ladder.md, and used for all others.
inline constexpr CpuCosts cpu{.waking = 80.0 * 80 * 80,
                              .waking_to_pack = 128.0 * 128 * 128,
                              .calling_kokkos = 192.0 * 192 * 192,
                              .reads_to_pack = 4,
                              .reading = 24,
                              .sharing = 80};

}  // namespace cost_rows

namespace detail {

/// Returns the cycles of 128 multiply-adds on an SM at the peak rate of its device; 0: unknown.
constexpr double cycles_at(double peak_gflops, const Device& device) {
  return peak_gflops > 0 ? 128 * 2e-3 * device.sms * device.clock_mhz / peak_gflops : 0;
}

/// Returns the rates of the data sheet. Without a rate for matrix instructions, the rate of the vector units
/// is used.
constexpr Rates rates_of(const Device& device) {
  const auto rate = [&](Precision p, double otherwise) {
    const double matrix = cycles_at(device.tensor.of(p), device);
    const double known = matrix > 0 ? matrix : cycles_at(device.vector.of(p), device);
    return known > 0 ? known : otherwise;
  };
  const Rates row = sm_90.rates;
  return {device.cores > 0 ? 128. * device.sms / device.cores : row.lanes,
          rate(Precision::fp64, row.matrix_fp64),
          rate(device.vendor == Vendor::amd ? Precision::fp32 : Precision::tf32, row.matrix_32),
          rate(Precision::fp16, row.matrix_16)};
}

/// Returns the costs of an architecture; null: not measured.
constexpr const KernelCosts* measured_on(std::string_view architecture) {
  for (const MeasuredCosts& row : measured_costs) {
    if (row.architecture == architecture) return row.kernels;
  }
  return nullptr;
}

/// Returns the rates of an architecture, for devices that are not in the device table. Sources: white papers
/// of A100, CDNA 2 and CDNA 3.
constexpr Rates rates_of(std::string_view architecture, const Rates& otherwise) {
  constexpr auto multiply_adds = [](double lanes, double fp64, double of_32, double of_16) {
    return Rates{128 / lanes, 128 / fp64, 128 / of_32, 128 / of_16};
  };
  if (architecture == "8.0") return multiply_adds(64, 64, 512, 1024);
  if (architecture.starts_with("gfx90a")) return multiply_adds(64, 128, 128, 512);
  if (architecture.starts_with("gfx942")) return multiply_adds(64, 128, 128, 1024);  // :sramecc+ may follow
  return otherwise;
}

}  // namespace detail

/// Returns the costs of a device: those of its architecture, or those of sm_90 scaled by the rates, clock and
/// bandwidth of its data sheet.
/// @param clock_mhz,bandwidth_gbs  of the device; 0: the values of `device`
constexpr Costs costs_of(const Device& device, double clock_mhz = 0, double bandwidth_gbs = 0) {
  const auto known = [](double first, double second, double otherwise) {
    return first > 0 ? first : second > 0 ? second : otherwise;
  };
  const KernelCosts* const measured = detail::measured_on(device.architecture);
  Costs costs{.kernels = measured != nullptr ? *measured : sm_90};
  costs.rates =
      measured != nullptr ? measured->rates : detail::rates_of(device.architecture, detail::rates_of(device));
  costs.clock_mhz = known(clock_mhz, device.clock_mhz, sm_90.clock_mhz);
  costs.bandwidth_gbs = known(bandwidth_gbs, device.bandwidth_gbs, sm_90.bandwidth_gbs);
  costs.is_generic = measured == nullptr;
  costs.int8_start *= costs.clock_mhz / sm_90.clock_mhz;
  return costs;
}

/// The costs of an unknown device: those of sm_90.
inline constexpr Costs unknown_costs = costs_of({});

/// Returns the costs of a device with the kernel costs of a tuning table, or `row` if the table has none. The
/// result refers to the table.
Costs costs_over(const TuningTable& table, Costs row);

}  // namespace rooftile::model
