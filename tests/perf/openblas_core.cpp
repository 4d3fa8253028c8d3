// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/providers/openblas_core.hpp"

#include <catch2/catch_test_macros.hpp>

namespace rooftile::perf {
namespace {

TEST_CASE("an OpenBLAS that takes all that the CPU has is not held below it", "[openblas_core]") {
  CHECK(held_below_cpu("SkylakeX", "", Vectors::avx512).empty());
  CHECK(held_below_cpu("Cooperlake", "Cooperlake", Vectors::avx512).empty());
  CHECK(held_below_cpu("Zen", "", Vectors::avx2).empty());
  CHECK(held_below_cpu("Haswell", "Haswell", Vectors::avx2).empty());
  CHECK(held_below_cpu("Nehalem", "", Vectors::other).empty());
  CHECK(held_below_cpu("NEOVERSEV1", "", Vectors::other).empty());  // no x86-64
}

TEST_CASE("an OpenBLAS held below its CPU is said, and what to set", "[openblas_core]") {
  CHECK(held_below_cpu("Haswell", "", Vectors::avx512) ==
        "the vendor is held below this CPU (OpenBLAS takes its kernels for Haswell, AVX2, of a CPU with "
        "AVX-512): "
        "set OPENBLAS_CORETYPE=SkylakeX, or take a newer OpenBLAS");
  CHECK(held_below_cpu("Sandybridge", "sandybridge", Vectors::avx2) ==
        "the vendor is held below this CPU (OpenBLAS takes its kernels for Sandybridge, AVX, of a CPU with "
        "AVX2, "
        "OPENBLAS_CORETYPE=sandybridge): unset OPENBLAS_CORETYPE");
  CHECK(held_below_cpu("Prescott", "", Vectors::avx)
            .ends_with("set OPENBLAS_CORETYPE=Sandybridge, or take a newer OpenBLAS"));
}

}  // namespace
}  // namespace rooftile::perf
