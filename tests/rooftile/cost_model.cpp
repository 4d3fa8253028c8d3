// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The numbers by which tiles and rungs are chosen, by hand.
#include <array>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "rooftile/choose.hpp"
#include "rooftile/detail/repacked.hpp"
#include "rooftile/device_target.hpp"
#include "rooftile/model/device_table.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using Catch::Matchers::WithinRel, detail::OperandLines, detail::VectorCopies;
using testing::h200;

constexpr const model::Costs& costs = model::cost_rows::sm_90;  // an H200's
constexpr Type bf16 = Type::bf16, fp32 = Type::fp32, fp64 = Type::fp64;
constexpr const Rung& pipelined = rung_of(Kernel::pipelined);
constexpr const Rung& tensor_core = rung_of(Kernel::tensor_core);
constexpr TileShape usual{128, 128, 16, 8, 8}, of_64{64, 64, 16, 8, 8}, small{32, 64, 16, 4, 4},
    instructions{128, 128, 32, 16, 8}, in_fp64{64, 64, 8, 8, 4};

TEST_CASE("as many teams share an SM as have registers", "[cost_model]") {
  CHECK(detail::teams_per_sm(instructions, fp32) == 2);  // 256 threads: sums of 512 bytes
  CHECK(detail::teams_per_sm(usual, fp32) == 2);         // 384 threads: 256 bytes, and more than half
  CHECK(detail::teams_per_sm(in_fp64, fp64) == 3);
  CHECK(detail::teams_per_sm(in_fp64, fp32) == 4);  // 512 threads: 128 bytes
  CHECK(detail::teams_per_sm(small, bf16) == 4);
  CHECK(detail::teams_per_sm(square_tile(16), fp32) == 0);
}

TEST_CASE("a step along K takes its multiply-adds, reads, waits and bytes", "[cost_model]") {
  const auto vector = [](TileShape tile, Index teams) {
    return detail::step_cycles(costs, pipelined, tile, teams, fp32);
  };
  CHECK_THAT(vector(usual, 1),
             WithinRel((1 + 8.0 / 256) * 2 * (64 + 16) + 0.003 * 1024));  // alone at its barrier
  CHECK_THAT(vector(usual, 2), WithinRel(4 * (64 + 16) + 0.003 * 2048));
  CHECK_THAT(vector(of_64, 1), WithinRel(1.43 * (64 + 16) + 0.003 * 512));  // one warp of a scheduler, alone
  CHECK_THAT(vector(of_64, 2), WithinRel(1.4 * (64 + 16) + 0.003 * 1024));
  CHECK_THAT(vector(small, 2), WithinRel(1.25 * 2 * (16 + 8) + 0.003 * 768));  // few multiply-adds
  CHECK_THAT(vector(small, 6), WithinRel(6 * (16 + 8) + 0.003 * 2304));        // 96 of them
  const auto matrix = [](TileShape tile, Index teams) {
    return detail::step_cycles(costs, tensor_core, tile, teams, fp64);
  };
  CHECK_THAT(matrix(in_fp64, 1), WithinRel(1.4 * (32 + 8) + 0.003 * 1024));
  CHECK_THAT(matrix(in_fp64, 2), WithinRel(1.1 * 2 * (32 + 8) + 0.003 * 2048));
  CHECK_THAT(matrix(in_fp64, 4), WithinRel(4 * (32 + 8) + 0.003 * 4096));
  CHECK_THAT(matrix({128, 128, 8, 8, 8}, 1), WithinRel(2 * (64 + 12) + 0.003 * 2048));
  // Of 16 bits and tf32 the bytes alone, and below twelve warps more.
  CHECK_THAT(detail::step_cycles(costs, tensor_core, instructions, 2, bf16), WithinRel(1.3 * 0.042 * 1024));
  CHECK_THAT(detail::step_cycles(costs, tensor_core, instructions, 4, bf16), WithinRel(0.042 * 2048));
  CHECK_THAT(detail::step_cycles(costs, tensor_core, instructions, 2, fp32), WithinRel(1.3 * 0.042 * 2048));
}

