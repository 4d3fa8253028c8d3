// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rooftile/model/device.hpp"

namespace rooftile::model {

/// What the parts of a product take of a GPU: by these figures `choose` compares tiles, kernels and
/// repacking. Cycles are of an SM or compute unit, at the device's clock.
struct Costs {
  // Cycles in which an SM does 128 multiply-adds: an issue slot of each of four schedulers of 32 lanes.
  double multiply_add;  ///< cycles of 128 multiply-adds of an SM's lanes
  double matrix_fp64;   ///< the same of its matrix instructions: in fp64,
  double matrix_32;     ///< in tf32, or fp32 on AMD,
  double matrix_16;     ///< and in 16 bits

  // A vector of 16 bytes, or a fragment's element, takes a warp about four issue slots, between the two and
  // the twelve where nothing, or everything, hides behind it.
  double read;  ///< issue slots for an element of a thread's part, read from shared memory by vectors
  double read_fragment_a;  ///< the same of A in an fp64 fragment
  double read_fragment_b;  ///< the same of B

  // Where multiply-adds, or matrix instructions in fp64, do not hide it.
  double wait_lone_warp;       ///< a factor of a step along K, where a scheduler has one warp only
  double wait_lone_team;       ///< the same, where the SM has one team, too, of threads that multiply
  double wait_few_multiplies;  ///< the same, where multiply-adds between reads are few
  double wait_few_matrix;      ///< the same, where matrix instructions are
  double enough_multiplies;    ///< cycles of them, from which on they are not few
  /// A team alone has nobody to work while it meets at its barrier: a factor of 1 + this / bk².
  double wait_lone_barrier;

  double copy_byte;  ///< cycles in which an SM copies a byte beside multiply-adds that hide most of it
  double l2_byte;    ///< cycles for a byte of L2's: what matrix instructions of 16 bits and tf32 wait for
  /// Where warps are few, these wait for each other: a factor of this + `few_warps` / warps, if above 1.
  double min_few_warps;
  double few_warps;          ///< see `min_few_warps`
  double copies_not_hidden;  ///< share of these cycles that is added to multiply-adds which take longer

  double first_panels;  ///< cycles that matrix instructions wait for a lone tile's first panels and stores
  double first_panels_fp64;  ///< the same in fp64

  // Copying element by element: by how much longer a tile takes.
  double element_copies;      ///< of threads that multiply, over the times that an element is used,
  double min_element_copies;  ///< which count as so many at least
  double ragged_k_fp64;       ///< of matrix instructions in fp64: a share for lines along k
  double ragged_k_32;         ///< the same in 32 bits
  double ragged_mn_32;        ///< in 32 bits for lines along m or n
  double ragged_k_16;         ///< in 16 bits for lines along k
  double ragged_mn_16;        ///< in 16 bits for lines along m or n
  double ragged_pairs_16;     ///< in 16 bits for lines of whole pairs
  double ragged_small;        ///< a factor of these, but in fp64, in tiles with a side below
  double ragged_small_side;   ///< this

  /// Of tiles shared along K: cycles of a second kernel's start, and of what work units wait for.
  double unit_start;
  double unit_bytes;             ///< bytes of sums that the device writes or reads in a cycle
  double unit_loop;              ///< how much longer the loop takes that feeds 16 bits and tf32
  double unit_margin;            ///< by which work units must be faster: what the model may be wrong by,
  double unit_margin_slow_loop;  ///< and with the loops of complex fp64, and of portable fp64, fragments

  double repack_start;  ///< cycles of starting the kernel that repacks
  double repack_bytes;  ///< bytes that the device reads or writes in a cycle there

  double tf32x3_start;          ///< of three products in tf32: cycles of starting the kernels
  double tf32x3_multiply_adds;  ///< of them: multiply-adds of an SM in a cycle

  double int8_start;          ///< of fp64 from products of int8: cycles of starting the kernels
  double int8_tile;           ///< of them: cycles of a tile's sums becoming residues
  double int8_multiply_adds;  ///< of them: multiply-adds of int8 of an SM in a cycle

