// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// fp64 from products of int8 on Hopper's tensor cores: the bound of docs/fp64-from-int8.md on all kinds of
// numbers, and any layouts.
#include <cstring>
#include <limits>

#include "cuda_native/check.hpp"
#include "cuda_native/fp64_int8/multiply.hpp"
#include "rooftile/device/residues/guard.hpp"
#include "tests/ladder/this_ladder.hpp"
#include "tests/support/int8_numbers.hpp"

namespace rooftile::testing {
namespace {

using cuda_native::check;

constexpr double u = 0x1p-53;

/// How a matrix lies in memory.
struct Layout {
  bool column_major;
  Index pad;  ///< elements between lines

  MatrixRef<double> of(double* data, Index rows, Index cols) const {
    return column_major ? rooftile::column_major(data, rows, cols, rows + pad)
                        : row_major(data, rows, cols, cols + pad);
  }
  std::size_t elements(Index rows, Index cols) const {
    return static_cast<std::size_t>(column_major ? (rows + pad) * cols : rows * (cols + pad));
  }
};

/// What a product left in C, between the lines too, and how many moduli it took.
struct Result {
  std::vector<double> memory;
  int moduli;
};

constexpr double between_lines = 0x1p100;

std::vector<double> laid_out(const Numbers& x, const Layout& layout) {
  std::vector<double> memory(layout.elements(x.rows, x.cols), between_lines);
  const MatrixRef<double> to = layout.of(memory.data(), x.rows, x.cols);
  for (Index i = 0; i < x.rows; ++i) {
    for (Index j = 0; j < x.cols; ++j) to(i, j) = x.ref()(i, j);
  }
  return memory;
}

struct Layouts {
  Layout a, b, c;
};

Result product(const Operands& x, const Numbers& before, const Layouts& layouts, double alpha, double beta,
               int named) {
  const GemmShape shape{x.a.rows, x.b.cols, x.a.cols};
  const auto on_device = [](const std::vector<double>& from) {
    Buffer<double> to(device(), from.size());
    to.upload(from);
    return to;
  };
  const Buffer<double> a = on_device(laid_out(x.a, layouts.a)), b = on_device(laid_out(x.b, layouts.b));
  Result result{laid_out(before, layouts.c), -1};
  const Buffer<double> c = on_device(result.memory);
  const Buffer<char> memory(device(), cuda_native::residues_workspace_bytes(shape));
  const GemmArgs<double> args{alpha, layouts.a.of(a.data(), shape.m, shape.k),
                              layouts.b.of(b.data(), shape.k, shape.n), beta,
                              layouts.c.of(c.data(), shape.m, shape.n)};
  const int* const moduli = cuda_native::multiply_by_residues(nullptr, args, named, memory.data());
  check(cudaMemcpy(&result.moduli, moduli, sizeof result.moduli, cudaMemcpyDefault), "copy from the device");
  c.download(result.memory);
  return result;
}

/// Elements that are further from alpha·A·B + beta·C than E8 and fp64's roundings of the rest allow, or than
/// Grade A where the guard passed; and places between lines that were written.
int count_wrong(const Operands& x, Numbers before, const Layouts& layouts, double alpha, double beta,
                int named, Result found) {
  const GemmShape shape{x.a.rows, x.b.cols, x.a.cols};
  const MatrixRef<double> c = layouts.c.of(found.memory.data(), shape.m, shape.n);
  const auto k = static_cast<double>(shape.k);
  const double squared = 1 / residues::squared_limit(found.moduli);
  const double of_norms = (2 * std::sqrt(k * squared) + k * squared) * (1 + 0x1p-20);
  int wrong = 0;
  for (Index i = 0; i < shape.m; ++i) {
    for (Index j = 0; j < shape.n; ++j) {
      const Exact e = exact_element(x, i, j);
      const double old = before(i, j), rest = beta == 0 ? 0 : beta * old;
      const double bound = std::abs(alpha) * (of_norms * e.norms + 3 * u * std::abs(e.sum)) +
                           3 * u * (std::abs(alpha * e.sum) + std::abs(rest)) + Exact::underflow(shape.k);
      const double grade_a = std::abs(alpha) * (k + 4) * u * e.magnitude +
                             3 * u * (std::abs(alpha * e.sum) + std::abs(rest)) + Exact::underflow(shape.k);
      const long double exact = static_cast<long double>(alpha) * e.sum +
                                static_cast<long double>(alpha) * e.rest + static_cast<long double>(rest);
      const auto distance = static_cast<double>(std::abs(static_cast<long double>(c(i, j)) - exact));
      wrong += !(distance <= bound) || (named == 0 && !(distance <= grade_a));
      c(i, j) = between_lines;
    }
  }
  for (const double left : found.memory) wrong += left != between_lines;
  return wrong;
}

/// Skips the test where the device is not one that these kernels are for.
void need_hopper() {
  device();
  int major = 0, minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "query a device");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), "query a device");
  if (major != 9 || minor != 0) SKIP("the kernels are for compute capability 9.0");
}

