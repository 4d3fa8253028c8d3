// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/check.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "rooftile/error.hpp"

namespace rooftile::detail {

namespace {

std::intptr_t address_of(const MatrixMemory& X) {
  return reinterpret_cast<std::intptr_t>(X.data);
}

/// Returns X moved by `elements`. The address need not be valid memory: ranges are computed before the sizes
/// are trusted. @pre an `offset_range` contains the offset
MatrixMemory behind(const MatrixMemory& X, Index elements) {
  MatrixMemory other = X;
  other.data = reinterpret_cast<const void*>(address_of(X) + elements * X.size);
  return other;
}

MatrixMemory transposed(const MatrixMemory& X) {
  MatrixMemory other = X;
  std::swap(other.rows, other.cols), std::swap(other.row_stride, other.col_stride);
  return other;
}

[[noreturn]] void refuse_matrix(const char* problem, const char* name, const MatrixMemory& X,
                                const char* advice) {
  throw Error(text(problem, " of ", name, " (", X.rows, " x ", X.cols, "): ", advice));
}

/// Whether the address ranges of two matrices overlap.
bool memory_overlaps(const MatrixMemory& X, const MatrixMemory& Y) {
  const OffsetRange x = offset_range("X", X), y = offset_range("Y", Y);
  const std::intptr_t x0 = address_of(X), y0 = address_of(Y);
  return x0 + (x.high + 1) * X.size > y0 + y.low * Y.size && y0 + (y.high + 1) * Y.size > x0 + x.low * X.size;
}

Index rounded_down(Index a, Index b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// The largest number of copies that are checked one by one, which takes 0.1 s. More copies count as
/// overlapping.
constexpr Index max_looks = Index{1} << 24;

/// A range of copies along a dimension of a batch: the numbers `first` to `last`.
struct Span {
  Index first = 0, last = 0;
};

/// Returns the copies of y that may overlap x. @pre stride > 0
/// @param distance  elements from x to copy 0, rounded down
Span within_reach(const OffsetRange& x, const OffsetRange& y, Index distance, Index stride, Span copies) {
  return {std::max(copies.first, rounded_down(x.low - y.high - 2 - distance, stride) + 1),
          std::min(copies.last, rounded_down(x.high - y.low - distance, stride))};
}

/// Returns the distance from X to Y in elements, rounded down.
Index distance_to(const MatrixMemory& X, const MatrixMemory& Y) {
  return rounded_down(address_of(Y) - address_of(X), X.size);
}

/// Whether X shares a byte with a copy of Y. Copy i begins i strides after Y.
bool overlaps_any(const MatrixMemory& X, const MatrixMemory& Y, Index stride, Span copies) {
  if (copies.first > copies.last || is_empty(X) || is_empty(Y)) return false;
  if (stride == 0) return overlap(X, Y);
  if (stride < 0) return overlaps_any(X, Y, -stride, {-copies.last, -copies.first});
  const Span near =
      within_reach(offset_range("X", X), offset_range("Y", Y), distance_to(X, Y), stride, copies);
  if (near.last - near.first >= max_looks) return true;
  for (Index i = near.first; i <= near.last; ++i) {
    if (overlap(X, behind(Y, i * stride))) return true;
  }
  return false;
}

/// Whether X shares a byte with a copy of Y in two dimensions.
bool overlaps_any(const MatrixMemory& X, const MatrixMemory& Y, Steps steps, Span inner, Span outer) {
  if (inner.first > inner.last || outer.first > outer.last || is_empty(X) || is_empty(Y)) return false;
  if (steps.outer_stride == 0) return overlaps_any(X, Y, steps.stride, inner);
  if (steps.outer_stride < 0) {
    steps.outer_stride = -steps.outer_stride;
    return overlaps_any(X, Y, steps, inner, {-outer.last, -outer.first});
  }
  const OffsetRange one = offset_range("Y", Y);
  const auto [before, behind_it] = std::minmax({inner.first * steps.stride, inner.last * steps.stride});
  const Span near = within_reach(offset_range("X", X), {one.low + before, one.high + behind_it},
                                 distance_to(X, Y), steps.outer_stride, outer);
  if (near.last - near.first >= max_looks) return true;
  for (Index i = near.first; i <= near.last; ++i) {
    if (overlaps_any(X, behind(Y, i * steps.outer_stride), steps.stride, inner)) return true;
  }
  return false;
}

/// Returns the range that all copies of a matrix span, as one row.
MatrixMemory line_of(const MatrixMemory& X, const Steps& steps) {
  const OffsetRange range = offset_range("X", X, steps);
  MatrixMemory line = behind(X, range.low);
  line.rows = 1, line.cols = range.high - range.low + 1, line.row_stride = 0, line.col_stride = 1;
  return line;
}

/// Whether a copy of X shares a byte with a copy of C; conservative as `check_apart`. Both have equally many
/// copies.
bool meets(const MatrixMemory& X, const Steps& x, const MatrixMemory& C, const Steps& c, bool one_type) {
  if (is_empty(X) || !memory_overlaps(line_of(X, x), line_of(C, c))) return false;
  if (!one_type) return true;
  // The copies of C relative to one copy of X: with a shared X all copies, else all differences of numbers.
  const auto seen = [](Index stride, Index count) { return Span{stride == 0 ? 0 : 1 - count, count - 1}; };
  const auto is_told = [](Index stride, Index of_c, Index count) {
    return count == 1 || stride == 0 || stride == of_c;
  };
  if (!is_told(x.stride, c.stride, c.count) || !is_told(x.outer_stride, c.outer_stride, c.outer)) return true;
  return overlaps_any(X, C, c, seen(x.stride, c.count), seen(x.outer_stride, c.outer));
}

/// Returns the steps of an operand. @param inner  matrices in the inner of two dimensions; 0: one dimension
Steps steps_of(const BatchMemory& X, Index inner) {
  return Steps::of(X.count, X.stride, inner, X.inner != 0 ? X.outer_stride : inner * X.stride);
}

}  // namespace

void refuse_offsets(const char* name, Index extent, Index step) {
  throw Error(text("extent times stride overflows for ", name, " (", extent, " x ", step,
                   "): check the sizes and leading dimensions"));
}

OffsetRange offset_range(const char* name, const MatrixMemory& X, const Steps& steps) {
  OffsetRange range;
  // Half of the range, so that an address and an offset can be added.
  const Index limit = std::numeric_limits<Index>::max() / 2 / X.size;
  const auto widen = [&](Index extent, Index step) {
    Index span = 0;
    if (__builtin_mul_overflow(extent - 1, step, &span) || span > limit - range.high ||
        span < -limit - range.low) {
      refuse_offsets(name, extent, step);
    }
    (span < 0 ? range.low : range.high) += span;
  };
  widen(X.rows, X.row_stride);
  widen(X.cols, X.col_stride);
  if (steps.count > 1) widen(steps.count, steps.stride);
  if (steps.outer > 1) widen(steps.outer, steps.outer_stride);
  return range;
}

namespace {

void check_not_negative(const GemmShape& shape, Index count) {
  const auto [m, n, k] = shape;
  if (m < 0 || n < 0 || k < 0) {
    throw Error(text("negative size (m ", m, ", n ", n, ", k ", k, "): give extents of 0 or more"));
  }
  if (count < 0) throw Error(text("negative number of products (", count, "): give 0 or more"));
}

}  // namespace

void check_sizes(const GemmShape& shape, Index count) {
  check_not_negative(shape, count);
  const auto [m, n, k] = shape;
  // Strides of 0 repeat elements, so that the memory of A and B does not bound their extents.
  if (Index elements = 0; __builtin_mul_overflow(m, k, &elements) || __builtin_mul_overflow(k, n, &elements))
    throw Error(text("operand too large (m ", m, ", n ", n, ", k ", k, "): give at most 2^63 - 1 elements"));
}

void check_row_major(const GemmShape& shape, Index count, std::size_t size) {
  check_not_negative(shape, count);
  const auto [m, n, k] = shape;
  const auto check_one = [&](const char* name, Index rows, Index cols) {
    Index elements = 0;
    if (rows == 0 || cols == 0 || count == 0) return;
    if (__builtin_mul_overflow(rows, cols, &elements)) refuse_offsets(name, rows, cols);
    MatrixMemory X = row_major<const char>(nullptr, rows, cols);
    X.size = static_cast<Index>(size);
    offset_range(name, X, {count, elements});
  };
  check_one("A", m, k);
  check_one("B", k, n);
  check_one("C", m, n);
}

void check_extents(const char* name, const MatrixMemory& X) {
  if (X.rows < 0 || X.cols < 0) refuse_matrix("negative size", name, X, "give extents of 0 or more");
}

void check_memory(const char* name, const MatrixMemory& X, const Steps& steps) {
  if (is_empty(X)) return;
  if (X.data == nullptr) refuse_matrix("null data", name, X, "allocate the matrix first");
  offset_range(name, X, steps);
}

void check_conforming(const MatrixMemory& A, const MatrixMemory& B, const MatrixMemory& C) {
  if (A.rows == C.rows && B.cols == C.cols && A.cols == B.rows) return;
  throw Error(text("shapes do not conform (A ", A.rows, " x ", A.cols, ", B ", B.rows, " x ", B.cols, ", C ",
                   C.rows, " x ", C.cols, "): C (m,n) needs A (m,k) and B (k,n)"));
}

void check_distinct(const MatrixMemory& C) {
  // The stride of a single row or column is not used.
  const Index row_stride = C.rows > 1 ? std::abs(C.row_stride) : 0;
  const Index col_stride = C.cols > 1 ? std::abs(C.col_stride) : 0;
  // The common case: rows (or columns) that end before the next one begins. This check avoids divisions,
  // whose time would matter for small products.
  const auto apart = [](Index extent, Index stride, Index next) {
    Index reach = 0;
    return (stride > 0 || extent == 1) && !__builtin_mul_overflow(extent - 1, stride, &reach) && reach < next;
  };
  if (apart(C.cols, col_stride, row_stride) || apart(C.rows, row_stride, col_stride)) return;
  const Index common = std::gcd(row_stride, col_stride);
  const bool distinct = common == 0 ? C.rows == 1 && C.cols == 1
                                    : C.rows <= col_stride / common || C.cols <= row_stride / common;
  if (!distinct) {
    throw Error(text("elements of C overlap (", C.rows, " x ", C.cols, ", strides ", C.row_stride, " and ",
                     C.col_stride, "): give a leading dimension of at least a row or column"));
  }
}

bool overlap(const MatrixMemory& X, const MatrixMemory& Y) {
  if (is_empty(X) || is_empty(Y) || !memory_overlaps(X, Y)) return false;
  const auto rows_outside = [](const MatrixMemory& Z) {
    return Z.row_stride >= Z.col_stride ? Z : transposed(Z);
  };
  const MatrixMemory P = rows_outside(X), Q = rows_outside(Y);
  const std::intptr_t bytes = address_of(Y) - address_of(X);
  const bool one_parent = P.row_stride == Q.row_stride && P.col_stride == Q.col_stride && P.col_stride > 0 &&
                          std::max(P.cols, Q.cols) * P.col_stride <= P.row_stride && bytes % X.size == 0;
  if (!one_parent) return true;
  // Q begins `d` elements after P: at row d / row_stride plus some columns, or at the next row minus some
  // columns.
  const Index d = bytes / X.size;
  const Index row = rounded_down(d, P.row_stride);
  for (Index i = row; i <= row + 1; ++i) {
    const Index rest = d - i * P.row_stride;
    if (rest % P.col_stride != 0) continue;
    const Index j = rest / P.col_stride;
    if (i < P.rows && -i < Q.rows && j < P.cols && -j < Q.cols) return true;
  }
  return false;
}

void refuse_overlap(const char* name, const MatrixMemory& X, const MatrixMemory& C) {
  throw Error(text("C overlaps ", name, " (", C.data, " and ", X.data, "): give C its own memory"));
}

bool is_nested(const MatrixMemory& C, const Steps& steps) {
  struct Dimension {
    Index stride, extent;
  };
  const auto dimension = [](Index step, Index extent) {  // one entry: the stride is not used
    return Dimension{extent > 1 ? std::abs(step) : 0, extent};
  };
  std::array dimensions{dimension(C.row_stride, C.rows), dimension(C.col_stride, C.cols),
                        dimension(steps.stride, steps.count), dimension(steps.outer_stride, steps.outer)};
  std::sort(dimensions.begin(), dimensions.end(),
            [](const Dimension& x, const Dimension& y) { return x.stride < y.stride; });
  Index reach = 0;
  for (const auto& [step, extent] : dimensions) {
    if (extent == 1) continue;
    if (step <= reach) return false;
    reach += (extent - 1) * step;
  }
  return true;
}

void check_products_distinct(const MatrixMemory& C, const Steps& steps) {
  const auto& [count, stride, outer, outer_stride] = steps;
  if (count * outer == 1 || is_nested(C, steps)) return;
  if (!overlaps_any(C, C, stride, {1, count - 1}) &&
      !overlaps_any(C, C, steps, {1 - count, count - 1}, {1, outer - 1}))
    return;
  const std::string further =
      outer > 1 ? text(", inner count ", count, ", outer stride ", outer_stride) : std::string();
  throw Error(text("products overlap (C ", C.rows, " x ", C.cols, ", strides ", C.row_stride, " and ",
                   C.col_stride, ", batch stride ", stride, " elements", further,
                   "): give a batch stride of at least a matrix"));
}

void check_apart(const char* name, const MatrixMemory& X, const Steps& x, const MatrixMemory& C,
                 const Steps& c, bool one_type) {
  if (meets(X, x, C, c, one_type)) refuse_overlap(name, X, C);
}

void check_epilogue_operand(const char* name, const BatchMemory& X, const BatchMemory& C, bool one_type) {
  check_extents(name, X.first);
  if (X.has_pointers || C.count <= 0) return;
  if (X.inner != 0) {
    throw Error(text("epilogue operand has a batch of two dimensions (", name, ", ", X.count, " matrices, ",
                     X.inner, " in the inner one): give it one dimension"));
  }
  check_memory(name, X.first, {X.count, X.stride});
  if (C.has_pointers || is_empty(C.first)) return;
  if (!meets(X.first, steps_of(X, C.inner), C.first, steps_of(C, C.inner), one_type)) return;
  throw Error(text("C overlaps ", name, " of an epilogue (", C.first.data, " and ", X.first.data,
                   "): add C's own elements by beta, and read nothing else from C"));
}

std::string text_of_misaligned(const char* name, const void* address, std::size_t size) {
  return text("address of ", name, " not a multiple of ", size, " bytes (", address,
              "): align elements to their size");
}

}  // namespace rooftile::detail
