// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Products of 8-bit floats with scales, on the path and backend of this executable.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "numerics/reference.hpp"
#include "tests/support/multiply.hpp"
#include "this_ladder.hpp"

namespace rooftile::testing {
namespace {

using Random = std::mt19937_64;

int up_to(Random& bits, int largest) {
  return std::uniform_int_distribution<int>(0, largest)(bits);
}

/// Which rows or columns share scales, besides blocks of 128 along K.
enum class Scaled { none, matrix, lines, blocks, line_steps, block_steps };

/// A batch of matrices (rows,K) with scales, on the host and on the device.
struct Operand8 {
  Index rows, k, count;
  std::vector<float8_e4m3> elements;
  std::vector<float> scales;
  Buffer<float8_e4m3> device_elements;
  Buffer<float> device_scales;
  MatrixRef<const float8_e4m3> host, there;
  Index stride;

  /// @param value  returns a random value
  template <class Value>
  Operand8(Index rows_, Index k_, Index count_, Scaled scaled, Float8Format format, Random& bits,
           const Value& value)
      : rows(rows_),
        k(k_),
        count(count_),
        elements(static_cast<std::size_t>((rows + 20) * (k + 20) * count)),
        scales(static_cast<std::size_t>((rows + 1) * ((k + 127) / 128 + 1) * count)),
        device_elements(device(), elements.size()),
        device_scales(device(), scales.size()) {
    const bool by_k = up_to(bits, 2) > 0;
    const Index ld = (by_k ? k : rows) + std::array{0, 3, 16}[static_cast<std::size_t>(up_to(bits, 2))];
    stride = ld * (by_k ? rows : k) + up_to(bits, 1) * 16;
    for (float8_e4m3& x : elements) {
      const float v = value(bits);
      x.bits = format == Float8Format::e5m2 ? float8_e5m2(v).bits : float8_e4m3(v).bits;
    }
    for (float& s : scales) s = std::ldexp(1.0F, up_to(bits, 4) - 2);
    host = {elements.data(), rows, k, by_k ? ld : 1, by_k ? 1 : ld};
    host.format = format;
    const Index blocks = (rows + 127) / 128, steps = (k + 127) / 128;
    const auto along = [&](Index of_rows, Index of_k) {
      const bool row_major = of_k > 1 && up_to(bits, 1) == 0;
      host.scales = {scales.data(),
                     of_rows,
                     of_k,
                     row_major ? of_k : 1,
                     row_major ? 1 : of_rows,
                     up_to(bits, 1) * of_rows * of_k};
    };
    if (scaled == Scaled::matrix) along(1, 1);
    if (scaled == Scaled::lines) along(rows, 1);
    if (scaled == Scaled::blocks) along(blocks, 1);
    if (scaled == Scaled::line_steps) along(rows, steps);
    if (scaled == Scaled::block_steps) along(blocks, steps);
    device_elements.upload(elements);
    device_scales.upload(scales);
    there = host.at(device_elements.data());
    if (host.scales.data != nullptr) there.scales.data = device_scales.data();
  }

  /// Matrix i on the host.
  MatrixRef<const float8_e4m3> matrix(Index i) const {
    MatrixRef<const float8_e4m3> x = host.at(elements.data() + i * stride);
    x.scales = host.scales.of_entry(i);
    return x;
  }
};

/// A random batch of products.
template <class R, class Value>
struct Products8 {
  using T = Mixed<float8_e4m3, R>;
  Index m, n, k, count;
  Operand8 a, b;
  std::vector<R> before;
  Buffer<R> c;
  bool by_columns;
  float alpha, beta;

  Products8(Index m_, Index n_, Index k_, Index count_, Random& bits, Scaled of_a, Scaled of_b,
            const Value& value)
      : m(m_),
        n(n_),
        k(k_),
        count(count_),
        a(m, k, count, of_a, format(bits), bits, value),
        b(n, k, count, of_b, format(bits), bits, value),
        before(static_cast<std::size_t>(m * n * count)),
        c(device(), before.size()),
        by_columns(up_to(bits, 2) == 0),
        alpha(static_cast<float>(up_to(bits, 4) - 2)),
        beta(static_cast<float>(up_to(bits, 2) - 1)) {
    for (R& x : before) x = static_cast<R>(static_cast<float>(up_to(bits, 8) - 4));
  }

  static Float8Format format(Random& bits) {
    return up_to(bits, 1) == 0 ? Float8Format::e4m3 : Float8Format::e5m2;
  }
  MatrixRef<R> result(R* data) const { return by_columns ? column_major(data, m, n) : row_major(data, m, n); }

  /// Computes the batch on the device and returns C.
  std::vector<R> computed(const GemmOptions& options) {
    c.upload(before);
    const GemmArgs<T> first{alpha, a.there, b.there.transposed(), beta, result(c.data())};
    device().gemm(BatchArgs<T>{first, {count, a.stride, b.stride, m * n}}, options);
    device().wait();
    std::vector<R> found(before.size());
    c.download(found);
    return found;
  }

