// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/fp64_int8.hpp"
#include "rooftile/gemm.hpp"
#include "rooftile/gemm_grouped.hpp"
#include "tests/backends/openmp/int8_bounds.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"
#include "tests/support/int8_complex_numbers.hpp"

/// What products of real and of complex numbers by residues have in common. X is Operands or ComplexOperands.
namespace rooftile::testing {

template <class X>
using Matrix = decltype(X::a);
template <class X>
using ElementOf = typename decltype(Matrix<X>::data)::value_type;

/// Two matrices of a kind.
template <class X>
X drawn(std::string_view kind, const GemmShape& shape, Random& random) {
  if constexpr (std::is_same_v<X, Operands>) {
    return operands_of(kind, shape, random);
  } else {
    return complex_operands(kind, shape, random);
  }
}

/// @{
/// The real numbers that complex ones consist of.
inline const Operands& real_of(const Operands& x) {
  return x;
}
inline Operands real_of(const ComplexOperands& x) {
  return x.real();
}
inline const Numbers& real_of(const Numbers& c) {
  return c;
}
inline Numbers real_of(const ComplexNumbers& c) {
  return c.parts();
}
/// @}

inline bool same_bits(const ComplexNumbers& x, const ComplexNumbers& y) {
  return same_bits(x.parts(), y.parts());
}

template <class M>
void fill_with_nan(M& x) {
  x.data.assign(x.data.size(), std::numeric_limits<double>::quiet_NaN());
}

/// A·B into a C that holds NaN.
template <class X>
Matrix<X> product(const X& x, const GemmOptions& options, const Kokkos::OpenMP& exec = instance()) {
  using T = ElementOf<X>;
  Matrix<X> c(x.a.rows, x.b.cols);
  fill_with_nan(c);
  gemm(exec, T(1), x.a.ref(), x.b.ref(), T(0), c.ref(), options);
  return c;
}

/// Products of small integers are exact, with any number of moduli.
template <class X>
void check_small_integers(const std::vector<GemmShape>& shapes, Math math, Random& random) {
  for (const GemmShape& shape : shapes) {
    const X x = drawn<X>("small integers", shape, random);
    const Matrix<X> exact = product(x, {});  // whose sums are below 2^53
    for (int moduli = residues::min_moduli; moduli <= residues::max_moduli; ++moduli)
      CHECK(product(x, {.math = math, .moduli = moduli}).data == exact.data);
    CHECK(product(x, {.math = math}).data == exact.data);
  }
}

/// Each entry of a batch by pointers, and each product of a group, has a guard of its own.
template <class X>
void check_entries(Math math, Random& random) {
  using T = ElementOf<X>;
  constexpr GemmShape shape{20, 30, 70};
  std::vector<X> entries;
  for (const std::string_view kind : {"normal", "lognormal 2", "powers of two", "many zeros", "uniform"})
    entries.push_back(drawn<X>(kind, shape, random));
  std::vector<Matrix<X>> c(entries.size(), Matrix<X>(shape.m, shape.n));
  std::vector<const T*> a_pointers, b_pointers;
  std::vector<T*> c_pointers;
  std::vector<GemmArgs<T>> group;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    a_pointers.push_back(entries[i].a.data.data()), b_pointers.push_back(entries[i].b.data.data());
    c_pointers.push_back(c[i].data.data());
    group.push_back({T(1), entries[i].a.ref(), entries[i].b.ref(), T(0), c[i].ref()});
  }
  const GemmOptions guarded{.math = math};
  const auto check_all = [&] {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      CHECK(same_bits(c[i], product(entries[i], guarded)));
      fill_with_nan(c[i]);
    }
  };
  const auto count = static_cast<Index>(entries.size());
  gemm_batched(instance(), T(1), pointer_batch(a_pointers.data(), row_major<const T>(nullptr, 20, 70), count),
               pointer_batch(b_pointers.data(), row_major<const T>(nullptr, 70, 30), count), T(0),
               pointer_batch(c_pointers.data(), row_major<T>(nullptr, 20, 30), count), guarded);
  check_all();
  gemm_grouped(instance(), std::span<const GemmArgs<T>>(group), guarded);
  check_all();
}

/// Small products of all kinds and shapes: the guard may not pass where Grade A fails. @return how often it
/// passed
template <class X>
int try_small_products(int count, Math math) {
  instance();  // Kokkos runs before it has others
  const Kokkos::OpenMP one(1);
  Random random(10);
  int passed = 0, wrong = 0;
  for (int n = 0; n < count; ++n) {
    const auto extent = [&](unsigned most) { return static_cast<Index>(1 + random() % most); };
    const GemmShape shape{extent(4), extent(4), extent(random() % 4 == 0 ? 100 : 12)};
    const X x = drawn<X>(kinds[random() % std::size(kinds)], shape, random);
    passed += int8_guard(x.a.ref(), x.b.ref()).moduli > 0;
    wrong += count_beyond_grade_a(real_of(x), real_of(product(x, {.math = math}, one))) > 0;
  }
  CHECK(wrong == 0);
  return passed;
}

}  // namespace rooftile::testing
