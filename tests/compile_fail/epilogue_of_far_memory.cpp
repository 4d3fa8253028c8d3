// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: the execution space cannot reach the memory that the epilogue reads
#include <rooftile/fused.hpp>

#include "matrix.hpp"

/// Memory that no execution space of this Kokkos reaches, as a GPU's is to a CPU.
struct FarSpace {
  using memory_space = FarSpace;
  using execution_space = Exec;
  using device_type = Kokkos::Device<Exec, FarSpace>;
  using size_type = std::size_t;
};

struct FarMatrix {
  using memory_space = FarSpace;
  static constexpr int rank() { return 2; }
  int extent(int) const { return 1; }
  int stride(int) const { return 1; }
  float* data() const { return nullptr; }
};

void f(const Matrix<float>& a, const Matrix<float>& b, const Matrix<float>& c, const FarMatrix& d) {
  const auto same = [](rooftile::Index, rooftile::Index, float value) { return value; };
  rooftile::gemm_fused(Exec(), 1, a, b, 0, c,
                       rooftile::epilogue::chain(same, rooftile::epilogue::plus(1, d)));
}
