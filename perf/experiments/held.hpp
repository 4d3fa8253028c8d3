// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "rooftile/detail/function.hpp"

/// Kernels with threads that hold values in registers; one source for every path.
namespace rooftile::perf {

/// Threads per block of all kernels of the experiments except the transposition.
inline constexpr int text_threads = 256;

/// One of four steps on whole numbers, which are exact on every device. The step is nonlinear, because a
/// compiler can merge many linear steps into one. @tparam X  a number, or a vector of them
template <int way, class X>
ROOFTILE_FUNCTION void step_on(X& x) {
  constexpr std::uint32_t factors[] = {1664525, 22695477, 1103515245, 134775813};
  x = (x ^ (x >> 13)) * factors[way] + (2 * way + 1);
}

struct RegisterLaunch {
  int values = 1;
  bool chained = false;  ///< each step waits for the previous one; otherwise values are independent
};
inline constexpr std::array register_values = {4, 8, 16, 32, 64, 128};

inline constexpr int held_steps = 256;

/// General-purpose registers of a CPU core.
#if defined(__x86_64__)
inline constexpr int cpu_registers = 16;
#else
inline constexpr int cpu_registers = 31;  // aarch64
#endif

/// @tparam values  number of values of the thread
template <int values, bool chained, int value>
ROOFTILE_FUNCTION void step_held(std::uint32_t* x) {
  if constexpr (chained) x[value] ^= x[(value + values - 1) % values];
  step_on<0>(x[value]);
}
template <bool chained, int... value>
ROOFTILE_FUNCTION void step_each(std::uint32_t* x, std::integer_sequence<int, value...>) {
  (step_held<sizeof...(value), chained, value>(x), ...);
}

/// Holds a thread's values in registers. They are one block size apart in memory, so that a warp's accesses
/// are adjacent. The loop over the values is unrolled, so that each gets a register if enough exist. @param a
/// all threads' values
template <int values, bool chained>
ROOFTILE_FUNCTION void hold(std::uint32_t* a, std::int64_t thread) {
  std::uint32_t x[values];
  std::uint32_t* const own = a + thread / text_threads * text_threads * values + thread % text_threads;
  for (int v = 0; v < values; ++v) x[v] = own[v * text_threads];
  for (int step = 0; step < held_steps; ++step)
    step_each<chained>(x, std::make_integer_sequence<int, values>());
  for (int v = 0; v < values; ++v) own[v * text_threads] = x[v];
}

/// Calls f.operator()<value>() for the template value that equals `wanted`.
template <int... values, class F>
void with_constant(int wanted, const F& f) {
  const auto call = [&]<int value>() {
    if (value == wanted) f.template operator()<value>();
  };
  (call.template operator()<values>(), ...);
}

template <class F>
void with_held(const RegisterLaunch& launch, const F& f) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    with_constant<register_values[i]...>(launch.values, [&]<int values>() {
      with_constant<0, 1>(launch.chained,
                          [&]<int chained>() { f.template operator()<values, chained != 0>(); });
    });
  }
  (std::make_index_sequence<register_values.size()>());
}

}  // namespace rooftile::perf
