// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rooftile/detail/gpu/relayout.hpp"
#include "rooftile/detail/vectors.hpp"
#include "rooftile/detail/workspace_parts.hpp"
#include "rooftile/problem.hpp"

/// Operands that threads can only copy element by element are first copied to a workspace where vectors can
/// be read: a large product reads each element so often that two passes over an operand cost less.
namespace rooftile::detail {

/// An operand X (K,X) of a batch, seen as panels are copied: A transposed, B as it is.
template <class T>
struct PanelOperand {
  MatrixRef<const T> X;
  Index stride;    ///< from a product's X to the next's
  Index count;     ///< of products
  bool fragments;  ///< whether matrix instructions multiply

  bool relaid() const { return !lines_of(X, stride).stays(fragments, type_of<T>()); }
  std::size_t workspace_bytes() const {
    if (!relaid()) return 0;
    const double bytes =
        static_cast<double>(products()) * static_cast<double>(X.rows) * static_cast<double>(ld()) * sizeof(T);
    if (bytes > max_bytes) return max_bytes;  // of a matrix with strides of 0
    return WorkspaceParts::rounded(static_cast<std::size_t>(products() * X.rows * ld()) * sizeof(T));
  }
  /// Where it is still to be copied to, with lines along x; nowhere if it stays as it lies.
  RelayoutOperand<T> copy(WorkspaceParts& workspace) const {
    if (!relaid()) return {};
    return {
        X, workspace.take<T>(workspace_bytes()), ld(), stride, X.rows * ld(), static_cast<int>(products())};
  }
  /// The operand as panels are copied of it then; what its rows are padded with counts as theirs.
  PanelOperand at(const RelayoutOperand<T>& copy) const {
    if (!relaid()) return *this;
    constexpr Index width = 16 / sizeof(T);
    return {{copy.to, X.rows, (X.cols + width - 1) / width * width, copy.ld, 1},
            products() > 1 ? copy.to_stride : 0,
            count,
            fragments};
  }

 private:
  static constexpr std::size_t max_bytes = std::size_t{1} << 60;  ///< more than any device has

  Index ld() const {
    constexpr Index line = 128 / sizeof(T);
    return (X.cols + line - 1) / line * line;
  }
  Index products() const { return stride == 0 ? 1 : count; }
};

/// The products of a batch, of whose operands some are laid out anew.
template <class T>
class RelaidProducts {
 public:
  /// @param fragments  whether matrix instructions multiply
  RelaidProducts(const BatchArgs<T>& args, bool fragments)
      : args_(args),
        a_{args.first.A.transposed(), args.batch.stride_a, args.batch.count, fragments},
        b_{args.first.B, args.batch.stride_b, args.batch.count, fragments} {}

  std::size_t workspace_bytes() const { return a_.workspace_bytes() + b_.workspace_bytes(); }
  /// The copies that are to be made there. @pre it has room
  Relayout<T> copies(WorkspaceParts& workspace) const { return {a_.copy(workspace), b_.copy(workspace)}; }
  /// The products of the copies.
  BatchArgs<T> of(const Relayout<T>& copies) const {
    const PanelOperand<T> a = a_.at(copies.a), b = b_.at(copies.b);
    BatchArgs<T> args = args_;
    args.first.A = a.X.transposed(), args.batch.stride_a = a.stride;
    args.first.B = b.X, args.batch.stride_b = b.stride;
    return args;
  }

 private:
  BatchArgs<T> args_;
  PanelOperand<T> a_, b_;
};

/// Of a batch, the products whose copies fit a workspace together.
template <class T>
Index relaid_at_a_time(const BatchArgs<T>& args, bool fragments) {
  return products_at_a_time(RelaidProducts<T>(args.part(0, 1), fragments).workspace_bytes());
}

}  // namespace rooftile::detail
