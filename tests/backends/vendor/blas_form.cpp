// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "backends/vendor/blas_form.hpp"

#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "tests/support/multiply.hpp"

namespace rooftile {
namespace {

using vendor::BlasForm, vendor::Operation, vendor::to_blas;

bool transposes(Operation operation) {
  return operation != Operation::none;
}
Operation other(Operation operation) {
  return transposes(operation) ? Operation::none : Operation::transpose;
}

/// The number of the first argument that reference BLAS' gemm would refuse. 0 if there is none.
template <class T>
int illegal_argument(const BlasForm<T>& f) {
  if (f.m < 0) return 3;
  if (f.n < 0) return 4;
  if (f.k < 0) return 5;
  if (f.lda < std::max<Index>(1, transposes(f.a_as) ? f.k : f.m)) return 8;
  if (f.ldb < std::max<Index>(1, transposes(f.b_as) ? f.n : f.k)) return 10;
  return f.ldc < std::max<Index>(1, f.m) ? 13 : 0;
}

/// gemm as BLAS defines it: column-major.
template <class T>
void blas_gemm(const BlasForm<T>& f) {
  for (Index j = 0; j < f.n; ++j) {
    for (Index i = 0; i < f.m; ++i) {
      T sum = 0;
      for (Index l = 0; l < f.k; ++l) {
        sum += (transposes(f.a_as) ? f.a[l + i * f.lda] : f.a[i + l * f.lda]) *
               (transposes(f.b_as) ? f.b[j + l * f.ldb] : f.b[l + j * f.ldb]);
      }
      T& c = f.c[i + j * f.ldc];
      c = f.alpha * sum + (f.beta == T(0) ? T(0) : f.beta * c);
    }
  }
}

/// The layouts of the three operands. The letter r means row-major.
struct Layout {
  const char* letters;
  Index pad;

