// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/detail/vectors.hpp"

#include <array>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "rooftile/choose.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using Catch::Matchers::WithinRel, detail::has_whole_vectors, detail::OperandLines, detail::VectorCopies;

constexpr const model::Costs& costs = model::cost_rows::sm_90;  // an H200's
alignas(16) std::array<float, 64> memory;

/// A column-major, B and C row-major: all whole vectors, in a batch whose matrices are `apart`.
BatchArgs<float> product(Index m, Index n, Index k, const float* a = memory.data(), Index apart = 0) {
  return {{1.0f, column_major(a, m, k), row_major<const float>(memory.data(), k, n), 0.0f,
           row_major(memory.data(), m, n)},
          {2, apart, 0, m * n}};
}

TEST_CASE("a matrix has whole vectors where 16 bytes can be read at each row's beginning and end",
          "[vectors]") {
  const float* const x = memory.data();
  CHECK(has_whole_vectors(row_major(x, 3, 8)));
  CHECK(has_whole_vectors(row_major(x, 3, 4, 8)));
  CHECK_FALSE(has_whole_vectors(row_major(x, 3, 6)));      // rows begin in between
  CHECK_FALSE(has_whole_vectors(row_major(x, 3, 6, 8)));   // the last vector of a row is not all of it
  CHECK_FALSE(has_whole_vectors(row_major(x + 1, 3, 8)));  // the first begins in between
  CHECK_FALSE(has_whole_vectors(column_major(x, 8, 8)));   // contiguous the other way
  CHECK_FALSE(has_whole_vectors(MatrixRef<const float>{x, 3, 4, 16, 2}));
}

/// Which of A and B have vectors for panels, whose lines run along x or, of matrix instructions, as theirs.
std::pair<bool, bool> with_vectors(const VectorCopies& copies, bool fragments = false) {
  return {copies.a.vectors(fragments), copies.b.vectors(fragments)};
}

TEST_CASE(
    "of a product it is A's columns and B's rows that must be whole vectors, in every product of a batch",
    "[vectors]") {
  const auto copies = [](const BatchArgs<float>& args) { return with_vectors(detail::vector_copies(args)); };
  CHECK(copies(product(4, 4, 3)) == std::pair(true, true));
  CHECK(copies(product(5, 4, 3)) == std::pair(false, true));
  CHECK(copies(product(4, 5, 3)) == std::pair(true, false));
  CHECK(copies(product(4, 4, 3, memory.data() + 1)) == std::pair(false, true));
  CHECK(copies(product(4, 4, 3, memory.data(), 16)) == std::pair(true, true));
  CHECK(copies(product(4, 4, 3, memory.data(), 13)) == std::pair(false, true));
  BatchArgs<float> single = product(4, 4, 3, memory.data(), 13);
  single.batch.count = 1;
  CHECK(copies(single) == std::pair(true, true));
}

TEST_CASE("of a product for matrix instructions it is the lines, whichever way they run", "[vectors]") {
  // A and B as they are with the extents of rows and columns exchanged: contiguous along K.
  const auto k_major = [](Index m, Index n, Index k, Index apart = 0) -> BatchArgs<float> {
    return {{1.0f, row_major<const float>(memory.data(), m, k),
             column_major<const float>(memory.data(), k, n), 0.0f, row_major(memory.data(), m, n)},
            {2, apart, 0, m * n}};
  };
  const auto copies = [](const BatchArgs<float>& args, bool fragments = true) {
    return with_vectors(detail::vector_copies(args), fragments);
  };
  CHECK(copies(product(4, 4, 3)) == std::pair(true, true));
  CHECK(copies(product(5, 4, 3)) == std::pair(false, true));
  CHECK(copies(k_major(3, 5, 4)) == std::pair(true, true));
  CHECK(copies(k_major(3, 5, 4), false) == std::pair(false, false));
  CHECK(copies(k_major(4, 4, 3)) == std::pair(false, false));
  CHECK(copies(k_major(4, 4, 4, 16)) == std::pair(true, true));
  CHECK(copies(k_major(4, 4, 4, 18)) == std::pair(false, true));
}

TEST_CASE("what is said of a shape and a layout is what is said of such operands", "[vectors]") {
  const float* const x = memory.data();
  for (const GemmShape& shape : {GemmShape{4, 4, 3}, {5, 4, 3}, {4, 5, 3}, {5, 5, 3}, {3, 5, 4}, {3, 2, 8}}) {
    const auto [m, n, k] = shape;
    for (const bool a : {false, true}) {
      for (const bool b : {false, true}) {
        const BatchArgs<float> args = {
            {1.0f, a ? row_major(x, m, k) : column_major(x, m, k),
             b ? row_major(x, k, n) : column_major(x, k, n), 0.0f, row_major(memory.data(), m, n)},
            {}};
        const VectorCopies found = detail::vector_copies(args),
                           known = detail::vector_copies(shape, Type::fp32, a, b);
        for (const bool fragments : {false, true})
          CHECK(with_vectors(found, fragments) == with_vectors(known, fragments));
        CHECK((found.a.k_major == known.a.k_major && found.b.k_major == known.b.k_major));
      }
    }
  }
}

