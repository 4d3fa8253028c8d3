// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The reference for 16-bit element types, for the compute modes of fp32, and for complex numbers.
#include <cstring>
#include <functional>
#include <random>

#include <catch2/catch_template_test_macros.hpp>

#include "numerics/reference.hpp"
#include "tests/plan/random_product.hpp"

namespace rooftile {
namespace {

using namespace testing;

/// x truncated or rounded to `bits` significant bits.
float cut(float x, int bits) {
  std::uint32_t word;
  std::memcpy(&word, &x, sizeof x);
  word &= ~((1U << (24 - bits)) - 1U);
  std::memcpy(&x, &word, sizeof x);
  return x;
}
float rounded(float x, int bits) {
  const float scale = std::ldexp(1.0F, std::ilogb(x == 0 ? 1 : x) + 1 - bits);
  return std::nearbyint(x / scale) * scale;
}

/// The worst-case sum of tensor cores: sequential, with each partial sum truncated to fp32.
template <class T>
float tensor_core_sum(Product<T>& p, Index i, Index j, const std::function<float(float)>& factor) {
  float sum = 0;
  for (Index k = 0; k < p.shape.k; ++k) {
    const double exact =
        static_cast<double>(sum) + static_cast<double>(factor(static_cast<float>(p.A()(i, k)))) *
                                       static_cast<double>(factor(static_cast<float>(p.B()(k, j))));
    float next = static_cast<float>(exact);
    if (std::abs(static_cast<double>(next)) > std::abs(exact)) next = std::nextafter(next, 0.0F);
    sum = next;
  }
  return p.alpha * sum + (p.beta == 0 ? 0 : p.beta * static_cast<float>(p.C()(i, j)));
}

/// All elements by `tensor_core_sum`. `factor` converts the elements of A and B first.
template <class T>
void fill_by_tensor_cores(
    Product<T>& p, const std::function<float(float)>& factor = [](float x) { return x; }) {
  p.fill([&](Index i, Index j) { return tensor_core_sum(p, i, j, factor); });
}

template <class T>
double ratio_of(Product<T>& p, ComputeMode math = own_mode<T>()) {
  return Reference<T>(p.args(), math).compare(p.R()).ratio;
}

TEMPLATE_TEST_CASE("sums that tensor cores cut off are within the bound of 16 bits", "[reference]", float16,
                   bfloat16) {
  std::mt19937_64 bits(seed);
  const auto uniform_float = uniform<float>(bits);
  for (const Index k : {1, 2, 17, 300, 5000}) {
    for (const float beta : {0.0F, -1.25F}) {
      Product<TestType> p({7, 66, k}, [&] { return TestType(uniform_float()); });
      p.alpha = 1.5F, p.beta = beta;
      fill_by_tensor_cores(p);
      INFO("k " << k << ", beta " << beta);
      CHECK(ratio_of(p) <= 1);
      CHECK(ratio_of(p) > 0);
    }
  }
  Product<TestType> p({3, 5, 3000}, [&] { return TestType(1.5F + 0.5F * uniform_float()); });
  fill_by_tensor_cores(p);
  CHECK(ratio_of(p) <= 1);  // sums of one sign come near the bound
}

TEMPLATE_TEST_CASE("a last place of 16 bits off is found where sums are short", "[reference]", float16,
                   bfloat16) {
  std::mt19937_64 bits(seed);
  const auto value = uniform<float>(bits);
  Product<TestType> p({4, 6, 8}, [&] { return TestType(value()); });
  fill_by_tensor_cores(p);
  REQUIRE(ratio_of(p) <= 1);
  for (const Index j : {0, 3, 5}) {
    const TestType before = p.R()(2, j);
    p.R()(2, j).bits = static_cast<std::uint16_t>(before.bits + 1U);
    const Verification up = Reference<TestType>(p.args()).compare(p.R());
    p.R()(2, j).bits = static_cast<std::uint16_t>(before.bits - 1U);
    const Verification down = Reference<TestType>(p.args()).compare(p.R());
    CHECK((!up.passed() || !down.passed()));  // one is off by more than half a last place
    p.R()(2, j) = before;
  }
}

TEMPLATE_TEST_CASE("results that round to a subnormal number or to zero are within the bound", "[reference]",
                   float16, bfloat16) {
  std::mt19937_64 bits(seed);
  const auto value = uniform<float>(bits);
  const float small = std::sqrt(static_cast<float>(std::numeric_limits<TestType>::denorm_min()));
  Product<TestType> p({3, 5, 9}, [&] { return TestType(4 * small * value()); });
  fill_by_tensor_cores(p);
  CHECK(ratio_of(p) <= 1);
}

TEMPLATE_TEST_CASE("underflow may take a smallest number of 16 bits, and not two", "[reference]", float16,
                   bfloat16) {
  Product<TestType> p({1, 1, 3}, [] { return TestType(0.0F); });
  const float smallest = static_cast<float>(std::numeric_limits<TestType>::denorm_min());
  p.R()(0, 0) = static_cast<TestType>(smallest);
  CHECK(ratio_of(p) > 0.99);
  CHECK(ratio_of(p) <= 1);
  p.R()(0, 0) = static_cast<TestType>(2 * smallest);
  CHECK(ratio_of(p) > 1.98);
}

TEMPLATE_TEST_CASE("where all sums are exact, only what the exact result rounds to is right", "[reference]",
                   float16, bfloat16, float, double) {
  std::mt19937_64 bits(seed);
  const auto integer = nonzero_integers<float>(bits);
  Product<TestType> p({5, 67, 900}, [&] { return static_cast<TestType>(integer()); });
  p.fill([&](Index i, Index j) {
    float sum = 0;
    for (Index k = 0; k < 900; ++k) sum += static_cast<float>(p.A()(i, k)) * static_cast<float>(p.B()(k, j));
    return sum;
  });
  const Reference<TestType> reference(p.args());
  CHECK(reference.compare_exact(p.R()).ratio == 0);
  CHECK(reference.compare(p.R()).passed());
  for (const float wrong : {0.0F, static_cast<float>(p.R()(3, 66)) + 32, std::nanf("")}) {
    p.R()(3, 66) = static_cast<TestType>(wrong);
    const Verification found = reference.compare_exact(p.R());
    CHECK_FALSE(found.passed());
    CHECK((found.row == 3 && found.col == 66));
  }
}

TEST_CASE("factors rounded to tf32 are within its bound, and beyond that of fp32", "[reference]") {
  std::mt19937_64 bits(seed);
  for (const Index k : {1, 3, 64, 1000}) {
    Product<float> p({9, 70, k}, uniform<float>(bits));
    fill_by_tensor_cores(p, [](float x) { return rounded(x, 11); });
    INFO("k " << k);
    CHECK(ratio_of(p, ComputeMode::tf32) <= 1);
    CHECK(ratio_of(p, ComputeMode::tf32) > 0);
    if (k > 64) continue;  // partly cancelling roundings stay below the bound
    CHECK(ratio_of(p, ComputeMode::fp32) > 1);
    CHECK(ratio_of(p, ComputeMode::tf32x3) > 1);
  }
}

TEST_CASE("factors of fewer bits than tf32's are found", "[reference]") {
  std::mt19937_64 bits(seed);
  Product<float> p({9, 70, 4}, uniform<float>(bits));
  fill_by_tensor_cores(p, [](float x) { return cut(x, 8); });
  CHECK(ratio_of(p, ComputeMode::tf32) > 1);
}

TEST_CASE("tf32x3 is held to twice the bound of fp32", "[reference]") {
  std::mt19937_64 bits(seed);
  Product<float> p({3, 4, 50}, uniform<float>(bits));
  p.fill([&](Index i, Index j) { return 1.001F * tensor_core_sum(p, i, j, [](float x) { return x; }); });
  const double plain = ratio_of(p, ComputeMode::fp32), three = ratio_of(p, ComputeMode::tf32x3);
  CHECK(three / plain > 0.4999);
  CHECK(three / plain < 0.5001);
}

/// A sum of complex products, each computed as four real products.
template <class T>
T complex_sum(const Product<T>& p, Index i, Index j) {
  T sum(0);
  for (Index k = 0; k < p.shape.k; ++k) detail::multiply_add(sum, p.A()(i, k), p.B()(k, j));
  return p.alpha * sum;
}

TEMPLATE_TEST_CASE("complex sums are within their bound on random, positive and graded numbers",
                   "[reference]", complex<float>, complex<double>) {
  using T = TestType;
  std::mt19937_64 bits(seed);
  const auto any = uniform<Real<T>>(bits), of_all_sizes = graded<Real<T>>(bits, 12);
  const std::function<Real<T>()> positive = [&] { return 1 + any(); };
  for (const auto& value : {any, positive, of_all_sizes}) {
    for (const Index k : {1, 2, 3, 17, 300, 2000}) {
      Product<T> p({7, 35, k}, [&] { return detail::from_parts<T>(value); });
      p.alpha = {1.25, -0.5};
      p.fill([&](Index i, Index j) { return complex_sum(p, i, j); });
      INFO("k " << k);
      CHECK(ratio_of(p) <= 1);
      CHECK(ratio_of(p) > 0);
    }
  }
}

TEMPLATE_TEST_CASE("small imaginary parts have a bound of their own", "[reference]", complex<float>,
                   complex<double>) {
  using T = TestType;
  std::mt19937_64 bits(seed);
  const auto value = uniform<Real<T>>(bits);
  Product<T> p({9, 40, 30}, [&] { return T(value(), value() / 16384); });
  p.fill([&](Index i, Index j) { return complex_sum(p, i, j); });
  CHECK(ratio_of(p) <= 1);
  const T right = p.R()(3, 5);
  const Real<T> error = 4 * std::numeric_limits<Real<T>>::epsilon();
  p.R()(3, 5).im += error;
  CHECK(ratio_of(p) > 1);
  p.R()(3, 5) = right, p.R()(3, 5).re += error;
  CHECK(ratio_of(p) <= 1);
  p.R()(3, 5) = right, p.R()(3, 5).re += 500 * error;
  CHECK(ratio_of(p) > 1);
}

TEST_CASE("the error bounds of the math modes are ordered", "[reference]") {
  for (const Index k : {Index{1}, Index{100}, Index{65536}}) {
    CHECK(error_bound(ComputeMode::fp64, k) < error_bound(ComputeMode::fp32, k));
    CHECK(error_bound(ComputeMode::fp32, k) == gamma<float>(k + 5));
    CHECK(error_bound(ComputeMode::tf32x3, k) == 2 * error_bound(ComputeMode::fp32, k));
    CHECK(error_bound(ComputeMode::bf16, k) == error_bound(ComputeMode::fp16, k));
    CHECK(error_bound(ComputeMode::tf32, k) > error_bound(ComputeMode::bf16, k) + 0x1p-10);
    CHECK(error_bound(ComputeMode::cfp32_tf32, k) > error_bound(ComputeMode::cfp32, k) + 0x1p-10);
    CHECK(error_bound(ComputeMode::bf16_fp32, k) == error_bound(ComputeMode::bf16, k));
    CHECK(error_bound(ComputeMode::fp32_fp64, k) == error_bound(ComputeMode::fp64, k));
    CHECK(error_bound(ComputeMode::int8_int32, k) == 0);
  }
}

}  // namespace
}  // namespace rooftile
