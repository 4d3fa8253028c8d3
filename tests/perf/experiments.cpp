// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The textbook experiments: common errors, predictions of Little's law, and the texts for given numbers.
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "fake_device.hpp"
#include "perf/experiments/add.hpp"
#include "perf/experiments/divergence.hpp"
#include "perf/experiments/increment.hpp"
#include "perf/experiments/registers.hpp"
#include "perf/experiments/transpose.hpp"
#include "rooftile/model/architecture.hpp"
#include "tests/perf/as_read.hpp"

namespace rooftile::perf {
namespace {

using Catch::Matchers::WithinRel;
using testing::FakeDevice;

/// Checks that a text contains each of these parts: its numbers and its conclusion.
void check_parts(const std::string& reading, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) CHECK_THAT(reading, Catch::Matchers::ContainsSubstring(part));
}

Seconds one_ms() {
  Seconds s;
  s.median = 1e-3;
  return s;
}

/// Runs experiments with kernels that a test defines.
struct Bench {
  FakeDevice device;
  Machine machine{};
  ExperimentSizes sizes{.elements = 1024, .threads = 128, .values = 65536, .order = 32};

  /// @param kernels  without `device` and `path`, which are set here
  std::vector<ExperimentTable> run(const char* name, TextKernels kernels) {
    kernels.device = &device, kernels.path = "test";
    const Workbench bench{machine, {kernels}, sizes, {.samples = 2}};
    for (const TextExperiment& experiment : text_experiments()) {
      if (experiment.name == name) return experiment.run(bench);
    }
    return {};
  }
  void took_a_ms() { device.took += 1e-3; }
};

TEST_CASE("each experiment has a name of its own, a question, a claim and its source", "[experiments]") {
  std::set<std::string_view> names;
  for (const TextExperiment& experiment : text_experiments()) {
    CAPTURE(experiment.name);
    CHECK(names.insert(experiment.name).second);
    CHECK(experiment.question.ends_with('?'));
    CHECK((!experiment.claim.empty() && !experiment.source.empty()));
  }
  CHECK(names.size() >= 5);
}

TEST_CASE("Little's law predicts the bandwidth from the bytes in flight", "[experiments]") {
  using increment::Row;
  CHECK(increment::bytes_in_flight({16, 4}, 132, 8) == 132.0 * 8 * 256 * 4 * 16);
  CHECK(increment::bytes_in_flight({4, 4}, 132, 8) == increment::bytes_in_flight({16, 1}, 132, 8));
  // 100 kB of loads in flight, 200 GB/s read and written: each load takes 1000 ns.
  const std::vector<Row> rows{{{4, 1, 1}, 0.125, 1e5, one_ms(), 200},
                              {{4, 4, 1}, 0.125, 4e5, one_ms(), 760},
                              {{16, 1, 1}, 0.125, 4e5, one_ms(), 800},
                              {{16, 4, 8}, 1, 128e5, one_ms(), 2000}};
  CHECK(increment::latency_ns(rows) == 1000);
  CHECK(increment::modelled_gbs(rows[1], rows) == 800);
  CHECK(increment::modelled_gbs(rows[3], rows) == 2000);
  const std::string whole = increment::reading(rows, true);
  check_parts(whole, {"2000 GB/s", "16 bytes, 4 a thread, at 100 %", "12.8 MB", "5 %", "1000 ns"});
  check_parts(increment::reading({{{4, 1, 0, 1}, 0, 0, one_ms(), 5},
                                  {{4, 1, 0, 2}, 0, 0, one_ms(), 6},
                                  {{64, 1, 0, 1}, 0, 0, one_ms(), 8},
                                  {{64, 1, 0, 2}, 0, 0, one_ms(), 10}},
                                 false),
              {"10 GB/s", "64 bytes by 2 threads", "80 %", "60 %"});
}

TEST_CASE("an increment that skips an element has no rate", "[experiments]") {
  Bench bench;
  TextKernels kernels;
  kernels.increments = {{4, 1}, {8, 1}};
  kernels.increment = [&](float* a, Index count, const IncrementLaunch& launch) {
    for (Index i = 0; i < count - (launch.bytes == 8); ++i) a[i] += 1;
    bench.took_a_ms();
  };
  const ExperimentTable table = bench.run("increment", kernels).at(0);
  CHECK_THAT(as_read(table.rows.at(0)).at("gbs").get<double>(), WithinRel(8e-9 * 1024 / 1e-3));
  CHECK(as_read(table.rows.at(1)).at("gbs").is_null());
  CHECK(table.faults == std::vector<std::string>{"1 accesses of 8 bytes: element 1023 is 1023 and not 1024"});
  CHECK(bench.device.buffers == 0);
}

TEST_CASE("a group of lanes takes as many ways as its threads differ in", "[experiments]") {
  const auto ways = [](int branching, int lanes) {
    return divergence::ways_taken(branchings[static_cast<std::size_t>(branching)], lanes);
  };
  CHECK((ways(0, 32) == 1 && ways(1, 32) == 1 && ways(2, 32) == 2 && ways(3, 32) == 4));
  CHECK((ways(1, 64) == 2 && ways(2, 1) == 1 && ways(3, 2) == 2));
  for (int branching = 0; branching < 4; ++branching) {  // the threads of the first warps, by brute force
    std::set<std::uint32_t> different;
    for (Index i = 0; i < 32; ++i) {
      std::uint32_t x = 5;
      branching == 0   ? branch<0>(x, i)
      : branching == 1 ? branch<1>(x, i)
      : branching == 2 ? branch<2>(x, i)
                       : branch<3>(x, i);
      different.insert(x);
    }
    CHECK(static_cast<int>(different.size()) == ways(branching, 32));
  }
  using divergence::reading;
  check_parts(reading({{0, 32, one_ms(), 1}, {1, 32, one_ms(), 1.05}, {2, 32, one_ms(), 1.9}}),
              {"1.05 times", "1 by the model (32 of 32", "1.90 times", "2 by the model (16 of 32"});
  check_parts(
      reading({{0, 32, one_ms(), 1}, {3, 32, one_ms(), 3}, {0, 1, one_ms(), 1}, {2, 1, one_ms(), 1.2}}),
      {"3.00 times", "4 by the model (8 of 32", "off by up to 25 %", "at most 1.20 times"});
}

TEST_CASE("a thread that goes a wrong way is found", "[experiments]") {
  Bench bench;
  TextKernels kernels;
  kernels.lanes = {32};
  kernels.branch = [&](std::uint32_t* x, Index count, int branching, int) {
    for (Index i = 0; i < count; ++i) branching == 2 ? branch<2>(x[i], i) : branch<0>(x[i], i);
    bench.took_a_ms();
  };
  const ExperimentTable table = bench.run("divergence", kernels).at(0);
  REQUIRE(table.faults.size() == 2);
  CHECK(table.faults[0].starts_with("a branch by warps: thread 32 has "));
  CHECK(table.faults[1].starts_with("nested branches: thread 1 has "));
  CHECK(as_read(table.rows.at(2)).at("slow_down") == 1.0);
  CHECK(as_read(table.rows.at(2)).at("lost_percent") == 50.0);
  CHECK(as_read(table.rows.at(3)).at("slow_down").is_null());
}

/// Transposes each tile of `to` after all its elements are loaded.
/// @param late  the first `late` elements become -1, as if they were not stored yet
void transpose_tiles_of(float* to, const float* from, Index order, int tile, Index late) {
  for (Index row = 0; row < order; ++row) {
    for (Index col = 0; col < order; ++col) {
      const Index y = row / tile * tile + col % tile, x = col / tile * tile + row % tile;
      to[row * order + col] = row * order + col < late ? -1.0F : from[y * order + x];
    }
  }
}

TEST_CASE("wrong elements are a race without the barrier, and a fault with it", "[experiments]") {
  Bench bench;
  TextKernels kernels;
  kernels.shares_tiles = true;
  Index late_with = 0;
  kernels.transpose = [&](float* to, const float* from, Index order, const TransposeLaunch& launch) {
    const Index late = launch.barrier ? late_with : launch.tile > 4 ? 7 : 0;
    transpose_tiles_of(to, from, order, launch.tile, late);
    bench.took_a_ms();
  };
  const ExperimentTable raced = bench.run("transpose", kernels).at(0);
  CHECK(raced.faults.empty());
  for (std::size_t i = 0; i < transpose_tiles.size(); ++i) {
    CHECK_THAT(as_read(raced.rows.at(i)).at("gbs").get<double>(), WithinRel(8e-9 * 1024 / 1e-3));
    const auto without = as_read(raced.rows.at(i + transpose_tiles.size()));
    CHECK(without.at("wrong") == (transpose_tiles[i] > 4 ? 7 : 0));
    CHECK(without.at("gbs").is_null() == (transpose_tiles[i] > 4));
  }
  check_parts(raced.reading, {"0.008192 GB/s", "7 of 1024 elements (0.684 %)", "8×8", "widths 1, 2, 4"});
  late_with = 1;
  const ExperimentTable wrong = bench.run("transpose", kernels).at(0);
  CHECK(wrong.faults.size() == transpose_tiles.size());
  CHECK(wrong.faults[0] == "tiles of 1: 1 elements are wrong, with the barrier");
  CHECK(wrong.reading.starts_with("With the barrier 6 elements are wrong."));
}

TEST_CASE("a wrong sum names its element, and a right one has a rate and a bandwidth", "[experiments]") {
  CHECK(add::fault_of({0, 3, 6}).empty());
  CHECK(add::fault_of({0, 3, 7}) == "element 2 is 7 and not 6");
  check_parts(add::reading({one_ms(), 1200, 800, {}}), {"100 GFLOP/s", "0.0833 FLOP/B", "1200 GB/s, 150 %"});
  check_parts(add::reading({one_ms(), 1200, 1250, {}}), {"96 %"});
}

/// Runs all threads in sequence.
void hold_all(std::uint32_t* x, Index count, const RegisterLaunch& launch) {
  with_held(launch, [&]<int values, bool chained>() {
    for (Index i = 0; i < count / values; ++i) hold<values, chained>(x, i);
  });
}

TEST_CASE("threads step each value that they hold, and a wrong value has no rate", "[experiments]") {
  // Computed by hand: thread 1 holds two values, a block apart. Each step depends on the other value.
  std::vector<std::uint32_t> x(512, 0);
  x[1] = 7, x[257] = 9;
  std::uint32_t first = 7, second = 9;
  hold<2, true>(x.data(), 1);
  for (int step = 0; step < held_steps; ++step) {
    first ^= second;
    first = (first ^ (first >> 13)) * 1664525 + 1;
    second ^= first;
    second = (second ^ (second >> 13)) * 1664525 + 1;
  }
  CHECK((x[1] == first && x[257] == second && x[0] == 0));

  Bench bench;
  TextKernels kernels;
  kernels.limits = model::nvidia_limits(9, 0);
  int runs = 0;
  kernels.hold = [&](std::uint32_t* data, Index count, const RegisterLaunch& launch) {
    hold_all(data, count, launch);
    if (launch.values == 8 && launch.chained && runs++ == 0) data[65535] += 1;
    bench.took_a_ms();
  };
  kernels.held = [](const RegisterLaunch& launch) { return HeldRegisters{launch.values + 8, 1}; };
  const ExperimentTable table = bench.run("registers", kernels).at(0);
  REQUIRE(table.rows.size() == 2 * register_values.size());
  CHECK(as_read(table.rows.at(1)).at("giga").is_null());
  REQUIRE(table.faults.size() == 1);
  CHECK(table.faults[0].starts_with("8 values: value 65535 is "));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto row = as_read(table.rows[i]);
    const int values = row.at("values");
    CHECK(row.at("registers") == values + 8);
    CHECK(row.at("occupancy_percent") == 12.5);
    CHECK(row.at("in_flight") == (i < register_values.size() ? 256 : 256 * values));
    if (i != 1) CHECK_THAT(row.at("giga").get<double>(), WithinRel(65536e-9 * held_steps / 1e-3));
  }
  // 256 threads with 136 registers each: an H100's SM holds one block.
  CHECK(as_read(table.rows.at(5)).at("modelled_percent") == 12.5);
  CHECK(bench.device.buffers == 0);
}