  template <class T>
  MatrixRef<T> of(int operand, T* data, Index rows, Index cols) const {
    return letters[operand] == 'r' ? row_major(data, rows, cols, cols + pad)
                                   : column_major(data, rows, cols, rows + pad);
  }
};

constexpr const char* all_letters[] = {"rrr", "rrc", "rcr", "rcc", "crr", "crc", "ccr", "ccc"};

/// Small integers that differ from their neighbours.
std::vector<double> pattern(int factor) {
  std::vector<double> memory(400);
  for (std::size_t e = 0; e < memory.size(); ++e) {
    memory[e] = static_cast<double>(static_cast<int>(e * e * 7 + e * 3) * factor % 11 - 5);
  }
  return memory;
}

/// The error of a conversion to BLAS' form for one product. Empty if there is none.
template <class Convert>
std::string fault(const Convert& convert, const GemmShape& shape, const Layout& layout) {
  const std::vector<double> a = pattern(1), b = pattern(3);
  std::vector<double> by_blas = pattern(5), by_definition = by_blas;
  const auto [m, n, k] = shape;
  const auto args = [&, m = m, n = n, k = k](std::vector<double>& c) {
    return GemmArgs<double>{2, layout.of(0, a.data(), m, k), layout.of(1, b.data(), k, n), -1,
                            layout.of(2, c.data() + 20, m, n)};
  };
  BlasForm<double> form;
  if (const std::string why = convert(args(by_blas), form); !why.empty()) return why;
  if (const int argument = illegal_argument(form); argument != 0) {
    return "illegal argument " + std::to_string(argument);
  }
  blas_gemm(form);
  testing::multiply(args(by_definition));
  return by_blas == by_definition ? "" : "another product";
}

/// The number of products that a conversion gets wrong. Covers every layout, with and without padding, and
/// vectors.
template <class Convert>
int faults(const Convert& convert) {
  int wrong = 0;
  for (const char* letters : all_letters) {
    for (const Index pad : {0, 3}) {
      for (const Index m : {1, 2, 5}) {
        for (const Index n : {1, 3, 4}) {
          for (const Index k : {0, 1, 2, 6}) {
            const std::string what = fault(convert, {m, n, k}, {letters, pad});
            if (!what.empty() && wrong++ < 3) {
              UNSCOPED_INFO(letters << " pad " << pad << ' ' << to_string(GemmShape{m, n, k}) << ": "
                                    << what);
            }
          }
        }
      }
    }
  }
  return wrong;
}

constexpr auto library = [](const GemmArgs<double>& args, BlasForm<double>& form) {
  return to_blas(args, form);
};

TEST_CASE("every layout has a form that BLAS computes alike", "[blas_form]") {
  CHECK(faults(library) == 0);
}

TEST_CASE("a wrong form is found out", "[blas_form]") {
  const auto spoilt = [](auto spoil) {
    return [spoil](const GemmArgs<double>& args, BlasForm<double>& form) {
      std::string why = to_blas(args, form);
      spoil(form);
      return why;
    };
  };
  CHECK(faults(spoilt([](auto& f) { f.a_as = other(f.a_as); })) > 0);
  CHECK(faults(spoilt([](auto& f) { f.b_as = other(f.b_as); })) > 0);
  CHECK(faults(spoilt([](auto& f) { std::swap(f.a, f.b); })) > 0);
  CHECK(faults(spoilt([](auto& f) { std::swap(f.m, f.n); })) > 0);
  CHECK(faults(spoilt([](auto& f) { f.lda += 1; })) > 0);
  CHECK(faults(spoilt([](auto& f) { f.ldb = transposes(f.b_as) ? f.n : f.k; })) > 0);
  CHECK(faults(spoilt([](auto& f) { f.ldc -= 1; })) > 0);
  CHECK(faults(spoilt([](auto& f) { f.alpha = 1; })) > 0);
  CHECK(faults(spoilt([](auto& f) { f.beta = 0; })) > 0);
  CHECK(faults(spoilt([](auto& f) {
          if (f.k == 0) f.lda = f.ldb = 0;  // below BLAS' minimum
        })) > 0);
  // A wrong conversion that always treats C as column-major.
  CHECK(faults([](GemmArgs<double> args, BlasForm<double>& form) {
          args.C = column_major(args.C.data, args.C.rows, args.C.cols);
          return to_blas(args, form);
        }) > 0);
}

TEST_CASE("adjoints have a form, other conjugates have none", "[blas_form]") {
  using T = complex<double>;
  T memory[3];
  BlasForm<T> form;
  const auto A = column_major<const T>(memory, 5, 7), B = column_major<const T>(memory + 1, 4, 7);
  const auto C = column_major(memory + 2, 5, 4);
  const auto why = [&](const auto& a, const auto& b, const auto& c) {
    return to_blas(GemmArgs<T>{{0, 2}, a, b, {3, 1}, c}, form);
  };
  REQUIRE(why(A, B.adjoint(), C) == "");
  CHECK((form.a_as == Operation::none && form.b_as == Operation::conjugate_transpose));
  CHECK((form.alpha == T(0, 2) && form.beta == T(3, 1)));
  REQUIRE(why(A, B.transposed(), C) == "");
  CHECK(form.b_as == Operation::transpose);
  for (const std::string& no : {why(A.conjugated(), B.transposed(), C), why(A, B.adjoint(), C.conjugated())})
    CHECK(no == "BLAS conjugates only what it transposes: use an adjoint");
}

TEST_CASE("vectors of any stride have a form", "[blas_form]") {
  const std::vector<double> a = pattern(1), b = pattern(3);
  std::vector<double> by_blas = pattern(5), by_definition = by_blas;
  // A row with stride 3, times a matrix, into a row with stride 4.
  const MatrixRef<const double> row{a.data(), 1, 6, 100, 3}, matrix = row_major(b.data(), 6, 5, 7);
  const auto compare = [&](const MatrixRef<const double>& A, const MatrixRef<const double>& B,
                           const MatrixRef<double>& C) {
    BlasForm<double> form;
    auto other = C;
    other.data = by_definition.data();
    REQUIRE(to_blas(GemmArgs<double>{1, A, B, 1, C}, form) == "");
    REQUIRE(illegal_argument(form) == 0);
    blas_gemm(form);
    testing::multiply(GemmArgs<double>{1, A, B, 1, other});
    CHECK(by_blas == by_definition);
  };
  compare(row, matrix, {by_blas.data(), 1, 5, 50, 4});
  compare(matrix.transposed(), row.transposed(), {by_blas.data(), 5, 1, 4, 50});
  compare({a.data(), 1, 6, 0, 3}, matrix, {by_blas.data(), 1, 5, 0, 4});  // a stride of 0, with one row
  compare(row, {b.data(), 6, 1, 5, 1}, {by_blas.data(), 1, 1, 0, 0});     // a dot product
  compare(row.transposed(), {b.data(), 1, 5, 1, 2}, row_major(by_blas.data(), 6, 5, 5));
}

TEST_CASE("a matrix with two strides is refused and no form is set", "[blas_form]") {
  double memory[1];
  const auto a = row_major<const double>(memory, 3, 4), b = row_major<const double>(memory, 4, 5);
  const auto c = row_major(memory, 3, 5);
  const std::string why = "BLAS takes no matrix with two strides: use leading dimensions";
  const auto refused = [&](const auto& A, const auto& B, const auto& C) {
    BlasForm<double> form;
    std::string answer = to_blas(GemmArgs<double>{1, A, B, 0, C}, form);
    CHECK((form.c == nullptr) == !answer.empty());
    return answer;
  };
  CHECK(refused(a, b, c) == "");
  CHECK(refused(a, MatrixRef<const double>{memory, 4, 5, 2, 8}, c) == why);
  CHECK(refused(a, b, MatrixRef<double>{memory, 3, 5, 10, 2}) == why);
  // No unit stride; rows bottom up; one row three times; overlapping rows.
  for (const auto& [row_stride, col_stride] : {std::pair{8, 2}, {-4, 1}, {0, 1}, {3, 1}})
    CHECK(refused(MatrixRef<const double>{memory, 3, 4, row_stride, col_stride}, b, c) == why);
}

TEST_CASE("an empty product has a form that BLAS takes", "[blas_form]") {
  for (const char* letters : all_letters) {
    for (const GemmShape shape : {GemmShape{0, 0, 0}, {0, 5, 3}, {5, 0, 3}}) {
      INFO(letters << ' ' << to_string(shape));
      CHECK(fault(library, shape, {letters, 0}) == "");
    }
  }
}

TEST_CASE("a batch's strides go with their operands", "[blas]") {
  double memory[200] = {};
  const BatchArgs<double> args{{1, row_major<const double>(memory, 2, 3),
                                row_major<const double>(memory + 50, 3, 4), 0, row_major(memory + 100, 2, 4)},
                               {3, 6, 12, 8}};
  BlasForm<double> form;
  REQUIRE(to_blas(args, form) == "");
  CHECK(form.batch == Batch{3, 12, 6, 8});  // row-major C: BLAS computes its transpose, so A and B swap
  const BlasForm<double> last = form.product(2);
  CHECK((last.a == memory + 50 + 24 && last.b == memory + 12 && last.c == memory + 116));
  CHECK((last.batch == Batch{} && last.m == 4 && last.lda == form.lda));
}

}  // namespace
}  // namespace rooftile
