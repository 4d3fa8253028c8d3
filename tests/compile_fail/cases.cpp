// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Without REFUSED, this file must compile. With it, each case below must give exactly one error, whose text
// is in the line `// CASE says: TEXT` above the case; tests/expect.cmake reads these lines.
#include <cstdint>
#include <vector>

#include <rooftile/fused.hpp>
#include <rooftile/gemm.hpp>
#include <rooftile/gemm_grouped.hpp>
#include <rooftile/team_gemm.hpp>

#include "device/common/tile.hpp"

using Exec = rooftile::DefaultExecutionSpace;

template <class Data>
using View = Kokkos::View<Data, Exec::memory_space>;
template <class T>
using Matrix = View<T**>;
using FloatMatrix = Matrix<float>;

template <class A, class B, class C>
void multiply(const A& a, const B& b, const C& c) {
  rooftile::gemm(Exec(), 1, a, b, 0, c);
}

template <class A, class B, class C, class Epilogue>
void multiply_fused(const A& a, const B& b, const C& c, const Epilogue& epilogue) {
  rooftile::gemm_fused(Exec(), 1, a, b, 0, c, epilogue);
}

#ifndef REFUSED

void compiles(const Matrix<const float>& a, const FloatMatrix& b, const FloatMatrix& c) {
  multiply(a, b, c);
}

void mixed_compiles(const Matrix<const std::int8_t>& a, const Matrix<std::int8_t>& b,
                    const Matrix<std::int32_t>& c, const FloatMatrix& x, const Matrix<double>& y) {
  multiply(a, b, c);
  multiply(x, x, y);
  const std::vector group{rooftile::gemm_args(1, x, x, 0, y)};
  rooftile::gemm_grouped(Exec(), group);
}

void epilogue_compiles(const FloatMatrix& a, const FloatMatrix& b, const FloatMatrix& c) {
  const auto twice = KOKKOS_LAMBDA(rooftile::Index, rooftile::Index, float value) {
    return 2 * value;
  };
  multiply_fused(a, b, c, twice);
}

#else

/// A memory space that no execution space can access, as a CPU cannot access the memory of a GPU.
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

/// Resembles an mdspan whose accessor returns twice the stored value.
struct Scaled {
  using reference = double;
  static constexpr std::size_t rank() { return 2; }
  rooftile::Index extent(std::size_t) const { return 1; }
  rooftile::Index stride(std::size_t) const { return 1; }
  const double* data_handle() const { return nullptr; }
};

// rank_0 says: A, B and C are matrices: this View or mdspan has rank 0, not 2
void rank_0(const FloatMatrix& a, const FloatMatrix& b, const View<float>& c) {
  multiply(a, b, c);
}

// rank_of_factor says: A, B and C are matrices: this View or mdspan has rank 1, not 2
void rank_of_factor(const View<const float*>& a, const FloatMatrix& b, const FloatMatrix& c) {
  multiply(a, b, c);
}

// rank_3 says: are matrices: this View or mdspan has rank 3, not 2; several products are for gemm_batched
void rank_3(const FloatMatrix& a, const FloatMatrix& b, const View<float***>& c) {
  multiply(a, b, c);
}

// rank_5 says: A, B and C are matrices: this View or mdspan has rank 5 or more, not 2
void rank_5(const FloatMatrix& a, const FloatMatrix& b, const View<float*****>& c) {
  multiply(a, b, c);
}

// no_matrix says: whose elements are read as they lie, or MatrixRefs: this type is none of them
void no_matrix(const FloatMatrix& a, const std::vector<float>& b, const FloatMatrix& c) {
  multiply(a, b, c);
}

// scaled_elements says: whose elements are read as they lie, or MatrixRefs: this type is none of them
void scaled_elements(const Scaled& a, const Matrix<double>& b, const Matrix<double>& c) {
  multiply(a, b, c);
}

// inaccessible_memory says: the execution space cannot reach the memory of A, B or C
void inaccessible_memory(const FarMatrix& a, const FloatMatrix& b, const FloatMatrix& c) {
  multiply(a, b, c);
}

