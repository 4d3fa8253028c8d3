// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// NVTX ranges of native calls. The calls launch no kernel and need no GPU.
#include <cstdlib>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <dlfcn.h>

#include "rooftile/cuda_native.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

/// Returns the events of a call, which may be refused. Empty if the call loaded no tool.
template <class Call>
std::string events_of(const Call& call) {
  static_cast<void>(refused(call));
  void* const tool = dlopen(std::getenv("NVTX_INJECTION64_PATH"), RTLD_NOW | RTLD_NOLOAD);
  if (tool == nullptr) return {};
  return reinterpret_cast<const char* (*)()>(dlsym(tool, "take_events"))();
}

TEST_CASE("each native call is a range, which ends where it is refused, too", "[ranges]") {
  double x[42] = {};
  const auto A = row_major<const double>(x, 5, 7), B = row_major<const double>(x, 7, 6);
  const auto C = row_major(x, 5, 6), nothing = C.block(0, 0, 0, 6);
  const auto no_rows = A.block(0, 0, 0, 7);
  CHECK(events_of([&] { cuda_native::gemm(nullptr, 1, no_rows, B, 0, nothing); }) ==
        "begin rooftile cuda_native::gemm fp64 0x6x7\nend\n");
  CHECK(events_of([&] { cuda_native::gemm(nullptr, 1, A, A, 0, C); }) ==
        "begin rooftile cuda_native::gemm fp64 5x6x7\nend\n");
  CHECK(events_of([&] { cuda_native::gemm_strided_batched(nullptr, 1, A, 0, A, 0, 0, C, 0, 3); }) ==
        "begin rooftile cuda_native::gemm fp64 3 of 5x6x7\nend\n");
  const GemmPlan none;
  CHECK(events_of([&] {
          cuda_native::run<double>(none, nullptr, {{1, A, B, 0, C}, {}});
        }) == "begin rooftile cuda_native::run fp64 5x6x7\nend\n");
  CHECK(events_of([&] { cuda_native::gemm_grouped<double>(nullptr, std::vector<GemmArgs<double>>{}, {}); }) ==
        "begin rooftile cuda_native::gemm_grouped fp64 0 products\nend\n");
}

}  // namespace
}  // namespace rooftile::testing
