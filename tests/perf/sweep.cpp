// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/sweep.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "fake_device.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/targets.hpp"

namespace rooftile::perf {
namespace {

using testing::FakeDevice, testing::FakeKernel, testing::refused;

TEST_CASE("random products of a sweep follow from their seed", "[sweep]") {
  const std::vector<Product> products = sweep_products(400, 5), again = sweep_products(400, 5);
  CHECK(products == again);
  CHECK(sweep_products(400, 6) != products);
  Index batches = 0, updates = 0, offsets = 0, aligned = 0;
  for (const Product& p : products) {
    const auto [m, n, k] = p.shape;
    CHECK((std::min({m, n, k}) >= 2 && std::max({m, n, k}) <= 8192));
    CHECK((p.batch == 1 || std::max({m, n, k}) <= 256));
    CHECK(((p.beta == 1) == (p.padding > 0) && (p.beta == 1) == (p.alpha == -1)));
    batches += p.batch > 1 ? 1 : 0, updates += p.beta == 1 ? 1 : 0, offsets += p.offset > 0 ? 1 : 0;
    aligned += m % 8 == 0 && n % 8 == 0 && k % 8 == 0 ? 1 : 0;
  }
  CHECK((batches > 50 && batches < 120 && updates > 60 && updates < 140 && offsets > 25 && offsets < 90));
  CHECK((aligned > 150 && aligned < 260));
}

TEST_CASE("a sweep's file is read as it was written", "[sweep]") {
  Sweep sweep{"NVIDIA H100 80GB HBM3", {"hot, seed 7"}, {}, {}};
  const std::size_t one = sweep.index_of({Kernel::tensor_core, true, {64, 64, 16, 4, 4}}),
                    two = sweep.index_of({Kernel::warpgroup, false, {64, 64, 32, 1, 32}});
  CHECK((one == 0 && two == 1 && sweep.index_of({Kernel::tensor_core, true, {64, 64, 16, 4, 4}}) == 0));
  Product product{.shape = {3, 40, 500}, .layout = "rcr", .batch = 7};
  product.alpha = -1, product.beta = 1, product.padding = 9, product.offset = 2;
  sweep.products.push_back(
      {Path::native, ComputeMode::tf32, product, {{one, 1, false, 12.25}, {two, 4, true, 0.125}}});
  sweep.products.push_back({Path::portable, ComputeMode::fp64, {.shape = {1, 2, 3}}, {}});
  const std::string text = to_text(sweep);
  const Sweep read = sweep_of(text, "f");
  CHECK(to_text(read) == text);
  CHECK((read.device == sweep.device && read.remarks == sweep.remarks && read.ways == sweep.ways));
  REQUIRE((read.products.size() == 2 && read.products[0].times.size() == 2));
  CHECK((read.products[0].product == product && read.products[0].math == ComputeMode::tf32));
  const SweepTime& time = read.products[0].times[1];
  CHECK((time.way == 1 && time.split_k == 4 && time.swapped && time.microseconds == 0.125));
}

TEST_CASE("a text that is no sweep is refused by its line and value", "[sweep]") {
  const std::string head = "rooftile sweep 1\ndevice D\nway tensor_core 64x64x16 4x4\n",
                    product = "native fp64 1x2x3 rrr 1 1 0 0 0 : ";
  const auto refusal = [](const std::string& text) { return testing::problem([&] { sweep_of(text, "f"); }); };
  CHECK(refusal(head + product + "0=1.5\n").empty());
  const auto of = [&](const std::string& words) { return head + words + " 1 1 0 0 0 : 0=1\n"; };
  for (const auto& [text, problem] :
       {std::pair{std::string(), "not a sweep of this version (f, line 1, )"},
        {"rooftile sweep 2\n", "not a sweep of this version (f, line 1, rooftile sweep 2)"},
        {head, "no product (f, line 4, end of file)"},
        {head + product + "1=1.5\n", "no such way (f, line 4, 1=1.5)"},
        {head + product + "0=-1\n", "not a positive time (f, line 4, 0=-1)"},
        {head + product + "0=x\n", "not a number (f, line 4, x)"},
        {head + product + "0/0=1\n", "not a whole number (f, line 4, 0)"},
        {of("vendor fp64 1x2x3 rrr"), "neither native nor portable (f, line 4, vendor)"},
        {of("native fp8 1x2x3 rrr"), "not a compute mode (f, line 4, fp8)"},
        {of("native fp64 1x2x3 rr"), "not a layout (f, line 4, rr)"},
        {head + "native fp64 1x2x3 rrr 1 1 0 0 0 0=1\n", "missing colon (f, line 4, 0=1)"},
        {head + "way tensor_core 7x7x7 1x1\n", "tile that the kernel does not have (f, line 4, 7x7x7 1x1)"}})
    CHECK(refusal(text) == problem);
}

TEST_CASE("every kernel of a sweep is verified and timed, and a wrong one left out", "[sweep]") {
  Machine machine;
  auto owned = std::make_unique<FakeDevice>();
  FakeDevice& device = *owned;
  machine.devices.push_back(std::move(owned));
  device.targets = {testing::h200(Path::native, ComputeMode::fp64)};
  FakeKernel<double> right{"tensor_core", testing::multiply<double>, {2e-3}};
  FakeKernel<double> wrong{"tensor_core", [](const BatchArgs<double>&) {}, {1e-3}};
  FakeKernel<double> teaching{"tiled", testing::multiply<double>, {1e-3}};
  for (auto [kernel, tile] : {std::pair{&right, "64x64x16"}, {&wrong, "32x64x16"}, {&teaching, "8x8x8"}}) {
    Candidate<double> c = kernel->on(device);
    c.path = "native", c.tile = tile, c.math = ComputeMode::fp64;
    machine.candidates<double>().push_back(c);
  }
  Product update{.shape = {20, 33, 40}, .layout = "crc", .batch = 3};
  update.alpha = -1, update.beta = 1, update.padding = 5, update.offset = 1;
  const SweepOptions options{{{.shape = {70, 5, 9}}, update}};
  std::vector<std::string> failed;
  const Sweep sweep = measured_sweep(
      machine, device, options, [](const std::string&) {},
      [&](const std::string& what) { failed.push_back(what); });
  REQUIRE(sweep.products.size() == 2);
  for (const SweptProduct& swept : sweep.products) {
    REQUIRE(swept.times.size() == 1);
    CHECK(swept.times[0].microseconds == 2000);
    CHECK(sweep.ways[swept.times[0].way] == SweepWay{Kernel::tensor_core, false, {64, 64, 16, 4, 4}});
  }
  REQUIRE(failed.size() == 2);
  CHECK(failed[0] == "fp64 70x5x9 rrr tensor_core 32x64x16");
  const SweepOptions none{{{.shape = {8, 8, 8}}}, {"tf32"}};
  CHECK(refused([&] { measured_sweep(machine, device, none, {}, {}); }) ==
        "nothing to measure here (the options leave no mode): ask for less");
}

}  // namespace
}  // namespace rooftile::perf
