// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Schedules: each element is sent once and before it is read, and each element of C is a sum over all of K.
#include "bindings/gpu/schedule.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace rooftile::testing {
namespace {

/// How far along K each block of 32x32 elements of an operand has come.
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
  const gpu::Rates slow{1e9, 1e9, 0, 0};  // the sooner the first product starts, the better
  const gpu::Transfers all;
  const GemmShape shape{64, 64, 8192};
  CHECK(gpu::best_schedule<float16>(shape, all, slow).steps.back().depth == 8192);
  CHECK(gpu::best_schedule<float>(shape, all, slow).steps.back().depth < 8192);
}

TEST_CASE("a schedule's time is that of what takes longest", "[gpu]") {
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