TEST_CASE("multiply-adds that take longer hide their reads, or the panels of 16 bits and 32",
          "[cost_model]") {
  model::Costs slow = costs;
  slow.multiply_add = 2, slow.matrix_fp64 = 4, slow.matrix_32 = 1, slow.matrix_16 = 0.5;
  const auto step = [&](const Rung& rung, TileShape tile, Index teams, Type type) {
    return detail::step_cycles(slow, rung, tile, teams, type);
  };
  CHECK_THAT(step(pipelined, usual, 2, fp32), WithinRel(4 * (128 + 16) + 0.003 * 2048));
  // 64 issue slots of two warps are not few any more.
  CHECK_THAT(step(pipelined, {32, 64, 16, 4, 4}, 4, fp32), WithinRel(4 * (32 + 8) + 0.003 * 1536));
  CHECK_THAT(step(tensor_core, in_fp64, 2, fp64), WithinRel(2 * (128 + 8) + 0.003 * 2048));
  CHECK_THAT(step(tensor_core, instructions, 4, bf16), WithinRel(4 * 128 * 0.5 + 0.5 * 0.042 * 2048));
  CHECK_THAT(step(tensor_core, instructions, 4, fp32), WithinRel(4 * 128 * 1 + 0.5 * 0.042 * 4096));
}

TEST_CASE("tiles of an SM take rounds of as many as share it, and a rest", "[cost_model]") {
  const auto step = [](Index teams) { return detail::step_cycles(costs, pipelined, usual, teams, fp32); };
  const auto cost = [](Index tiles, int sms) {
    return detail::tile_cost(costs, pipelined, usual, tiles, sms, fp32);
  };
  CHECK_THAT(cost(5, 1), WithinRel(2 * step(2) + step(1)));
  CHECK_THAT(cost(4 * 132, 132), WithinRel(2 * step(2)));
  CHECK_THAT(cost(4 * 132 + 1, 132), WithinRel(2 * step(2) + step(1)));
  CHECK_THAT(cost(3, 0), WithinRel(step(2) + step(1)));
}

TEST_CASE("the first panels of tiles are waited for, the less the more share an SM", "[cost_model]") {
  const auto start = [](TileShape tile, Index tiles, int sms, Type type) {
    return detail::start_cycles(costs, tensor_core, tile, tiles, sms, type);
  };
  CHECK_THAT(start(instructions, 5 * 132, 132, bf16), WithinRel(2 * 12000.0 / 4 + 12000));
  CHECK_THAT(start(instructions, 4 * 132, 132, bf16), WithinRel(2 * 12000.0 / 4));
  CHECK_THAT(start(instructions, 1, 132, bf16), WithinRel(12000.0));
  CHECK_THAT(start(in_fp64, 4, 1, fp64), WithinRel(6000.0 / 9 + 6000));
  CHECK_THAT(start(in_fp64, 5, 0, fp64), WithinRel(6000.0 / 9 + 6000.0 / 4));
  CHECK(detail::start_cycles(costs, pipelined, usual, 5, 1, fp32) == 0);
}

TEST_CASE("tiles beyond whole rounds are shared, in work units of eight steps at least", "[cost_model]") {
  const auto dealt = [](Index tiles, Index k, Index count = 1) {
    const detail::Stream stream = detail::stream_of(usual, {128 * tiles, 128, k}, 132, fp32, count);
    return std::array<Index, 4>{stream.whole, stream.shared, stream.units, stream.steps};
  };
  using Dealt = std::array<Index, 4>;
  CHECK(dealt(143, 1600) == Dealt{0, 143, 264, 100});
  CHECK(dealt(143, 16) == Dealt{143, 0, 0, 1});
  CHECK(dealt(265, 1600) == Dealt{264, 1, 12, 100});
  CHECK(dealt(264, 1600) == Dealt{264, 0, 0, 100});
  CHECK(dealt(53, 1601, 5) == Dealt{264, 1, 12, 101});
  CHECK(dealt(1, 128) == Dealt{1, 0, 0, 8});
  CHECK(dealt(1, 240) == Dealt{1, 0, 0, 15});
  CHECK(dealt(1, 256) == Dealt{0, 1, 2, 16});
  CHECK(dealt(1, 0) == Dealt{1, 0, 0, 1});
}

