// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The reference compared with a wider type, and products that it must accept. reference_catches.cpp has
// products that it must reject.
#include "numerics/reference.hpp"

#include <random>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "tests/plan/random_product.hpp"

namespace rooftile {
namespace {

using namespace testing;

#ifdef __SIZEOF_FLOAT128__
using Quad = __float128;
#else
using Quad = long double;
#endif

/// An element of alpha·A·B + beta·C in a wider type, and the sum of the magnitudes of its terms.
struct Wide {
  Quad value = 0;
  double magnitude = 0;
};
template <class T>
Wide wide(Product<T>& p, Index i, Index j) {
  Wide sum;
  const auto add = [&](Quad x) {
    sum.value += x;
    sum.magnitude += std::abs(static_cast<double>(x));
  };
  for (Index k = 0; k < p.shape.k; ++k) add(static_cast<Quad>(p.alpha) * p.A()(i, k) * p.B()(k, j));
  if (p.beta != 0) add(static_cast<Quad>(p.beta) * p.C()(i, j));
  return sum;
}

/// Makes the second half of each dot product cancel the first half, except for the last digits.
template <class T>
void make_ill_conditioned(Product<T>& p) {
  const Index half = p.shape.k / 2;
  auto& a = p.a;
  auto& b = p.b;
  const Index lda = p.shape.k + p.pad, ldb = p.shape.n + p.pad;
  for (Index i = 0; i < p.shape.m; ++i) {
    for (Index k = 0; k < half; ++k) a[i * lda + half + k] = -a[i * lda + k];
  }
  for (Index k = 0; k < half; ++k) {
    for (Index j = 0; j < p.shape.n; ++j) b[(half + k) * ldb + j] = b[k * ldb + j];
  }
  // The remainder after the cancellation.
  for (Index j = 0; j < p.shape.n; ++j)
    b[(half + half / 2) * ldb + j] *= 1 + std::numeric_limits<T>::epsilon();
}

/// The largest error of a result relative to the reference, in units of its bound.
template <class T>
double ratio_of(Product<T>& p) {
  return Reference<T>(p.args()).compare(p.R()).ratio;
}

TEMPLATE_TEST_CASE("the unit of the bound is that of rounding", "[reference]", float, double) {
  const double u = 0.5 * static_cast<double>(std::numeric_limits<TestType>::epsilon());
  CHECK(gamma<TestType>(0) == 0);
  CHECK_THAT(gamma<TestType>(1), Catch::Matchers::WithinRel(u / (1 - u), 1e-15));
  CHECK_THAT(gamma<TestType>(1000), Catch::Matchers::WithinRel(1000 * u / (1 - 1000 * u), 1e-15));
  CHECK(std::isinf(gamma<float>(Index{1} << 24)));
}

TEMPLATE_TEST_CASE("the reference is right where the dot products cancel", "[reference]", float, double) {
  std::mt19937_64 bits(seed);
  for (const int binades : {0, 4, 20}) {
    Product<TestType> p({5, 70, 400}, graded<TestType>(bits, binades));
    make_ill_conditioned(p);
    double hardest = 1;
    // The wide result rounded to T has the smallest possible error, far below a bound based on the sum of
    // magnitudes.
    p.fill([&](Index i, Index j) {
      const Wide exact = wide(p, i, j);
      hardest = std::min(hardest, std::abs(static_cast<double>(exact.value)) / exact.magnitude);
      return exact.value;
    });
    INFO("seed " << seed << ", 2^±" << binades << ", |sum| down to " << hardest << " of what was added");
    CHECK(hardest < 1e-6);
    CHECK(ratio_of(p) < 1e-6);
  }
}

TEST_CASE("an fp64 sum without compensation differs from the reference", "[reference]") {
  std::mt19937_64 bits(seed);
  Product<double> p({5, 70, 400}, uniform<double>(bits));
  make_ill_conditioned(p);
  p.fill([&](Index i, Index j) {
    double sum = 0;
    for (Index k = 0; k < p.shape.k; ++k) sum += p.A()(i, k) * p.B()(k, j);
    return sum;
  });
  const double ratio = ratio_of(p);
  CHECK(ratio > 1e-4);
  CHECK(ratio <= 1);
}

TEMPLATE_TEST_CASE("alpha and beta are in the reference", "[reference]", float, double) {
  std::mt19937_64 bits(seed);
  Product<TestType> p({9, 65, 33}, uniform<TestType>(bits));
  p.alpha = TestType(-1.7), p.beta = TestType(0.3);
  p.fill([&](Index i, Index j) { return wide(p, i, j).value; });
  const double ratio = ratio_of(p);
  CHECK(ratio < 0.2);
  CHECK(ratio > 0);
}

/// An order in which a kernel may sum a dot product.
template <class T>
struct Order {
  const char* name;
  T (*sum)(const std::vector<T>& a, const std::vector<T>& b);
};

template <class T>
T pairwise(const T* a, const T* b, std::size_t count) {
  if (count == 0) return 0;
  if (count == 1) return a[0] * b[0];
  return pairwise(a, b, count / 2) + pairwise(a + count / 2, b + count / 2, count - count / 2);
}

template <class T>
const std::vector<Order<T>>& orders() {
  using V = const std::vector<T>&;
  static const std::vector<Order<T>> all = {
      {"forward",
       [](V a, V b) {
         T sum = 0;
         for (std::size_t k = 0; k < a.size(); ++k) {
           const volatile T product = a[k] * b[k];  // no fused multiply-add
           sum += product;
         }
         return sum;
       }},
      {"backward, fused",
       [](V a, V b) {
         T sum = 0;
         for (std::size_t k = a.size(); k-- > 0;) sum = std::fma(a[k], b[k], sum);
         return sum;
       }},
      {"forward, fused",
       [](V a, V b) {
         T sum = 0;
         for (std::size_t k = 0; k < a.size(); ++k) sum = std::fma(a[k], b[k], sum);
         return sum;
       }},
      {"pairwise", [](V a, V b) { return pairwise(a.data(), b.data(), a.size()); }},
      {"eight interleaved", [](V a, V b) {
         T part[8] = {};
         for (std::size_t k = 0; k < a.size(); ++k) part[k % 8] += a[k] * b[k];
         T sum = 0;
         for (const T x : part) sum += x;
         return sum;
       }}};
  return all;
}

/// Computes the result with one summation order.
template <class T>
void compute(Product<T>& p, const Order<T>& order) {
  std::vector<T> row(static_cast<std::size_t>(p.shape.k)), col(row.size());
  p.fill([&](Index i, Index j) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      row[k] = p.A()(i, static_cast<Index>(k)), col[k] = p.B()(static_cast<Index>(k), j);
    }
    const T sum = order.sum(row, col);
    return p.beta == 0 ? p.alpha * sum : p.alpha * sum + p.beta * p.C()(i, j);
  });
}

