// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Infinity, NaN and subnormal numbers in every kernel of the path.
#include <catch2/catch_template_test_macros.hpp>

#include "product.hpp"
#include "rooftile/detail/epilogue.hpp"
#include "this_ladder.hpp"

namespace rooftile::testing {
namespace {

/// A number in double.
template <class T>
auto wide(T x) {
  using Wide = std::conditional_t<detail::is_complex<T>, complex<double>, double>;
  return static_cast<Wide>(static_cast<Scalar<T>>(x));
}

/// Element (i,j) of C by the definition, in double.
template <class T>
auto element(const GemmArgs<T>& args, Index i, Index j) {
  decltype(wide(T())) sum = 0;
  for (Index k = 0; k < args.A.cols; ++k) sum += wide(args.A(i, k)) * wide(args.B(k, j));
  sum = wide(args.alpha) * sum;
  return args.beta == 0 ? sum : sum + detail::scaled(wide(args.beta), wide(args.C(i, j)));
}

/// Runs every kernel whose mode `takes` such numbers on a product whose operands are `value(operand)`, 'a',
/// 'b' or 'c', and counts the elements of C that `counts`; every element must be the definition's, or NaN
/// where that is.
template <class T, class Takes, class Value, class Counts>
Index compute_specials(const GemmShape& shape, Scalar<T> beta, const Takes& takes, const Value& value,
                       const Counts& counts) {
  Device& here = device();
  const auto [m, n, k] = shape;
  const auto filled = [&](char operand, Index elements) {
    std::vector<T> x(static_cast<std::size_t>(elements));
    for (T& e : x) e = value(operand);
    return x;
  };
  const std::vector<T> a = filled('a', m * k), b = filled('b', k * n);
  std::vector<T> c = filled('c', m * n), result = c;
  Buffer<T> device_a(here, a.size()), device_b(here, b.size()), device_c(here, c.size());
  device_a.upload(a), device_b.upload(b);
  const GemmArgs<T> args{1, row_major<const T>(device_a.data(), m, k),
                         row_major<const T>(device_b.data(), k, n), beta, row_major(device_c.data(), m, n)};
  const GemmArgs<T> on_host{1, row_major(a.data(), m, k), row_major(b.data(), k, n), beta,
                            row_major(c.data(), m, n)};
  Index counted = 0;
  for (const auto& kernel : kernels<T>()) {
    if (!takes(kernel.math) || !kernel.refusal(args).empty()) continue;
    INFO(kernel.kernel << ' ' << kernel.tile << ' ' << to_string(kernel.math) << ' ' << to_string(shape));
    device_c.upload(c);
    kernel.launch(args);
    device_c.download(result);
    Index wrong = 0;
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        const auto expected = element(on_host, i, j);
        const auto found = wide(result[static_cast<std::size_t>(i * n + j)]);
        for (int p = 0; p < (detail::is_complex<T> ? 2 : 1); ++p) {
          const double there = detail::part_of(found, p), definition = detail::part_of(expected, p);
          const bool same = std::isnan(definition) ? std::isnan(there) : there == definition;
          wrong += same ? 0 : 1;
          counted += same && counts(there) ? 1 : 0;
        }
      }
    }
    CHECK(wrong == 0);
  }
  return counted;
}

constexpr GemmShape shapes[] = {{64, 64, 64}, {70, 66, 41}, {200, 130, 96}};

TEMPLATE_LIST_TEST_CASE("infinity and NaN are where the definition has them", "[specials]", Types) {
  using T = TestType;
  std::mt19937_64 bits(20261122);
  using Limits = std::numeric_limits<Real<Scalar<T>>>;
  const auto value = [&](char operand) {
    return detail::from_parts<T>([&] {
      switch (operand == 'c' ? bits() % 8 : bits() % 2000) {
        case 0:
          return Limits::infinity();
        case 1:
          return -Limits::infinity();
        case 2:
          return Limits::quiet_NaN();
        default:
          return static_cast<Real<Scalar<T>>>(static_cast<int>(bits() % 3) - 1);
      }
    });
  };
  // There infinity less its big part is NaN (cuda_native/12_warpgroup_tf32x3.cu).
  // And 3M takes sums from each other that are infinite.
  const auto takes = [](Math math) { return math != Math::tf32x3 && !mode_of(math).rounds_three_products(); };
  Index specials = 0;
  for (const GemmShape& shape : shapes) {
    for (const int beta : {0, 1, -2}) {
      specials += compute_specials<T>(shape, static_cast<Scalar<T>>(beta), takes, value,
                                      [](double x) { return std::isnan(x) || std::isinf(x); });
    }
  }
  CHECK(specials > 100);
}

TEMPLATE_LIST_TEST_CASE("subnormal numbers are kept", "[specials][subnormal]", Types) {
  using T = TestType;
  std::mt19937_64 bits(20261122);
  const auto least = static_cast<Real<Scalar<T>>>(std::numeric_limits<Real<T>>::denorm_min());
  const auto value = [&](char operand) {
    return detail::from_parts<T>([&] {
      const auto integer = static_cast<Real<Scalar<T>>>(static_cast<int>(bits() % 3) - 1);
      return operand == 'b' ? integer : integer * least;
    });
  };
  // tf32 has fp32's exponents and fewer bits: the smallest numbers are none of its own.
  const auto takes = [](Math math) { return mode_of(math).operand != rooftile::Operand::tf32; };
  Index kept = 0;
  for (const GemmShape& shape : shapes) {
    kept += compute_specials<T>(shape, 1, takes, value, [](double x) { return x != 0; });
  }
  CHECK(kept > 100);
}

}  // namespace
}  // namespace rooftile::testing