TEST_CASE("a product takes its tiles' steps, or work units of them and their sums", "[cost_model]") {
  const GemmShape shape{128 * 143, 128, 1600};
  const auto cost = [&](const Rung& rung, TileShape tile, Index tiles, Type type) {
    return detail::tile_cost(costs, rung, tile, tiles, 132, type) * 1600 +
           detail::start_cycles(costs, rung, tile, tiles, 132, type);
  };
  CHECK_THAT(detail::cycles(costs, pipelined, usual, shape, 132, fp32),
             WithinRel(cost(pipelined, usual, 143, fp32)));
  CHECK_THAT(detail::cycles(costs, pipelined, usual, shape, 132, fp32, 3),
             WithinRel(cost(pipelined, usual, 429, fp32)));
  CHECK_THAT(detail::cycles(costs, tensor_core, instructions, shape, 132, bf16),
             WithinRel(cost(tensor_core, instructions, 143, bf16)));
  const Rung &stream_k = rung_of(Kernel::stream_k),
             &with_instructions = rung_of(Kernel::stream_k_tensor_core);
  const Index sums = detail::stream_of(usual, shape, 132, fp32).sums();
  CHECK_THAT(detail::cycles(costs, stream_k, usual, shape, 132, fp32),
             WithinRel(143.0 / 264 * cost(stream_k, usual, 264, fp32) + 26000 +
                       2.0 * static_cast<double>(sums) * 128 * 128 * 4 / 1000));
  // Of 16 bits the sums are fp32, and the loop is a twentieth slower.
  const detail::Stream stream = detail::stream_of(instructions, shape, 132, bf16);
  const double length = static_cast<double>(stream.shared) / static_cast<double>(stream.units);
  const auto slower = [&](Index tiles) {
    return 1.05 * detail::tile_cost(costs, with_instructions, instructions, tiles, 132, bf16) * 1600 +
           detail::start_cycles(costs, with_instructions, instructions, tiles, 132, bf16);
  };
  CHECK_THAT(detail::cycles(costs, with_instructions, instructions, shape, 132, bf16),
             WithinRel(length * slower(stream.units) + 26000 +
                       2.0 * static_cast<double>(stream.sums()) * 128 * 128 * 4 / 1000));
  // In fp64 it is as fast; without work units there are no sums.
  const GemmShape whole{64 * 396, 64, 1600};
  CHECK_THAT(detail::cycles(costs, with_instructions, in_fp64, whole, 132, fp64),
             WithinRel(cost(with_instructions, in_fp64, 396, fp64)));
}

TEST_CASE("elements that are copied one by one slow a tile down by how often they are used", "[cost_model]") {
  const OperandLines whole{}, k_major{.k_major = true};
  const TileShape wide{128, 256, 8, 8, 16};
  CHECK(detail::slowdown_without(costs, {whole, whole}, wide) == 1);
  CHECK_THAT(detail::slowdown_without(costs, {k_major, whole}, wide), WithinRel(1 + 7.7 / 256));
  CHECK_THAT(detail::slowdown_without(costs, {whole, k_major}, wide), WithinRel(1 + 7.7 / 128));
  CHECK_THAT(detail::slowdown_without(costs, {k_major, k_major}, small), WithinRel(1 + 2 * 7.7 / 64));
  CHECK_THAT(detail::cycles(costs, pipelined, usual, {128, 128, 64}, 1, fp32, 1, {k_major, whole}),
             WithinRel((1 + 7.7 / 128) * detail::cycles(costs, pipelined, usual, {128, 128, 64}, 1, fp32)));
}

TEST_CASE("lines that are no vectors slow matrix instructions down by their type and direction",
          "[cost_model]") {
  const OperandLines k{true, false, false}, x{false, false, false}, pairs{true, false, true}, whole{};
  const auto slower = [](OperandLines a, OperandLines b, TileShape tile, Type type) {
    return detail::slowdown_of_fragments(costs, {a, b}, tile, type) - 1;
  };
  CHECK_THAT(slower(k, x, usual, fp64), WithinRel(0.08, 1e-12));
  CHECK_THAT(slower(k, k, of_64, fp64), WithinRel(0.16, 1e-12));
  CHECK_THAT(slower(k, x, usual, fp32), WithinRel(0.45, 1e-12));
  CHECK_THAT(slower(whole, k, of_64, fp32), WithinRel(0.7, 1e-12));
  CHECK_THAT(slower(k, x, usual, bf16), WithinRel(0.68, 1e-12));
  CHECK_THAT(slower(pairs, x, {64, 128, 16, 8, 8}, bf16), WithinRel(0.6, 1e-12));
  CHECK_THAT(slower(pairs, whole, usual, bf16), WithinRel(0.1, 1e-12));
  CHECK(slower(whole, whole, usual, bf16) == 0);
}