TEST_CASE("a reading names what registers cost, and an empty one that nothing was measured",
          "[experiments]") {
  using registers::reading;
  using registers::Row;
  const auto row = [](int values, bool chained, double occupancy, double in_flight, double giga) {
    return Row{{values, chained}, values + 8, occupancy, occupancy, in_flight, one_ms(), giga};
  };
  const std::vector<Row> gpu{row(4, true, 1, 2048, 4000), row(128, true, 0.125, 256, 1000),
                             row(4, false, 1, 8192, 4000), row(128, false, 0.125, 32768, 3920)};
  CHECK(registers::modelled_giga(gpu[0], gpu) == 4000);
  CHECK(registers::modelled_giga(gpu[1], gpu) == 1000);
  CHECK(registers::steps_in_flight({16, true}, 4) == 1024);
  CHECK(registers::steps_in_flight({16, false}, 4) == 16384);
  check_parts(reading(gpu, 0), {"From 12 to 136 registers", "100 % to 12.5 %", "128 values", "25 %", "98 %"});
  const std::vector<Row> cpu{row(4, true, 0, 0, 1), row(128, true, 0, 0, 1), row(4, false, 0, 0, 2),
                             row(128, false, 0, 0, 1)};
  check_parts(reading(cpu, 16), {"16 registers", "128 values", "100 % of their", "50 % of theirs"});
  CHECK(reading({}, 0) == "Nothing was measured.");
  CHECK((increment::reading({}, true) == reading({}, 0) && divergence::reading({}) == reading({}, 0)));
  CHECK(add::reading({}) == reading({}, 0));
}

}  // namespace
}  // namespace rooftile::perf
