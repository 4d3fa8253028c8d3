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

/// How many elements lie around an operand that are not its own, on the side without a fence.
inline constexpr Index guard_band = 256;

/// The same with as many between the operand and what is a fence elsewhere.
inline Placing guarded(Placing placing) {
  placing.shift += guard_band;
  return placing;
}

/// How many entries a batch has, and how many the inner of two dimensions; 0: there is one dimension.
struct Entries {
  Index count = 1, inner = 0;
};

/// The matrices of an operand in a block of memory, against one of its fences, amid guard elements.
template <class T>
class Operand {
 public:
  /// @param entries  of the batch, and how many of them there are in the inner of two dimensions
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

  /// Makes everything a guard, and elements that the product reads something else, here and where expected.
  void fill(bool is_read, const Values& values) {
    Loops<T>::fill(begin_, size_, guard_);
    if (is_read || guard_ == guard_) {  // NaN is not
      Loops<T>::fill(own_, values);
    }
    Loops<T>::copy(expected_, begin_, size_);
  }

  const BatchRef<T>& all() const { return all_; }
  MatrixRef<T> expected() const { return all_.first.at(expected_ + (all_.first.data - begin_)); }

  /// What is not as expected; empty if all is.
  std::string fault(const char* name) const {
    const Index at = Loops<T>::first_difference(begin_, expected_, size_);
    if (at < 0) return {};
    std::ostringstream text;
    text << where(name, at) << " is " << in_double(Loops<T>::value(begin_ + at)) << " instead of "
         << in_double(Loops<T>::value(expected_ + at));
    return text.str();
  }

 private:
  /// `C(3, 5)`, or what is not of C.
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

  /// What no element is. Integers have no NaN.
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
  BatchRef<T> all_, own_;  // own_ has each matrix once
};

}  // namespace rooftile::testing
