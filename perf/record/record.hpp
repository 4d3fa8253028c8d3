// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hardware.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/types.hpp"

/// What one run of `rooftile bench` leaves, in memory and as JSON (docs/bench.schema.json): the only thing
/// that measuring, writing and every command that reads results share.
namespace rooftile::perf {

struct Metric {
  std::string tag;  ///< such as `page_faults`
  double value = 0;
  std::string unit;  ///< such as `us`; empty: a count or a ratio
};

struct Seconds {
  double median = 0;
  double min = 0;
  double max = 0;
  std::size_t count = 0;
  std::vector<double> samples{};  ///< in the order in which they were taken; empty in files of before
  /// Between which the median is with 95 % confidence (`median_interval`); 0: too few samples to say.
  double low = 0, high = 0;
  std::vector<std::size_t> outliers{};  ///< numbers of the samples beyond Tukey's fences (`outliers_of`)
  std::vector<double> clocks_mhz{};     ///< after each sample; empty: the system does not tell
  std::vector<double> power_w{};        ///< of each sample, or just after it; empty: the system does not tell
};

/// A clock that falls by more than this share between samples is no steady one.
inline constexpr double steady_clock_share = 0.05;

/// Whether the clock fell while samples were taken, as it does where heat or power hold a processor back. One
/// that rises, as out of idleness, did not.
inline bool is_throttled(const Seconds& s) {
  double highest = 0;  // so far
  for (const double clock : s.clocks_mhz) {
    if (clock < (1 - steady_clock_share) * highest) return true;
    highest = std::max(highest, clock);
  }
  return false;
}

/// The middle one of what was read of each sample; 0: nothing was.
double middle_of(std::vector<double> values);

/// The clock and the power of samples, by their middle ones: `1980 MHz, 645 W`; a dash for what is not known.
std::string clock_and_power(const Seconds& s);

/// How processes share a product (`bench --ranks`).
struct Sharing {
  Index ranks = 0;    ///< processes of the grid; 0: nobody shares it
  std::string grid;   ///< `2x3`: its rows and columns
  std::string block;  ///< `64x48`: rows and columns of each block of A, B and C
  Index layers = 0;   ///< that share K; 0: another library's affair

  friend bool operator==(const Sharing&, const Sharing&) = default;
};

/// One kernel on one product, or batch of them: a row of the table and of the JSON file.
struct Result {
  std::string device, path, backend, kernel, tile, dtype, math, layout;
  GemmShape shape;
  double alpha = 1, beta = 0;
  std::uint64_t seed = 0;  ///< of the operands
  std::string operands;   ///< how each of a call that was logged lies, as the log has it; empty: without gaps
  Index calls = 0;        ///< of that log, that the result stands for; 0: of no log
  Index batch = 1;        ///< products of the shape in one call
  Index smallest = 0;     ///< extent of a group, whose products are random and reach `shape`; 0: no group
  Index inner = 0;        ///< of two dimensions of a batch, products of the inner one; 0: it has one
  bool pointers = false;  ///< which an array of pointers each leads to
  Index padding = 0;      ///< elements between one row (column-major: column) of an operand and the next
  Index offset = 0;       ///< elements by which operands begin behind an aligned address
  Sharing shared;         ///< among processes
  bool cold = false;      ///< caches held none of the operands when a sample began
  Index burst = 0;        ///< calls of a sample, one behind the other; 0: one
  bool automatic = false;  ///< the library's own choice
  bool tuned = false;      ///< that choice is a tuning table's
  bool aligned = false;    ///< every row is a multiple of 16 bytes
  Seconds seconds;
  double gflops = 0;             ///< 0: nothing is multiplied
  double intensity = 0;          ///< FLOP/B, each operand moved once
  double request_intensity = 0;  ///< FLOP/B asked of global memory by the threads; 0: not known
  std::string bound;             ///< memory, compute; empty: no ceiling of the math mode is known
  double roofline_fraction = 0;  ///< of what the measured ceilings allow at `intensity`; 0: not known
  double vendor_ratio = 0;       ///< vendor's median time over this one's; 0: no vendor library here
  double peer_ratio = 0;         ///< the same of the peer's
  std::vector<Metric> metrics;   ///< of the probes that have something to say here
  std::vector<Metric>
      counters;            ///< of the hardware, in a call of its own; empty: not asked for, or none here
  double error_ratio = 0;  ///< worst error over its bound
  std::size_t rows_checked = 0;  ///< rows of C that were compared with the reference
  std::string status;            ///< ok, unsupported, failed
  std::string reason;
  std::string disturbed;  ///< why its ratio to the vendor does not count; empty: it does

  bool ok() const { return status == "ok"; }

