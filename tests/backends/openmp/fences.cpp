// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Memory accesses of CPU kernels: vector loads and stores stay within the operands.
#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch_test_macros.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include "numerics/reference.hpp"
#include "rooftile/gemm.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"

namespace rooftile::testing {
namespace {

enum class Side { begin, end };

/// Elements that border on an inaccessible page: an access beyond them ends the test.
template <class T>
class Fenced {
 public:
  Fenced(Index count, Side fence) : count_(static_cast<std::size_t>(count)) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = count_ * sizeof(T), inside = (bytes + page - 1) / page * page;
    total_ = inside + 2 * page;
    void* const memory = mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    memory_ = static_cast<char*>(memory);
    REQUIRE(mprotect(memory_, page, PROT_NONE) == 0);
    REQUIRE(mprotect(memory_ + page + inside, page, PROT_NONE) == 0);
    data_ = reinterpret_cast<T*>(memory_ + page + (fence == Side::end ? inside - bytes : 0));
  }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  ~Fenced() { munmap(memory_, total_); }

  T* data() const { return data_; }
  template <class F>
  void fill(const F& value) {
    for (std::size_t i = 0; i < count_; ++i) data_[i] = value();
  }

 private:
  std::size_t count_, total_;
  char* memory_;
  T* data_;
};

/// Computes a product of small integers. Each operand fills its memory, which inaccessible pages enclose.
template <class T, class Random>
void check_product(const Kokkos::OpenMP& exec, const GemmShape& shape, Random& bits) {
  const auto [m, n, k] = shape;
  const auto chance = [&] { return bits() % 2 == 0; };
  const auto side = [&] { return chance() ? Side::begin : Side::end; };
  const auto matrix = [&]<class U>(U* data, Index rows, Index cols) {
    return chance() ? row_major(data, rows, cols) : column_major(data, rows, cols);
  };
  Fenced<T> a(m * k, side()), b(k * n, side()), c(m * n, side());
  const auto value = [&] { return static_cast<T>(static_cast<Scalar<T>>(static_cast<int>(bits() % 9) - 4)); };
  a.fill(value), b.fill(value);
  c.fill([] { return std::numeric_limits<T>::quiet_NaN(); });
  const T* const a_data = a.data();
  const T* const b_data = b.data();
  const GemmArgs<T> args{2, matrix(a_data, m, k), matrix(b_data, k, n), 0, matrix(c.data(), m, n)};
  INFO(to_string(shape) << ", row strides " << args.A.row_stride << ' ' << args.B.row_stride << ' '
                        << args.C.row_stride);
  gemm(exec, args.alpha, args.A, args.B, args.beta, args.C);
  exec.fence();
  CHECK(Reference<T>(args).compare_exact(args.C).passed());
}

/// Small products of all kinds, and some with few rows or few columns.
template <class T>
void check_products(const Kokkos::OpenMP& exec) {
  std::mt19937_64 bits(20261122);
  const auto below = [&](double log2) {
    return static_cast<Index>(std::exp2(std::uniform_real_distribution<double>(0, log2)(bits)));
  };
  for (int i = 0; i < 4000; ++i) check_product<T>(exec, {below(6.3), below(6.3), below(6.3)}, bits);
  for (int i = 0; i < 150; ++i) {
    check_product<T>(exec, {below(6), below(11.5), below(11)}, bits);
    check_product<T>(exec, {below(11.5), below(6), below(11)}, bits);
  }
}

TEST_CASE("nothing beside the operands is read or written", "[fences]") {
  check_products<float>(instance());
  check_products<double>(instance());
  check_products<float16>(instance());
  check_products<bfloat16>(instance());
}

}  // namespace
}  // namespace rooftile::testing
