// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/model/distributed.hpp"

#include <random>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace rooftile;
using namespace rooftile::model;
using Catch::Matchers::ContainsSubstring, Catch::Matchers::WithinRel;

namespace {

constexpr SharedProduct square(Count n) {
  return {.m = n, .n = n, .k = n};
}
constexpr Process gpu{.gflops = 60000, .bandwidth_gbs = 320, .latency_us = 10};

}  // namespace

TEST_CASE("a distributed product: by hand") {
  // 2 x 3 processes: each receives 2/3 of 4096 x 6144 elements of A and 1/2 of 6144 x 2048 of B, in 6 panels
  // from 3 processes.
  constexpr SharedProduct product{.m = 8192, .n = 6144, .k = 6144};
  constexpr SharedCost cost =
      shared_cost(product, {.gflops = 1000, .bandwidth_gbs = 10, .latency_us = 5}, 2, 3, 6);
  STATIC_CHECK(cost.panels == 6);
  STATIC_CHECK(cost.messages == 18);
  CHECK_THAT(cost.bytes, WithinRel(8.0 * (4096.0 * 4096 + 3072.0 * 2048), 1e-12));
  CHECK_THAT(cost.compute, WithinRel(2.0 * 4096 * 2048 * 6144 / 1e12, 1e-12));
  CHECK_THAT(cost.transfer, WithinRel(cost.bytes / 1e10 + 90e-6, 1e-12));
  CHECK_THAT(cost.seconds, WithinRel(cost.compute + cost.transfer / 6, 1e-12));
  CHECK(cost.bound() == "compute");
}

TEST_CASE(
    "a distributed product: transfer takes as long as multiplying at N* = (P + Q - 2) bytes F / (2 BW)") {
  for (const auto& [rows, cols] : {std::pair<Count, Count>{2, 2}, {4, 4}, {1, 2}, {16, 4}}) {
    const double star = static_cast<double>(rows + cols - 2) * 8 * gpu.gflops / (2 * gpu.bandwidth_gbs);
    const Count n = static_cast<Count>(star) / (rows * cols) * (rows * cols);
    const SharedCost cost =
        shared_cost(square(n), {gpu.gflops, gpu.bandwidth_gbs, 0}, rows, cols, rows * cols);
    CHECK_THAT(cost.transfer / cost.compute, WithinRel(star / static_cast<double>(n), 1e-12));
  }
}

