// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <sstream>
#include <string>
#include <type_traits>

#include "case.hpp"
#include "memory.hpp"
#include "rooftile/error.hpp"

namespace rooftile::testing {

/// Number of guard elements around an operand, on the side without a fence.
inline constexpr Index guard_band = 256;

/// Adds a guard band between the operand and the side that is a fence on other devices.
inline Placing guarded(Placing placing) {
  placing.shift += guard_band;
  return placing;
}

/// The number of batch entries, and of those in the inner of two dimensions. 0: one dimension.
struct Entries {
  Index count = 1, inner = 0;
};

/// An operand's matrices in a memory block: next to one of its fences, with guard elements around them.
template <class T>
class Operand {
 public:
  /// @param entries  of the batch, and of the inner of two dimensions
  Operand(Index rows, Index cols, const Entries& entries, const Placing& placing, const Block& memory,
          const Block& expected, bool nan)
      : guard_(guard(nan)) {
    const Arrangement arranged(placing, rows, cols, entries.count, entries.inner);
    const Lattice& lattice = arranged.lattice;
    size_ = guard_band + arranged.reach + placing.shift;
    if (size_ > memory.end<T>() - memory.begin<T>())
      throw Error(detail::text("case too large (", size_, " elements): take smaller extents or strides"));
    begin_ = placing.behind ? memory.begin<T>() : memory.end<T>() - size_;
    expected_ = placing.behind ? expected.begin<T>() : expected.end<T>() - size_;
    const Index lowest = placing.behind ? placing.shift : guard_band;
    const MatrixRef<T> first{begin_ + lowest + lattice.first, rows, cols, lattice.row_stride,
                             lattice.col_stride};
    all_ = {placing.conjugated ? first.conjugated() : first,
            arranged.stride,
            entries.count,
            nullptr,
            alignof(T),
            entries.inner,
            arranged.outer_stride};
    own_ = nested_batch(all_.first, arranged.outer, all_.outer_stride, arranged.inner, all_.stride);
  }

  /// Fills the memory with guards, then the elements that the product may read with values. Fills the
  /// expected memory equally.
  void fill(bool is_read, const Values& values) {
    Loops<T>::fill(begin_, size_, guard_);
    if (is_read || guard_ == guard_) {  // false for NaN
      Loops<T>::fill(own_, values);
    }
    Loops<T>::copy(expected_, begin_, size_);
  }

  const BatchRef<T>& all() const { return all_; }
  MatrixRef<T> expected() const { return all_.first.at(expected_ + (all_.first.data - begin_)); }

  /// The first difference from the expected memory. Empty if there is none.
  std::string fault(const char* name) const {
    const Index at = Loops<T>::first_difference(begin_, expected_, size_);
    if (at < 0) return {};
    std::ostringstream text;
    text << where(name, at) << " is " << in_double(Loops<T>::value(begin_ + at)) << " instead of "
         << in_double(Loops<T>::value(expected_ + at));
    return text.str();
  }

 private:
  /// `C(3, 5)`, or a description of an element outside of C.
  std::string where(const char* name, Index at) const {
    const MatrixRef<T>& X = all_.first;
    for (Index entry = 0; entry < own_.count; ++entry) {
      for (Index i = 0; i < X.rows; ++i) {
        const Index along = at - (own_[entry].data - begin_) - i * X.row_stride;
        if (along % X.col_stride == 0 && along / X.col_stride >= 0 && along / X.col_stride < X.cols) {
          return detail::text(name, "(", i, ", ", along / X.col_stride, ")",
                              own_.count > 1 ? detail::text(" of batch entry ", entry) : "");
        }
      }
    }
    return detail::text("an element beside ", name, ", ", at - (X.data - begin_), " behind its first,");
  }

  /// A value that no element has. Integers have no NaN.
  static T guard(bool nan) {
    if constexpr (std::is_integral_v<T>) {
      return std::numeric_limits<T>::min();
    } else {
      return nan ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(-776.0F);
    }
  }

  T guard_;
  T *begin_, *expected_;
  Index size_;
  BatchRef<T> all_, own_;  // own_ contains each matrix once
};

}  // namespace rooftile::testing
