// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "bindings/blas/errors.hpp"

#include <algorithm>
#include <cctype>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <dlfcn.h>

namespace rooftile::blas {

namespace {

/// The next definition of a name after this library's, or null.
template <class T>
T* next(const char* name) {
  return reinterpret_cast<T*>(dlsym(RTLD_NEXT, name));
}

/// The address serves both integer sizes: a 32-bit value is in the low half of the 64-bit integer.
using Xerbla = void(const char* routine, const std::int64_t* argument, std::size_t length);
/// A caller may pass an int. The upper half of the register is then undefined.
using CblasXerbla = void(std::int64_t argument, const char* routine, const char* format, ...);

/// The length of a routine's name. C callers may pass no valid `length`.
int length_of(const char* routine, std::size_t length) {
  constexpr std::size_t longest = 32;
  const char* const end = routine + std::min(length, longest);
  return static_cast<int>(std::find_if(routine, end,
                                       [](char letter) {
                                         const auto code = static_cast<unsigned char>(letter);
                                         return std::isalnum(code) == 0 && letter != '_';
                                       }) -
                          routine);
}

/// Converts an argument number of the column-major call to that of the caller's row-major call.
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

/// The formatted text of `cblas_xerbla`, truncated to the buffer.
struct Text {
  char characters[256] = "";

  Text(const char* format, std::va_list values) {
    std::vsnprintf(characters, sizeof characters, format, values);
  }
};

}  // namespace

// Defined here, so that the loader finds a program's own definitions first. Weak, for static libraries, and
// because compilers do not inline weak functions.
extern "C" {

[[gnu::weak, gnu::visibility("default")]] int RowMajorStrg = 0;

[[gnu::weak, gnu::visibility("default")]] void xerbla_(const char* routine, const std::int64_t* argument,
                                                       std::size_t length) {
  if (auto* const other = next<Xerbla>("xerbla_")) return other(routine, argument, length);
  std::int32_t number = 0;  // default integers have 32 bits
  std::memcpy(&number, argument, sizeof number);
  std::fprintf(stderr, " ** On entry to %.*s parameter number %2d had an illegal value\n",
               length_of(routine, length), routine, static_cast<int>(number));
}

[[gnu::weak, gnu::visibility("default")]] void xerbla_64_(const char* routine, const std::int64_t* argument,
                                                          std::size_t length) {
  auto* const other = next<Xerbla>("xerbla_64_");
  (other != nullptr ? other : &xerbla_)(routine, argument, length);
}

[[gnu::weak, gnu::visibility("default")]] void cblas_xerbla(std::int64_t argument, const char* routine,
                                                            const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  const Text text(format, values);
  va_end(values);
  const int number = static_cast<int>(argument);
  if (auto* const other = next<CblasXerbla>("cblas_xerbla")) {
    return other(number, routine, "%s", text.characters);
  }
  const bool is_gemm_by_rows =
      RowMajorStrg != 0 && std::string_view(routine).find("gemm") != std::string_view::npos;
  std::fprintf(stderr, "Parameter %d to routine %s was incorrect\n%s",
               is_gemm_by_rows ? argument_by_rows(number) : number, routine, text.characters);
}

[[gnu::weak, gnu::visibility("default")]] void cblas_xerbla_64(std::int64_t argument, const char* routine,
                                                               const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  const Text text(format, values);
  va_end(values);
  auto* const other = next<CblasXerbla>("cblas_xerbla_64");
  (other != nullptr ? other : &cblas_xerbla)(argument, routine, "%s", text.characters);
}

}  // extern "C"

namespace {

/// During its lifetime, Netlib's `cblas_xerbla` converts argument numbers to those of a row-major call.
class RowMajor {
 public:
  explicit RowMajor(bool by_rows) { RowMajorStrg = by_rows ? 1 : 0; }
  RowMajor(const RowMajor&) = delete;
  RowMajor& operator=(const RowMajor&) = delete;
  ~RowMajor() { RowMajorStrg = 0; }
};

}  // namespace

template <class Int>
void report(const char* routine, Int argument) {
  constexpr std::size_t length = 6;
  const std::int64_t number = argument;
  (std::is_same_v<Int, std::int64_t> ? &xerbla_64_ : &xerbla_)(routine, &number, length);
}

template <class Int>
void report_to_cblas(const char* routine, Int argument, bool by_rows, const char* format, int value) {
  const RowMajor row_major(by_rows);
  (std::is_same_v<Int, std::int64_t> ? &cblas_xerbla_64 : &cblas_xerbla)(argument, routine, format, value);
}

template void report(const char*, int);
template void report(const char*, std::int64_t);
template void report_to_cblas(const char*, int, bool, const char*, int);
template void report_to_cblas(const char*, std::int64_t, bool, const char*, int);

}  // namespace rooftile::blas
