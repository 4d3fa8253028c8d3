// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/common/verbs.hpp"

/// The operations of `common/verbs.hpp`, which includes this file, for AMD GPUs and clang.
namespace rooftile::detail {

using plain::copies_are_asynchronous, plain::begin_copy, plain::end_group, plain::wait_for_groups;
using plain::read_pointer, plain::unforeseen_global;  // no kernel calls these on AMD GPUs

template <class T>
ROOFTILE_FUNCTION T unforeseen(T x) {
  asm volatile("" : "+v"(x));
  return x;
}

template <class T>
ROOFTILE_FUNCTION T unforeseen_by_clang(T x) {
  return unforeseen(x);
}

template <class T>
ROOFTILE_FUNCTION T unforeseen_scalar(T x) {
  const T y = unforeseen(x);
  const auto low = static_cast<unsigned>(__builtin_amdgcn_readfirstlane(static_cast<int>(y)));
  return T{__builtin_amdgcn_readfirstlane(static_cast<int>(y >> 32))} << 32 | low;
}

template <class T>
ROOFTILE_FUNCTION T* global_pointer(T* pointer) {
  using Global = __attribute__((address_space(1))) T*;
  return (T*)reinterpret_cast<Global>(unforeseen_scalar(reinterpret_cast<long long>(pointer)));
}

/// Returns 1: clang would read the values of all steps at once and spill registers.
ROOFTILE_FUNCTION constexpr int unrolled_steps(int) {
  return 1;
}

}  // namespace rooftile::detail
