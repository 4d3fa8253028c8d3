// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "sampled.hpp"

namespace rooftile::perf {
namespace {

using testing::Bench, testing::FakeDevice, testing::FakeKernel, testing::nothing, testing::right,
    testing::seed;

/// Leaves out the last k.
template <class T>
void short_by_one(GemmArgs<T> args) {
  args.A.cols -= 1, args.B.rows -= 1;
  testing::multiply(args);
}

/// Writes all of C but its last element.
template <class T>
void incomplete(const GemmArgs<T>& args) {
  T& last = args.C(args.C.rows - 1, args.C.cols - 1);
  const T before = last;
  testing::multiply(args);
  last = before;
}

/// Rounds the factors to few bits, which small integers have.
template <class T>
void in_bfloat16(const GemmArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args;
  for (Index i = 0; i < C.rows; ++i) {
    for (Index j = 0; j < C.cols; ++j) {
      float sum = 0;
      for (Index k = 0; k < A.cols; ++k) {
        sum += bfloat16(static_cast<float>(A(i, k))) * bfloat16(static_cast<float>(B(k, j)));
      }
      C(i, j) = sum;
    }
  }
}

TEMPLATE_TEST_CASE("a right kernel is ok and timed as often as asked", "[sample]", float, double) {
  Bench<TestType> bench;
  for (const std::size_t samples : {1, 4, 15}) {
    bench.sampling.samples = samples;
    FakeKernel<TestType> kernel{"right", right<TestType>};
    const Result r = bench.run(kernel);
    CHECK(r.status == "ok");
    CHECK(r.reason == "");
    CHECK(r.error_ratio <= 1);
    CHECK(r.rows_checked == 20);
    CHECK(r.seconds.count == samples);
    CHECK(kernel.launches == samples + 2);  // twice to be verified
  }
}

TEST_CASE("of a batch, every product is verified", "[sample]") {
  Bench<float> bench;
  bench.batch = 5, bench.places = GENERATE(Places::at_distances, Places::by_pointers);
  FakeKernel<float> kernel{"right", right<float>};
  const Result r = bench.run(kernel);
  CHECK((r.status == "ok" && r.batch == 5 && r.rows_checked == 100));
  CHECK(r.pointers == (bench.places == Places::by_pointers));
  int products = 0;
  FakeKernel<float> wrong_in_one{"wrong in one", [&](const GemmArgs<float>& args) {
                                   if (products++ % 5 != 3) right(args);
                                 }};
  const Result wrong = bench.run(wrong_in_one);
  CHECK(wrong.status == "failed");
  CHECK(wrong.reason ==
        "wrong result of integers (product 3, row 0, column 0, not exact): report this kernel");
}

TEST_CASE("of a batch, the error is that of the worst product, and the reason the first that is wrong",
          "[sample]") {
  Bench<float> bench;
  bench.batch = 4;
  /// Right in integers, then off by so much in each product.
  const auto run = [&](std::array<float, 4> off) {
    std::size_t products = 0;
    FakeKernel<float> kernel{"off", [&](const GemmArgs<float>& args) {
                               right(args);
                               for (Index i = 0; i < args.C.rows && products >= 4; ++i) {
                                 for (Index j = 0; j < args.C.cols; ++j)
                                   args.C(i, j) *= 1 + off[products % 4];
                               }
                               ++products;
                             }};
    return bench.run(kernel);
  };
  const double much = run({0, 1e-2F, 0, 0}).error_ratio, little = run({0, 0, 1e-3F, 0}).error_ratio;
  CHECK((much > little && little > 1));
  const Result first = run({0, 1e-2F, 1e-3F, 0}), second = run({0, 1e-3F, 1e-2F, 0});
  CHECK(first.error_ratio == much);
  CHECK((second.error_ratio > 5 * little && second.error_ratio == run({0, 0, 1e-2F, 0}).error_ratio));
  const double of_first_wrong = run({0, 1e-3F, 0, 0}).error_ratio;
  for (const auto& [r, ratio] : {std::pair{first, much}, {second, of_first_wrong}}) {
    CHECK(r.status == "failed");
    CHECK(r.reason == detail::text("wrong result (product 1, row 10, column 0, ", ratio,
                                   " times its error bound): report this kernel"));
    CHECK(r.rows_checked == 80);
  }
}

TEST_CASE("of very many products, evenly spread ones are verified", "[sample]") {
  CHECK(products_to_check({4, 4, 4}, 3) == std::vector<Index>{0, 1, 2});
  const std::vector<Index> many = products_to_check({4, 4, 4}, 100'000);
  CHECK((many.size() == 1000 && many.front() == 0 && many.back() == 99'999));
  CHECK(products_to_check({100, 100, 100}, 100, 4e6) == std::vector<Index>{0, 33, 66, 99});
  CHECK(products_to_check({100, 100, 100}, 100, 1) == std::vector<Index>{0, 99});
  CHECK(products_to_check({0, 4, 4}, 1) == std::vector<Index>{0});
}

TEST_CASE("a result says what it is of", "[sample]") {
  Bench<float> bench;
  FakeKernel<float> kernel{"right", right<float>};
  const Result r = bench.run(kernel);
  CHECK(r.path == "test");
  CHECK(r.backend == "fake");
  CHECK(r.kernel == "right");
  CHECK(r.tile == "4x4");
  CHECK(r.shape == GemmShape{20, 12, 9});
  CHECK(r.dtype == "fp32");
  CHECK(r.math == "fp32");
  CHECK(r.batch == 1);
  CHECK_FALSE(r.automatic);
  CHECK(r.request_intensity == 0.5);
}

TEMPLATE_TEST_CASE("a wrong kernel fails, with a reason, and is not timed", "[sample]", float, double) {
  Bench<TestType> bench;
  for (const TestType beta : {TestType(0), TestType(0.5)}) {
    bench.beta = beta;
    for (const auto& [name, worst, compute] :
         {std::tuple{"short by one", "row 0, column 0", &short_by_one<TestType>},
          {"incomplete", "row 19, column 11", [](GemmArgs<TestType> args) { incomplete(args); }}}) {
      INFO(name << ", beta " << beta);
      FakeKernel<TestType> kernel{name, compute};
      const Result r = bench.run(kernel);
      CHECK(r.status == "failed");
      CHECK(r.reason ==
            detail::text("wrong result of integers (", worst, ", not exact): report this kernel"));
      CHECK(r.error_ratio > 1);
      CHECK(r.seconds.count == 0);
      CHECK(kernel.launches == 1);
    }
  }
}

TEMPLATE_TEST_CASE("a kernel that is right for integers only fails", "[sample]", float, double) {
  Bench<TestType> bench;
  FakeKernel<TestType> kernel{"inaccurate", in_bfloat16<TestType>};
  const Result r = bench.run(kernel);
  CHECK(r.status == "failed");
  CHECK(r.error_ratio > 1);
  CHECK(std::isfinite(r.error_ratio));
  CHECK(r.seconds.count == 0);
  CHECK(kernel.launches == 2);
}

TEMPLATE_TEST_CASE("one product lost of 65,536 is found, though it is within the error bound", "[sample]",
                   float, float16, bfloat16) {
  Bench<TestType> bench;
  bench.shape = {4, 5, 65536};
  FakeKernel<TestType> kernel{"short by one", short_by_one<TestType>};
  CHECK(bench.run(kernel).status == "failed");

  Operands<TestType> operands(bench.device, bench.shape, {}, 1, 0, seed);
  operands.fill(Values::uniform);
  operands.reset();
  kernel.compute(operands.on_device().first);
  CHECK(Reference<TestType>(operands.on_host().first).compare(operands.result().first).passed());
  FakeKernel<TestType> whole{"right", right<TestType>};
  CHECK(bench.run(whole).status == "ok");
}

TEST_CASE("the library's choice is named as on the product", "[sample]") {
  Bench<float> bench;
  FakeKernel<float> kernel{"automatic", right<float>};
  Candidate<float> candidate = kernel.on(bench.device);
  candidate.chosen = [](const BatchArgs<float>& args) -> KernelName {
    return {"kernel", std::to_string(args.first.C.rows)};
  };
  Operands<float> operands(bench.device, bench.shape, {}, 1, 0, seed);
  const std::vector<const Candidate<float>*> candidates{&candidate};
  const Result r = sample(candidates, operands, {}, [](const std::string&) {}).front();
  CHECK((r.automatic && r.kernel == "kernel" && r.tile == "20" && r.status == "ok"));
  kernel.refusal = "no kernel computes so (bf16): take another";
  const Result refused = sample(candidates, operands, {}, [](const std::string&) {}).front();
  CHECK((refused.automatic && refused.kernel == "automatic" && refused.status == "unsupported"));
}

TEST_CASE("the reason names the place", "[sample]") {
  Bench<float> bench;
  FakeKernel<float> kernel{"incomplete", incomplete<float>};
  CHECK(bench.run(kernel).reason ==
        "wrong result of integers (row 19, column 11, not exact): report this kernel");
  FakeKernel<float> inaccurate{"inaccurate", in_bfloat16<float>};
  const Result r = bench.run(inaccurate);
  CHECK(r.reason == detail::text("wrong result (row 15, column 6, ", r.error_ratio,
                                 " times its error bound): report this kernel"));
  CHECK(r.reason.ends_with(" times its error bound): report this kernel"));
}

TEMPLATE_TEST_CASE("a kernel that writes nothing fails, also after one that was right", "[sample]", float,
                   double) {
  for (const TestType beta : {TestType(0), TestType(1)}) {
    Bench<TestType> bench;
    bench.beta = beta;
    FakeKernel<TestType> first{"right", right<TestType>}, second{"nothing", nothing<TestType>};
    const auto results = bench.run({&first, &second});
    CHECK(results[0].status == "ok");
    CHECK(results[1].status == "failed");
  }
}

TEMPLATE_TEST_CASE("a kernel is right also after one that was wrong", "[sample]", float, double) {
  Bench<TestType> bench;
  bench.beta = 1;
  FakeKernel<TestType> first{"wrong", short_by_one<TestType>}, second{"right", right<TestType>};
  const auto results = bench.run({&first, &second});
  CHECK(results[0].status == "failed");
  CHECK(results[1].status == "ok");
}

TEST_CASE("a kernel that refuses is unsupported, with its reason, and not launched", "[sample]") {
  Bench<double> bench;
  FakeKernel<double> kernel{"refusing", right<double>, {1e-3}, "tile too large (64): take a smaller one"};
  const Result r = bench.run(kernel);
  CHECK(r.status == "unsupported");
  CHECK(r.reason == "tile too large (64): take a smaller one");
  CHECK(r.seconds.count == 0);
  CHECK(kernel.launches == 0);
}

TEST_CASE("padded and misaligned operands are verified and left alone between their rows", "[sample]") {
  FakeDevice device;
  FakeKernel<float> kernel{"right", right<float>};
  const Candidate<float> candidate = kernel.on(device);
  const std::vector<const Candidate<float>*> candidates{&candidate};
  for (const char* layout : {"rrr", "ccc", "rcr"}) {
    Operands<float> operands(device, {5, 6, 7}, {layout, 3, 1}, 1, 0, seed, 2);
    CHECK(sample(candidates, operands, {.samples = 1}, [](const std::string&) {})[0].status == "ok");
    const auto there = operands.on_device();
    const bool rows = layout[2] == 'r';
    CHECK((rows ? there.first.C.row_stride : there.first.C.col_stride) == (rows ? 6 : 5) + 3);
    CHECK(there.batch.stride_c == (rows ? 5 * 9 : 6 * 8));
    CHECK(std::isnan(there.first.C.data[-1]));
    CHECK(std::isnan(there.first.C.data[rows ? 6 : 5]));
  }
  CHECK(device.buffers == 0);
}

TEST_CASE("progress is told", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 1;
  FakeKernel<float> kernel{"right", right<float>};
  bench.run(kernel);
  CHECK(bench.said == std::vector<std::string>{"reference of integers", "verify test right 4x4 of integers",
                                               "reference", "verify test right 4x4", "time test right 4x4"});
}

TEST_CASE("nothing to measure is no error", "[sample]") {
  Bench<float> bench;
  CHECK(bench.run(std::vector<FakeKernel<float>*>{}).empty());
}

}  // namespace
}  // namespace rooftile::perf
