// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "rooftile/model/limits.hpp"
#include "rooftile/types.hpp"

namespace rooftile::model {

/// The type that is multiplied.
using Precision = Operand;

/// The names, in the order of `Precision`.
inline constexpr std::array<std::string_view, 7> precision_names = {"fp64", "fp32", "tf32", "bf16",
                                                                    "fp16", "int8", "fp8"};

/// Returns the name of a precision.
constexpr std::string_view name(Precision p) {
  return precision_names[static_cast<std::size_t>(p)];
}

/// Returns the bytes of one value in memory; tf32 is stored as fp32.
constexpr int bytes_of(Precision p) {
  if (p == Precision::fp64) return 8;
  if (p == Precision::int8 || p == Precision::fp8) return 1;
  return p == Precision::fp32 || p == Precision::tf32 ? 4 : 2;
}

/// The units that multiply: scalar or SIMD units, or matrix units (NVIDIA tensor cores, AMD MFMA).
enum class Pipe { vector, tensor };

/// The names, in the order of `Pipe`.
inline constexpr std::array<std::string_view, 2> pipe_names = {"vector", "tensor"};

/// Returns the name of a pipe.
constexpr std::string_view name(Pipe p) {
  return pipe_names[static_cast<std::size_t>(p)];
}

/// Peak rates of dense products, accumulated in fp32 or wider, or int32 for integers. 0: unknown or not
/// supported.
struct Peaks {
  double fp64 = 0;  ///< GFLOP/s
  double fp32 = 0;  ///< GFLOP/s
  double tf32 = 0;  ///< GFLOP/s
  double bf16 = 0;  ///< GFLOP/s
  double fp16 = 0;  ///< GFLOP/s
  double int8 = 0;  ///< 10⁹ operations per second
  double fp8 = 0;   ///< GFLOP/s

  /// Returns the peak rate of a precision.
  constexpr double of(Precision p) const {
    return std::array{fp64, fp32, tf32, bf16, fp16, int8, fp8}[static_cast<std::size_t>(p)];
  }
};

/// The vendor, whose allocation rules apply.
enum class Vendor { nvidia, amd, cpu };

/// One device. For a card with several dies, it is the part that a program sees as a device. 0 and empty:
/// unknown.
struct Device {
  std::string_view name;              ///< the vendor's name
  std::string_view alias;             ///< a second name for searches
  Vendor vendor = Vendor::cpu;        ///< its allocation rules apply
  std::string_view architecture;      ///< compute capability or LLVM target
  int sms = 0;                        ///< SMs, compute units or CPU cores
  int cores = 0;                      ///< fp32 lanes of all SMs
  double clock_mhz = 0;               ///< boost clock, on which the peaks are based
  double bandwidth_gbs = 0;           ///< of the device memory, 10⁹ bytes per second
  Count l2_bytes = 0;                 ///< of the whole device
  Count l3_bytes = 0;                 ///< AMD's Infinity Cache or a CPU's last level
  double l2_bytes_per_clock = 0;      ///< of the whole device
  double shared_bytes_per_clock = 0;  ///< of one SM
  SmLimits limits{};                  ///< of one SM
  Peaks vector{};                     ///< of the vector units
  Peaks tensor{};                     ///< of the matrix units
  std::string_view source;            ///< source of the numbers

  /// Returns GFLOP/s of a pipe in a precision; 0: unknown or not supported.
  constexpr double peak_gflops(Precision p, Pipe pipe) const {
    return (pipe == Pipe::vector ? vector : tensor).of(p);
  }

  /// Returns GB/s between L2 and the SMs.
  constexpr double l2_gbs() const { return l2_bytes_per_clock * clock_mhz / 1e3; }

  /// Returns GB/s of the shared memories of all SMs.
  constexpr double shared_gbs() const { return shared_bytes_per_clock * sms * clock_mhz / 1e3; }

  /// Whether occupancy is defined: a CPU core has no resident blocks.
  constexpr bool has_sm_limits() const { return limits.threads != unlimited; }
};

/// Returns GFLOP/s of `cores` that each finish one fused multiply-add (two operations) per clock.
constexpr double peak_of_cores(int cores, double clock_mhz) {
  return 2.0 * cores * clock_mhz / 1e3;
}

}  // namespace rooftile::model