TEST_CASE("fp64 from products of int8 keeps its bound on all kinds of numbers, in any layout",
          "[fp64_int8]") {
  need_hopper();
  Random random(1);
  const auto any_layout = [&] { return Layout{random() % 2 == 0, static_cast<Index>(random() % 3)}; };
  int passed = 0, refused = 0;
  for (const GemmShape& shape : {GemmShape{1, 1, 1},
                                 {3, 5, 2},
                                 {40, 30, 333},
                                 {129, 260, 64},
                                 {6, 7, 3000},
                                 {300, 33, 129},
                                 {17, 513, 128}}) {
    for (const std::string_view kind : kinds) {
      for (const int named : {0, 13, 16}) {
        const Operands x = operands_of(kind, shape, random);
        Numbers before(shape.m, shape.n);
        const double beta = random() % 2 == 0 ? 0 : -0.5, alpha = random() % 2 == 0 ? 1 : 2;
        const double old = beta == 0 ? std::numeric_limits<double>::quiet_NaN() : number_of(kind, random);
        for (double& c : before.data) c = old;
        const Layouts layouts{any_layout(), any_layout(), any_layout()};
        const Result found = product(x, before, layouts, alpha, beta, named);
        INFO(kind << ' ' << to_string(shape) << ", named " << named << ", found " << found.moduli);
        if (named > 0) CHECK(found.moduli == named);
        if (found.moduli > 0) {
          CHECK(count_wrong(x, before, layouts, alpha, beta, named, found) == 0);
          ++passed;
        } else {
          const std::vector<double> untouched = laid_out(before, layouts.c);
          CHECK(std::memcmp(untouched.data(), found.memory.data(), untouched.size() * sizeof(double)) == 0);
          ++refused;
        }
      }
    }
  }
  CHECK((passed > 250 && refused > 20));
}

TEST_CASE("fp64 from products of int8 finds as many moduli as CPUs do", "[fp64_int8]") {
  need_hopper();
  Random random(2);
  const Layouts layouts{{false, 0}, {false, 1}, {false, 0}};
  for (const GemmShape& shape : {GemmShape{20, 30, 1024}, {7, 40, 5}, {64, 64, 300}}) {
    for (const std::string_view kind : kinds) {
      const Operands x = operands_of(kind, shape, random);
      residues::Spread of_a, of_b;
      for (Index i = 0; i < shape.m; ++i)
        of_a.add(residues::scale_of(shape.k, [&](Index k) { return x.a.ref()(i, k); }), shape.k);
      for (Index j = 0; j < shape.n; ++j)
        of_b.add(residues::scale_of(shape.k, [&](Index k) { return x.b.ref()(k, j); }), shape.k);
      INFO(kind << ' ' << to_string(shape));
      CHECK(product(x, Numbers(shape.m, shape.n), layouts, 1, 0, 0).moduli ==
            residues::moduli_for(of_a, of_b, shape.k));
    }
  }
}

TEST_CASE("fp64 from products of int8 leaves C where an element is infinite or NaN", "[fp64_int8]") {
  need_hopper();
  Random random(3);
  const Layouts layouts{{false, 0}, {true, 0}, {true, 2}};
  for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const bool in_a : {true, false}) {
      for (const int named : {0, 16}) {
        Operands of = operands_of("normal", {20, 30, 40}, random);
        (in_a ? of.a : of.b)(7, 3) = x;
        Numbers before(20, 30);
        before(3, 4) = 5;
        const Result found = product(of, before, layouts, 1, 0, named);
        CHECK(found.moduli == 0);
        CHECK(found.memory == laid_out(before, layouts.c));
      }
    }
  }
}

TEST_CASE("fp64 from products of int8 of small integers is exact, and the same in each run", "[fp64_int8]") {
  need_hopper();
  Random random(4);
  const Layouts layouts{{false, 0}, {false, 0}, {false, 0}};
  const Operands x = operands_of("small integers", {150, 270, 700}, random);
  const Result found = product(x, Numbers(150, 270), layouts, 1, 0, 0);
  REQUIRE(found.moduli > 0);
  int wrong = 0;
  for (Index i = 0; i < 150; ++i) {
    for (Index j = 0; j < 270; ++j)
      wrong += found.memory[static_cast<std::size_t>(i * 270 + j)] != exact_element(x, i, j).sum;
  }
  CHECK(wrong == 0);
  const Operands y = operands_of("normal", {500, 600, 4000}, random);
  const Result first = product(y, Numbers(500, 600), layouts, 1, 0, 0);
  for (int run = 0; run < 5; ++run)
    CHECK(product(y, Numbers(500, 600), layouts, 1, 0, 0).memory == first.memory);
}

}  // namespace
}  // namespace rooftile::testing
