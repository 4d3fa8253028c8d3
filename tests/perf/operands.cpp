// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/operands.hpp"

#include <cmath>
#include <set>

#include <catch2/catch_template_test_macros.hpp>

#include "fake_device.hpp"

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

TEST_CASE("integers are of the whole type, and of a sum's where it is C's", "[operands]") {
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

TEST_CASE("a seed makes the operands", "[operands]") {
  FakeDevice device;
  Operands<float> first(device, {3, 4, 5}, {}, 1, 1, seed), again(device, {3, 4, 5}, {}, 1, 1, seed),
      other(device, {3, 4, 5}, {}, 1, 1, seed + 1);
  for (auto* operands : {&first, &again, &other}) operands->fill(Values::uniform);
  CHECK(elements(first.on_host().first.A) == elements(again.on_host().first.A));
  CHECK(elements(first.on_host().first.C) == elements(again.on_host().first.C));
  CHECK(elements(first.on_host().first.A) != elements(other.on_host().first.A));
}

TEST_CASE("C is NaN where it must be overwritten, and random where beta reads it", "[operands]") {
  FakeDevice device;
  Operands<float> overwritten(device, {3, 4, 5}, {}, 1, 0, seed), read(device, {3, 4, 5}, {}, 1, 0.5, seed);
  overwritten.fill(Values::uniform), read.fill(Values::uniform);
  for (const float x : elements(overwritten.on_host().first.C)) CHECK(std::isnan(x));
  for (const float x : elements(read.on_host().first.C)) CHECK(std::abs(x) <= 1);
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

TEST_CASE("integers are such that no sum leaves the exact ones of fp32", "[operands]") {
  FakeDevice device;
  for (const Index k : {Index{1'800'000}, Index{2'000'000}}) {
    Operands<float> operands(device, {1, 1, k}, {}, 1, 0, seed);
    operands.fill(Values::integers);
    float most = 0;
    for (const float x : elements(operands.on_host().first.A)) most = std::max(most, x);
    CHECK(static_cast<Index>(most * most) * k < (Index{1} << 24));
  }
}

TEST_CASE("reset undoes what a kernel wrote", "[operands]") {
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
  CHECK((result.rows == 3 && result.cols == 4));
  CHECK(result(2, 1) == 77);
}

TEST_CASE("products of a batch lie one behind the other, each its own", "[operands]") {
  FakeDevice device;
  Operands<double> operands(device, {3, 4, 5}, {"rcr"}, 1, 1, seed, 2);
  operands.fill(Values::uniform);
  operands.reset();
  const BatchArgs<double> there = operands.on_device();
  CHECK(there.batch == Batch{2, 15, 20, 12});
  CHECK(elements(there.product(0).A) != elements(there.product(1).A));
  CHECK(elements(there.product(1).B) == elements(operands.on_host().product(1).B));
  there.product(1).C(2, 3) = 77;
  const BatchRef<const double> result = operands.result();
  CHECK((result.count == 2 && result[1](2, 3) == 77 && result[0](2, 3) != 77));
}

TEST_CASE("pointers lead to the products of a batch, and promise no more than there is", "[operands]") {
  FakeDevice device;
  Operands<double> operands(device, {3, 4, 5}, {"rcr"}, 1, 1, seed, 2, Places::by_pointers);
  operands.fill(Values::uniform);
  operands.reset();
  const BatchArgs<double> there = operands.on_device();
  CHECK((there.pointers.a != nullptr && there.pointers.b != nullptr && there.pointers.c != nullptr));
  CHECK(there.batch == Batch{2, 0, 0, 0});
  for (const Index i : {0, 1}) {
    CHECK(elements(there.product(i).A) == elements(operands.on_host().product(i).A));
    CHECK(elements(there.product(i).B) == elements(operands.on_host().product(i).B));
    const auto promised = reinterpret_cast<std::uintptr_t>(there.first.A.data);
    CHECK((promised >= 8 && reinterpret_cast<std::uintptr_t>(there.a(i)) % promised == 0));
  }
  there.product(1).C(2, 3) = 77;
  const BatchRef<const double> result = operands.result();
  CHECK((result.count == 2 && result[1](2, 3) == 77 && result[0](2, 3) != 77));
}

TEST_CASE("what was allocated is released", "[operands]") {
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

TEST_CASE("a matrix too large for any address is refused", "[operands]") {
  FakeDevice device;
  const Index large = Index{1} << 40;
  CHECK(refused([&] {
          Operands<float>(device, {large, 1, large}, {}, 1, 0, seed);
        }) == "matrix too large (1099511627776 x 1099511627776): take a smaller product");
  CHECK(refused([&] {
          Operands<float>(device, {Index{1} << 31, 1, Index{1} << 31}, {}, 1, 0, seed);
        }) == "matrix too large (2147483648 x 2147483648): take a smaller product");
}

TEST_CASE("a matrix too large for this machine is refused", "[operands]") {
  FakeDevice device;
  const Index large = 5'000'000;
  CHECK(refused([&] {
          Operands<double>(device, {large, 1, large}, {}, 1, 0, seed);
        }).find("take a smaller product") != std::string::npos);
  CHECK(device.buffers == 0);
}

}  // namespace
}  // namespace rooftile::perf
