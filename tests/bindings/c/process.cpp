// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Threads and processes with the C interface. CMakeLists.txt sets OMP_NUM_THREADS to 3.
#include "tests/bindings/process.hpp"

#include <algorithm>
#include <array>
#include <cfenv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "plan/log_line.hpp"
#include "tests/bindings/c/call.hpp"
#include "tests/support/random_values.hpp"

namespace rooftile::testing {
namespace {

/// Row-major A·B with its own handle. Empty if the call fails, because Catch2's assertions are not
/// thread-safe.
std::vector<double> multiplied(const GemmShape& shape, const std::vector<double>& a,
                               const std::vector<double>& b, int threads = 0) {
  const auto [m, n, k] = shape;
  const Handle handle;
  std::vector<double> c(static_cast<std::size_t>(m * n));
  const GemmArgs<double> args{1, row_major(a.data(), m, k), row_major(b.data(), k, n), 0,
                              row_major(c.data(), m, n)};
  const bool done = rooftile_set_num_threads(handle, threads) == ROOFTILE_SUCCESS &&
                    call<double>(handle, args) == ROOFTILE_SUCCESS;
  return done ? c : std::vector<double>();
}

/// A·B with as many threads as OpenMP starts by default.
std::vector<double> by_threads(int number, const GemmShape& shape, const std::vector<double>& a,
                               const std::vector<double>& b) {
  omp_set_num_threads(number);
  std::vector<double> c = multiplied(shape, a, b);
  omp_set_num_threads(3);
  CHECK_FALSE(c.empty());
  return c;
}

/// A·B of matrices (300,300).
class Square {
 public:
  std::vector<double> operator()(int threads = 0) const { return multiplied({n, n, n}, a_, b_, threads); }

 private:
  static constexpr Index n = 300;
  std::vector<double> a_ = random<double>(n * n, 1), b_ = random<double>(n * n, 2);
};

/// The number of threads that a product starts in a new host thread.
int threads_started(const Square& square, int wanted, const std::vector<double>& expected) {
  int started = -1;
  std::jthread([&] {
    const int before = threads();
    const bool is_right = square(wanted) == expected && omp_get_max_threads() == 3;
    if (is_right) started = threads() - before;
  }).join();
  return started;
}

TEST_CASE("a handle's number of threads counts for its calls alone, and changes no bits", "[c]") {
  const Square square;
  const std::vector<double> expected = square();
  REQUIRE_FALSE(expected.empty());
  CHECK(threads() == 3);
  CHECK(threads_started(square, 1, expected) == 0);
  CHECK(threads_started(square, 2, expected) == 1);
  const Handle handle;
  CHECK(rooftile_set_num_threads(handle, -1) == ROOFTILE_INVALID_VALUE);
  CHECK(handle.message().starts_with("negative number of threads (-1)"));
  CHECK(rooftile_set_num_threads(handle, 0) == ROOFTILE_SUCCESS);
  CHECK(rooftile_set_num_threads(nullptr, 1) == ROOFTILE_INVALID_VALUE);
}

TEST_CASE("threads that a product has no room for, or no slice of K, leave its bits as they are", "[c]") {
  for (const GemmShape& s : {GemmShape{64, 64, 20000}, {1500, 40, 1100}}) {
    const auto a = random<double>(s.m * s.k, 1), b = random<double>(s.k * s.n, 2);
    CHECK(by_threads(400, s, a, b) == by_threads(1, s, a, b));
  }
}

/// A·B of matrices (500,500) whose products are subnormal, by `number` threads.
std::vector<double> subnormal_product(int number) {
  constexpr Index n = 500;
  auto a = random<double>(n * n, 3);
  const auto b = random<double>(n * n, 4);
  for (std::size_t i = 0; i < a.size(); i += 2) a[i] *= 1e-308;
  return by_threads(number, {n, n, n}, a, b);
}

TEST_CASE("all threads round as the caller does", "[c]") {
  const std::vector<double> nearest = subnormal_product(3);
  CHECK(subnormal_product(1) == nearest);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    REQUIRE(std::fesetround(mode) == 0);
    const std::vector<double> by_three = subnormal_product(3), by_one = subnormal_product(1);
    std::fesetround(FE_TONEAREST);
    CHECK(by_three == by_one);
    CHECK_FALSE(by_one == nearest);
  }
  CHECK(subnormal_product(3) == nearest);  // the threads have their own rounding mode again
}

#if defined(__x86_64__)
TEST_CASE("all threads flush to zero if the caller does", "[c]") {
  const auto of_tiny = [](int number) {
    return by_threads(number, {400, 400, 400}, std::vector<double>(400 * 400, 1e-200),
                      std::vector<double>(400 * 400, 1e-115));
  };
  const unsigned own = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(own | 0x8040);
  const std::vector<double> by_three = of_tiny(3), by_one = of_tiny(1);
  __builtin_ia32_ldmxcsr(own);
  CHECK(by_three == by_one);
  CHECK(by_one == std::vector<double>(400 * 400));
  CHECK_FALSE(of_tiny(3) == by_one);
}
#endif

// Frames are larger without optimization and with sanitizers.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Bytes of a thread's stack that products of these shapes write.
std::size_t stack_depth(std::span<const GemmShape> shapes) {
  constexpr std::size_t size = 1 << 20;
  static constexpr unsigned char paint = 0xa5;
  const auto free_memory = [](void* memory) { ::operator delete (memory, std::align_val_t{4096}); };
  const std::unique_ptr<void, decltype(free_memory)> stack(::operator new (size, std::align_val_t{4096}),
                                                           free_memory);
  auto* const bytes = static_cast<unsigned char*>(stack.get());
  const auto measure = [&](void* (*function)(void*)) {
    std::fill_n(bytes, size, paint);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, bytes, size);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, &attributes, function, &shapes) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    return size - static_cast<std::size_t>(
                      std::find_if(bytes, bytes + size, [](unsigned char x) { return x != paint; }) - bytes);
  };
  const std::size_t of_none = measure([](void*) -> void* { return nullptr; });
  const std::size_t of_all = measure([](void* all) -> void* {
    for (const auto& [m, n, k] : *static_cast<std::span<const GemmShape>*>(all)) {
      std::vector<double> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n)),
          c(static_cast<std::size_t>(m * n));
      const auto b_by_columns = column_major<const double>(b.data(), k, n);
      const Handle handle;
      call<double>(handle, GemmArgs<double>{1, row_major<const double>(a.data(), m, k), b_by_columns, 0,
                                            row_major(c.data(), m, n)});
    }
    return nullptr;
  });
  return of_all - of_none;
}

