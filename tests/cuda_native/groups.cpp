// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What the native entry promises of groups: the bits of the kernels that it names, in every run, also of a
// graph.
#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <string>

#include <catch2/catch_template_test_macros.hpp>

#include "ones.hpp"
#include "tests/ladder/this_ladder.hpp"
#include "tests/support/random_values.hpp"

namespace rooftile::testing {
namespace {

/// Products of random numbers, whose C lie in one memory with a guard behind each.
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
  /// Elements of all A, B or C.
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
