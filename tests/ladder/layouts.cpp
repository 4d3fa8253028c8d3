// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Tests every kernel of one path and backend on operands of all strides, conjugates and special numbers.
#include <array>
#include <set>
#include <string>
#include <utility>

#include <catch2/catch_template_test_macros.hpp>

#include "product.hpp"
#include "rooftile/detail/epilogue.hpp"
#include "this_ladder.hpp"

namespace rooftile::testing {
namespace {

/// Vectors of 16 bytes, and words of two 16-bit elements, need rows that begin and end at multiples of their
/// size.
TEMPLATE_LIST_TEST_CASE("rows at addresses for vectors, and at others, are exact", "[vectors]", Types) {
  const Storage row = Storage::row, column = Storage::column, reversed = Storage::reversed;
  for (const auto& kernel : kernels<TestType>()) {
    const auto [bm, bn, bk] = edges(kernel);
    for (const GemmShape shape : {GemmShape{bm, bn, 3 * bk}, {bm + 8, bn + 24, 16}, {bm + 1, bn + 2, 19}}) {
      for (const auto& [a, b, c] : {std::array{row, row, row},
                                    {column, row, row},
                                    {row, column, row},
                                    {column, column, row},
                                    {row, row, column},
                                    {reversed, reversed, reversed}}) {
        for (const auto& [pad, shift] : {std::pair<Index, Index>{8, 0}, {8, 1}, {1, 0}, {1, 1}, {2, 2}}) {
          try_kernel(kernel, Problem<TestType>{shape, a, b, c, 2, -1, true, pad, shift});
        }
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("operands in every storage are exact", "[layouts]", Types) {
  const Storage all[] = {Storage::row, Storage::column, Storage::strided, Storage::reversed};
  for (const auto& kernel : kernels<TestType>()) {
    const auto [bm, bn, bk] = edges(kernel);
    const GemmShape shapes[] = {{2 * bm, bn, 3 * bk}, {bm + 3, 2 * bn - 1, bk + 5}};
    const auto try_storages = [&](GemmShape shape, Storage a, Storage b, Storage c) {
      try_kernel(kernel, Problem<TestType>{shape, a, b, c, 2, -1, true});
    };
    combine(try_storages, shapes, all, all, all);
  }
}

TEMPLATE_LIST_TEST_CASE("operands in every storage, with rows of multiples of 16 bytes, are exact",
                        "[layouts]", Types) {
  const Storage all[] = {Storage::row, Storage::column};
  constexpr int betas[] = {0, 1};
  for (const auto& kernel : kernels<TestType>()) {
    const auto rounded = [](Index extent) { return (extent + 7) / 8 * 8; };
    const GemmShape edge = edges(kernel);
    const Index m = rounded(edge.m), n = rounded(edge.n), k = rounded(edge.k);
    const GemmShape shapes[] = {{2 * m, n, 3 * k}, {m + 8, 2 * n - 8, k + 24}, {24, 16, 9000}};
    const auto try_storages = [&](GemmShape shape, int beta, Storage a, Storage b, Storage c) {
      const auto scalar = static_cast<Scalar<TestType>>(beta);
      try_kernel(kernel, Problem<TestType>{shape, a, b, c, 2, scalar, true, 8});
    };
    combine(try_storages, shapes, betas, all, all, all);
  }
}

TEMPLATE_LIST_TEST_CASE("products beyond a cache, and with a long K, are exact in every storage", "[blocks]",
                        Types) {
  const Storage row = Storage::row, column = Storage::column, strided = Storage::strided;
  std::set<std::string> seen;
  for (const auto& kernel : kernels<TestType>()) {
    if (is_slow(kernel) || !seen.insert(title(kernel)).second) continue;
    for (const GemmShape shape :
         {GemmShape{301, 517, 1100}, {37, 61, 3000}, {5, 700, 1030}, {700, 5, 1030}, {21, 700, 1030}}) {
      try_kernel(kernel, Problem<TestType>{shape, column, column, row, 2, 3, true});
      try_kernel(kernel, Problem<TestType>{shape, strided, row, strided, -1, 0, true});
      try_kernel(kernel, Problem<TestType>{shape, row, strided, column, 1, 1, true});
    }
    // Few rows, and a B that is larger than the caches of many CPUs.
    for (const GemmShape shape : {GemmShape{3, 9001, 45}, {4, 2001, 1043}, {16, 8201, 1043}}) {
      if (!is_of_caches(kernel)) break;
      try_kernel(kernel, Problem<TestType>{shape, row, row, row, 2, 3, true});
      for (const auto& [alpha, beta] : {std::pair{1, 0}, {3, 0}, {1, -1}, {2, 1}}) {
        const auto a = static_cast<Scalar<TestType>>(alpha), b = static_cast<Scalar<TestType>>(beta);
        try_kernel(kernel, Problem<TestType>{shape, column, row, strided, a, b, true});
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("rows more than 2^31 elements apart are exact", "[huge]", Types) {
  Device& here = device();
  const Index stride = (Index{1} << 30) + 5;  // the third row begins beyond 2^31
  const Index n = 5;
  std::vector<TestType> small(static_cast<std::size_t>(3 * n));
  for (std::size_t e = 0; e < small.size(); ++e) small[e] = static_cast<TestType>(static_cast<float>(e));
  try {
    Buffer<TestType> a(here, static_cast<std::size_t>(2 * stride + n)), b(here, small.size()),
        c(here, static_cast<std::size_t>(2 * stride + n));
    for (Index i = 0; i < 3; ++i) {
      here.upload(a.data() + i * stride, small.data() + i * n,
                  static_cast<std::size_t>(3) * sizeof(TestType));
    }
    b.upload(small);
    const GemmArgs<TestType> args{1, row_major<const TestType>(a.data(), 3, 3, stride),
                                  row_major<const TestType>(b.data(), 3, n), 0,
                                  row_major(c.data(), 3, n, stride)};
    for (const auto& kernel : kernels<TestType>()) {
      INFO(kernel.kernel << ' ' << kernel.tile);
      if (!kernel.refusal(args).empty()) continue;
      kernel.launch(args);
      std::vector<TestType> row(static_cast<std::size_t>(n));
      for (Index i = 0; i < 3; ++i) {
        here.download(row.data(), c.data() + i * stride, row.size() * sizeof(TestType));
        for (Index j = 0; j < n; ++j) {
          Index exact = 0;
          for (Index k = 0; k < 3; ++k) exact += (i * n + k) * (k * n + j);
          CHECK(row[static_cast<std::size_t>(j)] == static_cast<TestType>(static_cast<float>(exact)));
        }
      }
    }
  } catch (const Error& error) {
    SKIP(error.what());
  }
}

using ComplexTypes = std::tuple<complex<float>, complex<double>>;

constexpr std::array<bool, 3> ways[] = {{false, false, false}, {true, false, false}, {false, true, false},
                                        {true, true, false},   {false, false, true}, {true, false, true},
                                        {false, true, true},   {true, true, true}};

TEMPLATE_LIST_TEST_CASE("operands in every layout are read as their conjugates", "[complex]", ComplexTypes) {
  constexpr Storage all[] = {Storage::row, Storage::column};
  for (const auto& kernel : kernels<TestType>()) {
    const auto [m, n, k] = edges(kernel);
    const GemmShape shapes[] = {{m, n, k}, {m + 1, n + 3, k + 5}, {3, 70, 9}};
    const auto try_ways = [&](GemmShape shape, const std::array<bool, 3>& way, Storage a, Storage b,
                              Storage c) {
      Problem<TestType> problem{shape, a, b, c, {2, -1}, {1, 3}, true};
      problem.conjugated = way;
      try_kernel(kernel, problem);
    };
    combine(try_ways, shapes, ways, all, all, all);
  }
}

TEMPLATE_LIST_TEST_CASE("imaginary alpha and beta, and parts of 0, are exact", "[complex][scalars]",
                        ComplexTypes) {
  using T = TestType;
  const T alphas[] = {{0, 1}, {0, -2}, {1, 1}, {0, 0}}, betas[] = {{0, 1}, {0, 0}, {-2, 0}, {1, -1}};
  for (const auto& kernel : kernels<T>()) {
    const auto [m, n, k] = edges(kernel);
    const GemmShape shapes[] = {{m, n, k}, {m, n, 0}, {m + 1, n + 2, k + 3}};
    const auto scale = [&](GemmShape shape, const T& alpha, const T& beta) {
      try_kernel(kernel, Problem<T>{shape, {}, {}, {}, alpha, beta, true});
    };
    combine(scale, shapes, alphas, betas);
  }
}

// Infinity, NaN and subnormal numbers in every kernel of the path.

/// Converts a number to double or complex<double>.
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

/// Runs every kernel whose mode `takes` the special numbers on operands `value('a')` to `value('c')`, and
/// compares C with the definition.
/// @return the number of elements of C for which `counts` is true
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
  // In tf32x3, infinity minus its big part is NaN (cuda_native/12_warpgroup_tf32x3.cu).
  const auto takes = [](ComputeMode math) { return math != ComputeMode::tf32x3; };
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
  // tf32 has the exponents of fp32 and fewer bits, so it cannot represent the smallest subnormal numbers.
  const auto takes = [](ComputeMode math) { return mode_of(math).operand != rooftile::Operand::tf32; };
  Index kept = 0;
  for (const GemmShape& shape : shapes) {
    kept += compute_specials<T>(shape, 1, takes, value, [](double x) { return x != 0; });
  }
  CHECK(kept > 100);
}

}  // namespace
}  // namespace rooftile::testing
