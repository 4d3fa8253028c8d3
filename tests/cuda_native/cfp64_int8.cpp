// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Complex fp64 from int8 products on Hopper: the bounds of real products in any layout, and the fp64
// fallback.
#include <limits>

#include "int8_product.hpp"
#include "rooftile/fp64_int8.hpp"
#include "tests/support/int8_complex_numbers.hpp"

namespace rooftile::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Selects the kernel by name, so that the library does not compare its cost with that of fp64.
GemmOptions complex_by_int8(int moduli = 0) {
  return {.kernel = Kernel::warpgroup_int8, .math = ComputeMode::cfp64_int8, .moduli = moduli};
}

/// A matrix on the device with a layout, stored and read as conjugates if `conjugated`.
class OnDeviceMatrix {
 public:
  OnDeviceMatrix(const ComplexNumbers& x, const Layout& layout, bool conjugated)
      : x_(x),
        layout_(layout),
        conjugated_(conjugated),
        memory_(layout.elements(x.rows, x.cols), Complex(between_elements)),
        there_(device(), memory_.size()) {
    const MatrixRef<Complex> to = layout.of(memory_.data(), x.rows, x.cols);
    for (Index i = 0; i < x.rows; ++i)
      for (Index j = 0; j < x.cols; ++j) to(i, j) = detail::conjugated_if(conjugated, x.ref()(i, j));
    there_.upload(memory_);
  }
  MatrixRef<Complex> ref() const {
    const MatrixRef<Complex> X = layout_.of(there_.data(), x_.rows, x_.cols);
    return conjugated_ ? X.conjugated() : X;
  }
  /// Returns the elements on the device. Checks that the memory between them is unchanged.
  ComplexNumbers downloaded() const {
    cuda_native::check(cudaDeviceSynchronize(), "wait for a product");
    std::vector<Complex> found(memory_.size());
    there_.download(found);
    ComplexNumbers x(x_.rows, x_.cols);
    const MatrixRef<Complex> from = layout_.of(found.data(), x_.rows, x_.cols);
    for (Index i = 0; i < x.rows; ++i)
      for (Index j = 0; j < x.cols; ++j) x.ref()(i, j) = from(i, j), from(i, j) = Complex(between_elements);
    for (const Complex& left : found)
      CHECK((left.re == between_elements && (left.im == 0 || left.im == -0.0)));
    return x;
  }

 private:
  ComplexNumbers x_;
  Layout layout_;
  bool conjugated_;
  std::vector<Complex> memory_;
  Buffer<Complex> there_;
};

struct Place {
  Layout layout;
  bool conjugated;
};
Place any_place(Random& random) {
  return {{random() % 2 == 0, static_cast<Index>(random() % 3), random() % 4 == 0 ? 2 : 1,
           static_cast<Index>(random() % 3)},
          random() % 2 == 0};
}

ComplexNumbers computed(const ComplexOperands& x, const Place& a, const Place& b, const Complex& alpha,
                        const Complex& beta, const ComplexNumbers& before, const Layout& c,
                        const GemmOptions& options) {
  const OnDeviceMatrix A(x.a, a.layout, a.conjugated), B(x.b, b.layout, b.conjugated), C(before, c, false);
  cuda_native::gemm(nullptr, alpha, MatrixRef<const Complex>(A.ref()), MatrixRef<const Complex>(B.ref()),
                    beta, C.ref(), options);
  return C.downloaded();
}

ComplexNumbers computed(const ComplexOperands& x, const GemmOptions& options) {
  return computed(x, {}, {}, Complex(1), Complex(0), ComplexNumbers(x.a.rows, x.b.cols), {}, options);
}

bool same_bits(const ComplexNumbers& x, const ComplexNumbers& y) {
  return testing::same_bits(x.parts().data, y.parts().data);
}

TEST_CASE("complex fp64 from products of int8 keeps its bounds on all kinds of numbers, in any layout",
          "[cfp64_int8]") {
  need_int8();
  Random random(1);
  int passed = 0, refused = 0;
  for (const GemmShape& shape :
       {GemmShape{1, 1, 1}, {3, 5, 2}, {40, 30, 333}, {129, 260, 64}, {6, 7, 2000}, {17, 513, 128}}) {
    for (const std::string_view kind : kinds) {
      for (const int named : {0, 13, 16}) {
        const ComplexOperands x = complex_operands(kind, shape, random);
        const int found = int8_guard(x.a.ref(), x.b.ref()).moduli;
        const Place a = any_place(random), b = any_place(random);
        const OnDeviceMatrix A(x.a, a.layout, a.conjugated), B(x.b, b.layout, b.conjugated);
        INFO(kind << ' ' << to_string(shape) << ", named " << named << ", " << found << " moduli");
        CHECK(cuda_native::int8_guard(nullptr, MatrixRef<const Complex>(A.ref()),
                                      MatrixRef<const Complex>(B.ref()))
                  .moduli == found);
        const int moduli = named > 0 ? named : found;
        const ComplexNumbers c = computed(x, a, b, Complex(1), Complex(0), ComplexNumbers(shape.m, shape.n),
                                          any_place(random).layout, complex_by_int8(named));
        if (moduli > 0) {
          CHECK(count_wrong(x.real(), Numbers(2 * shape.m, shape.n), {}, 1, 0, moduli, named == 0,
                            c.parts().data) == 0);
          // Every step is exact: the bits do not depend on the layout of the operands.
          CHECK(same_bits(c, computed(x, complex_by_int8(moduli))));
        }
        ++(moduli > 0 ? passed : refused);
      }
    }
  }
  CHECK((passed > 200 && refused > 10));
}