TEST_CASE("operands are repacked for kernels that multiply alike, on a GPU that is known", "[cost_model]") {
  const GemmShape large{4096, 4096, 4096};
  const OperandLines ragged{true, false};
  const auto faster = [&](const Rung& rung, Target target, VectorCopies copies, GemmShape shape) {
    const Choice as_they_lie{rung.kernel, rung.default_tile, "", target.math};
    return detail::with_repacking(as_they_lie, shape, target, 1, copies).repack;
  };
  const Target in_fp32 = h200(Path::portable, Math::fp32), doubles = h200(Path::portable, Math::fp64);
  CHECK(faster(pipelined, in_fp32, {ragged, ragged}, large));
  CHECK(faster(tensor_core, doubles, {ragged, ragged}, large));
  CHECK_FALSE(faster(pipelined, in_fp32, {}, large));
  CHECK_FALSE(faster(pipelined, in_fp32, {ragged, ragged}, {64, 64, 16}));
  CHECK_FALSE(faster(rung_of(Kernel::tiled_checked), in_fp32, {ragged, ragged}, large));
  CHECK_FALSE(faster(pipelined, doubles, {ragged, ragged}, large));
  Target unknown = in_fp32;
  unknown.sms = 0;
  CHECK_FALSE(faster(pipelined, unknown, {ragged, ragged}, large));
  Target none = in_fp32;
  none.limits = {1024, 1024};  // no room for a tile
  CHECK_FALSE(faster(pipelined, none, {ragged, ragged}, large));
  const Choice repacked{Kernel::pipelined, usual, "", Math::fp32, true};
  CHECK_THAT(detail::predicted_cycles(repacked, large, in_fp32, 2, {ragged, {}}),
             WithinRel(detail::cycles(costs, pipelined, usual, large, 132, fp32, 2) + 6000 +
                       2.0 * 2 * 4096 * 4096 * 4 / 1700));
}

TEST_CASE("a choice goes by the costs of its target", "[cost_model]") {
  const GemmShape large{4096, 4096, 4096}, few_tiles{512, 512, 8192};
  const VectorCopies ragged{{true, false}, {true, false}};
  Target target = h200(Path::native, Math::fp32);
  CHECK(choose(large, {}, target, 1, ragged).repack);
  CHECK(choose(few_tiles, {}, target).kernel == Kernel::stream_k);
  target.costs.repack_bytes = 1;
  CHECK_FALSE(choose(large, {}, target, 1, ragged).repack);
  target.costs.unit_start = 1e9;
  CHECK(choose(few_tiles, {}, target).kernel == Kernel::pipelined);
  Target three = h200(Path::native, Math::tf32x3);
  CHECK(choose(large, {}, three).math == Math::tf32x3);
  three.costs.tf32x3_multiply_adds = 1;
  CHECK(choose(large, {}, three).math == Math::fp32);
}

TEST_CASE("a GPU of the table has its own costs", "[cost_model]") {
  for (const model::Device& device : model::devices) {
    if (!device.has_sm_limits()) continue;
    INFO(device.name);
    CHECK(target_of(device, Path::portable, Math::fp32).costs == model::costs_of(device));
    if (device.vendor == model::Vendor::nvidia)
      CHECK(target_of(device, Path::native, Math::fp32).costs == model::costs_of(device));
  }
}

TEST_CASE("the workspace of a repacked operand holds its rows, padded to lines of 128 bytes",
          "[cost_model]") {
  const double first = 0;
  const auto operand = [&](Index rows, Index cols) {
    return detail::PanelOperand<double>{{&first, rows, cols, 1, rows}, 0, 1, true};
  };
  CHECK(operand(1000, 3).workspace_bytes() == 1000 * 16 * sizeof(double));
  CHECK(operand(3, 1000).workspace_bytes() == 24 * 1024);  // 3·1,008 elements, in whole KiB
  // Of strides of 0: more than any device has, but no overflow.
  for (const auto& [rows, cols] :
       {std::pair{Index{1} << 40, Index{1} << 30}, {Index{1} << 30, Index{1} << 40}}) {
    const detail::PanelOperand<double> long_one{{&first, rows, cols, 1, 0}, 0, 1, true};
    CHECK(long_one.workspace_bytes() == std::size_t{1} << 60);
  }
  const detail::PanelOperand<double> tall{{&first, Index{1} << 60, 3, 1, 0}, 0, 1, true};
  CHECK(tall.workspace_bytes() == std::size_t{1} << 60);
}

}  // namespace
}  // namespace rooftile