TEST_CASE("products take at most 16 KiB of a stack", "[c]") {
  omp_set_num_threads(1);
  constexpr GemmShape shapes[] = {{1, 500, 500},   {4, 4, 3000},  {3, 3, 3},      {60, 60, 60},
                                  {300, 300, 300}, {500, 1, 500}, {64, 64, 5000}, {1, 20000, 300}};
  for (const GemmShape& shape : shapes) {
    CAPTURE(shape.m, shape.n, shape.k);
    CHECK(stack_depth({&shape, 1}) <= 16 * 1024);
  }
  omp_set_num_threads(3);
}
#endif

TEST_CASE("host threads call at once, each with a handle", "[c]") {
  const Square square;
  const std::vector<double> expected = square();
  REQUIRE_FALSE(expected.empty());
  std::vector<std::vector<double>> found(4);
  {
    std::vector<std::jthread> callers;
    for (auto& c : found) callers.emplace_back([&] { c = square(); });
  }
  CHECK(found == std::vector(4, expected));
}

TEST_CASE("threads of a parallel region compute by themselves in C", "[c]") {
  const Square square;
  const std::vector<double> expected = square();
  REQUIRE_FALSE(expected.empty());
  std::vector<std::vector<double>> found(3);
#pragma omp parallel for num_threads(3) schedule(static)
  for (int i = 0; i < 3; ++i) found[static_cast<std::size_t>(i)] = square();
  CHECK(found == std::vector(3, expected));
}

TEST_CASE("a forked process computes alone in C", "[c]") {
  const Square square;
  const std::vector<double> expected = square();
  REQUIRE_FALSE(expected.empty());
  CHECK(holds_in_fork([&] { return square() == expected && threads() == 1; }));
}

/// Computes `times` products of (n,n) matrices of ones.
/// @return whether all are right
bool multiply_ones(Index n, int times) {
  const auto size = static_cast<std::size_t>(n * n);
  const std::vector<double> ones(size, 1), expected(size, static_cast<double>(n));
  bool right = true;
  for (int i = 0; i < times; ++i) right = right && multiplied({n, n, n}, ones, ones) == expected;
  return right;
}

