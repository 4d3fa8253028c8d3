// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/nvidia/hopper/wgmma.hpp"

/// One `wgmma` for each width of B. An asm statement names each register of d, so macros list them.
namespace rooftile::detail::hopper::wgmma {

#define ROOFTILE_D8(c, i) \
  c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3]), c(d[i + 4]), c(d[i + 5]), c(d[i + 6]), c(d[i + 7])
#define ROOFTILE_D32(c, i) \
  ROOFTILE_D8(c, i), ROOFTILE_D8(c, i + 8), ROOFTILE_D8(c, i + 16), ROOFTILE_D8(c, i + 24)

// The registers of d (64,n) as operands with a constraint, and their numbers in the text.
#define ROOFTILE_D_64(c) ROOFTILE_D32(c, 0)
#define ROOFTILE_D_96(c) ROOFTILE_D_64(c), ROOFTILE_D8(c, 32), ROOFTILE_D8(c, 40)
#define ROOFTILE_D_128(c) ROOFTILE_D_64(c), ROOFTILE_D32(c, 32)
#define ROOFTILE_D_192(c) ROOFTILE_D_128(c), ROOFTILE_D32(c, 64)
#define ROOFTILE_D_256(c) ROOFTILE_D_192(c), ROOFTILE_D32(c, 96)
#define ROOFTILE_D_TEXT_64                                                  \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,\n" \
  " %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define ROOFTILE_D_TEXT_96 \
  ROOFTILE_D_TEXT_64       \
  ",\n %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define ROOFTILE_D_TEXT_128                                                               \
  ROOFTILE_D_TEXT_64                                                                      \
  ",\n %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,\n" \
  " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define ROOFTILE_D_TEXT_192                                                               \
  ROOFTILE_D_TEXT_128                                                                     \
  ",\n %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79,\n" \
  " %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define ROOFTILE_D_TEXT_256                                                                           \
  ROOFTILE_D_TEXT_192                                                                                 \
  ",\n %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111,\n" \
  " %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// `kind` ends the instruction's name. `a_b` are the operands after d and the flags. Operand number `on`
// states whether d is an addend.
#define ROOFTILE_WGMMA(n, kind, a_b, on, constraint, ...)                                              \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #on                                                \
               ", 0;\n"                                                                                \
               "wgmma.mma_async.sync.aligned.m64n" #n kind "\n{" ROOFTILE_D_TEXT_##n "},\n" a_b ";\n}" \
               : ROOFTILE_D_##n(constraint)                                                            \
               : __VA_ARGS__)

// a and b in shared memory; `x` and `y` are the numbers of their operands.
#define ROOFTILE_MULTIPLY(n, x, y, on, kind, majors)                                               \
  template <class T, Major a_major, Major b_major>                                                 \
  struct Multiply<T, a_major, b_major, n> {                                                        \
    static __device__ void run(float (&d)[n / 2], Descriptor a, Descriptor b, int accumulate) {    \
      ROOFTILE_WGMMA(n, "%" #kind, "%" #x ", %" #y ", p, 1, 1%" #majors, on, "+f", "l"(a), "l"(b), \
                     "r"(accumulate), "C"(Kind<T>::name), "C"(Majors<T, a_major, b_major>::text)); \
    }                                                                                              \
  };
ROOFTILE_MULTIPLY(64, 32, 33, 34, 35, 36)
ROOFTILE_MULTIPLY(96, 48, 49, 50, 51, 52)
ROOFTILE_MULTIPLY(128, 64, 65, 66, 67, 68)
ROOFTILE_MULTIPLY(192, 96, 97, 98, 99, 100)
ROOFTILE_MULTIPLY(256, 128, 129, 130, 131, 132)

// tf32 with a in registers.
#define ROOFTILE_MULTIPLY_REGISTERS(n, a0, a1, a2, a3, y, on)                                             \
  template <>                                                                                             \
  struct MultiplyRegisters<n> {                                                                           \
    static __device__ void run(float (&d)[n / 2], const float (&a)[4], Descriptor b, int accumulate) {    \
      ROOFTILE_WGMMA(n, "k8.f32.tf32.tf32", "{%" #a0 ", %" #a1 ", %" #a2 ", %" #a3 "}, %" #y ", p, 1, 1", \
                     on, "+f", "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),                    \
                     "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])), "l"(b), "r"(accumulate));    \
    }                                                                                                     \
  };
ROOFTILE_MULTIPLY_REGISTERS(64, 32, 33, 34, 35, 36, 37)
ROOFTILE_MULTIPLY_REGISTERS(128, 64, 65, 66, 67, 68, 69)
ROOFTILE_MULTIPLY_REGISTERS(192, 96, 97, 98, 99, 100, 101)
ROOFTILE_MULTIPLY_REGISTERS(256, 128, 129, 130, 131, 132, 133)

/// 8-bit integers with 32-bit accumulators: exact, 32 elements of K at a time, both operands K-major. The
/// instruction has no flags for signs and transposition.
#define ROOFTILE_MULTIPLY_INT8(n, x, y, on)                                                                 \
  template <>                                                                                               \
  struct Multiply<std::int8_t, Major::k, Major::k, n> {                                                     \
    static __device__ void run(int (&d)[n / 2], Descriptor a, Descriptor b, int accumulate) {               \
      ROOFTILE_WGMMA(n, "k32.s32.s8.s8", "%" #x ", %" #y ", p", on, "+r", "l"(a), "l"(b), "r"(accumulate)); \
    }                                                                                                       \
  };
ROOFTILE_MULTIPLY_INT8(64, 32, 33, 34)
ROOFTILE_MULTIPLY_INT8(128, 64, 65, 66)
ROOFTILE_MULTIPLY_INT8(192, 96, 97, 98)
ROOFTILE_MULTIPLY_INT8(256, 128, 129, 130)

#undef ROOFTILE_MULTIPLY_INT8
#undef ROOFTILE_MULTIPLY_REGISTERS
#undef ROOFTILE_MULTIPLY
#undef ROOFTILE_WGMMA
#undef ROOFTILE_D_TEXT_256
#undef ROOFTILE_D_TEXT_192
#undef ROOFTILE_D_TEXT_128
#undef ROOFTILE_D_TEXT_64
#undef ROOFTILE_D_256
#undef ROOFTILE_D_192
#undef ROOFTILE_D_128
#undef ROOFTILE_D_64
#undef ROOFTILE_D32
#undef ROOFTILE_D8

}  // namespace rooftile::detail::hopper::wgmma
