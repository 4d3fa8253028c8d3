// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace rooftile {

/// The types of matrix elements.
enum class Type { fp32, fp64, fp16, bf16, cfp32, cfp64, int8, int32, fp8 };

/// Returns the name of a type, such as `fp32`.
constexpr std::string_view to_string(Type type) {
  constexpr std::string_view names[] = {"fp32",  "fp64", "fp16",  "bf16", "cfp32",
                                        "cfp64", "int8", "int32", "fp8"};
  return names[static_cast<std::size_t>(type)];
}

/// Returns `fp32`, or `bf16 with C of fp32` if C has another type than A and B.
inline std::string to_string(Type type, Type result) {
  return std::string(to_string(type)) +
         (result == type ? "" : " with C of " + std::string(to_string(result)));
}

/// Returns the bytes of an element.
constexpr std::size_t size_of(Type type) {
  constexpr std::size_t sizes[] = {4, 8, 2, 2, 8, 16, 1, 4, 1};
  return sizes[static_cast<std::size_t>(type)];
}
/// Whether elements have a real and an imaginary part.
constexpr bool is_complex(Type type) {
  return type == Type::cfp32 || type == Type::cfp64;
}
/// Whether elements, or their parts, are fp64.
constexpr bool multiplies_fp64(Type type) {
  return type == Type::fp64 || type == Type::cfp64;
}
/// Returns the real multiply-adds for one multiply-add of elements.
constexpr int real_multiply_adds(Type type) {
  return is_complex(type) ? 4 : 1;
}
/// Whether elements have 16 bits, whose accumulator is fp32.
constexpr bool is_16_bit(Type type) {
  return type == Type::fp16 || type == Type::bf16;
}

/// The arithmetic of a product (`modes`). Each mode but `automatic` belongs to one element type of A and B
/// and one of C. Most are the own mode of their types: exact products, summed in the accumulator. Others
/// trade accuracy for speed.
enum class ComputeMode {
  automatic = -1,  ///< the own mode of the element types
  fp32,
  fp64,
  fp16,        ///< fp16 products, accumulated in fp32
  bf16,        ///< bf16 products, accumulated in fp32
  tf32,        ///< fp32 elements rounded to 11 significant bits, accumulated in fp32
  tf32x3,      ///< fp32 from three tf32 products, nearly as accurate; fp32 itself if that is faster
  cfp32,       ///< complex numbers of two fp32
  cfp64,       ///< complex numbers of two fp64
  fp16_fp32,   ///< A and B in fp16, C in fp32
  bf16_fp32,   ///< A and B in bf16, C in fp32
  fp32_fp64,   ///< A and B in fp32; products, accumulators and C in fp64
  int8_int32,  ///< A and B in int8, C in int32: exact, modulo 2³² on overflow
  fp64_int8,   ///< fp64 from exact int8 products, as accurate; fp64 itself if the guard cannot prove it
  cfp32_tf32,  ///< complex numbers whose parts are rounded as in tf32
  cfp64_int8,  ///< fp64_int8 for complex numbers
  fp8_fp32,    ///< A and B in 8-bit floats with scales, accumulated in fp32, C in fp32
  fp8_bf16,    ///< A and B in 8-bit floats with scales, accumulated in fp32, C in bf16
  fp8_fp16,    ///< A and B in 8-bit floats with scales, accumulated in fp32, C in fp16
};
/// The deprecated name of `ComputeMode`.
using Math [[deprecated("rooftile::Math is now rooftile::ComputeMode")]] = ComputeMode;

/// The operands of the multiply units.
enum class Operand { fp64, fp32, tf32, bf16, fp16, int8, fp8 };

/// The error bound of a mode's A·B after n roundings (`error_bound`): factor·(operands + γₙ(unit_roundoff)),
/// relative to |A|·|B|.
struct ModeError {
  double unit_roundoff;  ///< of the accumulator
  double operands = 0;   ///< of a product of two rounded factors, or of the sum of a step of fp8 products
  double factor = 1;     ///< of the whole bound
};

