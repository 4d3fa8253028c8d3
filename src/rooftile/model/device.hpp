// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "rooftile/model/limits.hpp"
#include "rooftile/types.hpp"

namespace rooftile::model {

/// What is multiplied.
using Precision = Operand;

/// In the order of `Precision`.
inline constexpr std::array<std::string_view, 6> precision_names = {"fp64", "fp32", "tf32",
                                                                    "bf16", "fp16", "int8"};

/// As in `precision_names`.
constexpr std::string_view name(Precision p) {
  return precision_names[static_cast<std::size_t>(p)];
}

/// Bytes of one value in memory; tf32 is fp32 there.
constexpr int bytes_of(Precision p) {
  if (p == Precision::fp64) return 8;
  if (p == Precision::int8) return 1;
  return p == Precision::fp32 || p == Precision::tf32 ? 4 : 2;
}

/// Which units multiply: the scalar or SIMD ones, or the matrix units (NVIDIA tensor cores, AMD MFMA).
enum class Pipe { vector, tensor };

/// In the order of `Pipe`.
inline constexpr std::array<std::string_view, 2> pipe_names = {"vector", "tensor"};

/// As in `pipe_names`.
constexpr std::string_view name(Pipe p) {
  return pipe_names[static_cast<std::size_t>(p)];
}

/// Peak rates in GFLOP/s of dense products, accumulated in fp32 or wider, of integers in int32. 0: unknown,
/// or the device cannot.
struct Peaks {
  double fp64 = 0;  ///< GFLOP/s
  double fp32 = 0;  ///< GFLOP/s
  double tf32 = 0;  ///< GFLOP/s
  double bf16 = 0;  ///< GFLOP/s
  double fp16 = 0;  ///< GFLOP/s
  double int8 = 0;  ///< 10⁹ operations per second

  /// That of a precision.
  constexpr double of(Precision p) const {
    return std::array{fp64, fp32, tf32, bf16, fp16, int8}[static_cast<std::size_t>(p)];
  }
};

/// Whose rules of allocation hold.
enum class Vendor { nvidia, amd, cpu };

/// One device (of a multi-die card the part that a program sees as a device). 0 and empty: unknown.
struct Device {
  std::string_view name;              ///< as its vendor calls it
  std::string_view alias;             ///< a second name to find it by
  Vendor vendor = Vendor::cpu;        ///< whose rules of allocation hold
  std::string_view architecture;      ///< compute capability or LLVM target
  int sms = 0;                        ///< SMs, compute units or CPU cores
  int cores = 0;                      ///< fp32 lanes of all SMs
  double clock_mhz = 0;               ///< the boost clock, which the peaks are quoted at
  double bandwidth_gbs = 0;           ///< of the device memory, 10⁹ bytes per second
  Count l2_bytes = 0;                 ///< of the whole device
  Count l3_bytes = 0;                 ///< AMD's Infinity Cache, a CPU's last level
  double l2_bytes_per_clock = 0;      ///< of the whole device
  double shared_bytes_per_clock = 0;  ///< of one SM
  SmLimits limits{};                  ///< of one SM
  Peaks vector{};                     ///< of the vector units
  Peaks tensor{};                     ///< of the matrix units
  std::string_view source;            ///< of these numbers

  /// GFLOP/s of a pipe in a precision; 0: unknown, or the device cannot.
  constexpr double peak_gflops(Precision p, Pipe pipe) const {
    return (pipe == Pipe::vector ? vector : tensor).of(p);
  }

  /// GB/s between L2 and the SMs.
  constexpr double l2_gbs() const { return l2_bytes_per_clock * clock_mhz / 1e3; }

  /// GB/s of the shared memories of all SMs together.
  constexpr double shared_gbs() const { return shared_bytes_per_clock * sms * clock_mhz / 1e3; }

  /// Whether occupancy means anything here: a CPU core has no resident blocks.
  constexpr bool has_sm_limits() const { return limits.threads != unlimited; }
};

/// GFLOP/s of `cores` that each finish one fused multiply-add, two operations, per clock.
constexpr double peak_of_cores(int cores, double clock_mhz) {
  return 2.0 * cores * clock_mhz / 1e3;
}

}  // namespace rooftile::model
