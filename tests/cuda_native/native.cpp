// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Properties of the native entry beyond correct results, for example the accuracy of tf32x3.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <utility>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cuda_native/check.hpp"
#include "ones.hpp"
#include "plan/block_limits.hpp"
#include "plan/default_tile.hpp"
#include "rooftile/cuda_native.hpp"
#include "rooftile/model/architecture.hpp"
#include "rooftile/model/occupancy.hpp"
#include "tests/ladder/product.hpp"
#include "tests/ladder/this_ladder.hpp"
#include "tests/support/random_values.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

using Catch::Matchers::StartsWith;

TEST_CASE("without a GPU, the native entry says so and touches nothing", "[no-gpu]") {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) SKIP("there is a GPU");
  float a = 1, b = 1, c = 7;
  CHECK_THROWS_WITH(cuda_native::gemm(nullptr, 1.0F, row_major<const float>(&a, 1, 1),
                                      row_major<const float>(&b, 1, 1), 0.0F, row_major(&c, 1, 1)),
                    StartsWith("no CUDA device ("));
  CHECK(c == 7);
}

TEST_CASE("a CUDA status without a device is reported as no device", "[no-gpu]") {
  const auto text_of = [](cudaError_t status) {
    return refused([&] { cuda_native::check(status, "do something"); });
  };
  CHECK(text_of(cudaSuccess).empty());
  for (const cudaError_t status : {cudaErrorNoDevice, cudaErrorInsufficientDriver, cudaErrorStubLibrary}) {
    CHECK(text_of(status) == detail::text("no CUDA device (", cudaGetErrorName(status),
                                          "): ", cuda_native::advice_without_device(status)));
  }
  CHECK(text_of(cudaErrorInvalidValue).starts_with("could not do something (cudaErrorInvalidValue): "));
}

TEST_CASE("the tile chooser follows the device query", "[chooser]") {
  device();
  const BlockLimits limits = cuda_native::target(ComputeMode::fp64).limits;
  CHECK(limits.threads >= 512);
  CHECK(limits.shared_bytes >= 16 * 1024);
  const Choice choice = cuda_native::explain<double>({100, 100, 100}, {Kernel::tiled_dynamic, {}});
  CHECK(choice.tile == widest_square_tile(limits, sizeof(double)));
}

/// Compares the model with the CUDA runtime for the kernel of each rung and tile in a compute mode.
template <ComputeMode math>
void check_occupancy(const model::SmLimits& limits) {
  const Target target = cuda_native::target(math);
  for (const Rung& rung : ladder) {
    if (!detail::computes(rung, target)) continue;
    std::vector<TileShape> tiles = detail::built_tiles(rung, target);
    if (tiles.empty()) tiles.push_back(default_tile(rung, {16, 16, 16}, target));
    for (const TileShape tile : tiles) {
      INFO(rung.name << ' ' << to_string(tile) << ' ' << to_string(math));
      const auto kernel = cuda_native::resources<ProductIn<math>>(rung.kernel, tile, math);
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
          constexpr bool native = std::any_of(std::begin(ladder), std::end(ladder), [](const Rung& rung) {
            return rung.native && rung.supports(all_modes[i], Path::native);
          });
          if constexpr (native) check_occupancy<all_modes[i]>(limits);
        }(),
        ...);
  }
  (std::make_index_sequence<mode_count>{});
}

struct Errors {
  double root_mean_square = 0;  ///< relative to |A|·|B|
  double largest = 0;
};

/// Distribution of the elements of A (n,k) and B (k,n). Signs are random, except in `positive`.
enum class Data { uniform, positive, graded, any_exponent };

/// A product of random data and the errors of kernels against the result in fp64.
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
  if (!detail::computes(rung, cuda_native::target(ComputeMode::tf32x3)))
    SKIP("no kernel computes in tf32x3 here");
  for (const Data data : {Data::uniform, Data::positive, Data::graded, Data::any_exponent}) {
    for (const Index k : {32, 500, 4096}) {
      Product product(here, k, data);
      const Errors fp32 = product.of({Kernel::pipelined, {}, ComputeMode::fp32});  // one sum along K
      REQUIRE(fp32.largest > 0);
      for (const TileShape tile : rung.tiles) {
        INFO("data " << static_cast<int>(data) << ", k " << k << ", tile " << to_string(tile));
        const Errors errors = product.of({rung.kernel, tile, ComputeMode::tf32x3});
        CHECK(errors.root_mean_square <= 2 * fp32.root_mean_square);
        CHECK(errors.largest <= 2 * fp32.largest);
        CHECK(errors.largest > 0);
      }
    }
  }
}

// A group has the bits of the kernels that `explain_grouped` names, in every run and in graphs.

/// Products of random numbers. All C lie in one buffer, with guard elements behind each.
template <class T>
class RandomGroup {
 public:
  static constexpr Index guard = 32;