  /// Whether all figures are the same.
  friend constexpr bool operator==(const Costs&, const Costs&) = default;
};

/// A figure of them. Named, since of what nvcc makes of such a declarator its host compiler warns.
using CostMember = double Costs::*;

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

/// The rows. What takes time rather than cycles, or memory's bytes, is in cycles of an H200's clock and for
/// its bandwidth; `costs_of` turns it into those of a device.
namespace cost_rows {

inline constexpr double clock_mhz = 1980;      ///< an H200's
inline constexpr double bandwidth_gbs = 4800;  ///< an H200's

/// Compute capability 9.0. Multiply-adds and matrix instructions: H100 white paper; all else measured on an
/// H200, ragged lines with 1,018 to 1,026 and 4,090 to 4,098 rows, columns and steps.
inline constexpr Costs sm_90{.multiply_add = 1,
                             .matrix_fp64 = 1,
                             .matrix_32 = 128. / 1024,
                             .matrix_16 = 128. / 2048,
                             .read = 1,
                             .read_fragment_a = 0.5,
                             .read_fragment_b = 1,
                             .wait_lone_warp = 1.4,
                             .wait_lone_team = 1.43,
                             .wait_few_multiplies = 1.25,
                             .wait_few_matrix = 1.1,
                             .enough_multiplies = 96,
                             .wait_lone_barrier = 8,
                             .copy_byte = 0.003,
                             .l2_byte = 0.042,
                             .min_few_warps = 0.4,
                             .few_warps = 7.2,
                             .copies_not_hidden = 0.5,  // the most that changes nothing there
                             .first_panels = 12000,
                             .first_panels_fp64 = 6000,
                             .element_copies = 7.7,
                             .min_element_copies = 64,
                             .ragged_k_fp64 = 0.08,
                             .ragged_k_32 = 0.35,
                             .ragged_mn_32 = 0.1,
                             .ragged_k_16 = 0.48,
                             .ragged_mn_16 = 0.2,
                             .ragged_pairs_16 = 0.1,
                             .ragged_small = 2,
                             .ragged_small_side = 128,
                             .unit_start = 26000,
                             .unit_bytes = 1000,
                             .unit_loop = 1.05,
                             .unit_margin = 1.01,
                             .unit_margin_slow_loop = 1.06,
                             .repack_start = 6000,
                             .repack_bytes = 1700,
                             .tf32x3_start = 30000,
                             .tf32x3_multiply_adds = 300,
                             .int8_start = 100000,
                             .int8_tile = 6500,
                             .int8_multiply_adds = 3300};

/// sm_90's with other rates of multiply-adds a cycle; the rest is taken over, unmeasured.
constexpr Costs with_rates(double lanes, double fp64, double of_32, double of_16) {
  Costs row = sm_90;
  row.multiply_add = 128 / lanes, row.matrix_fp64 = 128 / fp64;
  row.matrix_32 = 128 / of_32, row.matrix_16 = 128 / of_16;
  return row;
}

inline constexpr Costs sm_80 = with_rates(64, 64, 512, 1024);    ///< rates: A100 white paper
inline constexpr Costs gfx90a = with_rates(64, 128, 128, 512);   ///< rates: CDNA 2 white paper
inline constexpr Costs gfx942 = with_rates(64, 128, 128, 1024);  ///< rates: CDNA 3 white paper

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

/// The generic row: sm_90's with the rates of the device's data sheet, where it has any. Where matrix
/// instructions have none, they are as fast as the lanes.
constexpr Costs generic_row(const Device& device) {
  const auto rate = [&](Precision p) {
    const double matrix = cycles_at(device.tensor.of(p), device);
    return matrix > 0 ? matrix : cycles_at(device.vector.of(p), device);
  };
  const auto known = [](double cycles, double otherwise) { return cycles > 0 ? cycles : otherwise; };
  Costs row = cost_rows::sm_90;
  if (device.cores > 0) row.multiply_add = 128. * device.sms / device.cores;
  row.matrix_fp64 = known(rate(Precision::fp64), row.matrix_fp64);
  row.matrix_32 =
      known(rate(device.vendor == Vendor::amd ? Precision::fp32 : Precision::tf32), row.matrix_32);
  row.matrix_16 = known(rate(Precision::fp16), row.matrix_16);
  return row;
}

/// The row of an architecture, as it has an H200's clock and bandwidth.
constexpr Costs row_of(const Device& device) {
  const std::string_view name = device.architecture;  // gfx942:sramecc+:xnack- of a driver
  if (name == "9.0") return cost_rows::sm_90;
  if (name == "8.0") return cost_rows::sm_80;
  if (name.starts_with("gfx90a")) return cost_rows::gfx90a;
  if (name.starts_with("gfx942")) return cost_rows::gfx942;
  return generic_row(device);
}

/// A kernel takes as many seconds to start as on an H200, and memory delivers the same share of its
/// bandwidth.
/// @param to  whose clock and bandwidth count, where they are known
constexpr Costs scaled(Costs row, const Device& to) {
  const double clock = to.clock_mhz > 0 ? to.clock_mhz / cost_rows::clock_mhz : 1;
  const double bytes = to.bandwidth_gbs > 0 ? to.bandwidth_gbs / cost_rows::bandwidth_gbs / clock : 1;
  row.first_panels *= clock;
  row.first_panels_fp64 *= clock;
  row.unit_start *= clock;
  row.repack_start *= clock;
  row.tf32x3_start *= clock;
  row.int8_start *= clock;
  row.unit_bytes *= bytes;
  row.repack_bytes *= bytes;
  return row;
}

}  // namespace detail

/// What is known of a device: the row of its architecture, or the generic one, with its clock and bandwidth.
constexpr Costs costs_of(const Device& device) {
  return detail::scaled(detail::row_of(device), device);
}

/// Of a device of which nothing is known: sm_90's.
inline constexpr Costs unknown_costs = costs_of({});

}  // namespace rooftile::model
