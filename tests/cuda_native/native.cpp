// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What the native entry promises beside the right result.
// Accuracy of tf32x3: its errors are within twice those of fp32 on the same product.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <utility>

#include <catch2/matchers/catch_matchers_string.hpp>

#include "rooftile/cuda_native.hpp"
#include "rooftile/model/architecture.hpp"
#include "rooftile/model/occupancy.hpp"
#include "tests/ladder/product.hpp"
#include "tests/ladder/this_ladder.hpp"

namespace rooftile::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("without a GPU, the native entry says so and touches nothing", "[no-gpu]") {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) SKIP("there is a GPU");
  float a = 1, b = 1, c = 7;
  CHECK_THROWS_WITH(cuda_native::gemm(nullptr, 1.0F, row_major<const float>(&a, 1, 1),
                                      row_major<const float>(&b, 1, 1), 0.0F, row_major(&c, 1, 1)),
                    ContainsSubstring("could not find a CUDA device"));
  CHECK(c == 7);
}

TEST_CASE("the tile chooser follows the device query", "[chooser]") {
  device();
  const BlockLimits limits = cuda_native::target(Math::fp64).limits;
  CHECK(limits.threads >= 512);
  CHECK(limits.shared_bytes >= 16 * 1024);
  const Choice choice = cuda_native::explain<double>({100, 100, 100}, {Kernel::tiled_dynamic, {}});
  CHECK(choice.tile == widest_square_tile(limits, sizeof(double)));
}

/// Compares the model with the runtime for the kernel of each rung and tile in a math mode.
template <Math math>
void check_occupancy(const model::SmLimits& limits) {
  const Target target = cuda_native::target(math);
  for (const Rung& rung : ladder) {
    if (!detail::computes(rung, target)) continue;
    std::vector<TileShape> tiles = detail::built_tiles(rung, target);
    if (tiles.empty()) tiles.push_back(default_tile(rung, {16, 16, 16}, target));
    for (const TileShape tile : tiles) {
      INFO(rung.name << ' ' << to_string(tile) << ' ' << to_string(math));
      const auto kernel = cuda_native::resources<ElementIn<math>>(rung.kernel, tile, math);
      const model::Occupancy occupancy = model::occupancy(
          limits, {kernel.threads, kernel.registers, static_cast<model::Count>(kernel.shared_bytes)});
      CHECK(occupancy.blocks == kernel.blocks_per_sm);
      CHECK(kernel.local_bytes == 0);  // no register spills
    }
  }
}

TEST_CASE("the model's occupancy is the runtime's for every kernel", "[occupancy]") {
  device();
  cudaDeviceProp properties;
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  const model::SmLimits limits = model::nvidia_limits(properties.major, properties.minor);
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (
        [&] {
          if constexpr (!is_mixed(all_maths[i])) check_occupancy<all_maths[i]>(limits);
        }(),
        ...);
  }
  (std::make_index_sequence<math_count>{});
}

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
