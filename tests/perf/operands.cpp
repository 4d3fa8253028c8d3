// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Operands of one process and of several, the host memory that they need, and errors for insufficient memory.
#include "perf/measure/operands.hpp"

#include <cmath>
#include <memory>
#include <set>
#include <string>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "fake_device.hpp"
#include "perf/measure/memory_budget.hpp"
#include "perf/measure/shared_operands.hpp"

namespace rooftile::perf {
namespace {

using testing::FakeDevice;
using testing::refused;
using testing::seed;

template <class T>
std::vector<T> elements(const MatrixRef<const T>& X) {
  std::vector<T> all;
  for (Index i = 0; i < X.rows; ++i) {
    for (Index j = 0; j < X.cols; ++j) all.push_back(X(i, j));
  }
  return all;
}

template <class T>
std::vector<T> elements(const MatrixRef<T>& X) {
  return elements(MatrixRef<const T>(X));
}

TEMPLATE_TEST_CASE("A and B are random, from -1 to 1", "[operands]", float, double) {
  FakeDevice device;
  Operands<TestType> operands(device, {30, 40, 50}, {}, 1, 0, seed);
  operands.fill(Values::uniform);
  for (const auto& X : {operands.on_host().first.A, operands.on_host().first.B}) {
    const auto all = elements(X);
    CHECK(std::set<TestType>(all.begin(), all.end()).size() > all.size() * 9 / 10);
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    CHECK((*low >= -1 && *low < TestType(-0.9)));
    CHECK((*high < 1 && *high > TestType(0.9)));
  }
}

TEST_CASE("int8 operands span their type, and C starts at the largest int32", "[operands]") {
  FakeDevice device;
  Operands<Mixed<std::int8_t, std::int32_t>> operands(device, {30, 40, 50}, {}, 1, 0, seed);
  operands.fill(Values::uniform);
  const auto all = elements(operands.on_host().first.A);
  CHECK(std::set<int>(all.begin(), all.end()).size() > 200);
  operands.reset();
  CHECK(elements(operands.result().first) ==
        std::vector<std::int32_t>(1200, std::numeric_limits<std::int32_t>::max()));
}

TEMPLATE_TEST_CASE("host and device hold the same operands", "[operands]", float, double) {
  FakeDevice device;
  Operands<TestType> operands(device, {3, 4, 5}, {}, 2, 3, seed);
  operands.fill(Values::uniform);
  const auto host = operands.on_host().first, there = operands.on_device().first;
  CHECK(host.A.data != there.A.data);
  CHECK(elements(host.A) == elements(there.A));
  CHECK(elements(host.B) == elements(there.B));
  operands.reset();
  CHECK(elements(host.C) == elements(there.C));
  CHECK(host.shape() == GemmShape{3, 4, 5});
  CHECK(there.shape() == GemmShape{3, 4, 5});
  CHECK((there.alpha == 2 && there.beta == 3));
}

TEST_CASE("operands of 8-bit floats have the scales of their layout", "[operands]") {
  FakeDevice device;
  for (const char* name : scale_names) {
    CAPTURE(name);
    Operands<Mixed<float8_e4m3, float>> operands(device, {300, 200, 400}, {.scales = name}, 1, 0, seed);
    operands.fill(Values::uniform);
    const auto host = operands.on_host().first, there = operands.on_device().first;
    const std::string_view layout = name;
    CHECK((host.A.scales.data == nullptr) == (layout == "none"));
    if (layout == "none") continue;
    CHECK(host.A.scales.rows == (layout == "one" ? 1 : 300));
    CHECK(host.A.scales.cols == (layout == "blocks" ? 4 : 1));
    CHECK(host.B.scales.rows == (layout == "blocks" ? 4 : 1));
    CHECK(host.B.scales.cols == (layout == "one" ? 1 : layout == "lines" ? 200 : 2));
    for (const auto& [X, Y] : {std::pair(host.A, there.A), std::pair(host.B, there.B)}) {
      const MatrixRef<const float> x{X.scales.data, X.scales.rows, X.scales.cols, X.scales.row_stride,
                                     X.scales.col_stride};
      const MatrixRef<const float> y{Y.scales.data, x.rows, x.cols, x.row_stride, x.col_stride};
      CHECK(x.data != y.data);
      CHECK(elements(x) == elements(y));
      for (const float scale : elements(x)) CHECK((scale >= 0.5F && scale < 2));
    }
  }
}

TEST_CASE("operands follow from their seed, except a C that is overwritten, which is NaN", "[operands]") {
  FakeDevice device;
  Operands<float> first(device, {3, 4, 5}, {}, 1, 1, seed), again(device, {3, 4, 5}, {}, 1, 1, seed),
      other(device, {3, 4, 5}, {}, 1, 1, seed + 1);
  for (auto* operands : {&first, &again, &other}) operands->fill(Values::uniform);
  CHECK(elements(first.on_host().first.A) == elements(again.on_host().first.A));
  CHECK(elements(first.on_host().first.C) == elements(again.on_host().first.C));
  CHECK(elements(first.on_host().first.A) != elements(other.on_host().first.A));
  for (const float x : elements(first.on_host().first.C)) CHECK(std::abs(x) <= 1);
  Operands<float> overwritten(device, {3, 4, 5}, {}, 1, 0, seed);
  overwritten.fill(Values::uniform);
  for (const float x : elements(overwritten.on_host().first.C)) CHECK(std::isnan(x));
}

TEMPLATE_TEST_CASE("integers are small, of both signs and not zero, and so are alpha and beta", "[operands]",
                   float, double, float16, bfloat16) {
  FakeDevice device;
  Operands<TestType> operands(device, {30, 40, 50}, {}, 1.25F, -0.5F, seed);
  operands.fill(Values::integers);
  const auto host = operands.on_host().first;
  CHECK((host.alpha == 1 && host.beta == 1 && operands.on_device().first.alpha == 1));
  for (const auto& X : {elements(host.A), elements(host.B), elements(host.C)}) {
    std::set<int> values;
    for (const TestType x : X) values.insert(static_cast<int>(static_cast<double>(x)));
    CHECK(values == std::set<int>{-3, -2, -1, 1, 2, 3});
  }
  CHECK(elements(host.B) == elements(operands.on_device().first.B));
  operands.fill(Values::uniform);
  CHECK((operands.on_host().first.alpha == 1.25F && operands.on_host().first.beta == -0.5F));
}

TEST_CASE("sums of integers stay exact in fp32", "[operands]") {
  FakeDevice device;
  for (const Index k : {Index{1'800'000}, Index{2'000'000}}) {
    Operands<float> operands(device, {1, 1, k}, {}, 1, 0, seed);
    operands.fill(Values::integers);
    float most = 0;
    for (const float x : elements(operands.on_host().first.A)) most = std::max(most, x);
    CHECK(static_cast<Index>(most * most) * k < (Index{1} << 24));
  }
}

TEST_CASE("reset restores C after a kernel wrote it", "[operands]") {
  FakeDevice device;
  Operands<double> operands(device, {3, 4, 5}, {}, 1, 1, seed);
  operands.fill(Values::uniform);
  const auto before = elements(operands.on_host().first.C);
  operands.reset();
  operands.on_device().first.C(2, 3) = 77;
  CHECK(operands.result().first(2, 3) == 77);
  CHECK(elements(operands.on_host().first.C) == before);  // the reference reads C there
  operands.reset();
  CHECK(elements(operands.result().first) == before);
}

TEST_CASE("operands lie as the layout's letters say", "[operands]") {
  FakeDevice device;
  Operands<double> operands(device, {3, 4, 5}, {"rcc"}, 1, 1, seed);
  operands.fill(Values::uniform);
  const auto there = operands.on_device().first;
  CHECK((there.A.row_stride == 5 && there.A.col_stride == 1));
  CHECK((there.B.row_stride == 1 && there.B.col_stride == 5));
  CHECK((there.C.row_stride == 1 && there.C.col_stride == 3));
  operands.reset();
  there.C(2, 1) = 77;
  const auto result = operands.result().first;
  CHECK((result.rows == 3 && result.cols == 4 && result(2, 1) == 77));
}

TEST_CASE("products of a batch lie one behind the other, or where pointers lead", "[operands]") {
  FakeDevice device;
  const bool pointers = GENERATE(false, true);
  Operands<double> operands(device, {3, 4, 5}, {"rcr"}, 1, 1, seed, 2,
                            pointers ? Places::by_pointers : Places::at_distances);
  operands.fill(Values::uniform);
  operands.reset();
  const BatchArgs<double> there = operands.on_device();
  for (const void* array :
       {static_cast<const void*>(there.pointers.a), static_cast<const void*>(there.pointers.b),
        static_cast<const void*>(there.pointers.c)})
    CHECK((array != nullptr) == pointers);
  CHECK(there.batch == (pointers ? Batch{2, 0, 0, 0} : Batch{2, 15, 20, 12}));
  CHECK(elements(there.product(0).A) != elements(there.product(1).A));
  for (const Index i : {0, 1}) {
    CHECK(elements(there.product(i).A) == elements(operands.on_host().product(i).A));
    CHECK(elements(there.product(i).B) == elements(operands.on_host().product(i).B));
    if (!pointers) continue;
    const auto promised = reinterpret_cast<std::uintptr_t>(there.first.A.data);
    CHECK((promised >= 8 && reinterpret_cast<std::uintptr_t>(there.a(i)) % promised == 0));
  }
  there.product(1).C(2, 3) = 77;
  const BatchRef<const double> result = operands.result();
  CHECK((result.count == 2 && result[1](2, 3) == 77 && result[0](2, 3) != 77));
}

TEST_CASE("operands and buffers release their memory", "[operands]") {
  FakeDevice device;
  {
    Operands<double> operands(device, {3, 4, 5}, {}, 1, 1, seed);
    CHECK(device.buffers == 3);
    Buffer<float> first(device, 10);
    Buffer<float> moved(std::move(first));
    CHECK(device.buffers == 4);
    CHECK(first.data() == nullptr);
  }
  CHECK(device.buffers == 0);
}

TEST_CASE("an empty product has operands", "[operands]") {
  FakeDevice device;
  for (const GemmShape shape : {GemmShape{}, {0, 4, 5}, {4, 0, 5}, {4, 5, 0}}) {
    Operands<float> operands(device, shape, {}, 1, 0, seed);
    operands.fill(Values::uniform);
    operands.reset();
    CHECK(operands.on_device().shape() == shape);
    CHECK(static_cast<Index>(elements(operands.result().first).size()) == shape.m * shape.n);
  }
}

TEST_CASE("a matrix beyond the addresses or the memory of the machine is refused", "[operands]") {
  FakeDevice device;
  for (const Index large : {Index{1} << 40, Index{1} << 31, Index{5'000'000}}) {
    const std::string refusal = refused([&] { Operands<double>(device, {large, 1, large}, {}, 1, 0, seed); });
    CHECK(refusal.ends_with(": take a smaller product"));
    if (large >= Index{1} << 31)
      CHECK(refusal.starts_with(rooftile::detail::text("matrix too large (", large, " x ", large, ")")));
    CHECK(device.buffers == 0);
  }
}

constexpr double all_rows = 1e9;  // limit of multiply-adds of the references, enough for all rows

/// Computes this process's part of the product by the definition.
template <class T>
void multiply(const SharedArgs<T>& args, const Standing& standing, const SharedElements<T>& element,
              const GemmShape& shape, T beta) {
  Index i = 0;
  for (Index row = 0; row < shape.m; ++row) {
    if (row / standing.mb % standing.grid.rows != standing.row()) continue;
    Index j = 0;
    for (Index col = 0; col < shape.n; ++col) {
      if (col / standing.nb % standing.grid.cols != standing.col()) continue;
      T sum(0);
      for (Index l = 0; l < shape.k; ++l) sum += element(0, row, l) * element(1, l, col);
      T& c = args.C.local(i, j++);
      c = beta == T(0) ? args.alpha * sum : args.alpha * sum + args.beta * c;
    }
    CHECK(j == args.C.local.cols);
    ++i;
  }
  CHECK(i == args.C.local.rows);
}

TEMPLATE_TEST_CASE("processes find their parts of a product right, and each a wrong element", "", float,
                   double, complex<float>, complex<double>) {
  using T = TestType;
  const auto device = host_device();
  const distributed::Grid grid = GENERATE(distributed::Grid{1, 1}, distributed::Grid{2, 3});
  const T beta = GENERATE(T(0), T(Real<T>(-0.5)));
  const Values values = GENERATE(Values::integers, Values::uniform);
  const GemmShape shape{23, 301, 11};  // more columns than the block of a reference
  for (int rank = 0; rank < grid.size() + 1; ++rank) {
    const Standing standing{grid, rank, 4, 3};
    SharedOperands<T> operands(*device, standing, shape, T(Real<T>(1.5)), beta, seed);
    operands.fill(values, all_rows);
    operands.reset();
    const SharedArgs<T> args = operands.args();
    CHECK(operands.rows_checked(all_rows) == 23);
    if (!standing.in_grid()) {
      CHECK(args.C.local.rows * args.C.local.cols == 0);
      CHECK(operands.worst().passed());
      continue;
    }
    CHECK(!operands.worst().passed());  // nothing is computed yet
    multiply(args, standing, SharedElements<T>(seed, values, shape.k), shape, beta);
    CHECK(operands.worst().passed());
    const Index i = args.C.local.rows - 1, j = args.C.local.cols - 2;
    args.C.local(i, j) += T(Real<T>(0.01));
    const Verification found = operands.worst();
    CHECK(!found.passed());
    CHECK(found.row == (i / 4 * grid.rows + standing.row()) * 4 + i % 4);
    CHECK(found.col == (j / 3 * grid.cols + standing.col()) * 3 + j % 3);
  }
}

TEST_CASE("some rows of a large shared product are compared, on each row of the grid") {
  const auto device = host_device();
  const GemmShape shape{100, 10, 10};
  for (int rank = 0; rank < 4; ++rank) {
    const Standing standing{{2, 2}, rank, 5, 5};
    SharedOperands<double> operands(*device, standing, shape, 1, 0, 1);
    operands.fill(Values::uniform, 1000);  // for ten rows
    CHECK(operands.rows_checked(1000) == 10);
    operands.reset();
    CHECK(!operands.worst().passed());  // NaN
  }
}

TEST_CASE("shared elements have their range, and differ by place, operand and seed") {
  const SharedElements<double> integers(1, Values::integers, 100), ones(1, Values::integers, 2000000),
      numbers(1, Values::uniform, 100);
  double sum = 0, least = 1, most = -1;
  for (Index i = 0; i < 100; ++i) {
    for (Index j = 0; j < 100; ++j) {
      const double whole = integers(0, i, j), x = numbers(0, i, j);
      CHECK((whole == std::trunc(whole) && std::abs(whole) >= 1 && std::abs(whole) <= 3));
      CHECK(std::abs(ones(0, i, j)) == 1);
      sum += x, least = std::min(least, x), most = std::max(most, x);
    }
  }
  CHECK(std::abs(sum) < 300);  // five standard deviations
  CHECK((least >= -1 && least < -0.99 && most < 1 && most > 0.99));
  CHECK(numbers(0, 1, 2) != numbers(0, 2, 1));
  CHECK(numbers(0, 1, 2) != numbers(1, 1, 2));
  CHECK(numbers(0, 1, 2) != SharedElements<double>(2, Values::uniform, 100)(0, 1, 2));
}

/// A device with little memory.
class SmallDevice : public testing::FakeDevice {
 public:
  void* allocate(std::size_t bytes) override {
    if (bytes > 1000) throw OutOfMemory(rooftile::detail::text(bytes, " bytes on the small one"));
    return FakeDevice::allocate(bytes);
  }
};

TEST_CASE("a lack of device memory names the product or the ceilings", "[memory]") {
  SmallDevice device;
  CHECK(refused([&] {
          Operands<float>(device, {100, 100, 100}, {}, 1, 0, 1);
        }) == "out of memory (40000 bytes on the small one): take a smaller product");
  device.measure_ceilings = [](Device& of) {
    const Buffer<float> copied(of, 5000);
    return Ceilings{1, 1, 1};
  };
  CHECK(refused([&] { measured_ceilings(device); }) ==
        "out of memory to measure the ceilings of a test's device (20000 bytes on the small one): free some");
}

TEST_CASE("a product takes host memory for its operands, its result and the reference", "[host]") {
  const GemmShape shape{10, 200, 3000};  // A 30,000 elements, B 600,000, C 2,000
  const double operands = 30'000 + 600'000 + 2'000;
  // The reference stores B with at least 4 bytes per element. For each checked row, C and its bounds take 8
  // bytes each.
  for (const auto& [size, of_reference] : {std::pair{8, 8}, {4, 4}, {2, 4}})
    CHECK(host_bytes(shape, 1, size, 0, false) == size * (operands + 2'000) + of_reference * 600'000);
  const auto bytes = [&](Index batch, Index rows, bool on_host) {
    return host_bytes(shape, batch, 4, rows, on_host);
  };
  CHECK(bytes(1, 7, false) - bytes(1, 0, false) == 7 * 8 * (200 + 200 + 1));
  CHECK(bytes(1, 5, true) - bytes(1, 5, false) == 4 * operands);  // a host device holds its own copy
  CHECK(bytes(2, 10, false) - bytes(1, 10, false) == 4 * (operands + 2'000));  // one reference at a time
  const Index large = Index{1} << 40;
  CHECK(host_bytes({large, large, large}, 1, 8, 1, true) > 0x1p83);
  CHECK((available_memory() > 0x1p20 && available_memory() < 0x1p60));
}

}  // namespace
}  // namespace rooftile::perf