  explicit RandomGroup(unsigned seed)
      : shapes_(drawn(seed)),
        a_(device(), total(0)),
        b_(device(), total(1)),
        c_(device(), total(2)),
        given_(random<T>(total(2), 3)) {
    a_.upload(random<T>(total(0), 1)), b_.upload(random<T>(total(1), 2));
    Index a = 0, b = 0, c = 0;
    for (const auto& [m, n, k] : shapes_) {
      const std::size_t i = products_.size();
      products_.push_back(
          {Scalar<T>(0.7F),
           i % 2 == 0 ? row_major<const T>(a_.data() + a, m, k) : column_major<const T>(a_.data() + a, m, k),
           i % 3 == 0 ? column_major<const T>(b_.data() + b, k, n) : row_major<const T>(b_.data() + b, k, n),
           i % 5 == 0 ? Scalar<T>(0) : Scalar<T>(0.3F), row_major(c_.data() + c, m, n)});
      a += m * k, b += k * n, c += m * n + guard;
    }
  }

  std::vector<GemmArgs<T>>& products() { return products_; }
  void reset() { c_.upload(given_); }
  std::vector<T> result() {
    std::vector<T> found(given_.size());
    c_.download(found);
    return found;
  }
  bool guards_hold(const std::vector<T>& found) const {
    Index end = 0;
    for (const auto& [m, n, k] : shapes_) {
      end += m * n;
      const auto at = static_cast<std::size_t>(end);
      if (std::memcmp(&found[at], &given_[at], guard * sizeof(T)) != 0) return false;
      end += guard;
    }
    return true;
  }

 private:
  static std::vector<GemmShape> drawn(unsigned seed) {
    std::mt19937 bits(seed);
    const auto extent = [&](Index most) { return std::uniform_int_distribution<Index>(1, most)(bits); };
    std::vector<GemmShape> shapes;
    for (int i = 0; i < 900; ++i) shapes.push_back({extent(50), extent(50), extent(50)});
    for (int i = 0; i < 30; ++i) shapes.push_back({extent(300), extent(300), extent(300)});
    for (const GemmShape& far :
         {GemmShape{1500, 1700, 60}, {3, 900, 20}, {900, 2, 300}, {40, 40, 9000}, {256, 256, 600}, {9, 9, 0}})
      shapes.push_back(far);
    std::shuffle(shapes.begin(), shapes.end(), bits);
    return shapes;
  }
  /// Returns the number of elements of all A (0), all B (1), or all C with their guards (2).
  std::size_t total(int operand) const {
    Index sum = 0;
    for (const auto& [m, n, k] : shapes_) sum += operand == 0 ? m * k : operand == 1 ? k * n : m * n + guard;
    return static_cast<std::size_t>(sum);
  }

  std::vector<GemmShape> shapes_;
  Buffer<T> a_, b_, c_;
  std::vector<T> given_;
  std::vector<GemmArgs<T>> products_;
};

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

TEMPLATE_LIST_TEST_CASE("a group has the bits of the kernels that explain names, in every run", "[grouped]",
                        Types) {
  using T = TestType;
  device();
  RandomGroup<T> group(5);
  const std::span<const GemmArgs<T>> products(group.products());
  const auto computed = [&](const auto& work) {
    group.reset();
    work();
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    return group.result();
  };
  const std::vector<T> together = computed([&] { cuda_native::gemm_grouped<T>(nullptr, products); });
  CHECK(group.guards_hold(together));
  CHECK(same_bits(computed([&] { cuda_native::gemm_grouped<T>(nullptr, products); }), together));
  const std::vector<GemmPlan> plans = cuda_native::explain_grouped<T>(nullptr, products);
  const std::vector<T> alone = computed([&] {
    for (std::size_t i = 0; i < plans.size(); ++i) cuda_native::run<T>(plans[i], nullptr, products[i]);
  });
  CHECK(same_bits(alone, together));
  std::set<std::string> tiles;
  for (const GemmPlan& plan : plans) {
    if (plan.together) tiles.insert(to_string(plan.tile));
  }
  const std::size_t expected = is_16_bit(type_of<T>()) ? 0 : is_complex(type_of<T>()) ? 1 : 2;
  CHECK(tiles.size() >= expected);
  CHECK(tiles.empty() == is_16_bit(type_of<T>()));
}

TEMPLATE_LIST_TEST_CASE("a captured group keeps its products", "[grouped][graph]", Types) {
  using T = TestType;
  device();
  RandomGroup<T> group(6);
  group.reset();
  cuda_native::gemm_grouped<T>(nullptr, group.products());
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  const std::vector<T> expected = group.result();
  group.reset();
  const Captured captured(
      [&](cudaStream_t stream) { cuda_native::gemm_grouped<T>(stream, group.products()); });
  const std::vector<T> before = group.result();
  std::fill(group.products().begin(), group.products().end(), GemmArgs<T>{});
  for (int i = 0; i < 2; ++i) {
    group.reset();
    captured.replay();
    CHECK(same_bits(group.result(), expected));
  }
  CHECK_FALSE(same_bits(before, expected));  // captured, not run
}

}  // namespace
}  // namespace rooftile::testing
