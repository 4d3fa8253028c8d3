// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/matrix.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "rooftile/matrix_views.hpp"
#include "rooftile/problem.hpp"

namespace rooftile {
namespace {

/// The interface of a Kokkos View: `data()` and a `rank` that is an object with a call operator.
template <class T, std::size_t rank_>
struct ViewLike {
  static constexpr std::integral_constant<std::size_t, rank_> rank{};
  T* memory;
  std::size_t extents[rank_];
  std::size_t strides[rank_];

  T* data() const { return memory; }
  std::size_t extent(int r) const { return extents[r]; }
  std::size_t stride(int r) const { return strides[r]; }
};

/// The interface of a std::mdspan: `data_handle()`, a rank function, and any index type.
template <class T, std::size_t rank_>
struct SpanLike {
  static constexpr std::size_t rank() noexcept { return rank_; }
  T* memory;
  int extents[2];
  int strides[2];

  T* const& data_handle() const { return memory; }
  int extent(std::size_t r) const { return extents[r]; }
  int stride(std::size_t r) const { return strides[r]; }
};

/// A View of Kokkos 5, which is also an mdspan. Its handle may be another type than a pointer.
struct ViewAndSpanLike : ViewLike<double, 2> {
  struct Handle {};
  Handle data_handle() const { return {}; }
};

/// An mdspan whose layout has no strides, for example a tiled one.
struct Unstrided {
  static constexpr std::size_t rank() { return 2; }
  double* data_handle() const { return nullptr; }
  int extent(int) const { return 1; }
};

std::vector<double> counting(std::size_t count) {
  std::vector<double> memory(count);
  std::iota(memory.begin(), memory.end(), 0);
  return memory;
}

TEST_CASE("row-major elements lie along rows, column-major ones along columns", "[matrix]") {
  auto memory = counting(30);
  for (const Index padding : {0, 6}) {
    const auto rows = row_major(memory.data(), 3, 4, 4 + padding);
    const auto columns = column_major(memory.data(), 3, 4, 3 + padding);
    CHECK((rows.rows == 3 && rows.cols == 4 && columns.rows == 3 && columns.cols == 4));
    CHECK((rows(0, 3) == 3 && rows(2, 3) == 2.0 * (4 + padding) + 3));
    CHECK((columns(2, 0) == 2 && columns(2, 3) == 3.0 * (3 + padding) + 2));
  }
  CHECK(
      (row_major(memory.data(), 3, 4).row_stride == 4 && column_major(memory.data(), 3, 4).col_stride == 3));
  const MatrixRef<double> upside_down{memory.data() + 8, 3, 4, -4, 1};
  CHECK((upside_down(0, 1) == 9 && upside_down(2, 3) == 3));
}

TEST_CASE("offsets are computed in 64 bits", "[matrix]") {
  double element = 0;
  const Index stride = Index{1} << 33;
  // The two strides cancel, so that the address is valid.
  const MatrixRef<double> X{&element, 2, 2, stride, -stride};
  CHECK(&X(1, 1) == &element);
}

TEST_CASE("a transposed matrix is the same memory with rows and columns exchanged", "[matrix]") {
  auto memory = counting(40);
  const auto X = row_major(memory.data(), 3, 4, 10);
  const auto Xt = X.transposed();
  CHECK((Xt.rows == 4 && Xt.cols == 3));
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 4; ++j) CHECK(&Xt(j, i) == &X(i, j));
  }
  const auto back = Xt.transposed();
  CHECK(back.rows == 3);
  CHECK(&back(2, 3) == &X(2, 3));
}

TEST_CASE("a matrix converts to a read-only one and to nothing else", "[matrix]") {
  using Float = MatrixRef<float>;
  STATIC_CHECK(std::is_convertible_v<Float, MatrixRef<const float>>);
  STATIC_CHECK_FALSE(std::is_convertible_v<MatrixRef<const float>, Float>);
  STATIC_CHECK_FALSE(std::is_convertible_v<Float, MatrixRef<double>>);
  STATIC_CHECK_FALSE(std::is_convertible_v<Float, MatrixRef<const double>>);
  float memory[60];
  const MatrixRef<const float> X = MatrixRef<float>{memory, 2, 3, 20, 5};
  CHECK((X.rows == 2 && X.cols == 3));
  CHECK(&X(1, 2) == memory + 30);
}

