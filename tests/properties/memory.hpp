// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "perf/products.hpp"
#include "plan/batch_parts.hpp"
#include "rooftile/problem.hpp"

/// The memory of this executable's device, and loops over it that run there: memory_host.cpp, memory_cuda.cu
/// or memory_hip.cpp. All support every element type and are complete when they return.
namespace rooftile::testing {

/// Element values: ±1 … ±`largest`, never 0, so that a missing or extra term is detected.
struct Values {
  std::uint64_t seed;
  int largest;
};

/// Number `index` of an operand (splitmix64: Steele, Lea, Flood, 2014).
ROOFTILE_FUNCTION int number_at(const Values& values, Index index) {
  std::uint64_t x = values.seed + 0x9E3779B97F4A7C15U * static_cast<std::uint64_t>(index + 1);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  x ^= x >> 31;
  const int size = 1 + static_cast<int>((x >> 1) % static_cast<std::uint64_t>(values.largest));
  return (x & 1U) != 0 ? size : -size;
}

/// The largest magnitude of elements of A and B. All sums are then exact in the mode's accumulator, and C can
/// represent alpha and beta times them. With an fp64 accumulator, products have up to 24 bits. int8 uses its
/// whole range. In fp32 it covers sums of K products, twice as many for complex numbers, and multiples by
/// halves.
template <class T>
int largest_value(Index k) {
  if constexpr (type_of<T>() == Type::int8) return 127;
  if constexpr (own_mode<T>() == ComputeMode::fp32_fp64) return 4095;
  return k <= 4096 ? 3 : 1;
}

/// Element `index`. Complex elements use one number per part.
template <class T>
ROOFTILE_FUNCTION T value_at(const Values& values, Index index) {
  if constexpr (detail::is_complex<T>) {
    using Part = Real<T>;
    return {static_cast<Part>(number_at(values, 2 * index)),
            static_cast<Part>(number_at(values, 2 * index + 1))};
  } else {
    return static_cast<T>(static_cast<Scalar<T>>(number_at(values, index)));
  }
}

/// x converted to double.
template <class T>
ROOFTILE_FUNCTION auto in_double(T x) {
  using Double = std::conditional_t<detail::is_complex<T>, complex<double>, double>;
  return static_cast<Double>(static_cast<Scalar<T>>(x));
}

/// Element (i,j) of C = alpha·A·B + beta·C by the definition, exact in double. Integers wrap around.
template <class T>
ROOFTILE_FUNCTION Out<T> element_of(const GemmArgs<T>& args, Index i, Index j) {
  using Double = decltype(in_double(Out<T>()));
  Double result = 0;
  if (args.alpha != 0) {
    Double sum = 0;
    for (Index k = 0; k < args.A.cols; ++k)
      detail::multiply_add(sum, in_double(args.A.value(i, k)), in_double(args.B.value(k, j)));
    result = in_double(args.alpha) * sum;
  }
  if (args.beta != 0) result += in_double(args.beta) * in_double(args.C.value(i, j));
  if constexpr (std::is_integral_v<Out<T>>) {
    return static_cast<Out<T>>(static_cast<std::int64_t>(result));
  } else {
    return args.C.read(static_cast<Out<T>>(static_cast<Scalar<T>>(result)));
  }
}

/// Whether a kernel may return `found` for `expected`: zeros of either sign agree, and NaNs agree bit for
/// bit.
template <class T>
ROOFTILE_FUNCTION bool agree(T found, T expected) {
  if (static_cast<Scalar<T>>(found) == static_cast<Scalar<T>>(expected)) return true;
  if constexpr (detail::is_complex<T>) {
    return agree(found.re, expected.re) && agree(found.im, expected.im);
  } else if constexpr (std::is_same_v<T, double>) {
    return __builtin_bit_cast(std::uint64_t, found) == __builtin_bit_cast(std::uint64_t, expected);
  } else if constexpr (std::is_same_v<T, float>) {
    return __builtin_bit_cast(std::uint32_t, found) == __builtin_bit_cast(std::uint32_t, expected);
  } else if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return found.bits == expected.bits;
  }
}

/// Converts an element's index among all batch entries to its entry and (i,j).
struct Place {
  Index entry, i, j;

  ROOFTILE_FUNCTION Place(Index number, Index rows, Index cols)
      : entry(number / (rows * cols)), i(number / cols % rows), j(number % cols) {}
};

/// Limits of a case, so that thousands of cases take minutes.
struct Limits {
  double multiply_adds;
  std::size_t bytes;  ///< per operand
  Index longest_k;
  Index max_entries;  ///< per batch
};
Limits limits();

/// Whether this device can fence memory.
bool fenced();

/// Memory between fences if the device is `fenced`: an access outside ends the process or makes a call fail.
class Block {
 public:
  explicit Block(std::size_t bytes);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  template <class T>
  T* begin() const {
    return reinterpret_cast<T*>(begin_);
  }
  template <class T>
  T* end() const {
    return reinterpret_cast<T*>(end_);
  }

 private:
  char *begin_, *end_;
  void* whole_;  ///< with the fences
  std::size_t whole_bytes_;
};

/// Copies from or to the host, or within the device.
void copy_bytes(void* to, const void* from, std::size_t bytes);

/// Loops over device memory, for every type of `AllElements`.
template <class T>
struct Loops {
  static void fill(T* first, Index count, T value);

  /// Writes all elements of a batch and nothing else.
  static void fill(const BatchRef<T>& X, const Values& values);

  static void copy(T* to, const T* from, Index count);

  /// Reads one element on the host.
  static T value(const T* element);

  /// The first element in which the two do not `agree`. -1 if there is none.
  static Index first_difference(const T* found, const T* expected, Index count);
};

/// Computes C by the definition (`element_of`), for every element type and all mixed types.
template <class T>
void multiply(const StridedArgs<T>& args);

// Explicit instantiations, for the sources that define these templates.
#define ROOFTILE_TEST_INSTANTIATE_MULTIPLY(...) template void multiply(const StridedArgs<__VA_ARGS__>&);
#define ROOFTILE_TEST_INSTANTIATE_LOOPS   \
  template struct Loops<float>;           \
  template struct Loops<double>;          \
  template struct Loops<float16>;         \
  template struct Loops<bfloat16>;        \
  template struct Loops<complex<float>>;  \
  template struct Loops<complex<double>>; \
  template struct Loops<std::int8_t>;     \
  template struct Loops<std::int32_t>;    \
  template struct Loops<float8_e4m3>;     \
  ROOFTILE_FOR_EACH_PRODUCT_TYPE(ROOFTILE_TEST_INSTANTIATE_MULTIPLY)

}  // namespace rooftile::testing
