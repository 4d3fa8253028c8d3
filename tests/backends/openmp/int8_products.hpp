// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "numerics/moduli.hpp"
#include "rooftile/fp64_int8.hpp"
#include "rooftile/gemm.hpp"
#include "rooftile/gemm_grouped.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"
#include "tests/support/int8_complex_numbers.hpp"
#include "tests/support/int8_numbers.hpp"

/// Shared by the tests of real and of complex products by residues: comparison of bits, and the bounds of
/// docs/numerics.md. X is Operands or ComplexOperands.
namespace rooftile::testing {

inline constexpr double u = 0x1p-53;

inline bool same_bits(const Numbers& x, const Numbers& y) {
  for (std::size_t e = 0; e < x.data.size(); ++e) {
    if (std::bit_cast<std::uint64_t>(x.data[e]) != std::bit_cast<std::uint64_t>(y.data[e])) return false;
  }
  return x.data.size() == y.data.size();
}

/// Counts elements whose distance from the exact result exceeds `bound(exact)`.
template <class Bound>
int count_beyond(const Operands& x, const Numbers& c, const Bound& bound) {
  int beyond = 0;
  for (Index i = 0; i < c.rows; ++i) {
    for (Index j = 0; j < c.cols; ++j) {
      const Exact exact = exact_element(x, i, j);
      const double distance = exact.distance(c.ref()(i, j));
      beyond += !(distance <= bound(exact) + Exact::underflow(x.a.cols));  // counts NaN, too
    }
  }
  return beyond;
}

/// Demmel's Grade A, with the K that the guard proves.
inline int count_beyond_grade_a(const Operands& x, const Numbers& c) {
  const double roundings = static_cast<double>(x.a.cols + 4);
  return count_beyond(x, c, [&](const Exact& e) { return roundings * u * e.magnitude; });
}

/// Bound E8. A row's norm is rounded up, and β' is less than β by 2⁻²⁰.
inline int count_beyond_e8(const Operands& x, const Numbers& c, int moduli) {
  const auto k = static_cast<double>(x.a.cols);
  const double squared = 1 / residues::squared_limit(moduli);  // 4^-β'
  const double of_norms = (2 * std::sqrt(k * squared) + k * squared) * (1 + 0x1p-20);
  return count_beyond(x, c, [&](const Exact& e) { return of_norms * e.norms + 3 * u * std::abs(e.sum); });
}

template <class X>
using Matrix = decltype(X::a);
template <class X>
using ElementOf = typename decltype(Matrix<X>::data)::value_type;

/// Two random matrices of a kind.
template <class X>
X drawn(std::string_view kind, const GemmShape& shape, Random& random) {
  if constexpr (std::is_same_v<X, Operands>) {
    return operands_of(kind, shape, random);
  } else {
    return complex_operands(kind, shape, random);
  }
}

/// @{
/// The real numbers that a complex product consists of.
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

/// A·B, written to a C that holds NaN.
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
void check_small_integers(const std::vector<GemmShape>& shapes, ComputeMode math, Random& random) {
  for (const GemmShape& shape : shapes) {
    const X x = drawn<X>("small integers", shape, random);
    const Matrix<X> exact = product(x, {});  // the sums are below 2^53
    for (int moduli = residues::min_moduli; moduli <= residues::max_moduli; ++moduli)
      CHECK(product(x, {.math = math, .moduli = moduli}).data == exact.data);
    CHECK(product(x, {.math = math}).data == exact.data);
  }
}

/// Each entry of a batch by pointers and each product of a group has its own guard.
template <class X>
void check_entries(ComputeMode math, Random& random) {
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

/// Where the guard passes, the result meets Grade A (for complex numbers in both parts). Elsewhere fp64
/// itself is used.
template <class X>
void check_guard(std::span<const GemmShape> shapes, ComputeMode math, Random& random) {
  int passed = 0, refused = 0;
  for (const std::string_view kind : kinds) {
    for (const GemmShape& shape : shapes) {
      INFO(kind << " " << to_string(shape));
      const X x = drawn<X>(kind, shape, random);
      const Operands& real = real_of(x);
      const Int8Guard guard = int8_guard(x.a.ref(), x.b.ref()),
                      of_real = int8_guard(real.a.ref(), real.b.ref());
      CHECK((guard.moduli == of_real.moduli && guard.why == of_real.why));
      const Matrix<X> c = product(x, {.math = math});
      CHECK(count_beyond_grade_a(real, real_of(c)) == 0);
      CHECK(same_bits(c, product(x, guard.moduli > 0 ? GemmOptions{.math = math, .moduli = guard.moduli}
                                                     : GemmOptions{})));
      ++(guard.moduli > 0 ? passed : refused);
    }
  }
  CHECK(passed > 40);
  CHECK(refused > 10);
}

/// The bounds can detect an error: they fail with fewer moduli than the guard requires for numbers with this
/// K.
template <class X>
void check_too_few_moduli(Index k, ComputeMode math, Random& random) {
  const X x = drawn<X>("lognormal 2", {20, 20, k}, random);
  const Matrix<X> c = product(x, {.math = math, .moduli = 13});
  CHECK(int8_guard(x.a.ref(), x.b.ref()).moduli == 0);
  CHECK(count_beyond_grade_a(real_of(x), real_of(c)) > 0);
  CHECK(count_beyond_e8(real_of(x), real_of(c), 16) > 0);
}

/// Infinity and NaN, in either part, give the result of fp64.
template <class X>
void check_specials(ComputeMode math, Random& random) {
  using Limits = std::numeric_limits<double>;
  constexpr int parts = std::is_same_v<X, Operands> ? 1 : 2;
  for (const double special : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
    for (int place = 0; place < 2 * parts; ++place) {
      X x = drawn<X>("normal", {20, 30, 40}, random);
      auto& element = (place < parts ? x.a : x.b).ref()(7, 3);
      if constexpr (parts == 1) {
        element = special;
      } else {
        (place % 2 == 0 ? element.re : element.im) = special;
      }
      CHECK(int8_guard(x.a.ref(), x.b.ref()).why == "fp64 itself: an element is infinite or NaN");
      const Matrix<X> exact = product(x, {});
      CHECK(same_bits(product(x, {.math = math}), exact));
      CHECK(same_bits(product(x, {.math = math, .moduli = 16}), exact));
    }
  }
}

/// The bits do not depend on threads, blocks or the workspace limit. The smallest workspace is below
/// `enough`.
template <class X>
void check_same_bits(const std::vector<GemmShape>& shapes, ComputeMode math, std::size_t enough,
                     Random& random) {
  using T = ElementOf<X>;
  const auto& [all, one, three] = instances();
  REQUIRE(all.concurrency() == 4);
  const GemmOptions guarded{.math = math};
  for (const GemmShape& shape : shapes) {
    const X x = drawn<X>("uniform", shape, random);
    const Matrix<X> usual = product(x, guarded);
    CHECK(same_bits(product(x, guarded, one), usual));
    CHECK(same_bits(product(x, guarded, three), usual));
    std::size_t least = 0;
    int refused = 0;
    for (std::size_t bytes = std::size_t{1} << 25; bytes > 0; bytes /= 2) {
      GemmOptions limited = guarded;
      limited.workspace.bytes = bytes;
      try {
        const GemmPlan plan = explain<T>(all, shape, limited);
        CHECK((plan.workspace <= bytes && plan.math == math));
        CHECK(same_bits(product(x, limited), usual));
        least = plan.workspace;
      } catch (const Unsupported& problem) {
        CHECK(problem.code() == Reason::workspace);
        ++refused;
      }
    }
    CHECK((least > 0 && least < enough && refused > 0));
    Matrix<X> nested(shape.m, shape.n);  // by one thread of a parallel region, without the others
    Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::OpenMP>(all, 0, 1), [&](int) {
      gemm(instance(), T(1), x.a.ref(), x.b.ref(), T(0), nested.ref(), guarded);
    });
    CHECK(same_bits(nested, usual));
  }
}

/// Small products of all kinds: where the guard passes, the result must meet Grade A.
/// @return how often the guard passed
template <class X>
int try_small_products(int count, ComputeMode math) {
  instance();  // initializes Kokkos before other instances are made
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
