// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "operand.hpp"
#include "rooftile/reference.hpp"
#include "subject.hpp"

namespace rooftile::testing {
namespace {

/// The elements (rows,cols) that `Loops::fill` writes, row by row.
template <class T>
std::vector<T> elements(Index rows, Index cols, const Values& values) {
  std::vector<T> all;
  for (Index x = 0; x < rows * cols; ++x) all.push_back(value_at<T>(values, x));
  return all;
}

/// Compares the definition, as the device computes it, with the reference of the library's own tests.
template <class T>
std::string fault_of(const GemmShape& shape, double alpha, double beta) {
  const auto [m, n, k] = shape;
  const std::size_t bytes = std::size_t{1} << 16;
  const Block blocks[] = {Block(bytes), Block(bytes), Block(bytes), Block(bytes)};
  const int largest = largest_value<T>(k);
  const Values values[] = {{1, largest}, {2, largest}, {3, largest}};
  Operand<In<T>> a(m, k, {}, {Storage::column, 3, 1}, blocks[0], blocks[3], true);
  Operand<In<T>> b(k, n, {}, {Storage::reversed, 2, 5}, blocks[1], blocks[3], true);
  Operand<Out<T>> c(m, n, {}, {Storage::strided, 1, 2}, blocks[2], blocks[3], true);
  a.fill(true, values[0]), b.fill(true, values[1]), c.fill(beta != 0, values[2]);
  const auto x = static_cast<Scalar<T>>(alpha), y = static_cast<Scalar<T>>(beta);
  multiply<T>({{x, a.all().first, b.all().first, y, c.all().first}, {}});

  const std::vector<In<T>> a_host = elements<In<T>>(m, k, values[0]),
                           b_host = elements<In<T>>(k, n, values[1]);
  std::vector<Out<T>> c_host = elements<Out<T>>(m, n, values[2]), found;
  const MatrixRef<Out<T>> C = c.all().first;
  for (Index i = 0; i < m * n; ++i) found.push_back(Loops<Out<T>>::value(&C(i / n, i % n)));
  const Reference<T> reference(
      {x, row_major(a_host.data(), m, k), row_major(b_host.data(), k, n), y, row_major(c_host.data(), m, n)});
  const Verification worst = reference.compare_exact(row_major<const Out<T>>(found.data(), m, n));
  if (worst.passed()) return {};
  return detail::text("the definition of ", to_string(shape), " in ", to_string(own_math<T>()),
                      " is not the reference at (", worst.row, ", ", worst.col, ")");
}

}  // namespace

std::string definition_fault() {
  std::string fault;
  perf::for_each_product_type([&]<class T>() {
    for (const GemmShape shape : {GemmShape{1, 1, 1}, {9, 13, 100}, {5, 3, 0}}) {
      for (const double alpha : {1.0, -1.0, 0.5, 0.0}) {
        for (const double beta : {0.0, 2.0}) {
          if (fault.empty()) fault = fault_of<T>(shape, alpha, beta);
        }
      }
    }
  });
  return fault;
}

}  // namespace rooftile::testing
