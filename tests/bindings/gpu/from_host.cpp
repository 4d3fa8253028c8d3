// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Products of host memory through a device that works when it likes, has little memory, or fails.
#include "bindings/gpu/from_host.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "rooftile/reference.hpp"
#include "tests/bindings/gpu/fake_device.hpp"
#include "tests/support/random_values.hpp"

namespace rooftile::testing {
namespace {

using gpu::Memory;
using Types = std::tuple<float, double, float16, bfloat16, complex<float>, complex<double>>;

/// A matrix with room between its lines, where nothing may be written.
template <class T>
struct Matrix {
  Matrix(Index rows, Index cols, std::mt19937& random)
      : by_rows(random() % 2 == 0),
        pitch((by_rows ? cols : rows) + static_cast<Index>(random() % 3)),
        values(testing::random<T>((by_rows ? rows : cols) * pitch + 5, random())) {
    ref = by_rows ? MatrixRef<T>{values.data(), rows, cols, pitch, 1}
                  : MatrixRef<T>{values.data(), rows, cols, 1, pitch};
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  /// Whether what lies beside the matrix is as it was.
  bool kept_beside(const std::vector<T>& before) const {
    const Index length = by_rows ? ref.cols : ref.rows, count = by_rows ? ref.rows : ref.cols;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<Index>(i);
      if (at / pitch < count && at % pitch < length) continue;
      if (std::memcmp(static_cast<const void*>(&values[i]), &before[i], sizeof(T)) != 0) return false;
    }
    return true;
  }

  bool by_rows;
  Index pitch;
  std::vector<T> values;
  MatrixRef<T> ref;
};

template <class T>
MatrixRef<const T> read_only(const MatrixRef<T>& X) {
  return X;
}

/// A product with operands anywhere and what it should give.
template <class T>
struct Case {
  Case(const GemmShape& shape, unsigned seed, bool reads_c)
      : random(seed), a(shape.m, shape.k, random), b(shape.k, shape.n, random), c(shape.m, shape.n, random) {
    if (!reads_c) {  // NaN
      for (T& value : c.values) std::memset(static_cast<void*>(&value), 0xff, sizeof value);
    }
    before = c.values;
    beta = Scalar<T>(reads_c ? -0.5F : 0.F);
  }
  GemmArgs<T> args() { return {Scalar<T>(1.5F), read_only(a.ref), read_only(b.ref), beta, c.ref}; }
  /// What C shall be. @pre nothing has written to it
  Reference<T> expected() { return Reference<T>(args()); }

  /// @return why the device was given up
  std::string run(FakeDevice& device, const gpu::Memories& memories) {
    const gpu::Copiers copiers{3, [](int count, void (*f)(void*, int), void* context) {
                                 for (int i = count; i-- > 0;) f(context, i);
                               }};
    const auto cpu = [&](const GemmArgs<T>& rest) { ++rests, bindings::multiply_without_memory(rest); };
    const gpu::Rates rates{1e9, random() % 2 == 0 ? 1e8 : 1e12, 1e-6, 1e-6};
    gpu::FromHost<T, FakeDevice, decltype(cpu)> product(device, memories, copiers, rates, cpu);
    product.run(args());
    return product.problem();
  }
  bool right(const Reference<T>& expected) const {
    return c.kept_beside(before) && expected.compare(c.ref).passed();
  }

  std::mt19937 random;
  Matrix<T> a, b, c;
  Scalar<T> beta;
  std::vector<T> before;
  int rests = 0;
};

const GemmShape shapes[] = {{1, 1, 1},      {37, 29, 50},    {513, 3, 9},    {1100, 40, 5}, {40, 1100, 5},
                            {20, 30, 1100}, {1030, 1040, 3}, {64, 1025, 30}, {2, 511, 640}};

TEMPLATE_LIST_TEST_CASE("a product goes through a device, however its queues run", "[gpu]", Types) {
  using T = TestType;
  unsigned seed = 1;
  for (const GemmShape& shape : shapes) {
    for (const bool reads_c : {false, true}) {
      Case<T> x(shape, ++seed, reads_c);
      const auto expected = x.expected();
      const auto any = [&] {
        return std::array{Memory::pageable, Memory::pinned, Memory::device}[x.random() % 3];
      };
      const gpu::Memories memories{any(), any(), any()};
      INFO(to_string(shape) << ", seed " << seed << ", beta " << reads_c);
      FakeDevice device(seed);
      CHECK(x.run(device, memories).empty());
      CHECK(x.rests == 0);
      CHECK(device.products > 0);
      CHECK(device.is_idle());
      CHECK_FALSE(device.wrote_behind);
      CHECK(x.right(expected));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("what does not fit a device's memory is halved", "[gpu]", Types) {
  using T = TestType;
  for (const GemmShape& shape : {GemmShape{1200, 530, 3}, {5, 1040, 40}, {6, 7, 2600}}) {
    for (const std::size_t memory : {std::size_t{0}, std::size_t{100000}, std::size_t{4000000}}) {
      Case<T> x(shape, 7, true);
      const auto expected = x.expected();
      INFO(to_string(shape) << " in " << memory << " bytes");
      FakeDevice device(3, Fault::none, 0, memory);
      CHECK(x.run(device, {}).empty());
      CHECK((device.products == 0 || memory > 0));
      CHECK((x.rests > 0 || memory > 0));
      CHECK((x.rests == 0 || memory < 4000000));
      CHECK_FALSE(device.wrote_behind);
      CHECK(x.right(expected));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("where a device fails, the CPU computes what has not come back", "[gpu]", Types) {
  using T = TestType;
  for (const GemmShape& shape : {GemmShape{1030, 90, 4}, {30, 20, 1030}}) {
    for (const Fault fault : {Fault::refuses, Fault::no_memory, Fault::breaks}) {
      bool failed = true;
      int failures = 0;
      for (int when = 0; failed; when += 1 + when / 6) {
        Case<T> x(shape, 11, true);
        const auto expected = x.expected();
        INFO(to_string(shape) << ", fault " << static_cast<int>(fault) << " at " << when);
        FakeDevice device(static_cast<unsigned>(when), fault, when);
        const std::string problem = x.run(device, {});
        failed = device.failed;
        failures += failed ? 1 : 0;
        CHECK(problem.empty() == (!failed || fault == Fault::no_memory));
        CHECK((x.rests > 0 || problem.empty()));
        CHECK(device.is_idle());
        CHECK(x.right(expected));
      }
      CHECK(failures > 5);
    }
  }
}

TEST_CASE("what a device may have written to C in place is not computed again", "[gpu]") {
  int lost = 0, right = 0;
  for (int when = 0; when < 40; ++when) {
    Case<double> x({1030, 40, 4}, 5, true);
    const auto expected = x.expected();
    FakeDevice device(static_cast<unsigned>(when), Fault::breaks, when);
    try {
      x.run(device, {.c = Memory::pinned});
      CHECK(x.right(expected));
      ++right;
    } catch (const gpu::Lost& error) {
      ++lost;
      CHECK(std::string(error.what()).find("(the device broke): C is not to be used") != std::string::npos);
    }
    CHECK(device.is_idle());
  }
  CHECK(lost > 0);
  CHECK(right > 0);
}

TEST_CASE("what lies on a device that has no memory left is refused before C is written", "[gpu]") {
  Case<double> x({40, 30, 20}, 5, true);
  FakeDevice device(1, Fault::none, 0, 0);
  CHECK_THROWS_AS(x.run(device, {.a = Memory::device}), gpu::Lost);
  CHECK(x.c.values == x.before);
}

}  // namespace
}  // namespace rooftile::testing
