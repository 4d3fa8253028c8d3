// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The events of calls that a Kokkos tool receives. Kokkos loads recording_tool.cpp as that tool.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <catch2/catch_test_macros.hpp>
#include <dlfcn.h>

#include "rooftile/fused.hpp"
#include "rooftile/gemm.hpp"
#include "rooftile/gemm_grouped.hpp"
#include "rooftile/log.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

/// The events since the last call.
std::string events() {
  const char* const name = std::getenv("KOKKOS_TOOLS_LIBS");
  if (name == nullptr) FAIL("KOKKOS_TOOLS_LIBS does not name librecording_tool.so: ctest sets it");
  static void* const tool = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(tool != nullptr);
  static const auto take = reinterpret_cast<const char* (*)()>(dlsym(tool, "take_events"));
  return take();
}

/// The events of a call.
template <class Call>
std::string events_of(const Call& call) {
  instance();  // initializes Kokkos and the tool
  events();
  call();
  return events();
}

/// A region without launches.
std::string region(const std::string& name) {
  return "begin " + name + "\nend\n";
}

struct Memory {
  std::vector<double> a = std::vector<double>(600, 1), b = a, c = a;
  MatrixRef<const double> A = row_major<const double>(a.data(), 5, 7),
                          B = row_major<const double>(b.data(), 7, 6);
  MatrixRef<double> C = row_major(c.data(), 5, 6);
};

TEST_CASE("each call is a region of its own name", "[regions]") {
  const Kokkos::OpenMP exec = instance();
  Memory m;
  const auto& [a, b, c, A, B, C] = m;
  const auto check = [](const std::string& name, const auto& call) {
    CHECK(events_of(call) == region(name));
  };
  check("rooftile::gemm fp64 5x6x7 packed", [&] { gemm(exec, 1, A, B, 0, C); });
  CHECK(events_of([&] {
          gemm(exec, 1, A, B, 0, C, {.kernel = Kernel::naive});
        }).starts_with("begin rooftile::gemm fp64 5x6x7 naive\nlaunch "));
  const GemmPlan kept = explain(exec, 1, A, B, 0, C);
  check("rooftile::run fp64 5x6x7 packed", [&] { run(kept, exec, 1, A, B, 0, C); });

  const auto X = row_major<const double>(a.data(), 4, 4), Y = row_major<const double>(b.data(), 4, 4);
  const auto Z = row_major(m.c.data(), 4, 4);
  const BatchRef<const double> Xs{X, 16, 3};
  const BatchRef<double> Zs{Z, 20, 3};
  const std::vector group{gemm_args(1, A, B, 0, C), gemm_args(1, X, Y, 0, row_major(m.c.data() + 100, 4, 4))};
  const auto entry = [](Index number, Index, Index, double) { return static_cast<double>(number); };
  check("rooftile::gemm fp64 3 of 4x4x4 packed", [&] { gemm_batched(exec, 1, Xs, Y, 0, Zs); });
  check("rooftile::gemm_grouped fp64 2 products packed", [&] { gemm_grouped(exec, group); });
  check("rooftile::gemm_fused fp64 5x6x7 packed", [&] { gemm_fused(exec, 1, A, B, 0, C, entry); });
  check("rooftile::gemm_fused fp64 3 of 4x4x4 packed",
        [&] { gemm_batched_fused(exec, 1, Xs, Y, 0, Zs, entry); });
  check("rooftile::gemm_grouped_fused fp64 2 products packed",
        [&] { gemm_grouped_fused(exec, group, entry); });
  const std::vector<std::int8_t> small(64, 1);
  std::vector<std::int32_t> wide(16);
  const auto I = row_major(small.data(), 4, 4);
  check("rooftile::gemm int8_int32 4x4x4 packed",
        [&] { gemm(exec, 1, I, I, 0, row_major(wide.data(), 4, 4)); });
}

