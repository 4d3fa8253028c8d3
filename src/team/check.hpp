// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "rooftile/problem.hpp"

/// Checks of a product in a user's team, for debug builds. A failed check aborts the program.
namespace rooftile::detail {

ROOFTILE_FUNCTION void abort_team() {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  __builtin_trap();
#else
  std::fflush(stdout);
  std::abort();
#endif
}

/// The addresses [begin,end) that the elements of a matrix span.
struct AddressRange {
  std::intptr_t begin, end;
};
template <class T>
ROOFTILE_FUNCTION AddressRange address_range(const MatrixRef<T>& X) {
  const Index down = (X.rows - 1) * X.row_stride, right = (X.cols - 1) * X.col_stride;
  const Index least = (down < 0 ? down : 0) + (right < 0 ? right : 0);
  const Index most = (down > 0 ? down : 0) + (right > 0 ? right : 0);
  const auto data = reinterpret_cast<std::intptr_t>(X.data);
  return {data + least * static_cast<Index>(sizeof(T)), data + (most + 1) * static_cast<Index>(sizeof(T))};
}

/// Whether an address is inside an element of X.
template <class T>
ROOFTILE_FUNCTION bool has_element(const MatrixRef<T>& X, std::intptr_t address) {
  const auto data = reinterpret_cast<std::intptr_t>(X.data);
  constexpr auto size = static_cast<Index>(sizeof(T));
  const Index offset = (address - data - ((address - data) % size + size) % size) / size;
  for (Index i = 0; i < X.rows; ++i) {
    const Index rest = offset - i * X.row_stride;
    if (X.col_stride == 0
            ? rest == 0
            : rest % X.col_stride == 0 && rest / X.col_stride >= 0 && rest / X.col_stride < X.cols)
      return true;
  }
  return false;
}

template <class E, class R>
ROOFTILE_FUNCTION void check_apart_in_team(const char* name, const MatrixRef<const E>& X,
                                           const MatrixRef<R>& C) {
  if (X.rows == 0 || X.cols == 0 || C.rows == 0 || C.cols == 0) return;
  const AddressRange x = address_range(X), c = address_range(C);
  if (x.end <= c.begin || c.end <= x.begin) return;
  for (Index i = 0; i < C.rows; ++i) {
    for (Index j = 0; j < C.cols; ++j) {
      if (!has_element(X, reinterpret_cast<std::intptr_t>(&C(i, j)))) continue;
      std::printf(
          "rooftile: C shares memory with %s in a team (element (%lld,%lld) of C at %p): give C its own "
          "memory\n",
          name, static_cast<long long>(i), static_cast<long long>(j), static_cast<const void*>(&C(i, j)));
      return abort_team();
    }
  }
}

/// @param M,N,K  constant extents of the options; 0: not constant
template <class T>
ROOFTILE_FUNCTION void check_team_product(const GemmArgs<T>& args, Index M, Index N, Index K) {
  const auto& [alpha, A, B, beta, C] = args;
  const auto fits = [](Index extent, Index constant) { return constant == 0 || extent == constant; };
  if (A.rows != C.rows || B.cols != C.cols || A.cols != B.rows || !fits(C.rows, M) || !fits(C.cols, N) ||
      !fits(A.cols, K)) {
    const auto number = [](Index x) { return static_cast<long long>(x); };
    std::printf(
        "rooftile: shapes of a product in a team do not conform (A %lldx%lld, B %lldx%lld, C %lldx%lld, "
        "constants %lldx%lldx%lld): A is (M,K), B (K,N), C (M,N)\n",
        number(A.rows), number(A.cols), number(B.rows), number(B.cols), number(C.rows), number(C.cols),
        number(M), number(N), number(K));
    return abort_team();
  }
  check_apart_in_team("A", A, C);
  check_apart_in_team("B", B, C);
}

}  // namespace rooftile::detail
