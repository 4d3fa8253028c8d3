// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What the BLAS promises of threads, processes and memory. OMP_NUM_THREADS is 3
// (tests/bindings/blas/CMakeLists.txt).
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <new>
#include <thread>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rooftile/reference.hpp"
#include "tests/bindings/blas/blas.hpp"
#include "tests/support/random_values.hpp"

namespace {

/// Whether aligned memory, which workspaces are, is to be had: of this thread's asking.
thread_local bool has_memory = true;

}  // namespace

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto line = static_cast<std::size_t>(alignment);
  void* const memory = has_memory ? std::aligned_alloc(line, (bytes + line - 1) / line * line) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace rooftile::testing {
namespace {

/// A square product, large enough for threads to share it.
template <class T>
class Product {
 public:
  explicit Product(Index size) : size_(size), a_(random<T>(size * size, 1)), b_(random<T>(size * size, 2)) {}

  std::vector<T> operator()() const {
    std::vector<T> c(a_.size());
    Call<T> x{by_columns, 'T', 'N', size_, size_, size_, T(1), a_.data(), size_, b_.data(), size_};
    x.c = c.data(), x.ldc = size_;
    call(Interface::fortran, x);
    return c;
  }

  bool is(std::vector<T> c) const {
    const auto a = column_major(a_.data(), size_, size_), b = column_major(b_.data(), size_, size_);
    const auto found = column_major(c.data(), size_, size_);
    return Reference<T>(GemmArgs<T>{T(1), a.transposed(), b, T(0), found}).compare(found).passed();
  }

 private:
  Index size_;
  std::vector<T> a_, b_;
};

/// Threads that this process has.
int threads() {
  const auto tasks = std::filesystem::directory_iterator("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

/// Whether `child` is true in a forked process, which ends by itself should it wait forever.
template <class Child>
bool holds_in_fork(const Child& child) {
  const pid_t process = fork();
  if (process == 0) {
    alarm(20);
    _exit(child() ? 0 : 1);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Tests are processes of their own, so the first count is of one thread; so is it where they run one after
// the other.
TEST_CASE("as many threads as OMP_NUM_THREADS says share a product", "[blas]") {
  const Product<double> product(400);
  CHECK(product.is(product()));
  CHECK(threads() == 3);
}

TEMPLATE_TEST_CASE("bits do not depend on the number of threads", "[blas]", float, double, complex<float>,
                   complex<double>) {
  const Product<TestType> product(300);
  const std::vector<TestType> by_three = product();
  for (const int number : {1, 2}) {
    omp_set_num_threads(number);
    CHECK((product() == by_three));
  }
  omp_set_num_threads(3);
}

TEST_CASE("threads of a parallel region compute by themselves", "[blas]") {
  const Product<double> product(250);
  const std::vector<double> expected = product();
  CHECK(product.is(expected));
  omp_set_max_active_levels(2);  // else OpenMP would start no others by itself
  int equal = 0;
#pragma omp parallel num_threads(3) reduction(+ : equal)
  equal += product() == expected ? 1 : 0;
  CHECK(equal == 3);
  CHECK(threads() == 3);
}

TEST_CASE("a forked process computes alone", "[blas]") {
  const Product<double> product(300);
  const std::vector<double> expected = product();
  CHECK(product.is(expected));
  CHECK(threads() == 3);
  const auto computes = [&] { return product() == expected && threads() == 1; };
  CHECK(holds_in_fork(computes));
  CHECK(holds_in_fork([&] { return computes() && holds_in_fork(computes); }));
  CHECK(product() == expected);
}

TEST_CASE("host threads call at once", "[blas]") {
  const Product<double> product(200);
  const std::vector<double> expected = product();
  std::vector<int> equal(4);
  {
    std::vector<std::jthread> callers;
    for (int& is_equal : equal) callers.emplace_back([&] { is_equal = product() == expected ? 1 : 0; });
  }
  CHECK(equal == std::vector<int>(4, 1));
}

TEMPLATE_TEST_CASE("without memory products are right, too", "[blas]", float, double, complex<float>,
                   complex<double>) {
  const Product<TestType> product(150);
  std::vector<TestType> found;
  std::jthread([&] {  // has no workspace yet
    has_memory = false;
    found = product();
  })
      .join();
  CHECK(product.is(found));
}

}  // namespace
}  // namespace rooftile::testing
