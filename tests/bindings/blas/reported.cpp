// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Error handlers for wrong arguments, defined by a program or another library. The build may give other names
// and wider integers.
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#ifndef INTEGER
#define INTEGER std::int32_t
#define XERBLA xerbla_
#define CBLAS_XERBLA cblas_xerbla
#endif

extern "C" {

int RowMajorStrg = 0;  // read by Netlib's cblas_xerbla

void XERBLA(const char* routine, const INTEGER* argument, std::size_t length) {
  std::fprintf(stderr, "reported %.*s %lld\n", static_cast<int>(length), routine,
               static_cast<long long>(*argument));
}

void CBLAS_XERBLA(INTEGER argument, const char* routine, const char* format, ...) {
  char text[100];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  std::fprintf(stderr, "reported %s %lld%s %s\n", routine, static_cast<long long>(argument),
               RowMajorStrg != 0 ? " by rows" : "", text);
}

}  // extern "C"