TEMPLATE_TEST_CASE("every summation order is within the bound", "[reference]", float, double) {
  std::mt19937_64 bits(seed);
  for (const Index k : {1, 2, 3, 17, 64, 1000}) {
    for (const int binades : {0, 12}) {
      Product<TestType> p({11, 67, k}, graded<TestType>(bits, binades));
      for (const TestType beta : {TestType(0), TestType(-1.3)}) {
        p.alpha = TestType(1.7), p.beta = beta;
        for (const auto& order : orders<TestType>()) {
          compute(p, order);
          INFO("seed " << seed << ": " << order.name << ", k " << k << ", 2^±" << binades << ", beta "
                       << beta);
          const double ratio = ratio_of(p);
          CHECK(ratio <= 1);
          CHECK((ratio > 0 || k < 17));  // a few operations may all be exact
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("a product beyond the smallest number is within the bound", "[reference]", float, double) {
  // Each product underflows to zero or to a subnormal number with few digits. No kernel can do better.
  std::mt19937_64 bits(seed);
  const TestType small = std::sqrt(std::numeric_limits<TestType>::denorm_min());
  for (const TestType scale : {TestType(0.1), TestType(1), TestType(30)}) {
    Product<TestType> p({3, 5, 50}, [&] { return scale * small * uniform<TestType>(bits)(); });
    for (const auto& order : orders<TestType>()) {
      compute(p, order);
      INFO("seed " << seed << ": " << order.name << ", scale " << scale);
      CHECK(ratio_of(p) <= 1);
    }
  }
}

TEMPLATE_TEST_CASE("underflow may take a smallest number from each product, alpha and beta times",
                   "[reference]", float, double) {
  const TestType smallest = std::numeric_limits<TestType>::denorm_min();
  for (const Index k : {0, 1, 6}) {
    for (const int alpha : {1, -3}) {
      Product<TestType> p({1, 2, k}, [] { return TestType(0); });
      p.alpha = static_cast<TestType>(alpha);
      const double allowed = (k == 0 ? 0 : std::abs(alpha)) * static_cast<double>(k) + 2;
      p.fill([&](Index, Index j) { return j == 0 ? TestType(0) : smallest; });
      const Verification found = Reference<TestType>(p.args()).compare(p.R());
      CHECK((found.ratio == 1 / allowed && found.col == 1));
    }
  }
}

TEMPLATE_TEST_CASE("exact results are exactly right", "[reference]", float, double) {
  std::mt19937_64 bits(seed);
  for (const GemmShape shape : {GemmShape{1, 1, 1}, {7, 63, 9}, {20, 64, 31}, {3, 65, 2}, {2, 130, 5}}) {
    Product<TestType> p(shape, nonzero_integers<TestType>(bits));
    p.alpha = 2, p.beta = -3;
    p.result = p.c;
    testing::multiply(GemmArgs<TestType>{p.alpha, p.A(), p.B(), p.beta, p.R()});
    const Verification verification = Reference<TestType>(p.args()).compare(p.R());
    CHECK(verification.ratio == 0);
    CHECK(verification.passed());
  }
}

TEMPLATE_TEST_CASE("operands and results with any strides are compared", "[reference]", float, double) {
  std::mt19937_64 bits(seed);
  Product<TestType> p({6, 7, 5}, nonzero_integers<TestType>(bits));
  p.beta = 1;
  const MatrixRef<const TestType> A{p.a.data() + 17, 4, 3, -5, 2}, B{p.b.data() + 40, 3, 4, 1, -9};
  const MatrixRef<TestType> before{p.c.data() + 3, 4, 4, 2, 11};
  const MatrixRef<TestType> apart{p.result.data() + 40, 4, 4, -10, 2};
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) apart(i, j) = before(i, j);
  }
  testing::multiply(GemmArgs<TestType>{1, A, B, 1, apart});
  CHECK(Reference<TestType>({1, A, B, 1, before}).compare(apart).ratio == 0);
}

TEMPLATE_TEST_CASE("beta of 0 does not read C, alpha of 0 neither A nor B", "[reference]", float, double) {
  std::mt19937_64 bits(seed);
  Product<TestType> p({3, 4, 5}, nonzero_integers<TestType>(bits));
  auto args = p.args();
  SECTION("beta") {
    std::fill(p.c.begin(), p.c.end(), std::numeric_limits<TestType>::quiet_NaN());
    testing::multiply(GemmArgs<TestType>{1, p.A(), p.B(), 0, p.R()});
    CHECK(Reference<TestType>(args).compare(p.R()).ratio == 0);
    args.C.data = nullptr;
    CHECK(Reference<TestType>(args).compare(p.R()).ratio == 0);
  }
  SECTION("alpha") {
    args.alpha = 0, args.beta = 2;
    args.A.data = args.B.data = nullptr;
    p.fill([&](Index i, Index j) { return 2 * p.C()(i, j); });
    CHECK(Reference<TestType>(args).compare(p.R()).ratio == 0);
    p.R()(2, 3) += 1;
    CHECK_FALSE(Reference<TestType>(args).compare(p.R()).passed());
  }
  SECTION("K = 0, with an alpha that would spoil a product") {
    args.A.cols = args.B.rows = 0;
    args.A.data = args.B.data = nullptr;
    args.alpha = std::numeric_limits<TestType>::infinity(), args.beta = 2;
    p.fill([&](Index i, Index j) { return 2 * p.C()(i, j); });
    CHECK(Reference<TestType>(args).compare(p.R()).ratio == 0);
  }
}

TEMPLATE_TEST_CASE("an empty product passes", "[reference]", float, double) {
  for (const GemmShape shape : {GemmShape{}, {0, 3, 2}, {3, 0, 2}}) {
    Product<TestType> p(shape, [] { return TestType(1); });
    const Reference<TestType> reference(p.args());
    CHECK(reference.compare(p.R()).passed());
    CHECK(static_cast<Index>(reference.rows_checked()) == shape.m);
  }
}

}  // namespace
}  // namespace rooftile