TEST_CASE("the launches of a call are inside its region", "[regions]") {
  const Index size = 300;
  const std::vector<float> a(size * size, 1), b = a;
  std::vector<float> c(size * size);
  const auto square = [&](auto& x) { return row_major(x.data(), size, size); };
  CHECK(events_of([&] { gemm(instance(), 1, square(a), square(b), 0, square(c)); }) ==
        "begin rooftile::gemm fp32 300x300x300 packed\nlaunch rooftile::packed\nend\n");
}

TEST_CASE("the region of a call without products names no kernel", "[regions]") {
  Memory m;
  const auto nothing = [&] { gemm(instance(), 1, m.A.block(0, 0, 0, 7), m.B, 0, m.C.block(0, 0, 0, 6)); };
  CHECK(events_of(nothing) == region("rooftile::gemm fp64 0x6x7"));
  CHECK(events_of([&] { gemm_grouped(instance(), std::vector<GemmArgs<double>>{}); }) ==
        region("rooftile::gemm_grouped fp64 0 products"));
}

TEST_CASE("the region of a call that is refused ends, too", "[regions]") {
  const Kokkos::OpenMP exec = instance();
  Memory m;
  const auto check = [&](const std::string& name, const auto& call) {
    CHECK(events_of([&] { CHECK_FALSE(refused(call).empty()); }) == region(name));
  };
  check("rooftile::gemm fp64 5x6x7", [&] { gemm(exec, 1, m.A, m.A, 0, m.C); });
  const GemmPlan other = explain(exec, 1, m.A.block(0, 0, 4, 7), m.B, 0, m.C.block(0, 0, 4, 6));
  GemmPlan changed = explain(exec, 1, m.A, m.B, 0, m.C);
  changed.kernel = Kernel::pipelined;
  for (const GemmPlan& wrong : {other, changed})
    check("rooftile::run fp64 5x6x7", [&] { run(wrong, exec, 1, m.A, m.B, 0, m.C); });
  const std::vector group{gemm_args(1, m.A, m.B, 0, m.C), gemm_args(1, m.A, m.A, 0, m.C)};
  check("rooftile::gemm_grouped fp64 2 products", [&] { gemm_grouped(exec, group); });
  const auto bias = epilogue::row_bias(VectorRef<double>{m.a.data(), 5});
  check("rooftile::gemm_fused fp64 5x6x7",
        [&] { gemm_fused(exec, 1, m.A, m.B, 0, m.C, bias, {.kernel = Kernel::naive}); });
  CHECK(m.c == std::vector<double>(600, 1));
}

TEST_CASE("regions are inside the program's own, and a log is beside them", "[regions]") {
  Memory m;
  const auto nested = [&] {
    const Kokkos::Profiling::ScopedRegion mine("solver");
    gemm(instance(), 1, m.A, m.B, 0, m.C);
  };
  const std::string expected = "begin solver\n" + region("rooftile::gemm fp64 5x6x7 packed") + "end\n";
  CHECK(events_of(nested) == expected);
  int lines = 0;
  const LogSink sink{[](const char*, std::size_t, void* count) { ++*static_cast<int*>(count); }, &lines};
  set_log(&sink);
  CHECK(events_of(nested) == expected);
  set_log(nullptr);
  CHECK(lines == 1);
}

TEST_CASE("explain and release_workspace are no regions", "[regions]") {
  Memory m;
  CHECK(events_of([&] { static_cast<void>(explain(instance(), 1, m.A, m.B, 0, m.C)); }).empty());
  CHECK(events_of([] { release_workspace(instance()); }).empty());
}

// Kokkos keeps one stack of regions, which concurrent threads must not change.
TEST_CASE("calls from a parallel region are no regions", "[regions]") {
  const Kokkos::OpenMP exec = instance();
  Memory memory[4];
  const auto in_parallel = [&] {
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 4; ++i) gemm(exec, 1, memory[i].A, memory[i].B, 0, memory[i].C);
  };
  CHECK(events_of(in_parallel).empty());
  for (const Memory& m : memory) CHECK(m.c[29] == 7);
}

}  // namespace
}  // namespace rooftile::testing
