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

/// The costs of a device. By these figures `choose` compares kernels, tiles, splits of K and repacking.
struct Costs {
  KernelCosts kernels = {};     ///< of the device's architecture, or of the one that stands for it
  Rates rates = {};             ///< of the device: steps along K take longer or shorter in proportion
  double clock_mhz = 1980;      ///< of the device
  double bandwidth_gbs = 3350;  ///< of its memory
  bool is_generic = false;      ///< nothing was measured on its architecture

  double int8_start = 100000;        ///< of fp64 from products of int8: cycles of starting the kernels
  double int8_tile = 6500;           ///< of them: cycles of a tile's sums becoming residues
  double int8_multiply_adds = 3300;  ///< of them: multiply-adds of int8 of an SM in a cycle
  double int8_bytes = 1600;          ///< of them: bytes that the device reads or writes in a cycle
};

/// What decides on CPUs how many threads a product gets and what is packed. Blocks follow from the caches.
struct CpuCosts {
  double waking;          ///< multiply-adds below which waking other threads takes longer than they save
  double waking_to_pack;  ///< the same, if they have to wait for each other while they pack B
  double calling_kokkos;  ///< with one thread: below which calling Kokkos takes longer than packing saves
  /// Micropanels of the other operand that read one: if more, and A and B do not fit L2 together, it is
  /// packed.
  int reads_to_pack;
  double reading;  ///< multiply-adds in whose time a thread reads, or packs, an element of A or B
  double sharing;  ///< more of them for an element of B that another packed, which comes from its cache
};

/// Figures of kernels, and the architecture whose devices they are for.
struct MeasuredCosts {
  std::string_view architecture;  ///< compute capability or LLVM target
  const KernelCosts* kernels;     ///< what `scripts/fit-costs` wrote
};
/// The architectures on which kernels were measured.
inline constexpr MeasuredCosts measured_costs[] = {{"9.0", &sm_90}};

namespace cost_rows {

/// Measured on the processors of docs/ladder.md, and taken over for others.
inline constexpr CpuCosts cpu{.waking = 80.0 * 80 * 80,
                              .waking_to_pack = 128.0 * 128 * 128,
                              .calling_kokkos = 192.0 * 192 * 192,
                              .reads_to_pack = 4,
                              .reading = 24,
                              .sharing = 80};

}  // namespace cost_rows

namespace detail {

/// Cycles in which an SM does 128 multiply-adds at a peak rate of its device; 0: not known.
constexpr double cycles_at(double peak_gflops, const Device& device) {
  return peak_gflops > 0 ? 128 * 2e-3 * device.sms * device.clock_mhz / peak_gflops : 0;
}

/// The rates of the data sheet. Where matrix instructions have none, they are as fast as the lanes.
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

/// The figures of an architecture; null: nothing was measured on it.
constexpr const KernelCosts* measured_on(std::string_view architecture) {
  for (const MeasuredCosts& row : measured_costs) {
    if (row.architecture == architecture) return row.kernels;
  }
  return nullptr;
}

/// Rates by architecture, for devices that are not in the table, from the white papers of A100, CDNA 2 and
/// CDNA 3.
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

/// The costs of a device: the figures of its architecture; else sm_90's, by the rates, the clock and the
/// bandwidth of its data sheet.
/// @param clock_mhz,bandwidth_gbs  of the device; 0: as of its row
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

/// Where nothing is known of a device: sm_90's.
inline constexpr Costs unknown_costs = costs_of({});

/// The costs of a device with the figures of a tuning table, which they refer to; the row itself where the
/// table has none.
Costs costs_over(const TuningTable& table, Costs row);

}  // namespace rooftile::model
