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

/// The result of one run of `rooftile bench`, in memory and as JSON (docs/bench.schema.json). Measurement,
/// writers and all commands that read results exchange only these types.
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
  std::vector<double> samples{};  ///< in the order of measurement; empty in older files
  /// Bounds of the 95 % confidence interval of the median (`median_interval`); 0: too few samples.
  double low = 0, high = 0;
  std::vector<std::size_t> outliers{};  ///< indices of the samples beyond Tukey's fences (`outliers_of`)
  std::vector<double> clocks_mhz{};     ///< clock after each sample; empty: not available
  std::vector<double> power_w{};        ///< power during or just after each sample; empty: not available
};

/// A relative drop of the clock between samples above which the clock is not steady.
inline constexpr double steady_clock_share = 0.05;

/// Whether the clock dropped while samples were taken, because heat or power limits the processor. A rising
/// clock, such as after idling, does not count.
inline bool is_throttled(const Seconds& s) {
  double highest = 0;  // highest clock so far
  for (const double clock : s.clocks_mhz) {
    if (clock < (1 - steady_clock_share) * highest) return true;
    highest = std::max(highest, clock);
  }
  return false;
}

/// The median of the values; 0: no values.
double middle_of(std::vector<double> values);

/// The median clock and power of the samples: `1980 MHz, 645 W`; a dash for an unknown value.
std::string clock_and_power(const Seconds& s);

/// How the ranks of a distributed product divide it (`bench --ranks`).
struct Sharing {
  Index ranks = 0;    ///< processes of the grid; 0: the product is not distributed
  std::string grid;   ///< rows and columns of the grid: `2x3`
  std::string block;  ///< `64x48`: rows and columns of each block of A, B and C
  Index layers = 0;   ///< grid layers that split K; 0: another library decides

  friend bool operator==(const Sharing&, const Sharing&) = default;
};

/// One kernel on one product or batch: one row of the table and of the JSON file.
struct Result {
  std::string device, path, backend, kernel, tile, dtype, math, layout;
  GemmShape shape;
  double alpha = 1, beta = 0;
  std::uint64_t seed = 0;  ///< seed of the operands' random values
  std::string operands;    ///< memory layouts of a logged call, as the log writes them; empty: without gaps
  Index calls = 0;         ///< logged calls that this result stands for; 0: not from a log
  Index batch = 1;         ///< products of the shape in one call
  Index smallest = 0;      ///< smallest extent of a group of random shapes up to `shape`; 0: no group
  Index inner = 0;         ///< inner count of a two-dimensional batch; 0: one dimension
  bool pointers = false;   ///< the batch is an array of pointers
  Index padding = 0;       ///< elements between consecutive rows (column-major: columns) of an operand
  Index offset = 0;        ///< elements between an aligned address and the operand
  std::string scales;      ///< of 8-bit floats: one, lines or blocks; empty: none
  Sharing shared;          ///< distribution among processes
  bool cold = false;       ///< caches were flushed before each sample
  Index burst = 0;         ///< consecutive calls in one sample; 0: one
  bool automatic = false;  ///< kernel chosen by the library
  bool tuned = false;      ///< kernel chosen from a tuning table
  bool aligned = false;    ///< the length of every row is a multiple of 16 bytes
  Seconds seconds;
  double gflops = 0;             ///< 0: nothing is multiplied
  double intensity = 0;          ///< FLOP/B, each operand moved once
  double request_intensity = 0;  ///< FLOP/B requested from global memory by the threads; 0: not known
  std::string bound;             ///< memory, compute, cache or launch; empty: no ceiling for the mode
  double roofline_fraction = 0;  ///< fraction of the measured roofline at `intensity`; 0: not known
  double vendor_ratio = 0;       ///< vendor's median time / this median time; 0: no vendor library
  double peer_ratio = 0;         ///< peer library's median time / this median time; 0: no peer library
  std::vector<Metric> metrics;   ///< values of the probes that apply here
  std::vector<Metric>
      counters;            ///< hardware counters of a separate call; empty: not asked for or not available
  double error_ratio = 0;  ///< worst error over its bound
  std::size_t rows_checked = 0;  ///< rows of C compared with the reference
  std::string status;            ///< ok, unsupported, failed
  std::string reason;
  std::string disturbed;  ///< why the vendor ratio does not count; empty: it counts

  bool ok() const { return status == "ok"; }

  /// Whether the result has a rate: without products, gemm only scales C.
  bool multiplied() const { return alpha != 0 && std::min({shape.m, shape.n, shape.k}) > 0; }
};

/// Describes the product, such as `8x8x8 rrr`. Only results with equal descriptions are compared.
std::string product_of(const Result& r);

struct NamedRate {
  std::string name;
  double rate = 0;
};

