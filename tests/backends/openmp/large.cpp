// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Offsets and extents beyond 32 bits, on CPUs. Most of the memory is never touched.
#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <sys/mman.h>

#include "rooftile/gemm.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"

namespace rooftile::testing {
namespace {

constexpr Index two_31 = Index{1} << 31;

/// Elements whose pages Linux allocates at the first access.
template <class T>
class Sparse {
 public:
  explicit Sparse(Index elements) : bytes_(static_cast<std::size_t>(elements) * sizeof(T)) {
    memory_ =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) SKIP("the system does not lend " << bytes_ << " bytes of addresses");
    madvise(memory_, bytes_, MADV_NOHUGEPAGE);  // else each touched element would take 2 MiB
  }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  ~Sparse() { munmap(memory_, bytes_); }

  T* data() const { return static_cast<T*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// (i + 2j) % 5 - 2: differs from its neighbours and from the elements at a distance of 2³¹.
template <class T>
T value(Index i, Index j) {
  return static_cast<T>(static_cast<Scalar<T>>((i + 2 * j) % 5 - 2));
}

/// Checks products in which one operand has rows, columns or batch entries that lie far apart.
/// @param far  the operand: 0 is A, 1 is B, 2 is C
template <class T>
void check_far(const GemmShape& shape, int far, bool by_rows, Index ld, Index count = 1) {
  const auto [m, n, k] = shape;
  const auto extent = [&](Index rows, Index cols, bool is_far) {
    const Index one = is_far ? (by_rows ? rows : cols) * ld : rows * cols;
    return std::pair{one * count, count > 1 ? one : 0};
  };
  const auto matrix = [&]<class U>(U* data, Index rows, Index cols, bool is_far) {
    if (!is_far) return row_major(data, rows, cols);
    return by_rows ? row_major(data, rows, cols, ld) : column_major(data, rows, cols, ld);
  };
  const auto [size_a, stride_a] = extent(m, k, far == 0);
  const auto [size_b, stride_b] = extent(k, n, far == 1);
  const auto [size_c, stride_c] = extent(m, n, far == 2);
  const Sparse<T> a(size_a), b(size_b), c(size_c);
  const MatrixRef<T> A = matrix(a.data(), m, k, far == 0), B = matrix(b.data(), k, n, far == 1),
                     C = matrix(c.data(), m, n, far == 2);
  for (Index p = 0; p < count; ++p) {
    for (Index i = 0; i < m; ++i) {
      for (Index l = 0; l < k; ++l)
        A.data[p * stride_a + i * A.row_stride + l * A.col_stride] = value<T>(i + p, l);
    }
    for (Index l = 0; l < k; ++l) {
      for (Index j = 0; j < n; ++j)
        B.data[p * stride_b + l * B.row_stride + j * B.col_stride] = value<T>(l, j + p);
    }
  }
  INFO(to_string(shape) << " x " << count << ", operand " << far << (by_rows ? " by rows" : " by columns"));
  gemm_strided_batched(instance(), 1, MatrixRef<const T>(A), stride_a, MatrixRef<const T>(B), stride_b, 0, C,
                       stride_c, count);
  Index wrong = 0;
  for (Index p = 0; p < count; ++p) {
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        Scalar<T> expected = 0;
        for (Index l = 0; l < k; ++l) expected += value<T>(i + p, l) * value<T>(l, j + p);
        wrong +=
            C.data[p * stride_c + i * C.row_stride + j * C.col_stride] == static_cast<T>(expected) ? 0 : 1;
      }
    }
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("rows, columns and products more than 2^31 elements apart are exact", "[large]", float,
                   double, float16, bfloat16) {
  for (int far = 0; far < 3; ++far) {
    for (const bool by_rows : {true, false}) {
      check_far<TestType>({5, 6, 7}, far, by_rows, two_31 + 8);
      check_far<TestType>({100, 90, 110}, far, by_rows, two_31 / 16 + 24);
      check_far<TestType>({3, 4, 5}, far, by_rows, two_31 / 2 + 3, 3);
      check_far<TestType>({70, 64, 70}, far, by_rows, two_31 / 64 + 5, 3);
      check_far<TestType>({40, 2, 300}, far, by_rows, two_31 / 16 + 24);
      check_far<TestType>({2, 300, 60}, far, by_rows, two_31 / 16 + 24);
    }
  }
}

/// All elements of A share one address, and so do those of B. Each element of C is then a·b·k.
template <class T>
bool is_right(const GemmShape& shape, const GemmOptions& options = {}) {
  const auto [m, n, k] = shape;
  const auto a = static_cast<T>(Scalar<T>(2)), b = static_cast<T>(Scalar<T>(0.5));
  std::vector<T> c(static_cast<std::size_t>(m * n), std::numeric_limits<T>::quiet_NaN());
  gemm(instance(), 1, MatrixRef<const T>{&a, m, k, 0, 0}, MatrixRef<const T>{&b, k, n, 0, 0}, 0,
       row_major(c.data(), m, n), options);
  // fp32 represents these integers exactly up to 2²⁴.
  return std::all_of(c.begin(), c.end(), [&](T x) { return x == static_cast<T>(static_cast<Scalar<T>>(k)); });
}

TEMPLATE_TEST_CASE("a K of ten million is summed exactly", "[large]", float, double, bfloat16) {
  for (const GemmShape& shape : {GemmShape{1, 1, 10'000'000}, {3, 2, 10'000'000}, {16, 32, 10'000'000}})
    CHECK(is_right<TestType>(shape));
  if (Element16<TestType>) return;
  CHECK(is_right<TestType>({2, 3, 10'000'000}, {.kernel = Kernel::naive}));
  CHECK(is_right<TestType>({2, 3, 10'000'000}, {.kernel = Kernel::tiled_checked}));
}

TEST_CASE("a K beyond 2^31 is summed exactly", "[large]") {
  CHECK(is_right<double>({1, 1, two_31 + 5}));
}

TEST_CASE("alpha of 0 leaves out a K of 2^61", "[large]") {
  const double x = 3;
  double c = 7;
  constexpr Index endless = Index{1} << 61;
  gemm(instance(), 0, MatrixRef<const double>{&x, 1, endless, 0, 0},
       MatrixRef<const double>{&x, endless, 1, 0, 0}, 2, row_major(&c, 1, 1));
  CHECK(c == 14);
}

/// Available memory in bytes, from /proc/meminfo.
Index available_bytes() {
  std::ifstream lines("/proc/meminfo");
  for (std::string word; lines >> word;) {
    Index kib = 0;
    if (word == "MemAvailable:" && lines >> kib) return 1024 * kib;
  }
  return 0;
}

// Hidden, because it takes 9 GB.
TEST_CASE("a C of more than 2^31 elements is computed", "[.memory]") {
  const Index rows = 46341, cols = 46343;  // the product exceeds 2³¹
  if (available_bytes() < 12'000'000'000) SKIP("needs 12 GB of memory");
  for (const bool one_column : {true, false}) {
    const Index m = one_column ? two_31 + 7 : rows, n = one_column ? 1 : cols;
    const Sparse<float> c(m * n);
    const float a = 2, b = 3;
    gemm(instance(), 1, MatrixRef<const float>{&a, m, 1, 0, 0}, MatrixRef<const float>{&b, 1, n, 0, 0}, 0,
         row_major(c.data(), m, n));
    Index wrong = 0;
    for (Index i = 0; i < m * n; ++i) wrong += c.data()[i] == 6 ? 0 : 1;
    CHECK(wrong == 0);
  }
}

}  // namespace
}  // namespace rooftile::testing
