// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/detail/vectors.hpp"

#include <array>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/choose.hpp"
#include "rooftile/detail/gpu/lines.hpp"
#include "targets.hpp"

namespace rooftile {
namespace {

using detail::has_whole_vectors;
using detail::VectorCopies;
using testing::native;
using testing::portable;
using testing::today;

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

TEST_CASE("lines are vectors whichever way an operand is contiguous", "[vectors]") {
  using detail::lines_are_vectors;
  const float* const x = memory.data();
  const auto of = [&](MatrixRef<const float> A, MatrixRef<const float> B, Batch batch = {}) {
    return lines_are_vectors(
        BatchArgs<float>{{1.0f, A, B, 0.0f, row_major(memory.data(), A.rows, B.cols)}, batch});
  };
  CHECK(of(row_major(x, 3, 4), row_major(x, 4, 8)));
  CHECK(of(column_major(x, 8, 3), row_major(x, 3, 8)));
  CHECK_FALSE(of(row_major(x, 4, 3), row_major(x, 3, 8)));                      // rows of A begin in between
  CHECK_FALSE(of(row_major(x, 3, 4), column_major(x + 1, 4, 8)));               // B's first column does
  CHECK_FALSE(of(MatrixRef<const float>{x, 3, 4, 16, 2}, row_major(x, 4, 8)));  // contiguous nowhere
  CHECK(of(row_major(x, 3, 4), row_major(x, 4, 8), {2, 12, 0, 24}));
  CHECK_FALSE(of(row_major(x, 3, 4), row_major(x, 4, 8), {2, 13, 0, 24}));  // the second A does
  CHECK(of(row_major(x, 3, 4), row_major(x, 4, 8), {1, 13, 0, 24}));        // there is none
}

TEST_CASE(
    "of a product it is A's columns and B's rows that must be whole vectors, in every product of a batch",
    "[vectors]") {
  const auto copies = [](const BatchArgs<float>& args) {
    const VectorCopies found = detail::vector_copies(args);
    return std::pair(found.a, found.b);
  };
  CHECK(copies(product(4, 4, 3)) == std::pair(true, true));
  CHECK(copies(product(5, 4, 3)) == std::pair(false, true));
  CHECK(copies(product(4, 5, 3)) == std::pair(true, false));
  CHECK(copies(product(4, 4, 3, memory.data() + 1)) == std::pair(false, true));
  CHECK(copies(product(4, 4, 3, memory.data(), 16)) == std::pair(true, true));
  CHECK(copies(product(4, 4, 3, memory.data(), 13)) == std::pair(false, true));
  for (const GemmShape& shape : {GemmShape{4, 4, 3}, {5, 4, 3}, {4, 5, 3}, {5, 5, 3}}) {
    const VectorCopies known = detail::vector_copies(shape, sizeof(float), false, true);
    CHECK(copies(product(shape.m, shape.n, shape.k)) == std::pair(known.a, known.b));
  }
}

TEST_CASE("operands are laid out anew where that costs less than copying them element by element",
          "[choose]") {
  Target h200 = native();
  h200.limits.shared_bytes_optin = 227 * testing::kib;
  const VectorCopies neither{false, false}, only_b{false, true}, only_a{true, false};
  const auto kernel = [](const Target& target, const GemmShape& shape, VectorCopies copies, Index count = 1) {
    return choose(shape, {}, target, count, copies).kernel;
  };
  const GemmShape large{4096, 4096, 4096}, small{512, 512, 512};
  for (const VectorCopies copies : {neither, only_b, only_a}) {
    CHECK(kernel(h200, large, copies) == Kernel::relaid);
    CHECK(kernel(h200, small, copies) == Kernel::pipelined);
    CHECK(kernel(native(today, Math::fp64), large, copies) != Kernel::relaid);
    CHECK(kernel(portable(), large, copies) != Kernel::relaid);
  }
  CHECK(kernel(h200, large, {}) != Kernel::relaid);
  CHECK(kernel(h200, small, neither, 100) != Kernel::relaid);  // as often copied as computed
  // Each element of A is used for 64 columns only, of B for 16,384 rows.
  CHECK(kernel(h200, {16384, 64, 4096}, only_b) != Kernel::relaid);
  CHECK(kernel(h200, {8192, 8192, 64}, neither) == Kernel::relaid);
  // A tile that the caller names is one of the rung that takes it.
  CHECK(choose(large, {Kernel::automatic, {64, 128, 16, 8, 8}}, h200, 1, neither).kernel ==
        Kernel::pipelined);
}

}  // namespace
}  // namespace rooftile