TEST_CASE("a distributed product: random ones are bounded, and better links never cost more") {
  std::mt19937 engine(1);
  const auto draw = [&](Count low, Count high) {
    return low + static_cast<Count>(engine() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 2000; ++i) {
    const SharedProduct product{.m = draw(1, 50000),
                                .n = draw(1, 50000),
                                .k = draw(1, 50000),
                                .element_bytes = 4 * draw(1, 4),
                                .depth = draw(1, 4096)};
    const Process process{.gflops = static_cast<double>(draw(1, 100000)),
                          .bandwidth_gbs = static_cast<double>(draw(1, 900)),
                          .latency_us = static_cast<double>(draw(0, 50))};
    const Count ranks = draw(1, 64), rows = draw(1, ranks), cols = draw(1, ranks / rows);
    CAPTURE(product.m, product.n, product.k, product.depth, process.gflops, process.bandwidth_gbs,
            process.latency_us, ranks, rows, cols);
    const SharedCost cost = shared_cost(product, process, rows, cols, ranks);
    const double rounding = 1 + 1e-12;
    CHECK(cost.seconds * rounding >= std::max(cost.compute, cost.transfer));
    CHECK(cost.seconds <= (cost.compute + cost.transfer) * rounding);
    CHECK(cost.efficiency > 0);
    CHECK(cost.efficiency <= rounding);
    CHECK((cost.bytes == 0) == (rows * cols == 1));
    Process better = process;
    better.bandwidth_gbs *= 2, better.latency_us /= 2;
    CHECK(shared_cost(product, better, rows, cols, ranks).seconds <= cost.seconds);
    better = process, better.gflops *= 2;
    CHECK(shared_cost(product, better, rows, cols, ranks).seconds <= cost.seconds);
    const SharedCost best = best_grid(product, process, ranks);
    CHECK(best.rows * best.cols * best.layers <= ranks);
    CHECK(best.seconds <= shared_cost(product, process, rows, ranks / rows, ranks).seconds);
  }
}

TEST_CASE("a distributed product: a matrix of few columns is dealt by rows") {
  const SharedCost best = best_grid({.m = 1000000, .n = 64, .k = 4096},
                                    {.gflops = 60000, .bandwidth_gbs = 320, .latency_us = 0}, 16);
  CHECK((best.rows == 16 && best.cols == 1));
  CHECK(best_grid(square(65536), gpu, 16).rows == 4);
  // If messages take longer than products, one process fewer sends one message fewer.
  CHECK(best_grid({.m = 1000000, .n = 64, .k = 4096}, gpu, 16).rows == 15);
}

TEST_CASE("a distributed product: in layers, by hand") {
  // 2 x 1 processes on each of 4 layers: each receives 7/8 of 512 x 2560 elements of A and 2560 x 256 of B,
  // in 3 panels from 5 processes. Then it receives the parts of its share of C from three other layers.
  constexpr SharedProduct product{.m = 1024, .n = 256, .k = 10240, .senders = 5};
  constexpr SharedCost cost =
      shared_cost(product, {.gflops = 1000, .bandwidth_gbs = 10, .latency_us = 5}, 2, 1, 8, 4);
  STATIC_CHECK(cost.panels == 3);
  STATIC_CHECK(cost.messages == 3 * 5 + 3);
  const double operands = 8.0 * 2560 * (512 + 256) * 7 / 8, sum = 8.0 * 512 * 256 * 3 / 4;
  CHECK_THAT(cost.bytes, WithinRel(operands + sum, 1e-12));
  CHECK_THAT(cost.compute, WithinRel(2.0 * 512 * 256 * 2560 / 1e12, 1e-12));
  CHECK_THAT(cost.transfer, WithinRel(operands / 1e10 + 75e-6, 1e-12));
  CHECK_THAT(cost.sum, WithinRel(sum / 1e10 + 15e-6, 1e-12));
  CHECK_THAT(cost.seconds, WithinRel(cost.transfer + cost.compute / 3 + cost.sum, 1e-12));
  CHECK(cost.bound() == "transfer");
}

TEST_CASE("a distributed product: who sends of a layer's panel is a column and a row of a square grid") {
  Count side = 1;
  for (Count ranks = 1; ranks <= 5000; ++ranks) {
    if ((side + 1) * (side + 1) <= ranks) ++side;
    CHECK(side_of_square(ranks) == side);
  }
  STATIC_CHECK(side_of_square(unlimited) == 46340);
}

TEST_CASE("a distributed product: layers pay where K is long") {
  const SharedCost tall = best_grid({.m = 256, .n = 256, .k = 200000}, {2000, 20, 2}, 16);
  CHECK(tall.layers == 16);
  CHECK(tall.seconds < best_grid_in_layers({.m = 256, .n = 256, .k = 200000}, {2000, 20, 2}, 16, 1).seconds);
  const SharedCost rpa = best_grid({.m = 17408, .n = 17408, .k = 3473408}, {60000, 50, 10}, 1024);
  CHECK((rpa.rows == 2 && rpa.cols == 2 && rpa.layers == 256));
  CHECK(best_grid(square(8192), {2000, 20, 2}, 16).layers == 1);
  CHECK(best_grid(square(8192), {2000, 20, 2}, 16, 2).layers > 1);
}

TEST_CASE("a distributed product: an empty product, no rate or a wrong grid is refused") {
  CHECK_THROWS_WITH(shared_cost(square(0), gpu, 1, 1, 1),
                    ContainsSubstring("invalid distributed product (0x0x0"));
  CHECK_THROWS_WITH(shared_cost(square(8), {.gflops = 1}, 1, 1, 1), ContainsSubstring("0 GB/s"));
  CHECK_THROWS_WITH(shared_cost(square(8), gpu, 2, 2, 3),
                    ContainsSubstring("grid does not fit the processes (2x2x1 of 3)"));
}