  /// The largest ratio of an error to its bound. @param compare  `compare` or `compare_exact` of `Reference`
  template <class Compare>
  double worst(const std::vector<R>& found, const Compare& compare) {
    double ratio = 0;
    for (Index i = 0; i < count; ++i) {
      const Reference<T> reference(
          {alpha, a.matrix(i), b.matrix(i).transposed(), beta, result(before.data() + i * m * n)});
      const MatrixRef<const R> C = result(const_cast<R*>(found.data()) + i * m * n);
      ratio = std::max(ratio, compare(reference, C).ratio);
    }
    return ratio;
  }
};

constexpr Scaled all_scales[] = {Scaled::none,   Scaled::matrix,     Scaled::lines,
                                 Scaled::blocks, Scaled::line_steps, Scaled::block_steps};

/// Whether a GPU refuses the pair: it multiplies the sums of each step by scales of single rows or columns
/// only.
bool refuses(Scaled a, Scaled b, Index m, Index n, Index k) {
  const auto lines = [](Scaled s) { return s == Scaled::lines || s == Scaled::line_steps; };
  return !device().target(ComputeMode::fp8_fp32).is_cpu() && lines(a) && lines(b) && m > 1 && n > 1 &&
         k > 128 && (a == Scaled::line_steps || b == Scaled::line_steps);
}

/// Small integers, which both formats hold.
float small_integer(Random& bits) {
  return static_cast<float>(up_to(bits, 6) - 3);
}
float normal(Random& bits) {
  return std::normal_distribution<float>()(bits);
}

TEMPLATE_TEST_CASE("sums of small integers with scales are exact", "[float8]", float, bfloat16, float16) {
  kernels<Mixed<float8_e4m3, TestType>>();  // skips the test if there are none
  Random bits(seed);
  const bool cpu = device().target(ComputeMode::fp8_fp32).is_cpu();
  for (int i = 0; i < (cpu ? 60 : 400); ++i) {
    const Scaled of_a = all_scales[up_to(bits, 5)], of_b = all_scales[up_to(bits, 5)];
    const Index largest = std::array{20, 140, 300}[static_cast<std::size_t>(up_to(bits, 2))];
    const auto extent = [&] { return Index{1} + up_to(bits, static_cast<int>(largest)); };
    const Index m = extent(), n = extent(), k = extent() * (1 + 3 * up_to(bits, 1)),
                count = 1 + up_to(bits, 2);
    CAPTURE(i, m, n, k, count, static_cast<int>(of_a), static_cast<int>(of_b));
    if (refuses(of_a, of_b, m, n, k)) continue;
    Products8<TestType, float (*)(Random&)> products(m, n, k, count, bits, of_a, of_b, small_integer);
    GemmOptions options{.fast_accumulation = up_to(bits, 1) == 1};
    const bool steps = of_a == Scaled::line_steps || of_a == Scaled::block_steps ||
                       of_b == Scaled::line_steps || of_b == Scaled::block_steps;
    if (!cpu && up_to(bits, 1) == 1) {
      std::vector<TileShape> tiles =
          detail::built_tiles(rung_of(Kernel::warpgroup), device().target(ComputeMode::fp8_fp32));
      tiles.push_back({128, 256, 32, 1, 128});
      options.kernel = Kernel::warpgroup;
      options.tile = tiles[static_cast<std::size_t>(up_to(bits, static_cast<int>(tiles.size()) - 1))];
      if (options.tile.bn > 128) options.fast_accumulation = true;
      if (options.tile.bn > 128 && steps && k > 128) options.tile = {};
    }
    CAPTURE(to_string(options.tile), products.alpha, products.beta, products.by_columns);
    const auto exact = [](const auto& reference, const auto& C) { return reference.compare_exact(C); };
    CHECK(products.worst(products.computed(options), exact) == 0);
  }
}

TEMPLATE_TEST_CASE("errors of 8-bit floats are within the bound", "[float8]", float, bfloat16, float16) {
  kernels<Mixed<float8_e4m3, TestType>>();
  Random bits(seed);
  for (const auto& [m, n, k] : {GemmShape{130, 257, 1000}, {64, 64, 5000}, {3, 200, 129}, {129, 1, 640}}) {
    for (const Scaled scaled : all_scales) {
      CAPTURE(m, n, k, static_cast<int>(scaled));
      Products8<TestType, float (*)(Random&)> products(m, n, k, 1, bits, scaled, Scaled::block_steps, normal);
      const auto bounded = [](const auto& reference, const auto& C) { return reference.compare(C); };
      CHECK(products.worst(products.computed({}), bounded) <= 1);
    }
  }
}

TEST_CASE("NaN, infinities and the largest numbers reach exactly their rows and columns", "[float8]") {
  kernels<Mixed<float8_e4m3, float>>();
  Random bits(seed);
  for (const Float8Format format : {Float8Format::e4m3, Float8Format::e5m2}) {
    Products8<float, float (*)(Random&)> products(70, 80, 200, 1, bits, Scaled::none, Scaled::none,
                                                  small_integer);
    products.alpha = 1, products.beta = 0;
    products.a.host.format = products.a.there.format = format;
    const auto set = [&](Index row, Index col, std::uint8_t of) {
      const MatrixRef<const float8_e4m3>& A = products.a.host;
      products.a.elements[static_cast<std::size_t>(row * A.row_stride + col * A.col_stride)].bits = of;
    };
    for (float8_e4m3& x : products.a.elements) x.bits = 0;
    for (float8_e4m3& x : products.b.elements) x = float8_e4m3(1.0F);
    products.b.host.format = products.b.there.format = Float8Format::e4m3;
    const bool e5m2 = format == Float8Format::e5m2;
    set(5, 150, 0x7F);                // NaN
    set(7, 3, e5m2 ? 0x7B : 0x7E);    // the largest number
    set(9, 199, e5m2 ? 0x7C : 0x7E);  // infinity, if the format has it
    set(11, 0, 0x01);                 // the smallest number
    products.a.device_elements.upload(products.a.elements);
    products.b.device_elements.upload(products.b.elements);
    const std::vector<float> found = products.computed({});
    const MatrixRef<const float> C = products.result(const_cast<float*>(found.data()));
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (Index j = 0; j < C.cols; ++j) {
      CHECK(std::isnan(C(5, j)));
      CHECK(C(7, j) == (e5m2 ? 57344.0F : 448.0F));
      CHECK(C(9, j) == (e5m2 ? infinity : 448.0F));
      CHECK(C(11, j) == (e5m2 ? 0x1p-16F : 0x1p-9F));
      CHECK((C(4, j) == 0 && C(6, j) == 0 && C(12, j) == 0));
    }
  }
}

TEST_CASE("scales that do not fit are refused, and C is untouched", "[float8]") {
  kernels<Mixed<float8_e4m3, float>>();
  Random bits(seed);
  Products8<float, float (*)(Random&)> products(130, 140, 300, 2, bits, Scaled::line_steps, Scaled::lines,
                                                small_integer);
  products.alpha = 2;
  const Float8Scales fits = products.a.there.scales;
  const auto refused_with = [&](const Float8Scales& scales) {
    products.a.there.scales = scales;
    const std::string text = refused([&] { products.computed({}); });
    std::vector<float> left(products.before.size());
    products.c.download(left);
    CHECK(left == products.before);
    return text;
  };
  Float8Scales other = fits;
  other.data = nullptr;
  CHECK(refused_with(other).starts_with("null pointer to scales (A, scales 130 x 3 of 130 x 300"));
  other = fits, other.data = reinterpret_cast<const float*>(reinterpret_cast<const char*>(fits.data) + 2);
  CHECK(refused_with(other).starts_with("misaligned scales (A, "));
  for (const auto& [rows, cols] : {std::pair<Index, Index>{129, 3}, {130, 2}, {3, 3}, {130, 300}, {0, 1}}) {
    other = fits, other.rows = rows, other.cols = cols;
    CHECK(refused_with(other).starts_with("wrong number of scales (A, "));
  }
  for (const Index stride : {-1, 0}) {
    other = fits, other.col_stride = stride;
    CHECK(refused_with(other).starts_with("invalid stride of scales (A, "));
  }
  other = fits, other.cols = 1, other.row_stride = 3;
  CHECK(refused_with(other).starts_with("scales with gaps (A, "));
}

TEST_CASE("a GPU refuses what its kernels cannot scale", "[float8]") {
  kernels<Mixed<float8_e4m3, float>>();
  const Target target = device().target(ComputeMode::fp8_fp32);
  if (target.is_cpu()) SKIP("a CPU applies all scales");
  Random bits(seed);
  using Products = Products8<float, float (*)(Random&)>;
  Products lines(130, 140, 300, 1, bits, Scaled::line_steps, Scaled::line_steps, small_integer);
  lines.alpha = 1;
  CHECK(refused([&] { lines.computed({}); }).starts_with("scales vary along K and with the rows of A"));
  Products steps(130, 140, 300, 1, bits, Scaled::line_steps, Scaled::block_steps, small_integer);
  steps.alpha = 1;
  const GemmOptions wide{
      .kernel = Kernel::warpgroup, .tile = {128, 256, 32, 1, 128}, .fast_accumulation = true};
  CHECK(refused([&] {
          steps.computed(wide);
        }).starts_with("tile sums all of K in the tensor cores (128x256x32)"));
  Products plain(130, 140, 300, 1, bits, Scaled::none, Scaled::none, small_integer);
  plain.alpha = 1;
  GemmOptions slow = wide;
  slow.fast_accumulation = false;
  CHECK(refused([&] {
          plain.computed(slow);
        }).ends_with("set fast_accumulation, or take a tile of at most 128 columns"));
  plain.a.there.scales = {plain.a.scales.data(), 1, 1, 1, 1, 0};
  CHECK(refused([&] { plain.computed({}); }).find("scales of A") != std::string::npos);
}

}  // namespace
}  // namespace rooftile::testing