TEST_CASE("a View, an mdspan, and what is both, convert with their own strides", "[matrix]") {
  auto memory = counting(60);
  const auto check = [](const auto& X, double last) {
    STATIC_CHECK(std::is_same_v<decltype(X), const MatrixRef<double>&>);
    CHECK((X.rows == 3 && X.cols == 4 && X(2, 3) == last));
  };
  check(matrix_ref(ViewLike<double, 2>{memory.data(), {3, 4}, {2, 13}}), 2 * 2 + 3 * 13);
  check(matrix_ref(SpanLike<double, 2>{memory.data() + 50, {3, 4}, {-10, 2}}), 50 - 20 + 6);
  check(matrix_ref(ViewAndSpanLike{{memory.data(), {3, 4}, {2, 13}}}), 2 * 2 + 3 * 13);  // the View's pointer
  check(matrix_ref(row_major(memory.data(), 3, 4)), 11);
  using ReadOnly = MatrixRef<const double>;
  STATIC_CHECK(std::is_same_v<decltype(matrix_ref(ViewLike<const double, 2>())), ReadOnly>);
  STATIC_CHECK(std::is_same_v<decltype(matrix_ref(SpanLike<const double, 2>())), ReadOnly>);
}

TEST_CASE("strided matrices and batches are told from each other and from other types", "[matrix]") {
  STATIC_CHECK((StridedMatrix<ViewLike<double, 2>> && StridedMatrix<SpanLike<double, 2>>));
  STATIC_CHECK_FALSE((StridedMatrix<ViewLike<double, 1>> || StridedMatrix<ViewLike<double, 3>>));
  STATIC_CHECK_FALSE((StridedMatrix<SpanLike<double, 1>> || StridedMatrix<SpanLike<double, 3>>));
  STATIC_CHECK_FALSE((StridedMatrix<Unstrided> || StridedMatrix<std::vector<double>>));
  STATIC_CHECK((StridedBatch<ViewLike<double, 3>> && StridedBatch<SpanLike<double, 3>>));
  STATIC_CHECK_FALSE((StridedBatch<ViewLike<double, 2>> || StridedBatch<Unstrided>));
}

TEST_CASE("a batch is matrices at equal distances, first index first", "[matrix]") {
  double data[100] = {};
  const BatchRef<double> all{row_major(data, 2, 3, 5), 20, 4};
  CHECK(&all[3](1, 2) == data + 60 + 5 + 2);
  CHECK(&all.transposed()[3](2, 1) == data + 60 + 5 + 2);
  CHECK((batch_ref(all).stride == 20 && batch_ref(all).count == 4));
  const auto view = batch_ref(ViewLike<double, 3>{data, {4, 2, 3}, {20, 5, 1}});
  CHECK((view.count == 4 && view.stride == 20 && &view[3](1, 2) == &all[3](1, 2)));
  const BatchRef<const double> read_only = all;
  CHECK((read_only.first.data == data && read_only.count == 4));
}

using Catch::Matchers::WithinRel;

TEST_CASE("work and traffic of a product", "[problem]") {
  const GemmShape shape{2, 3, 4};
  CHECK((shape.flops() == 48 && shape.bytes(4) == 4 * (8 + 12 + 6) && shape.bytes(8) == 8 * (8 + 12 + 6)));
  CHECK(shape.bytes(4, true) == 4 * (8 + 12 + 2 * 6));
  CHECK_THAT(shape.intensity(4), WithinRel(48.0 / 104, 1e-15));
  CHECK_THAT(shape.intensity(8, true), WithinRel(48.0 / 256, 1e-15));
}

TEST_CASE("K = 0 still writes C", "[problem]") {
  const GemmShape shape{5, 7, 0};
  CHECK((shape.flops() == 0 && shape.bytes(4) == 4 * 35 && shape.bytes(4, true) == 4 * 70));
  CHECK(shape.intensity(4) == 0);
}

TEST_CASE("empty products have an intensity of 0, not NaN", "[problem]") {
  for (const GemmShape shape : {GemmShape{}, {0, 5, 3}, {5, 0, 3}, {0, 0, 3}}) {
    CHECK((shape.flops() == 0 && shape.intensity(4) == 0 && shape.intensity(8, true) == 0));
  }
  CHECK(GemmShape{}.bytes(8) == 0);
}

TEST_CASE("huge extents do not overflow", "[problem]") {
  const GemmShape large{20'000'000, 20'000'000, 20'000'000};
  CHECK_THAT(large.flops(), WithinRel(1.6e22, 1e-12));
  CHECK_THAT(large.bytes(8), WithinRel(9.6e15, 1e-12));
  const Index most = std::numeric_limits<Index>::max();
  const GemmShape largest{most, most, most};
  CHECK_THAT(largest.flops(), WithinRel(2 * std::pow(2.0, 189), 1e-12));
  CHECK_THAT(largest.bytes(8), WithinRel(24 * std::pow(2.0, 126), 1e-12));
  CHECK_THAT(largest.intensity(8), WithinRel(std::pow(2.0, 63) / 12, 1e-12));
}

}  // namespace
}  // namespace rooftile