// ROOFTILE_LOG names a file; runs in its own process (tests/bindings/c/CMakeLists.txt).
TEST_CASE("threads and forked processes append whole lines to a log", "[.log]") {
  const char* const file = std::getenv("ROOFTILE_LOG");
  REQUIRE(file != nullptr);
  std::filesystem::remove(file);
  std::vector<int> right(8);
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 8; ++i)
      callers.emplace_back([&right, i] { right[static_cast<std::size_t>(i)] = multiply_ones(i + 1, 100); });
  }
  CHECK(right == std::vector(8, 1));
  CHECK(holds_in_fork([] { return multiply_ones(9, 30); }));
  CHECK_FALSE(rooftile_gemm(nullptr, 0, nullptr, nullptr, {}, nullptr, {}, nullptr, nullptr, {}) ==
              ROOFTILE_SUCCESS);
  std::vector<int> lines(10);
  std::ifstream log(file);
  Index number = 0;
  for (std::string line; std::getline(log, line);) {
    const LoggedCall logged = parse_logged(line, file, ++number);
    ++lines.at(static_cast<std::size_t>(logged.product.shape.m));
    CHECK(
        (logged.name == "rooftile_gemm_strided_batched" && logged.kernel == "packed" && logged.seconds >= 0));
  }
  CHECK(lines == std::vector{0, 100, 100, 100, 100, 100, 100, 100, 100, 30});

  // A program that closes all files and opens its own must find no log line in them.
  std::string own = std::string(file) + ".own";
  std::filesystem::remove(own);
  for (int descriptor = 3; descriptor < 64; ++descriptor) ::close(descriptor);
  for (int i = 0; i < 8; ++i) CHECK(::open(own.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600) >= 0);
  CHECK(multiply_ones(5, 3));
  CHECK(std::filesystem::file_size(own) == 0);
}

/// Whether a product with an empty C (m,n) succeeds. B is not read, and its memory may be smaller than its
/// shape.
template <class T>
bool is_nothing(const GemmShape& shape) {
  const Handle handle;
  std::vector<T> some(1);
  const auto [m, n, k] = shape;
  const GemmArgs<T> by_rows{T(1), row_major<const T>(some.data(), m, k),
                            row_major<const T>(some.data(), k, n), T(0), row_major(some.data(), m, n)};
  GemmArgs<T> by_columns = by_rows;
  by_columns.B = column_major<const T>(some.data(), k, n);
  return call<T>(handle, by_rows) == ROOFTILE_SUCCESS && call<T>(handle, by_columns) == ROOFTILE_SUCCESS;
}

TEST_CASE("a product without elements has a line", "[.empty_log]") {
  const char* const file = std::getenv("ROOFTILE_LOG");
  REQUIRE(file != nullptr);
  std::filesystem::remove(file);
  const GemmShape shapes[] = {{0, 19, 3}, {0, 19, 100}, {0, 3000, 5000}, {3000, 0, 5000}, {0, 100000, 900}};
  for (const GemmShape& shape : shapes) {
    CHECK((is_nothing<float>(shape) && is_nothing<double>(shape)));
    CHECK((is_nothing<complex<float>>(shape) && is_nothing<complex<double>>(shape)));
  }
  std::ifstream log(file);
  Index number = 0;
  for (std::string line; std::getline(log, line);) CHECK(parse_logged(line, file, ++number).kernel == "-");
  CHECK(number == 5 * 4 * 2);
}

// Runs in its own process, with ROOFTILE_LOG.
TEST_CASE("a file that may grow no more, or a reader that has gone, ends the log and not the program",
          "[.ended_log]") {
  const std::string log = std::getenv("ROOFTILE_LOG");
  if (log == "stderr") {
    std::array<int, 2> ends;
    REQUIRE(pipe(ends.data()) == 0);
    const int before = dup(STDERR_FILENO);
    REQUIRE(dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
    ::close(ends[0]), ::close(ends[1]);
    CHECK(multiply_ones(5, 3));
    // Restores stderr: a sanitizer prints its suppressions at exit.
    REQUIRE(dup2(before, STDERR_FILENO) == STDERR_FILENO);
    ::close(before);
    return;
  }
  std::filesystem::remove(log);
  constexpr rlim_t bytes = 500;
  const rlimit limit{bytes, bytes};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  CHECK(multiply_ones(5, 3));
  CHECK(std::filesystem::file_size(log) <= bytes);
}

}  // namespace
}  // namespace rooftile::testing