  /// Whether there is a rate to speak of: without products, only C is scaled.
  bool multiplied() const { return alpha != 0 && std::min({shape.m, shape.n, shape.k}) > 0; }
};

/// What a result is of, such as `8x8x8 rrr`: only equal things are compared.
std::string product_of(const Result& r);

struct NamedRate {
  std::string name;
  double rate = 0;
};

struct Ceilings {
  double fp32_gflops = 0;  ///< independent chains of fused multiply-adds
  double fp64_gflops = 0;
  double bandwidth_gbs = 0;  ///< copy of more than the caches hold, bytes read and written
  /// By operand, GFLOP/s of instructions that multiply more than one of a vector's lanes each: a GPU's matrix
  /// instructions, a CPU's sums of products. Empty in files of before.
  std::vector<NamedRate> matrix_gflops{};
  /// GB/s read of each level between memory and the units, the outermost first; empty in files of before.
  std::vector<NamedRate> levels_gbs{};
  double launch_us = 0;  ///< of a kernel that does nothing, as samples are timed; 0 in files of before
  double clock_mhz = 0;  ///< while the chains ran; 0: the system does not tell

  /// Of the fastest units for a mode's operands, for one of its elements; 0 where it is not measured.
  double gflops(ComputeMode math) const;
  /// Of an operand's matrix instructions, or of a level; 0 where it is not measured.
  double matrix(std::string_view operand) const { return rate_of(matrix_gflops, operand); }
  double level(std::string_view name) const { return rate_of(levels_gbs, name); }

 private:
  static double rate_of(const std::vector<NamedRate>& rates, std::string_view name);
};

/// The ceilings in a line: `61 TFLOP/s fp32, … ; 4000 GB/s memory, …`.
std::string in_words(const Ceilings& ceilings);

struct MeasuredDevice {
  std::string name, backend;
  int number = 0;   ///< of a GPU among those of its kind, as the runtime counts
  int threads = 0;  ///< of a CPU, that a product gets, of `ranks` each of them; 0: a GPU
  Ceilings ceilings;
  std::string state;  ///< driver and clocks, or which other libraries; empty where there is nothing to say
  Index ranks = 0;    ///< processes that share a product; 0: one has it
  Hardware hardware{};
};

inline std::string identity(const MeasuredDevice& device) {
  return identity(device.name, device.hardware);
}

/// A path that this build or this machine does not have, and why.
struct Absent {
  std::string what;
  std::string why;
};

struct Origin {
  std::string date;  ///< such as 2026-11-21T06:00:00Z
  std::string rooftile;
  std::string commit;    ///< that the program was built of; `unknown` without git, empty in files of before
  std::string compiler;  ///< names and versions
  std::size_t threads = 0;  ///< hardware threads of the CPU
};

Origin origin_here();

/// Another library's median time over the kernel's, of several products.
struct Ratios {
  double geometric_mean = 0;  ///< of those that ran; 0 if none did
  double worst = 0;
  std::string worst_product;  ///< `4096x4096x4096 rrr`
  std::size_t slow = 0;       ///< below 0.9
  std::size_t products = 0;   ///< that ran, and the other's
  std::size_t missing = 0;    ///< that did not

  /// @param ratio  0 where one of the two did not run
  void add(const Result& r, double ratio);

 private:
  double sum_of_logs_ = 0;
};

inline constexpr double slow_ratio = 0.9;

/// A ratio to the vendor above which one of the two was disturbed: no kernel is that much faster.
inline constexpr double disturbed_ratio = 5;

/// The time of the library's own choice over that of the fastest kernel of the same path, where a run has
/// both.
struct Regret {
  double regret = 0, worst_regret = 0;  ///< geometric mean, and the largest
  std::string worst_product;            ///< whose regret is the largest
  double noise = 0;  ///< median distance of the chosen kernel's two times, chosen and named; 0: no two
  std::size_t products = 0;  ///< that have a regret
};

/// One path on one device in one math mode.
struct Summary {
  std::string path, backend, dtype, math;
  Ratios aligned, unaligned, all;  ///< to the vendor
  Ratios peer;                     ///< all products
  Regret choice;
};

/// @return one for each path, device and math mode that the library's own choice ran on
std::vector<Summary> summaries_of(const std::vector<Result>& results);

/// Sets the rate of a result that multiplies, what bounds its kernel, and what the measured ceilings allow.
/// @param flops  of one product of its batch
void set_rate(Result& r, double flops, double intensity, ComputeMode math, const Ceilings& ceilings);

/// The larger of each ceiling of two measurements, and the shorter launch.
Ceilings largest_of(const Ceilings& a, const Ceilings& b);

/// Sets the ratios of one product's results to the fastest vendor's and peer's among them, and marks those
/// that were disturbed.
void compare_with_baselines(std::vector<Result>& results);

struct Run {
  bool complete = true;                ///< it came to its end
  std::vector<std::string> arguments;  ///< as typed; empty in files put together from those of several runs
  Origin origin;
  std::vector<MeasuredDevice> devices;
  std::vector<Absent> absent;
  std::string sampling{};  ///< how samples were taken, in words; empty in files of before
  std::vector<Result> results;
  std::vector<Summary> summaries;  ///< of a suite; written, but not read: `summaries_of` the results has them
};

}  // namespace rooftile::perf
