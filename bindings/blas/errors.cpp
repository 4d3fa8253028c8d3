// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "bindings/blas/errors.hpp"

#include <cstddef>
#include <cstdio>
#include <type_traits>

#include <dlfcn.h>

namespace rooftile::blas {

namespace {

/// What the process has of a name, as of type T; null: nothing.
template <class T>
T* find(const char* name) {
  return reinterpret_cast<T*>(dlsym(RTLD_DEFAULT, name));
}

/// The length is the one that Fortran passes behind a character argument.
template <class Int>
using Xerbla = void(const char*, const Int*, std::size_t);
template <class Int>
using CblasXerbla = void(Int, const char*, const char*, ...);

/// While it lives, Netlib's CBLAS, if there is one, takes argument numbers for those of a product by rows.
class RowMajor {
 public:
  explicit RowMajor(bool by_rows) : flag_(find<int>("RowMajorStrg")) { set(by_rows); }
  RowMajor(const RowMajor&) = delete;
  RowMajor& operator=(const RowMajor&) = delete;
  ~RowMajor() { set(false); }

 private:
  void set(bool by_rows) {
    if (flag_ != nullptr) *flag_ = by_rows ? 1 : 0;
  }
  int* flag_;
};

/// The number in the caller's product by rows.
int argument_by_rows(int argument) {
  switch (argument) {
    case 4:
      return 5;
    case 5:
      return 4;
    case 9:
      return 11;
    case 11:
      return 9;
    default:
      return argument;
  }
}

}  // namespace

template <class Int>
void report(const char* routine, Int argument) {
  constexpr std::size_t length = 6;
  if constexpr (std::is_same_v<Int, std::int64_t>) {
    if (auto* const wide = find<Xerbla<Int>>("xerbla_64_")) return wide(routine, &argument, length);
  }
  const int number = static_cast<int>(argument);
  if (auto* const xerbla = find<Xerbla<int>>("xerbla_")) return xerbla(routine, &number, length);
  std::fprintf(stderr, " ** On entry to %.5s parameter number %2d had an illegal value\n", routine, number);
}

template <class Int>
void report_to_cblas(const char* routine, Int argument, bool by_rows, const char* format, int value) {
  const RowMajor row_major(by_rows);
  if constexpr (std::is_same_v<Int, std::int64_t>) {
    if (auto* const wide = find<CblasXerbla<Int>>("cblas_xerbla_64")) {
      return wide(argument, routine, format, value);
    }
  }
  const int number = static_cast<int>(argument);
  if (auto* const xerbla = find<CblasXerbla<int>>("cblas_xerbla")) {
    return xerbla(number, routine, format, value);
  }
  std::fprintf(stderr, "Parameter %d to routine %s was incorrect\n",
               by_rows ? argument_by_rows(number) : number, routine);
}

template void report(const char*, int);
template void report(const char*, std::int64_t);
template void report_to_cblas(const char*, int, bool, const char*, int);
template void report_to_cblas(const char*, std::int64_t, bool, const char*, int);

}  // namespace rooftile::blas