Kernel kernel_for(const Target& target, const GemmShape& shape, VectorCopies copies, Index count = 1) {
  return choose(shape, {}, target, count, copies).kernel;
}

bool repacks(const Target& target, const GemmShape& shape, VectorCopies copies, Index count = 1) {
  return choose(shape, {}, target, count, copies).repack;
}

constexpr GemmShape large{4096, 4096, 4096}, small{512, 512, 512};

TEST_CASE("operands are repacked where that costs less than copying them element by element", "[choose]") {
  for (const Path path : {Path::native, Path::portable}) {
    const Target h200 = testing::h200(path, Math::fp32);
    for (const OperandLines lines : {OperandLines{true, true}, {true, false}, {false, false}}) {
      const VectorCopies neither{lines, lines}, only_b{lines, {}}, only_a{{}, lines};
      for (const VectorCopies copies : {neither, only_b, only_a}) {
        CHECK(repacks(h200, large, copies));
        CHECK(kernel_for(h200, small, copies) == Kernel::pipelined);
      }
      CHECK_FALSE(repacks(h200, small, neither, 100));  // as often copied as computed
      // Each element of A is used for 64 columns only, of B for 16,384 rows.
      CHECK_FALSE(repacks(h200, {16384, 64, 4096}, only_b));
      CHECK(repacks(h200, {8192, 8192, 64}, neither));
      // A tile that the caller names is one of the rung that takes it.
      CHECK(choose(large, {Kernel::automatic, {64, 128, 16, 8, 8}}, h200, 1, neither).kernel ==
            Kernel::pipelined);
    }
    CHECK_FALSE(repacks(h200, large, {}));
  }
}

TEST_CASE("matrix instructions have operands repacked only where lines are not whole vectors", "[choose]") {
  const Math math = GENERATE(Math::tf32, Math::fp16, Math::bf16);
  INFO(to_string(math));
  const Target h200 = testing::h200(Path::portable, math);
  const OperandLines k_major{true, true}, ragged_k{true, false}, ragged_x{false, false};
  for (const VectorCopies copies :
       {VectorCopies{ragged_k, ragged_k}, {ragged_k, ragged_x}, {ragged_x, ragged_k}, {{}, ragged_k}}) {
    CHECK(repacks(h200, large, copies));
    CHECK_FALSE(repacks(h200, {64, 64, 64}, copies));
    CHECK(kernel_for(testing::h200(Path::native, math), large, copies) == Kernel::warpgroup);
    Target a100 = testing::h200(Path::native, math);
    a100.capability = 80;
    CHECK(repacks(a100, large, copies));
    CHECK(repacks(testing::portable(), large, copies));  // fp32, without any instructions
    const Choice choice = choose(large, {}, h200, 1, copies);
    CHECK(choice.tile == default_tile(rung_of(Kernel::tensor_core), large, h200));
    CHECK((choice.repack && choice.kernel == Kernel::tensor_core));
  }
  for (const VectorCopies copies : {VectorCopies{}, {k_major, k_major}, {k_major, {}}, {{}, k_major}})
    CHECK_FALSE(repacks(h200, large, copies));
  // The other matrix instructions are another vendor's, in fp32, for which nothing is repacked.
  Target amd = testing::portable();
  amd.fragments = ladder_maths::mfma;
  CHECK(kernel_for(amd, large, {ragged_k, ragged_k}) == Kernel::tensor_core);
  CHECK_FALSE(repacks(amd, large, {ragged_k, ragged_k}));
}

TEST_CASE("operands are repacked for the kernels that the table names, where the caller wishes", "[choose]") {
  const Target h200 = testing::h200(Path::portable, Math::tf32),
               fp32 = testing::h200(Path::portable, Math::fp32);
  const auto named = [](Kernel kernel, const Target& target) {
    return choose(large, {.kernel = kernel, .repack = true}, target, 1, {{true, false}, {true, false}});
  };
  CHECK((named(Kernel::tensor_core, h200).repack && named(Kernel::pipelined, fp32).repack));
  // The tile is the one for operands in whole vectors.
  CHECK(named(Kernel::tensor_core, h200).tile == default_tile(rung_of(Kernel::tensor_core), large, h200));
  CHECK(testing::problem([&] { named(Kernel::stream_k, fp32); }) ==
        "kernel has no operands repacked in fp32 (stream_k)");
  CHECK(testing::problem([&] { named(Kernel::tiled_checked, fp32); }) ==
        "kernel has no operands repacked in fp32 (tiled_checked)");
  CHECK_FALSE(choose(large, {.kernel = Kernel::tensor_core}, h200, 1, {{true, false}, {}}).repack);
}

