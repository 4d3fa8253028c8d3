// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Wrong results, each of which the reference must detect.
#include <random>

#include <catch2/catch_template_test_macros.hpp>

#include "numerics/reference.hpp"
#include "tests/plan/random_product.hpp"

namespace rooftile {
namespace {

using namespace testing;

/// A correct product of nonzero integers, which a test then corrupts.
template <class T>
struct Right : Product<T> {
  explicit Right(const GemmShape& extents, T beta_ = 0)
      : Product<T>(extents, [this] { return nonzero_integers<T>(bits)(); }) {
    this->beta = beta_;
    recompute(this->A(), this->B());
  }

  /// The result from other operands, or from other blocks of them.
  void recompute(const MatrixRef<const T>& A, const MatrixRef<const T>& B) {
    this->result = this->c;
    multiply(GemmArgs<T>{this->alpha, A, B, this->beta, this->R()});
  }
  Verification verify() { return Reference<T>(this->args()).compare(this->R()); }

 private:
  static inline std::mt19937_64 bits{seed};
};

TEMPLATE_TEST_CASE("a wrong element is found, wherever it is, and the worst of several", "[reference]", float,
                   double) {
  Right<TestType> p({20, 67, 30});
  REQUIRE(p.verify().passed());
  for (const Index i : {0, 7, 19}) {
    for (const Index j : {0, 31, 63, 64, 66}) {
      const TestType before = p.R()(i, j);
      p.R()(i, j) += 1;
      const Verification found = p.verify();
      CHECK_FALSE(found.passed());
      CHECK((found.row == i && found.col == j));
      p.R()(i, j) = before;
    }
  }
  p.R()(1, 2) += 1, p.R()(3, 4) -= 50, p.R()(4, 5) += 2;
  CHECK((p.verify().row == 3 && p.verify().col == 4));  // the largest error
  p.R()(1, 1) = std::numeric_limits<TestType>::quiet_NaN();
  CHECK_FALSE(p.verify().passed());
  CHECK((p.verify().row == 1 && p.verify().col == 1));  // NaN is worse
}

TEMPLATE_TEST_CASE("a K one too short or a k taken twice is found", "[reference]", float, double) {
  for (const Index k : {1, 2, 50, 1000}) {
    Right<TestType> p({4, 5, k});
    auto A = p.A();
    auto B = p.B();
    A.cols = B.rows = k - 1;
    p.recompute(A, B);  // without the last step
    CHECK_FALSE(p.verify().passed());
    A.data += A.col_stride, B.data += B.row_stride;
    p.recompute(A, B);  // without the first step
    CHECK_FALSE(p.verify().passed());
    p.recompute(p.A(), p.B());
    p.R()(3, 4) += p.A()(3, 0) * p.B()(0, 4);  // the first step twice
    CHECK_FALSE(p.verify().passed());
  }
}

TEMPLATE_TEST_CASE("swapped indices are found", "[reference]", float, double) {
  Right<TestType> p({16, 16, 16});
  SECTION("A transposed") {
    p.recompute(p.A().transposed(), p.B());
  }
  SECTION("B transposed") {
    p.recompute(p.A(), p.B().transposed());
  }
  SECTION("A and B exchanged") {
    p.recompute(p.B(), p.A());
  }
  SECTION("C transposed") {
    const std::vector<TestType> right = p.result;
    const auto R = row_major(right.data(), 16, 16, 16 + p.pad);
    p.fill([&](Index i, Index j) { return R(j, i); });
  }
  SECTION("a row too far") {
    auto A = p.A();
    A.rows = 15, A.data += A.row_stride;
    multiply(GemmArgs<TestType>{1, A, p.B(), 0, row_major(p.result.data(), 15, 16, 16 + p.pad)});
  }
  CHECK_FALSE(p.verify().passed());
}

TEMPLATE_TEST_CASE("NaN and infinity are found, wherever they are", "[reference]", float, double) {
  using Limits = std::numeric_limits<TestType>;
  for (const TestType bad :
       {Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    for (const auto& [i, j] : {std::pair<Index, Index>{0, 0}, {10, 40}, {19, 66}}) {
      Right<TestType> p({20, 67, 30});
      p.R()(i, j) = bad;
      const Verification found = p.verify();
      CHECK_FALSE(found.passed());
      CHECK(std::isinf(found.ratio));
      CHECK((found.row == i && found.col == j));
    }
  }
}

TEMPLATE_TEST_CASE("an element that was not written is found", "[reference]", float, double) {
  // For any previous content of C: NaN, zero, or the values that beta reads.
  for (const TestType held : {std::numeric_limits<TestType>::quiet_NaN(), TestType(0)}) {
    Right<TestType> p({8, 9, 3});
    p.R()(7, 8) = held;
    CHECK_FALSE(p.verify().passed());
  }
  Right<TestType> p({8, 9, 3}, 1);
  REQUIRE(p.verify().passed());
  p.R()(7, 8) = p.C()(7, 8);
  CHECK_FALSE(p.verify().passed());
}

TEMPLATE_TEST_CASE("a wrong alpha or beta is found", "[reference]", float, double) {
  Right<TestType> p({8, 9, 3}, 2);
  SECTION("beta left out") {
    multiply(GemmArgs<TestType>{1, p.A(), p.B(), 0, p.R()});
  }
  SECTION("alpha left out") {
    p.alpha = 3;
  }
  SECTION("beta applied to the product too") {
    p.fill([&](Index i, Index j) { return 2 * p.R()(i, j); });
  }
  CHECK_FALSE(p.verify().passed());
}

TEMPLATE_TEST_CASE("an error of the smallest normal number is found where the result is exactly zero",
                   "[reference]", float, double) {
  Right<TestType> p({3, 4, 5});
  auto args = p.args();
  args.alpha = 0;
  p.fill([](Index, Index) { return 0; });
  CHECK(Reference<TestType>(args).compare(p.R()).passed());
  p.R()(1, 1) = std::numeric_limits<TestType>::min();
  CHECK_FALSE(Reference<TestType>(args).compare(p.R()).passed());
}

TEMPLATE_TEST_CASE("the bound is neither tighter nor much wider than theory's", "[reference]", float,
                   double) {
  const Index k = 1000;
  const TestType alpha = 2, beta = -3;
  // Every product is 1 and C is 5, so the sum of magnitudes is |alpha|·k + |beta|·5.
  Product<TestType> p({3, 70, k}, [] { return TestType(1); });
  std::fill(p.c.begin(), p.c.end(), TestType(5));
  p.alpha = alpha, p.beta = beta;
  const double exact = 2.0 * k - 15, magnitude = 2.0 * k + 15;
  const Reference<TestType> reference(p.args());
  const auto ratio_at = [&](double error) {
    p.fill([&](Index, Index) { return exact; });
    p.R()(2, 69) = static_cast<TestType>(exact + error);
    return reference.compare(p.R()).ratio;
  };
  // Errors of a correct kernel: k products and sums, alpha, and the sum with beta·C.
  CHECK(ratio_at(gamma<TestType>(k + 2) * magnitude) <= 1);
  CHECK(ratio_at(-gamma<TestType>(k + 2) * magnitude) <= 1);
  CHECK(ratio_at(gamma<TestType>(k + 20) * magnitude) > 1);
  CHECK(ratio_at(-gamma<TestType>(k + 20) * magnitude) > 1);
}

TEMPLATE_TEST_CASE("exactly the rows that are asked for are compared", "[reference]", float, double) {
  Right<TestType> p({30, 5, 6});
  const Reference<TestType> some(p.args(), {0, 11, 29});
  CHECK(some.rows_checked() == 3);
  CHECK(some.compare(p.R()).passed());
  p.R()(12, 1) += 5;
  CHECK(some.compare(p.R()).passed());
  for (const Index row : {0, 11, 29}) {
    p.R()(row, 4) += 1;
    const Verification found = some.compare(p.R());
    CHECK_FALSE(found.passed());
    CHECK((found.row == row && found.col == 4));
    p.R()(row, 4) -= 1;
  }
}

TEST_CASE("passing is a ratio of at most 1, and NaN is no such ratio", "[reference]") {
  CHECK(Verification{0, -1, -1}.passed());
  CHECK(Verification{1, 0, 0}.passed());
  CHECK_FALSE(Verification{std::nextafter(1.0, 2.0), 0, 0}.passed());
  CHECK_FALSE(Verification{std::numeric_limits<double>::quiet_NaN(), 0, 0}.passed());
}

}  // namespace
}  // namespace rooftile
