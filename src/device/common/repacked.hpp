// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "device/common/repack.hpp"
#include "plan/plan.hpp"
#include "plan/workspace_parts.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"

/// Operands that threads can only copy element by element are first copied to a workspace where vectors can
/// be read: a large product reads each element so often that two passes over an operand cost less.
namespace rooftile::detail {

/// An operand X (K,X) of a batch, seen as panels are copied: A transposed, B as it is.
template <class T>
struct PanelOperand {
  MatrixRef<const T> X;
  Index stride;  ///< from a product's X to the next's
  Index count;   ///< of products
  bool repack;

  std::size_t workspace_bytes() const {
    return repack ? copies_bytes(products(), X.rows, X.cols, sizeof(T)) : 0;
  }
  /// Where it is still to be copied to, with lines along x; nowhere if it stays as it lies.
  RepackOperand<T> copy(WorkspaceParts& workspace) const {
    if (!repack) return {};
    return {
        X, workspace.take<T>(workspace_bytes()), ld(), stride, X.rows * ld(), static_cast<int>(products())};
  }
  /// The operand as panels are copied of it then; what its rows are padded with counts as theirs.
  PanelOperand at(const RepackOperand<T>& copy) const {
    if (!repack) return *this;
    constexpr Index width = 16 / sizeof(T);
    return {{copy.to, X.rows, (X.cols + width - 1) / width * width, copy.ld, 1},
            products() > 1 ? copy.to_stride : 0,
            count,
            false};
  }

 private:
  Index ld() const {
    constexpr Index line = 128 / sizeof(T);
    return (X.cols + line - 1) / line * line;
  }
  Index products() const { return stride == 0 ? 1 : count; }
};

/// The products of a batch, of whose operands some are repacked.
template <class T>
class RepackedProducts {
 public:
  RepackedProducts(const BatchArgs<T>& args, const GemmPlan& plan)
      : args_(args),
        a_{args.first.A.transposed(), args.batch.stride_a, args.batch.count, plan.a.repack},
        b_{args.first.B, args.batch.stride_b, args.batch.count, plan.b.repack} {}

  std::size_t workspace_bytes() const { return a_.workspace_bytes() + b_.workspace_bytes(); }
  /// The copies that are to be made there. @pre it has room
  Repack<T> copies(WorkspaceParts& workspace) const { return {a_.copy(workspace), b_.copy(workspace)}; }
  /// The products of the copies.
  BatchArgs<T> of(const Repack<T>& copies) const {
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

/// The plan of a product whose operands are multiplied as they lie, for want of memory.
inline GemmPlan without_repacking(GemmPlan plan) {
  plan.repack = plan.a.repack = plan.b.repack = false;
  plan.vectors = plan.desc.alignment.all(rung_of(plan.kernel).is_warp_mma());
  return plan;
}

}  // namespace rooftile::detail
