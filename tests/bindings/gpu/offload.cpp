// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Which products the C and BLAS libraries offload to a GPU part, and the fallback if the GPU part fails.
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "numerics/reference.hpp"
#include "tests/bindings/blas/blas.hpp"
#include "tests/bindings/c/call.hpp"
#include "tests/support/random_values.hpp"
#include "tests/support/scratch_folder.hpp"

namespace rooftile::testing {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}
bool fares(std::string_view how) {
  return environment("FAKE_GPU") == how;
}
bool is_there() {
  return fares("works") || fares("breaks");
}

/// The number of products that the part was asked about.
int asked() {
  void* const part = dlopen(environment("ROOFTILE_GPU").c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (part == nullptr) return 0;
  const int count = reinterpret_cast<int (*)()>(dlsym(part, "fake_gpu_asked"))();
  dlclose(part);
  return count;
}

/// Limits this process to one core, so that the model's CPU is equally slow on every machine.
void take_one_core() {
  cpu_set_t all, one;
  CPU_ZERO(&one);
  REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (!CPU_ISSET(i, &all)) continue;
    CPU_SET(i, &one);
    break;
  }
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
}

struct Data {
  Data(Index m, Index n, Index k)
      : shape{m, n, k},
        a(random<double>(m * k, 1)),
        b(random<double>(k * n, 2)),
        c(random<double>(m * n, 3)) {}
  GemmArgs<double> args() {
    return {1, column_major<const double>(a.data(), shape.m, shape.k),
            column_major<const double>(b.data(), shape.k, shape.n), 2,
            column_major(c.data(), shape.m, shape.n)};
  }
  GemmShape shape;
  std::vector<double> a, b, c;
};

/// Multiplies by the BLAS.
/// @return whether the result is right
bool by_blas(Index m, Index n, Index k) {
  Data x(m, n, k);
  const Reference<double> expected(x.args());
  const int mm = static_cast<int>(m), nn = static_cast<int>(n), kk = static_cast<int>(k);
  const double alpha = 1, beta = 2;
  dgemm_("N", "N", &mm, &nn, &kk, &alpha, x.a.data(), &mm, x.b.data(), &kk, &beta, x.c.data(), &mm);
  return expected.compare(x.args().C).passed();
}
bool by_c(Index m, Index n, Index k, rooftile_handle handle) {
  Data x(m, n, k);
  const Reference<double> expected(x.args());
  return call<double>(handle, x.args()) == ROOFTILE_SUCCESS && expected.compare(x.args().C).passed();
}

TEST_CASE("large products are a GPU part's, small ones and those of parallel regions are not", "[gpu]") {
  take_one_core();
  const Handle handle;
  CHECK(by_blas(20, 20, 20));
  CHECK(by_c(20, 20, 20, handle));
  CHECK(by_blas(700, 700, 1));  // the transfer takes longer than the product
  CHECK(asked() == 0);
  const auto both = [&] { return by_blas(300, 300, 300) && by_c(300, 300, 300, handle); };
  for (const int times : {1, 2}) {
    CHECK(both());
    CHECK(asked() == (fares("works") ? 2 * times : fares("breaks") ? 2 : 0));
  }
  bool right = true;
#pragma omp parallel num_threads(2) reduction(&& : right)
  right = by_blas(300, 300, 300);
  CHECK(right);
  const int before = asked();
  const pid_t child = fork();
  if (child == 0) _exit(by_blas(300, 300, 300) && asked() == before ? 0 : 1);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(asked() == before);
}

