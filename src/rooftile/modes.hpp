// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace rooftile {

/// What a matrix is made of.
enum class Type { fp32, fp64, fp16, bf16, cfp32, cfp64, int8, int32 };

/// `fp32`
constexpr std::string_view to_string(Type type) {
  constexpr std::string_view names[] = {"fp32", "fp64", "fp16", "bf16", "cfp32", "cfp64", "int8", "int32"};
  return names[static_cast<std::size_t>(type)];
}

/// `fp32`; of products whose C has another type than A and B, `bf16 with C of fp32`.
inline std::string to_string(Type type, Type result) {
  return std::string(to_string(type)) +
         (result == type ? "" : " with C of " + std::string(to_string(result)));
}

/// Bytes of an element.
constexpr std::size_t size_of(Type type) {
  constexpr std::size_t sizes[] = {4, 8, 2, 2, 8, 16, 1, 4};
  return sizes[static_cast<std::size_t>(type)];
}
/// Whether elements have a real and an imaginary part.
constexpr bool is_complex(Type type) {
  return type == Type::cfp32 || type == Type::cfp64;
}
/// Whether they, or their parts, are fp64.
constexpr bool multiplies_fp64(Type type) {
  return type == Type::fp64 || type == Type::cfp64;
}
/// Multiply-adds of real numbers for one of elements.
constexpr int real_multiply_adds(Type type) {
  return is_complex(type) ? 4 : 1;
}
/// Whether elements have 16 bits, and so are summed in fp32.
constexpr bool is_16_bit(Type type) {
  return type == Type::fp16 || type == Type::bf16;
}

/// What the products of elements are computed in (`modes`). Each mode but `automatic` belongs to one element
/// type of A and B and one of C: the types' own, exact products summed in fp32 or wider; or, of fp32, one
/// that gives up accuracy for speed.
enum class ComputeMode {
  automatic = -1,  ///< the element type's own
  fp32,
  fp64,
  fp16,    ///< products of fp16, summed in fp32
  bf16,    ///< products of bf16, summed in fp32
  tf32,    ///< elements of fp32 rounded to 11 significant bits, summed in fp32
  tf32x3,  ///< three products of tf32 for one of fp32, nearly its accuracy; fp32 itself where that is faster
  cfp32,   ///< complex numbers of two fp32
  cfp64,   ///< complex numbers of two fp64
  fp16_fp32,   ///< A and B of fp16, C of fp32
  bf16_fp32,   ///< A and B of bf16, C of fp32
  fp32_fp64,   ///< A and B of fp32, products, sums and C of fp64
  int8_int32,  ///< A and B of int8, C of int32: exact, and modulo 2³² where that overflows
  fp64_int8,   ///< fp64 from exact products of int8, as accurate; fp64 itself where nothing proves that
  cfp32_tf32,  ///< complex numbers of two fp32, whose parts are rounded as those of tf32
  cfp64_int8,  ///< fp64_int8 of complex numbers
};
/// The name before 0.1.0.
using Math [[deprecated("rooftile::Math is now rooftile::ComputeMode")]] = ComputeMode;

/// What an engine multiplies.
enum class Operand { fp64, fp32, tf32, bf16, fp16, int8 };

/// How far a mode's A·B may be from the exact one (`error_bound`), of n roundings:
/// factor·(operands + γₙ(unit_roundoff)), relative to |A|·|B|.
struct ModeError {
  double unit_roundoff;  ///< of the sums
  double operands = 0;   ///< of a product whose two factors were rounded to the operand
  double factor = 1;     ///< of all of it
};

/// A compute mode.
struct Mode {
  ComputeMode math;       ///< whose row it is
  std::string_view name;  ///< on the command line and in files
  Type element;           ///< of A and B
  Type result;            ///< of C
  Operand operand;        ///< that the engine multiplies
  Type accumulator;       ///< that products are summed in
  int terms;              ///< products of operands for one of elements, or of their parts
  ModeError error;        ///< how far its A·B may be from the exact one

  /// Products of operands for one of real numbers that an element's product consists of. A product of complex
  /// numbers by residues takes three real ones, not four.
  constexpr double real_products() const {
    return takes_residues() && is_complex(element) ? 0.75 * terms : terms;
  }
  /// Whether it computes fp64 from products of residues, which are exact, or where these prove too little in
  /// the elements' own mode.
  constexpr bool takes_residues() const { return operand == Operand::int8 && element != Type::int8; }
  /// Whether C has another element type than A and B.
  constexpr bool is_mixed() const { return element != result; }
  /// Whether it is the mode that its element types have by themselves.
  constexpr bool is_own() const { return is_mixed() || name == to_string(element); }
};

namespace detail {

/// Tensor cores truncate sums instead of rounding them, and align the addends of a block to the largest first
/// (Fasi, Higham, Mikaitis, Pranesh: Numerical behavior of NVIDIA tensor cores, 2021).
inline constexpr double rounded_fp32 = 0x1p-24, truncated_fp32 = 0x1p-23, rounded_fp64 = 0x1p-53,
                        rounded_tf32 = 0x1p-11,
                        product_of_tf32 = 2 * rounded_tf32 + rounded_tf32 * rounded_tf32;

}  // namespace detail

/// The one table of compute modes: kernels, tests, bench and command line have theirs from here. Products of
/// 16 bits and of tf32 are exact in fp32, those of fp32 in fp64. tf32x3 is held to twice the bound of fp32.
/// C of mixed types has the sums' type, so that none is rounded again. fp64_int8 and
/// cfp64_int8 take 13 to 16 products, as many as their guard finds.
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
};
// clang-format on
/// How many there are.
inline constexpr std::size_t mode_count = std::size(modes);

/// The row of a mode. @pre `math` is not `automatic`
constexpr const Mode& mode_of(ComputeMode math) {
  return modes[static_cast<std::size_t>(math)];
}

/// All but `automatic`.
inline constexpr std::array<ComputeMode, mode_count> all_modes = [] {
  std::array<ComputeMode, mode_count> all{};
  for (std::size_t i = 0; i < mode_count; ++i) all[i] = modes[i].math;
  return all;
}();

/// The mode's name, or `automatic`.
constexpr std::string_view to_string(ComputeMode math) {
  return math == ComputeMode::automatic ? "automatic" : mode_of(math).name;
}

/// The types' own mode, which lowers no accuracy; `automatic` where no product has A and B of `type` and C of
/// `result`.
constexpr ComputeMode own_mode(Type type, Type result) {
  for (const Mode& mode : modes) {
    if (mode.element == type && mode.result == result && mode.is_own()) return mode.math;
  }
  return ComputeMode::automatic;
}
/// The same where C has the type of A and B.
constexpr ComputeMode own_mode(Type type) {
  return own_mode(type, type);
}

/// Whether two modes belong to the same element types. @pre neither is `automatic`
constexpr bool same_types(ComputeMode x, ComputeMode y) {
  return mode_of(x).element == mode_of(y).element && mode_of(x).result == mode_of(y).result;
}

/// Whether C has another element type than A and B. @pre `math` is not `automatic`
constexpr bool is_mixed(ComputeMode math) {
  return mode_of(math).is_mixed();
}

/// Whether a mode computes fp64 from products of residues; `automatic` does not.
constexpr bool takes_residues(ComputeMode math) {
  return math != ComputeMode::automatic && mode_of(math).takes_residues();
}

/// The element type of a mode's A and B. @pre `math` is not `automatic`
constexpr Type type_of(ComputeMode math) {
  return mode_of(math).element;
}

}  // namespace rooftile