TEST_CASE("lines that are no vectors cost the matrix instructions by how they run", "[vectors]") {
  const OperandLines k_major{true, true}, pairs{true, false, true}, odd_k{true, false, false},
      odd_x{false, false, false};
  const TileShape large_tile{128, 128, 16, 16, 8}, small_tile{64, 64, 16, 8, 4};
  for (const Type type : {Type::fp16, Type::fp32}) {
    const auto slower = [&](VectorCopies copies, TileShape tile) {
      return detail::slowdown_of_fragments(costs, copies, tile, type);
    };
    CHECK(slower({}, large_tile) == 1);
    CHECK(slower({k_major, k_major}, large_tile) == 1);
    CHECK(slower({odd_x, odd_x}, large_tile) > 1);
    CHECK(slower({odd_k, odd_x}, large_tile) > slower({odd_x, odd_x}, large_tile));
    CHECK(slower({odd_x, odd_k}, large_tile) == slower({odd_k, odd_x}, large_tile));
    CHECK(slower({odd_k, odd_k}, large_tile) > slower({odd_k, odd_x}, large_tile));
    CHECK(slower({odd_k, odd_k}, small_tile) > slower({odd_k, odd_k}, large_tile));
    CHECK((slower({pairs, pairs}, large_tile) < slower({odd_k, odd_k}, large_tile)) == is_16_bit(type));
  }
}

TEST_CASE("in fp64 it is lines along k that are repacked, and they alone", "[choose]") {
  const OperandLines k_major{true, true}, ragged_k{true, false}, ragged_x{false, false};
  CHECK_FALSE(ragged_k.stays(true, Type::fp64));
  CHECK(ragged_x.stays(true, Type::fp64));
  CHECK(k_major.stays(true, Type::fp64));
  CHECK_FALSE(ragged_x.stays(true, Type::fp32));
  CHECK_FALSE(k_major.stays(false, Type::fp64));  // threads that multiply read lines along x
  for (const Path path : {Path::native, Path::portable}) {
    const Target h200 = testing::h200(path, Math::fp64);
    for (const VectorCopies copies :
         {VectorCopies{ragged_k, ragged_k}, {ragged_k, ragged_x}, {ragged_x, ragged_k}, {{}, ragged_k}}) {
      CHECK(repacks(h200, large, copies));
      CHECK_FALSE(repacks(h200, {64, 64, 64}, copies));
    }
    for (const VectorCopies copies : {VectorCopies{}, {ragged_x, ragged_x}, {k_major, ragged_x}})
      CHECK_FALSE(repacks(h200, large, copies));
  }
  const GemmShape of_two{2, 2, 3};
  CHECK(detail::repack_cycles(costs, of_two, {ragged_k, ragged_x}, true, Type::fp64, 1) <
        detail::repack_cycles(costs, of_two, {ragged_k, ragged_k}, true, Type::fp64, 1));
  CHECK(detail::repack_cycles(costs, of_two, {ragged_x, ragged_x}, true, Type::fp64, 1) == 0);
}

TEST_CASE("repacking an operand takes a start, and the reading and writing of what it has", "[vectors]") {
  // A has 100 · 50 elements, B has 50 · 300.
  const GemmShape shape{100, 300, 50};
  const OperandLines whole{}, ragged{.whole = false};
  const auto elements = [&](OperandLines a, OperandLines b, Type type, Index count = 1) {
    return (detail::repack_cycles(costs, shape, {a, b}, false, type, count) - 6000) * 1700 / 2 /
           static_cast<double>(size_of(type));
  };
  CHECK_THAT(elements(ragged, whole, Type::fp32), WithinRel(5000.0));
  CHECK_THAT(elements(whole, ragged, Type::fp32), WithinRel(15000.0));
  CHECK_THAT(elements(ragged, ragged, Type::fp64), WithinRel(20000.0));
  CHECK_THAT(elements(whole, ragged, Type::fp64, 7), WithinRel(105000.0));
  CHECK(detail::repack_cycles(costs, shape, {whole, whole}, false, Type::fp32, 1) == 0);
}

}  // namespace
}  // namespace rooftile
