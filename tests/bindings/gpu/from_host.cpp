// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Products of host memory through a simulated device that executes at random times, has little memory, or
// fails. Schedules: each element is sent once and before it is read, and each element of C is summed over all
// of K.
#include "bindings/gpu/from_host.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <tuple>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "bindings/gpu/schedule.hpp"
#include "numerics/reference.hpp"
#include "tests/bindings/gpu/fake_device.hpp"
#include "tests/support/random_values.hpp"

namespace rooftile::testing {
namespace {

using gpu::Memory;
using Types = std::tuple<float, double, float16, bfloat16, complex<float>, complex<double>>;

/// A matrix with padding that must not be written.
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

  /// Whether the padding is unchanged.
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

/// A product with operands in random layouts, and the expected result.
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
  /// The expected C.
  /// @pre C is unchanged
  Reference<T> expected() { return Reference<T>(args()); }

  /// @return why the device was abandoned; empty if it was not
  std::string run(FakeDevice& device, const gpu::Memories& memories) {
    const gpu::Copiers copiers{3, [](int count, void (*f)(void*, int), void* context) {
                                 for (int i = count; i-- > 0;) f(context, i);
                               }};
    const auto cpu = [&](const GemmArgs<T>& rest) { ++rests, portable::multiply_without_memory(rest); };
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

const GemmShape some_shapes[] = {{1, 1, 1},       {37, 29, 50},   {513, 3, 9},
                                 {1100, 40, 5},   {40, 1100, 5},  {20, 30, 1100},
                                 {1030, 1040, 3}, {64, 1025, 30}, {2, 511, 640}};

TEMPLATE_LIST_TEST_CASE("a product goes through a device, however its queues run", "[gpu]", Types) {
  using T = TestType;
  unsigned seed = 1;
  for (const GemmShape& shape : some_shapes) {
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

TEMPLATE_LIST_TEST_CASE("a product larger than a device's memory is halved", "[gpu]", Types) {
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

TEMPLATE_LIST_TEST_CASE("the CPU computes the parts that a failing device has not returned", "[gpu]", Types) {
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

TEST_CASE("C in place on a device that fails is lost, not computed again", "[gpu]") {
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
      CHECK(std::string(error.what()).find("(the device broke): do not use C") != std::string::npos);
    }
    CHECK(device.is_idle());
  }
  CHECK(lost > 0);
  CHECK(right > 0);
}

TEST_CASE("an operand on a device without memory is refused before C is written", "[gpu]") {
  Case<double> x({40, 30, 20}, 5, true);
  FakeDevice device(1, Fault::none, 0, 0);
  CHECK_THROWS_AS(x.run(device, {.a = Memory::device}), gpu::Lost);
  CHECK(x.c.values == x.before);
}

/// Records which elements of an operand were sent.
class Sent {
 public:
  Sent(Index rows, Index cols) : cols_(cols), here_(static_cast<std::size_t>(rows * cols)) {}
  void send(const gpu::Block& b) {
    each(b, [&](char& here) { twice |= here != 0, here = 1; });
  }
  bool has(const gpu::Block& b) {
    bool all = true;
    each(b, [&](char& here) { all = all && here != 0; });
    return all;
  }
  bool twice = false;

 private:
  template <class F>
  void each(const gpu::Block& b, const F& f) {
    for (Index i = b.row; i < b.row + b.rows; ++i)
      for (Index j = b.col; j < b.col + b.cols; ++j) f(here_[static_cast<std::size_t>(i * cols_ + j)]);
  }
  Index cols_;
  std::vector<char> here_;
};

TEST_CASE("a schedule sends each element once, before it is read, and sums over all of K", "[gpu]") {
  std::mt19937 random(1);
  std::vector<GemmShape> shapes{{1, 1, 1}, {1024, 1024, 1}, {1025, 2049, 3}, {2, 3, 2100}, {1500, 1, 1500}};
  for (int i = 0; i < 12; ++i) {
    const auto any = [&] { return 1 + static_cast<Index>(random() % (random() % 2 == 0 ? 40 : 2600)); };
    shapes.push_back({any(), any(), any()});
  }
  for (const GemmShape& shape : shapes) {
    const auto [m, n, k] = shape;
    for (const Index outer : {Index{0}, k / 2, k}) {
      INFO(to_string(shape) << ", outer " << outer);
      Sent a(m, k), b(k, n), c(m, n);
      std::vector<Index> summed(static_cast<std::size_t>(m * n));
      bool in_order = true, ends = true;
      for (const gpu::Step& step : gpu::schedule_of(shape, {.reads_c = true}, outer)) {
        a.send(step.a), b.send(step.b), c.send(step.c);
        const gpu::Block& p = step.product;
        if (p.empty()) continue;
        CHECK(a.has({p.row, step.k, p.rows, step.depth}));
        CHECK(b.has({step.k, p.col, step.depth, p.cols}));
        CHECK(c.has(p));
        for (Index i = p.row; i < p.row + p.rows; ++i) {
          for (Index j = p.col; j < p.col + p.cols; ++j) {
            Index& depth = summed[static_cast<std::size_t>(i * n + j)];
            in_order = in_order && depth == step.k && step.first == (depth == 0);
            depth += step.depth;
            ends = ends && step.last == (depth == k);
          }
        }
      }
      CHECK(in_order);
      CHECK(ends);
      CHECK_FALSE((a.twice || b.twice || c.twice));
      CHECK(std::all_of(summed.begin(), summed.end(), [k = k](Index depth) { return depth == k; }));
    }
  }
}

TEST_CASE("a schedule keeps K whole where C cannot hold sums of its parts", "[gpu]") {
  const gpu::Rates slow{1e9, 1e9, 0, 0};  // with slow transfers, an early first product pays off
  const gpu::Transfers all;
  const GemmShape shape{64, 64, 8192};
  CHECK(gpu::best_schedule<float16>(shape, all, slow).steps.back().depth == 8192);
  CHECK(gpu::best_schedule<float>(shape, all, slow).steps.back().depth < 8192);
}

TEST_CASE("a schedule's time is that of its slowest resource", "[gpu]") {
  const GemmShape shape{8192, 8192, 8192};
  const double bytes = 8.0 * 8192 * 8192, flops = 8192.0 * 8192 * 8192;
  const gpu::Transfers transfers;
  const double link = gpu::best_schedule<double>(shape, transfers, {50e9, 1e18, 0, 0}).seconds;
  CHECK(link > 2 * bytes / 50e9);
  CHECK(link < 2.4 * bytes / 50e9);
  const double work = gpu::best_schedule<double>(shape, transfers, {1e15, 1e12, 0, 0}).seconds;
  CHECK(work >= flops / 1e12);
  CHECK(work < 1.01 * flops / 1e12);
  const gpu::Transfers none{false, false, false, false};
  CHECK(gpu::best_schedule<double>(shape, none, {1, 1e12, 0, 0}).seconds < 1.01 * flops / 1e12);
}

}  // namespace
}  // namespace rooftile::testing
