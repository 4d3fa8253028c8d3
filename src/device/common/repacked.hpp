// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "device/common/repack.hpp"
#include "plan/plan.hpp"
#include "plan/workspace_parts.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"

/// Repacks operands that threads can only copy element by element to a workspace where they read vectors. A
/// large product reads each element so often that two passes over an operand cost less.
namespace rooftile::detail {

/// An operand X (K,X) of a batch as panels see it: A transposed, B as it is.
template <class T>
struct PanelOperand {
  MatrixRef<const T> X;
  Index stride;  ///< elements from one entry's X to the next
  Index count;   ///< batch entries
  bool repack;

  std::size_t workspace_bytes() const {
    return repack ? copies_bytes(products(), X.rows, X.cols, sizeof(T)) : 0;
  }
  /// Returns the copy to make, with lines along x; an empty copy if the operand is not repacked.
  RepackOperand<T> copy(WorkspaceParts& workspace) const {
    if (!repack) return {};
    return {
        X, workspace.take<T>(workspace_bytes()), ld(), stride, X.rows * ld(), static_cast<int>(products())};
  }
  /// Returns the operand that panels are copied from after the repack. The padding of the copy's rows counts
  /// as columns.
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

/// The products of a batch, some of whose operands are repacked.
template <class T>
class RepackedProducts {
 public:
  RepackedProducts(const BatchArgs<T>& args, const GemmPlan& plan)
      : args_(args),
        a_{args.first.A.transposed(), args.batch.stride_a, args.batch.count, plan.a.repack},
        b_{args.first.B, args.batch.stride_b, args.batch.count, plan.b.repack} {}

  std::size_t workspace_bytes() const { return a_.workspace_bytes() + b_.workspace_bytes(); }
  /// Returns the copies to make in the workspace. @pre the workspace has room for `workspace_bytes()`
  Repack<T> copies(WorkspaceParts& workspace) const { return {a_.copy(workspace), b_.copy(workspace)}; }
  /// Returns the products with the copies as operands.
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

/// Returns the plan that reads the operands in place, for devices without memory for the copies.
inline GemmPlan without_repacking(GemmPlan plan) {
  plan.repack = plan.a.repack = plan.b.repack = false;
  plan.vectors = plan.desc.alignment.all(rung_of(plan.kernel).is_warp_mma());
  return plan;
}

}  // namespace rooftile::detail