// read_only_result says: C is written to and must not be const
void read_only_result(const FloatMatrix& a, const FloatMatrix& b, const Matrix<const float>& c) {
  multiply(a, b, c);
}

// unsupported_type says: gemm takes float, double, float16, bfloat16 and complex
void unsupported_type(const Matrix<int>& a, const Matrix<int>& b, const Matrix<int>& c) {
  multiply(a, b, c);
}

// mixed_types says: A, B and C have one element type, or C a wider one
void mixed_types(const Matrix<double>& a, const FloatMatrix& b, const Matrix<double>& c) {
  multiply(a, b, c);
}

// mixed_narrower says: A, B and C have one element type, or C a wider one
void mixed_narrower(const Matrix<double>& a, const Matrix<double>& b, const FloatMatrix& c) {
  multiply(a, b, c);
}

// batch_into_matrix says: several products has rank 3 or 4, or is a BatchRef: this View or mdspan has rank 2
void batch_into_matrix(const FloatMatrix& a, const FloatMatrix& b, const FloatMatrix& c) {
  rooftile::gemm_strided_batched(Exec(), 1, a, b, 0, c);
}

// batch_of_vectors says: BatchRefs; A and B may be matrices: this type is none of them
void batch_of_vectors(const View<float*>& a, const View<float***>& b, const View<float***>& c) {
  rooftile::gemm_strided_batched(Exec(), 1, a, b, 0, c);
}

// epilogue_mixed says: A, B and C of a product with an epilogue have one element type
void epilogue_mixed(const FloatMatrix& a, const FloatMatrix& b, const Matrix<double>& c) {
  const auto twice = KOKKOS_LAMBDA(rooftile::Index, rooftile::Index, double value) {
    return 2 * value;
  };
  multiply_fused(a, b, c, twice);
}

// epilogue_not_callable says: an epilogue is const and called as f(i, j, value)
void epilogue_not_callable(const FloatMatrix& a, const FloatMatrix& b, const FloatMatrix& c) {
  multiply_fused(a, b, c, [](float value) { return 2 * value; });
}

// epilogue_of_no_element says: an epilogue returns a value that converts to an element of C
void epilogue_of_no_element(const FloatMatrix& a, const FloatMatrix& b, const FloatMatrix& c) {
  multiply_fused(a, b, c, [](rooftile::Index, rooftile::Index, float) {});
}

// epilogue_of_far_memory says: the execution space cannot reach the memory that the epilogue reads
void epilogue_of_far_memory(const FloatMatrix& a, const FloatMatrix& b, const FloatMatrix& c,
                            const FarMatrix& d) {
  const auto same = [](rooftile::Index, rooftile::Index, float value) { return value; };
  multiply_fused(a, b, c, rooftile::epilogue::chain(same, rooftile::epilogue::plus(1, d)));
}

// team_of_types says: A, B and C of a product in a team have one element type
void team_of_types(const Matrix<double>& a, const FloatMatrix& b, const Matrix<double>& c) {
  rooftile::thread_gemm(1, a, b, 0, c);
}

// team_mode says: the compute mode of a product in a team is automatic, or tf32 where operands are float
void team_mode(const Matrix<double>& a, const Matrix<double>& b, const Matrix<double>& c) {
  rooftile::thread_gemm(1, a, b, 0, c, rooftile::TeamGemmOptions<0, 0, 0, rooftile::ComputeMode::tf32>());
}

// team_of_vectors says: A, B and C are Kokkos Views or mdspans of rank 2 with strides, or MatrixRefs
void team_of_vectors(const View<float*>& a, const FloatMatrix& b, const FloatMatrix& c) {
  rooftile::thread_gemm(1, a, b, 0, c);
}

// empty_tile says: tile extents are positive
rooftile::Tile<rooftile::TileShape{32, 0, 32}> empty_tile;

// uneven_tile says: threads divide the tile evenly
rooftile::Tile<rooftile::TileShape{32, 32, 32, 5, 1}> uneven_tile;  // 5 rows of a thread do not divide 32

#endif