/// One compute mode.
struct Mode {
  ComputeMode math;       ///< the mode of this row
  std::string_view name;  ///< the name on the command line and in files
  Type element;           ///< element type of A and B
  Type result;            ///< element type of C
  Operand operand;        ///< type that the units multiply
  Type accumulator;       ///< type of the sums
  int terms;              ///< products of operands for one product of elements, or of their parts
  ModeError error;        ///< error bound of A·B

  /// Returns the operand products for one product of real numbers. Complex residue modes compute three real
  /// products, not four.
  constexpr double real_products() const {
    return takes_residues() && is_complex(element) ? 0.75 * terms : terms;
  }
  /// Whether the mode computes fp64 from exact products of residues. It falls back to fp64 if the guard
  /// cannot prove the accuracy.
  constexpr bool takes_residues() const { return operand == Operand::int8 && element != Type::int8; }
  /// Whether C has another element type than A and B.
  constexpr bool is_mixed() const { return element != result; }
  /// Whether the mode is the own mode of its element types.
  constexpr bool is_own() const { return is_mixed() || name == to_string(element); }
};

namespace detail {

/// Tensor cores truncate sums instead of rounding them, and align the addends of a block to the largest first
/// (Fasi, Higham, Mikaitis, Pranesh: Numerical behavior of NVIDIA tensor cores, 2021).
inline constexpr double rounded_fp32 = 0x1p-24, truncated_fp32 = 0x1p-23, rounded_fp64 = 0x1p-53,
                        rounded_tf32 = 0x1p-11,
                        product_of_tf32 = 2 * rounded_tf32 + rounded_tf32 * rounded_tf32;

/// The tensor cores keep 13 bits of fraction of each addend of fp8 products, relative to the largest. They
/// sum 128 products by four instructions, with 32 addends in the first and 33 in each other one.
inline constexpr double sums_of_fp8 = (32 + 3 * 33) * 0x1p-13;

}  // namespace detail