TEST_CASE("alpha and beta of complex products by int8 are complex", "[cfp64_int8]") {
  need_int8();
  Random random(2);
  const GemmShape shape{70, 90, 200};
  const ComplexOperands x = complex_operands("normal", shape, random);
  const ComplexNumbers before = complex_operands("normal", {70, 1, 90}, random).a;
  const ComplexNumbers ab = computed(x, complex_by_int8());
  for (const auto& [alpha, beta] : {std::pair{Complex(0, 2), Complex(0)},
                                    {Complex(-1, 0.5), Complex(0.25, 1)},
                                    {Complex(0), Complex(0, -1)},
                                    {Complex(0), Complex(0)}}) {
    ComplexNumbers start = before;
    if (beta == Complex(0)) start.ref()(3, 4) = Complex(nan, nan);
    const ComplexNumbers c =
        computed(x, {{}, true}, {{true}, true}, alpha, beta, start, {true, 1, 1, 1}, complex_by_int8());
    int wrong = 0;
    for (Index i = 0; i < shape.m; ++i) {
      for (Index j = 0; j < shape.n; ++j) {
        const Complex sum = ab.ref()(i, j), old = beta == Complex(0) ? Complex(0) : start.ref()(i, j);
        const Complex off = c.ref()(i, j) - (alpha * sum + beta * old);
        const double size = std::abs(sum.re) + std::abs(sum.im) + std::abs(old.re) + std::abs(old.im);
        wrong += !(std::abs(off.re) + std::abs(off.im) <= 64 * 0x1p-53 * size);
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("complex products by int8 have the same bits in chunks and batches, and NaN where fp64 has it",
          "[cfp64_int8]") {
  need_int8();
  Random random(3);
  ComplexOperands x = complex_operands("normal", {1100, 900, 300}, random);
  const ComplexNumbers whole = computed(x, complex_by_int8());
  GemmOptions limited = complex_by_int8();
  limited.workspace.bytes = std::size_t{64} << 20;
  CHECK(same_bits(computed(x, limited), whole));
  const ComplexOperands small = complex_operands("small integers", {150, 140, 130}, random);
  CHECK(computed(small, complex_by_int8()).data == computed(small, {.kernel = Kernel::tensor_core}).data);

  ComplexOperands other = x;
  other.a.ref()(7, 3).im = nan;
  const ComplexNumbers in_fp64 = computed(other, complex_by_int8()),
                       named = computed(other, complex_by_int8(16));
  CHECK(same_bits(in_fp64, named));
  int not_a_number = 0;
  for (Index j = 0; j < 900; ++j)
    not_a_number += std::isnan(named.ref()(7, j).re) && std::isnan(named.ref()(7, j).im);
  CHECK(not_a_number == 900);
  CHECK_FALSE(std::isnan(named.ref()(6, 0).re));

  // One entry passes the guard, and one falls back to fp64.
  const OnDeviceMatrix A0(x.a, {}, false), A1(other.a, {}, false), B(x.b, {}, false),
      C0(ComplexNumbers(1100, 900), {}, false), C1(ComplexNumbers(1100, 900), {}, false);
  Buffer<const Complex*> a(device(), 2), b(device(), 2);
  Buffer<Complex*> c(device(), 2);
  a.upload(std::vector<const Complex*>{A0.ref().data, A1.ref().data});
  b.upload(std::vector<const Complex*>{B.ref().data, B.ref().data});
  c.upload(std::vector<Complex*>{C0.ref().data, C1.ref().data});
  cuda_native::gemm_batched(
      nullptr, Complex(1),
      pointer_batch<const Complex>(a.data(), row_major<const Complex>(nullptr, 1100, 300), 2),
      pointer_batch<const Complex>(b.data(), row_major<const Complex>(nullptr, 300, 900), 2), Complex(0),
      pointer_batch<Complex>(c.data(), row_major<Complex>(nullptr, 1100, 900), 2), complex_by_int8());
  CHECK(same_bits(C0.downloaded(), whole));
  CHECK(same_bits(C1.downloaded(), in_fp64));
}

}  // namespace
}  // namespace rooftile::testing
