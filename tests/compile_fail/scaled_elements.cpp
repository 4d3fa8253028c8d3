// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: whose elements are read as they lie
#include "matrix.hpp"

/// Like an mdspan whose accessor gives twice what lies there.
struct Scaled {
  using reference = double;
  static constexpr std::size_t rank() { return 2; }
  rooftile::Index extent(std::size_t) const { return 1; }
  rooftile::Index stride(std::size_t) const { return 1; }
  const double* data_handle() const { return nullptr; }
};

void f(const Scaled& a, const Matrix<double>& b, const Matrix<double>& c) {
  rooftile::gemm(Exec(), 1, a, b, 0, c);
}