/// The table of compute modes, which kernels, tests, bench and command line use. Products of 16-bit and tf32
/// numbers are exact in fp32, those of fp32 in fp64. tf32x3 has twice the bound of fp32. Mixed C has the
/// accumulator's type, so C is not rounded again; only 16-bit C of fp8 is. The int8 modes use 13 to 16
/// moduli.
// clang-format off
inline constexpr Mode modes[] = {
    {ComputeMode::fp32,       "fp32",       Type::fp32,  Type::fp32,  Operand::fp32, Type::fp32,  1,  {detail::rounded_fp32}},
    {ComputeMode::fp64,       "fp64",       Type::fp64,  Type::fp64,  Operand::fp64, Type::fp64,  1,  {detail::rounded_fp64}},
    {ComputeMode::fp16,       "fp16",       Type::fp16,  Type::fp16,  Operand::fp16, Type::fp32,  1,  {detail::truncated_fp32}},
    {ComputeMode::bf16,       "bf16",       Type::bf16,  Type::bf16,  Operand::bf16, Type::fp32,  1,  {detail::truncated_fp32}},
    {ComputeMode::tf32,       "tf32",       Type::fp32,  Type::fp32,  Operand::tf32, Type::fp32,  1,  {detail::truncated_fp32, detail::product_of_tf32}},
    {ComputeMode::tf32x3,     "tf32x3",     Type::fp32,  Type::fp32,  Operand::tf32, Type::fp32,  3,  {detail::rounded_fp32, 0, 2}},
    {ComputeMode::cfp32,      "cfp32",      Type::cfp32, Type::cfp32, Operand::fp32, Type::cfp32, 1,  {detail::rounded_fp32}},
    {ComputeMode::cfp64,      "cfp64",      Type::cfp64, Type::cfp64, Operand::fp64, Type::cfp64, 1,  {detail::rounded_fp64}},
    {ComputeMode::fp16_fp32,  "fp16_fp32",  Type::fp16,  Type::fp32,  Operand::fp16, Type::fp32,  1,  {detail::truncated_fp32}},
    {ComputeMode::bf16_fp32,  "bf16_fp32",  Type::bf16,  Type::fp32,  Operand::bf16, Type::fp32,  1,  {detail::truncated_fp32}},
    {ComputeMode::fp32_fp64,  "fp32_fp64",  Type::fp32,  Type::fp64,  Operand::fp64, Type::fp64,  1,  {detail::rounded_fp64}},
    {ComputeMode::int8_int32, "int8_int32", Type::int8,  Type::int32, Operand::int8, Type::int32, 1,  {0}},
    {ComputeMode::fp64_int8,  "fp64_int8",  Type::fp64,  Type::fp64,  Operand::int8, Type::fp64,  14, {detail::rounded_fp64}},
    {ComputeMode::cfp32_tf32, "cfp32_tf32", Type::cfp32, Type::cfp32, Operand::tf32, Type::cfp32, 1,  {detail::truncated_fp32, detail::product_of_tf32}},
    {ComputeMode::cfp64_int8, "cfp64_int8", Type::cfp64, Type::cfp64, Operand::int8, Type::cfp64, 14, {detail::rounded_fp64}},
    {ComputeMode::fp8_fp32,   "fp8_fp32",   Type::fp8,   Type::fp32,  Operand::fp8,  Type::fp32,  1,  {detail::truncated_fp32, detail::sums_of_fp8}},
    {ComputeMode::fp8_bf16,   "fp8_bf16",   Type::fp8,   Type::bf16,  Operand::fp8,  Type::fp32,  1,  {detail::truncated_fp32, detail::sums_of_fp8}},
    {ComputeMode::fp8_fp16,   "fp8_fp16",   Type::fp8,   Type::fp16,  Operand::fp8,  Type::fp32,  1,  {detail::truncated_fp32, detail::sums_of_fp8}},
};
// clang-format on
/// The number of modes.
inline constexpr std::size_t mode_count = std::size(modes);

/// Returns the row of a mode. @pre `math` is not `automatic`
constexpr const Mode& mode_of(ComputeMode math) {
  return modes[static_cast<std::size_t>(math)];
}

/// All modes but `automatic`.
inline constexpr std::array<ComputeMode, mode_count> all_modes = [] {
  std::array<ComputeMode, mode_count> all{};
  for (std::size_t i = 0; i < mode_count; ++i) all[i] = modes[i].math;
  return all;
}();

/// Returns the name of a mode, or `automatic`.
constexpr std::string_view to_string(ComputeMode math) {
  return math == ComputeMode::automatic ? "automatic" : mode_of(math).name;
}

/// Returns the own mode of A and B of `type` and C of `result`; `automatic` if no product has these types.
constexpr ComputeMode own_mode(Type type, Type result) {
  for (const Mode& mode : modes) {
    if (mode.element == type && mode.result == result && mode.is_own()) return mode.math;
  }
  return ComputeMode::automatic;
}
/// Returns the own mode of products of one type.
constexpr ComputeMode own_mode(Type type) {
  return own_mode(type, type);
}

/// Whether two modes have the same element types. @pre neither is `automatic`
constexpr bool same_types(ComputeMode x, ComputeMode y) {
  return mode_of(x).element == mode_of(y).element && mode_of(x).result == mode_of(y).result;
}

/// Whether a mode has another element type for C than for A and B. @pre `math` is not `automatic`
constexpr bool is_mixed(ComputeMode math) {
  return mode_of(math).is_mixed();
}

/// Whether a mode computes fp64 from products of residues; false for `automatic`.
constexpr bool takes_residues(ComputeMode math) {
  return math != ComputeMode::automatic && mode_of(math).takes_residues();
}

/// Returns the element type of a mode's A and B. @pre `math` is not `automatic`
constexpr Type type_of(ComputeMode math) {
  return mode_of(math).element;
}

}  // namespace rooftile
