// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/operand_alignment.hpp"

#include <array>

#include <catch2/catch_test_macros.hpp>

#include "plan/choose.hpp"
#include "plan/describe.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using detail::has_whole_vectors, detail::OperandAlignment, detail::OperandAlignments;

alignas(16) std::array<float, 64> memory;

/// A column-major, B and C row-major: all in whole vectors.
/// @param apart  distance of the batch entries of A
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
  CHECK_FALSE(has_whole_vectors(row_major(x, 3, 6)));      // rows begin within a vector
  CHECK_FALSE(has_whole_vectors(row_major(x, 3, 6, 8)));   // a row's last vector is incomplete
  CHECK_FALSE(has_whole_vectors(row_major(x + 1, 3, 8)));  // the first row begins within a vector
  CHECK_FALSE(has_whole_vectors(column_major(x, 8, 8)));   // rows are not contiguous
  CHECK_FALSE(has_whole_vectors(MatrixRef<const float>{x, 3, 4, 16, 2}));
}

/// Whether A and B have vectors for panels. Without matrix instructions, lines must run along x; with them,
/// in either direction.
std::pair<bool, bool> with_vectors(const OperandAlignments& copies, bool fragments = false) {
  return {copies.a.vectors(fragments), copies.b.vectors(fragments)};
}

TEST_CASE("panels are copied in vectors where A's columns and B's rows are whole vectors, in every product",
          "[vectors]") {
  const auto copies = [](const BatchArgs<float>& args) {
    return with_vectors(detail::operand_alignments(args));
  };
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

TEST_CASE("panels of matrix instructions are copied in vectors where lines are whole, along K or not",
          "[vectors]") {
  // A and B in the other layout: contiguous along K.
  const auto k_major = [](Index m, Index n, Index k, Index apart = 0) -> BatchArgs<float> {
    return {{1.0f, row_major<const float>(memory.data(), m, k),
             column_major<const float>(memory.data(), k, n), 0.0f, row_major(memory.data(), m, n)},
            {2, apart, 0, m * n}};
  };
  const auto copies = [](const BatchArgs<float>& args, bool fragments = true) {
    return with_vectors(detail::operand_alignments(args), fragments);
  };
  CHECK(copies(product(4, 4, 3)) == std::pair(true, true));
  CHECK(copies(product(5, 4, 3)) == std::pair(false, true));
  CHECK(copies(k_major(3, 5, 4)) == std::pair(true, true));
  CHECK(copies(k_major(3, 5, 4), false) == std::pair(false, false));
  CHECK(copies(k_major(4, 4, 3)) == std::pair(false, false));
  CHECK(copies(k_major(4, 4, 4, 16)) == std::pair(true, true));
  CHECK(copies(k_major(4, 4, 4, 18)) == std::pair(false, true));
}

TEST_CASE("a shape and a layout give the same vectors as operands that have them", "[vectors]") {
  const float* const x = memory.data();
  for (const GemmShape& shape : {GemmShape{4, 4, 3}, {5, 4, 3}, {4, 5, 3}, {5, 5, 3}, {3, 5, 4}, {3, 2, 8}}) {
    const auto [m, n, k] = shape;
    for (const bool a : {false, true}) {
      for (const bool b : {false, true}) {
        const BatchArgs<float> args = {
            {1.0f, a ? row_major(x, m, k) : column_major(x, m, k),
             b ? row_major(x, k, n) : column_major(x, k, n), 0.0f, row_major(memory.data(), m, n)},
            {}};
        const OperandAlignments found = detail::operand_alignments(args),
                                known = detail::operand_alignments(shape, Type::fp32, a, b);
        for (const bool fragments : {false, true})
          CHECK(with_vectors(found, fragments) == with_vectors(known, fragments));
        CHECK((found.a.k_major == known.a.k_major && found.b.k_major == known.b.k_major));
      }
    }
  }
}

/// The plan for operands with this alignment.
GemmPlan plan_for(const Target& target, const GemmShape& shape, OperandAlignments copies,
                  const GemmOptions& options = {}) {
  GemmDesc desc = describe(shape, target.type());
  desc.alignment = copies;
  return choose(desc, options, target);
}

constexpr GemmShape large{4096, 4096, 4096};

TEST_CASE("operands that threads copy element by element are repacked for large products", "[choose]") {
  const OperandAlignment ragged_k{true, false, false, false, false};
  for (const Path path : {Path::native, Path::portable}) {
    for (const ComputeMode math : {ComputeMode::fp32, ComputeMode::tf32, ComputeMode::bf16}) {
      INFO(to_string(path) << ' ' << to_string(math));
      const Target h200 = testing::h200(path, math);
      const GemmPlan plan = plan_for(h200, large, {ragged_k, ragged_k});
      CHECK((plan.a.repack && plan.b.repack));
      CHECK_FALSE(plan_for(h200, large, {}).repack);
      CHECK_FALSE(plan_for(h200, {64, 64, 64}, {}).repack);
    }
    CHECK_FALSE(plan_for(testing::h200(path, ComputeMode::fp32), {64, 64, 64}, {ragged_k, ragged_k}).repack);
  }
}

TEST_CASE("operands are repacked for the kernels that the table names, where the caller wishes", "[choose]") {
  const Target h200 = testing::h200(Path::portable, ComputeMode::tf32),
               fp32 = testing::h200(Path::portable, ComputeMode::fp32);
  const auto named = [](Kernel kernel, const Target& target) {
    return plan_for(target, large, {{true, false}, {true, false}}, {.kernel = kernel, .repack = true});
  };
  CHECK((named(Kernel::tensor_core, h200).repack && named(Kernel::pipelined, fp32).repack));
  CHECK(testing::problem([&] { named(Kernel::stream_k, fp32); }) ==
        "kernel repacks no operands in fp32 (stream_k)");
  CHECK(testing::problem([&] { named(Kernel::tiled_checked, fp32); }) ==
        "kernel repacks no operands in fp32 (tiled_checked)");
  CHECK_FALSE(plan_for(h200, large, {{true, false}, {}}, {.kernel = Kernel::tensor_core}).repack);
}

}  // namespace
}  // namespace rooftile