TEST_CASE("a handle of a stream computes by the GPU part, or there is none", "[gpu]") {
  rooftile_handle handle = nullptr;
  const rooftile_status made = rooftile_create_on_stream(&handle, nullptr);
  CHECK(rooftile_create_on_stream(nullptr, nullptr) == ROOFTILE_INVALID_VALUE);
  if (!is_there()) {
    CHECK(made == ROOFTILE_NO_GPU);
    CHECK(std::string(rooftile_status_string(made)) == "no GPU");
    CHECK(handle == nullptr);
    return;
  }
  REQUIRE(made == ROOFTILE_SUCCESS);
  const int before = asked();
  CHECK(by_c(30, 20, 10, handle));
  CHECK(asked() == before + 1);

  Data x(30, 20, 10);
  const Reference<double> expected(x.args());
  const double alpha = 1, beta = 2;
  const rooftile_product product{&alpha, x.a.data(), layout_of(x.args().A), x.b.data(), layout_of(x.args().B),
                                 &beta,  x.c.data(), layout_of(x.args().C)};
  CHECK(rooftile_gemm_grouped(handle, ROOFTILE_FP64, &product, 1) == ROOFTILE_SUCCESS);
  CHECK(expected.compare(x.args().C).passed());
  CHECK(asked() == before + 2);

  std::vector<float> a(1), b(1);
  std::vector<double> c(1);
  const double one = 1;
  const rooftile_layout single = rooftile_row_major(1, 1, 1);
  CHECK(rooftile_gemm(handle, ROOFTILE_FP32_FP64, &one, a.data(), single, b.data(), single, &one, c.data(),
                      single) == ROOFTILE_INVALID_VALUE);
  CHECK(std::string(rooftile_last_message(handle)).find("element types not supported on GPUs") == 0);
  rooftile_layout wrong = layout_of(x.args().A);
  wrong.cols = 11;
  CHECK(rooftile_gemm(handle, ROOFTILE_FP64, &alpha, x.a.data(), wrong, x.b.data(), layout_of(x.args().B),
                      &beta, x.c.data(), layout_of(x.args().C)) == ROOFTILE_INVALID_VALUE);
  CHECK(asked() == before + 2);
  rooftile_destroy(handle);
}

TEST_CASE("without a driver, the log says once why products stay on the CPU", "[.auto]") {
  if (access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0) return;
  const ScratchFolder folder;
  const std::string log = folder / "calls.log";
  REQUIRE(setenv("ROOFTILE_LOG", log.c_str(), 1) == 0);
  for (const Index n : {20, 300}) CHECK(by_blas(n, n, n));
  const std::string text = text_of(log),
                    line = "# rooftile: no GPU part (no NVIDIA driver): products stay on the CPU\n";
  CHECK(text.starts_with(line + "rooftile_log=1 call=DGEMM type=fp64 m=20 "));
  CHECK(text.find('#', 1) == text.npos);
}

TEST_CASE("a refusal of a GPU part is a status in C", "[.refused]") {
  take_one_core();
  const Handle handle;
  Data x(300, 300, 300);
  const std::vector<double> before = x.c;
  const rooftile_status expected = fares("refuses") ? ROOFTILE_INVALID_VALUE : ROOFTILE_INTERNAL_ERROR;
  const auto message = [](const char* name) {  // name: the caller's name of the kernel's A
    return fares("refuses") ? std::string("memory of another GPU (") + name + "): copy it"
                            : "a product stopped (fault): do not use C";
  };
  CHECK(call<double>(handle, x.args()) == expected);
  CHECK(handle.message() == message("B"));  // C is column-major: the kernels compute its transpose
  CHECK(call<double>(handle, x.args().transposed()) == expected);
  CHECK(handle.message() == message("A"));

  rooftile_handle on_stream = nullptr;
  REQUIRE(rooftile_create_on_stream(&on_stream, nullptr) == ROOFTILE_SUCCESS);
  CHECK(call<double>(on_stream, x.args()) == expected);
  CHECK(rooftile_last_message(on_stream) == message("A"));
  const double alpha = 1, beta = 2;
  const rooftile_product product{&alpha, x.a.data(), layout_of(x.args().A), x.b.data(), layout_of(x.args().B),
                                 &beta,  x.c.data(), layout_of(x.args().C)};
  CHECK(rooftile_gemm_grouped(on_stream, ROOFTILE_FP64, &product, 1) == expected);
  CHECK(rooftile_last_message(on_stream) == message("A"));
  rooftile_destroy(on_stream);
  CHECK(x.c == before);
}

TEST_CASE("a refusal of a GPU part ends a program that called BLAS", "[.aborted]") {
  take_one_core();
  by_blas(300, 300, 300);
}

}  // namespace
}  // namespace rooftile::testing
