// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What tf32x3 promises: errors within twice those of fp32 itself, on the same product.
#include <algorithm>
#include <cmath>
#include <random>

#include "rooftile/cuda_native.hpp"
#include "tests/ladder/this_ladder.hpp"

namespace rooftile::testing {
namespace {

struct Errors {
  double root_mean_square = 0;  ///< relative to |A|·|B|
  double largest = 0;
};

/// What the elements of A (n,k) and B (k,n) are; their signs are random unless it says otherwise.
enum class Data { uniform, positive, graded, any_exponent };

/// A product of `data`, its exact result and what kernels make of it.
class Product {
 public:
  static constexpr Index n = 128;

  Product(Device& device, Index k, Data data)
      : k_(k),
        a_(size(n * k)),
        b_(size(k * n)),
        da_(device, a_.size()),
        db_(device, b_.size()),
        dc_(device, size(n * n)) {
    std::mt19937_64 bits(20261121);
    std::uniform_real_distribution<float> uniform(data == Data::positive ? 0.0F : -1.0F, 1.0F);
    std::uniform_int_distribution<int> power(-10, 10);
    const auto fill = [&](std::vector<float>& x, int k_major, Index cols) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        const Index row = static_cast<Index>(i) / cols, col = static_cast<Index>(i) % cols;
        const auto step = static_cast<int>(20 * (k_major > 0 ? col : row) / k_) - 10;
        const int exponent = data == Data::graded         ? k_major * step
                             : data == Data::any_exponent ? power(bits)
                                                          : 0;
        x[i] = std::ldexp(uniform(bits), exponent);
      }
    };
    fill(a_, 1, k);
    fill(b_, -1, n);
    da_.upload(a_);
    db_.upload(b_);
  }

  Errors of(const GemmOptions& options) {
    const auto A = row_major<const float>(da_.data(), n, k_), B = row_major<const float>(db_.data(), k_, n);
    cuda_native::gemm(nullptr, 1.0F, A, B, 0.0F, row_major(dc_.data(), n, n), options);
    std::vector<float> c(size(n * n));
    dc_.download(c);
    Errors errors;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        double exact = 0, magnitude = 0;
        for (Index x = 0; x < k_; ++x) {
          const double product = double{a_[size(i * k_ + x)]} * double{b_[size(x * n + j)]};
          exact += product, magnitude += std::abs(product);
        }
        const double error = std::abs(c[size(i * n + j)] - exact) / magnitude;
        errors.root_mean_square += error * error / static_cast<double>(n * n);
        errors.largest = std::max(errors.largest, error);
      }
    }
    errors.root_mean_square = std::sqrt(errors.root_mean_square);
    return errors;
  }

 private:
  static std::size_t size(Index elements) { return static_cast<std::size_t>(elements); }

  Index k_;
  std::vector<float> a_, b_;
  Buffer<float> da_, db_, dc_;
};

TEST_CASE("tf32x3 is within twice the error of fp32, as root mean square and at worst", "[accuracy]") {
  Device& here = device();
  const Rung& rung = rung_of(Kernel::warpgroup_tf32x3);
  if (!detail::computes(rung, cuda_native::target(Math::tf32x3))) SKIP("no kernel computes in tf32x3 here");
  for (const Data data : {Data::uniform, Data::positive, Data::graded, Data::any_exponent}) {
    for (const Index k : {32, 500, 4096}) {
      Product product(here, k, data);
      const Errors fp32 = product.of({Kernel::pipelined, {}, Math::fp32});  // one sum along K
      REQUIRE(fp32.largest > 0);
      for (const TileShape tile : rung.tiles) {
        INFO("data " << static_cast<int>(data) << ", k " << k << ", tile " << to_string(tile));
        const Errors errors = product.of({rung.kernel, tile, Math::tf32x3});
        CHECK(errors.root_mean_square <= 2 * fp32.root_mean_square);
        CHECK(errors.largest <= 2 * fp32.largest);
        CHECK(errors.largest > 0);
      }
    }
  }
}

}  // namespace
}  // namespace rooftile::testing