struct Ceilings {
  double fp32_gflops = 0;  ///< independent chains of fused multiply-adds
  double fp64_gflops = 0;
  double bandwidth_gbs = 0;  ///< copy larger than the caches, bytes read and written
  /// GFLOP/s per operand type of instructions that add several products to each element: GPU matrix
  /// instructions, CPU dot-product instructions. Empty in older files.
  std::vector<NamedRate> matrix_gflops{};
  /// Read bandwidth in GB/s of each cache level, outermost first; empty in older files.
  std::vector<NamedRate> levels_gbs{};
  double launch_us = 0;  ///< launch time of an empty kernel, timed as samples are; 0 in older files
  double clock_mhz = 0;  ///< clock during the FMA chains; 0: not available

  /// Rate of the fastest units for the mode's element type; 0 if not measured.
  double gflops(ComputeMode math) const;
  /// Rate of the matrix instructions for an operand type, or of a cache level; 0 if not measured.
  double matrix(std::string_view operand) const { return rate_of(matrix_gflops, operand); }
  double level(std::string_view name) const { return rate_of(levels_gbs, name); }

 private:
  static double rate_of(const std::vector<NamedRate>& rates, std::string_view name);
};

/// The ceilings in one line: `61 TFLOP/s fp32, … ; 4000 GB/s memory, …`.
std::string in_words(const Ceilings& ceilings);

struct MeasuredDevice {
  std::string name, backend;
  int number = 0;   ///< the runtime's index of a GPU
  int threads = 0;  ///< CPU threads per product, for each of `ranks`; 0: a GPU
  Ceilings ceilings;
  std::string state;  ///< driver and clocks, or the libraries in use; may be empty
  Index ranks = 0;    ///< processes of a distributed product; 0: not distributed
  Hardware hardware{};
};

inline std::string identity(const MeasuredDevice& device) {
  return identity(device.name, device.hardware);
}

/// A path that is not available in this build or on this machine, and the reason.
struct Absent {
  std::string what;
  std::string why;
};

struct Origin {
  std::string date;  ///< such as 2026-11-21T06:00:00Z
  std::string rooftile;
  std::string commit;       ///< commit of the build; `unknown` without git, empty in older files
  std::string compiler;     ///< names and versions
  std::size_t threads = 0;  ///< hardware threads of the CPU
};

Origin origin_here();

/// Ratios of a baseline's median time to the kernel's median time, over several products.
struct Ratios {
  double geometric_mean = 0;  ///< over products that both ran; 0 if none
  double worst = 0;
  std::string worst_product;  ///< `4096x4096x4096 rrr`
  std::size_t slow = 0;       ///< products with a ratio below 0.9
  std::size_t products = 0;   ///< products that both ran
  std::size_t missing = 0;    ///< products that one of the two did not run

  /// @param ratio  0 if one of the two did not run
  void add(const Result& r, double ratio);

 private:
  double sum_of_logs_ = 0;
};

inline constexpr double slow_ratio = 0.9;

/// A vendor ratio above this value means that one measurement was disturbed: no kernel is that much faster.
inline constexpr double disturbed_ratio = 5;

/// Time of the library's chosen kernel divided by the time of the fastest kernel of its path. Computed for
/// products where the run measured both.
struct Regret {
  double regret = 0, worst_regret = 0;  ///< geometric mean and maximum
  std::string worst_product;            ///< product with the largest regret
  double noise = 0;          ///< median relative difference between chosen and named run of one kernel
  std::size_t products = 0;  ///< products with a regret
};

/// Summary of one path on one device in one compute mode.
struct Summary {
  std::string path, backend, dtype, math;
  Ratios aligned, unaligned, all;  ///< ratios to the vendor
  Ratios peer;                     ///< ratios to the peer library, over all products
  Regret choice;
};

/// @return one summary for each path, device and compute mode for which the library chose a kernel
std::vector<Summary> summaries_of(const std::vector<Result>& results);

/// Sets the rate, the bound and the roofline fraction of a result that multiplies.
/// @param flops  FLOP of one product of the batch
void set_rate(Result& r, double flops, double intensity, ComputeMode math, const Ceilings& ceilings);

/// The larger value of each ceiling of two measurements, and the shorter launch time.
Ceilings largest_of(const Ceilings& a, const Ceilings& b);

/// Sets the ratios of one product's results to the fastest vendor and peer results, and marks disturbed
/// results.
void compare_with_baselines(std::vector<Result>& results);

struct Run {
  bool complete = true;                ///< the run was not interrupted
  std::vector<std::string> arguments;  ///< as typed; empty in files that combine several runs
  Origin origin;
  std::vector<MeasuredDevice> devices;
  std::vector<Absent> absent;
  std::string sampling{};  ///< description of the sampling; empty in older files
  std::vector<Result> results;
  std::vector<Summary> summaries;  ///< of a suite; written only, since `summaries_of` recomputes them
};

}  // namespace rooftile::perf
