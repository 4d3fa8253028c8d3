// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/vectors.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/types.hpp"

namespace rooftile {

/// What TMA can store of C, in every product of a batch.
struct ResultLines {
  bool rows = true;      ///< its rows
  bool columns = false;  ///< its columns

  /// Member by member.
  friend constexpr bool operator==(const ResultLines&, const ResultLines&) = default;
};

/// All that a plan depends on of products, read once from their operands: equal descriptions have equal
/// plans.
struct GemmDesc {
  GemmShape shape;                  ///< of each product
  Type type = Type::fp32;           ///< of the elements of A and B
  Index count = 1;                  ///< batch entries; of two dimensions, of the inner one
  detail::VectorCopies lines = {};  ///< how A and B lie
  ResultLines result = {};          ///< how C lies
  bool by_pointers = false;         ///< an array of pointers says where matrices of A, B or C lie
  Type result_type = Type::fp32;    ///< of the elements of C
  Index outer = 1;                  ///< batch entries of the outer one of two dimensions
  bool reads_c = false;             ///< beta is not zero

  /// Member by member.
  friend constexpr bool operator==(const GemmDesc&, const GemmDesc&) = default;
};

/// The description of products. @pre they are prepared: checked, C's rows one behind the other
template <class T>
GemmDesc describe(const BatchArgs<T>& args) {
  const MatrixRef<const Out<T>> C = args.first.C;
  const Batch& batch = args.batch;
  const bool nested = batch.inner != 0;
  const auto has_aligned_rows = [&](const auto& X) {
    return args.pointers.c == nullptr &&
           detail::has_aligned_rows<Out<T>>(X, batch.count == 1 ? 0 : batch.stride_c) &&
           (!nested || detail::has_aligned_rows<Out<T>>(X, batch.outer_c));
  };
  return {args.shape(),
          type_of<T>(),
          nested ? batch.inner : batch.count,
          detail::vector_copies(args),
          {has_aligned_rows(C), has_aligned_rows(C.transposed())},
          args.pointers.any(),
          result_type_of<T>(),
          nested ? batch.count / batch.inner : 1,
          args.first.beta != Scalar<T>(0)};
}

/// The same of operands at aligned addresses whose rows, or columns, lie one behind the other; C has rows.
constexpr GemmDesc describe(const GemmShape& shape, Type type, Index count = 1, bool a_is_row_major = true,
                            bool b_is_row_major = true) {
  const bool aligned = shape.n % static_cast<Index>(16 / size_of(type)) == 0;
  return {shape,
          type,
          count,
          detail::vector_copies(shape, type, a_is_row_major, b_is_row_major),
          {aligned, false},
          false,
          type,
          1};
}

}  // namespace rooftile
