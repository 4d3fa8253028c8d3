// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// gemm on CPUs compared with the reference: C is exact, and nothing outside its elements is written.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include "bytes.hpp"
#include "numerics/reference.hpp"
#include "rooftile/gemm.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile::fuzz {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// Near the edges of tiles and vectors and near the thresholds of the plan.
constexpr Index edges[] = {0,   1,   2,   3,   4,   5,   7,   8,   9,    13,   14,   15,
                           16,  17,  28,  31,  32,  33,  47,  48,  49,   63,   64,   65,
                           127, 128, 129, 255, 256, 257, 511, 512, 1023, 1025, 2048, 4100};

/// Small enough for thousands of products per minute.
GemmShape small_shape(Bytes& in) {
  Index extents[3];
  for (Index& x : extents) x = in.byte() % 2 == 0 ? in.one_of(edges) : in.byte();
  auto& [m, n, k] = extents;
  while (m * n * k > 1 << 19 || std::max({m * n, m * k, n * k}) > 1 << 15)
    *std::max_element(extents, std::end(extents)) /= 2;
  return {m, n, k};
}

/// A matrix of elements T whose memory ends with its last element, so that AddressSanitizer detects accesses
/// beyond.
template <class T>
struct Operand {
  std::vector<T> memory;
  MatrixRef<T> matrix;

  Operand(Index rows, Index cols, Bytes& in, bool may_repeat) {
    const std::size_t how = in.below(256);
    const Index inner = how % 4 == 3 ? 1 + static_cast<Index>(in.below(3)) : 1;
    const bool by_rows = how / 4 % 2 == 0;
    const Index short_extent = by_rows ? cols : rows;
    Index outer =
        std::max<Index>(short_extent, 1) * inner + (how / 8 % 2 == 0 ? 0 : static_cast<Index>(in.below(5)));
    if (may_repeat && how == 255) outer = 0;
    Index row_stride = by_rows ? outer : inner, col_stride = by_rows ? inner : outer;
    if (how / 16 % 8 == 7) row_stride = -row_stride;
    Index size = 0;
    if (rows > 0 && cols > 0) size = (rows - 1) * std::abs(row_stride) + (cols - 1) * col_stride + 1;
    const Index first = row_stride < 0 && size > 0 ? (1 - rows) * row_stride : 0;
    memory.resize(static_cast<std::size_t>(size), std::numeric_limits<T>::quiet_NaN());
    matrix = {memory.data() + first, rows, cols, row_stride, col_stride};
    if (detail::is_complex<T> && in.byte() % 2 == 0) matrix = matrix.conjugated();
    if constexpr (detail::Float8<T>) {
      if (in.byte() % 2 == 0) matrix.format = Float8Format::e5m2;
    }
  }

  /// Fills only the matrix's elements with ±1 … ±4: sums are exact, and no product of real numbers is zero.
  void fill(std::uint32_t seed) {
    const auto draw = [&] {
      seed = seed * 1664525 + 1013904223;
      const int value = 1 + static_cast<int>(seed >> 30);
      return static_cast<float>(seed >> 29 & 1 ? value : -value);
    };
    for (Index i = 0; i < matrix.rows; ++i) {
      for (Index j = 0; j < matrix.cols; ++j) matrix(i, j) = detail::from_parts<T>(draw);
    }
  }

  /// The matrix in other memory of equal size.
  MatrixRef<T> in(std::vector<T>& other) const {
    return matrix.at(other.data() + (matrix.data - memory.data()));
  }
};

/// Adds scales of 1 and 2 to a matrix of 8-bit floats: one, one for each row or column, or one for each block
/// of 128 rows or columns and 128 elements of K. The memory ends with the last scale.
/// @param is_b  K is the number of rows
template <class T>
void add_scales([[maybe_unused]] MatrixRef<T>& X, [[maybe_unused]] bool is_b,
                [[maybe_unused]] std::vector<float>& memory, [[maybe_unused]] Bytes& in) {
  if constexpr (detail::Float8<T>) {
    const std::size_t how = in.below(4);
    if (how == 0 || X.rows == 0 || X.cols == 0) return;
    const auto blocks = [](Index extent) { return (extent + scale_block - 1) / scale_block; };
    const Index lines = is_b ? X.cols : X.rows, k = is_b ? X.rows : X.cols;
    const Index rows = how == 1 ? 1 : how == 2 ? lines : blocks(lines), cols = how == 3 ? blocks(k) : 1;
    for (Index i = 0; i < rows * cols; ++i) memory.push_back(static_cast<float>(1 + i % 2));
    const Float8Scales scales{memory.data(), rows, cols, how == 3 ? cols : 1, how == 3 ? 1 : rows};
    X.scales = is_b ? scales.transposed() : scales;
  }
}

/// A Kokkos instance with all threads, or one with a single thread.
const Kokkos::OpenMP& instance(std::size_t number) {
  static const Kokkos::ScopeGuard kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
  static const Kokkos::OpenMP instances[] = {{}, Kokkos::OpenMP(1)};
  return instances[number];
}

GemmOptions options_from(Bytes& in) {
  const std::size_t how = in.below(4);
  if (how != 3) return {};
  const Rung& rung = in.one_of(ladder);
  GemmOptions options{rung.kernel};
  if (!rung.tiles.empty() && in.byte() % 2 == 0) options.tile = in.one_of(rung.tiles);
  if (in.byte() % 8 == 0) options.math = in.one_of(all_modes);
  return options;
}

/// C and the gaps between its elements must be right, or unchanged if the call was refused.
template <class T>
void check_product(Bytes& in) {
  const GemmShape shape = small_shape(in);
  const Kokkos::OpenMP& exec = instance(in.below(2));
  const GemmOptions options = options_from(in);
  constexpr Scalar<T> scalars[] = {1, 0, -1, 2, Scalar<T>(0.5)};
  const Scalar<T> alpha = in.one_of(scalars), beta = in.one_of(scalars);
  Operand<In<T>> a(shape.m, shape.k, in, true), b(shape.k, shape.n, in, true);
  Operand<Out<T>> c(shape.m, shape.n, in, false);
  a.fill(1), b.fill(2);
  if (beta != Scalar<T>(0)) c.fill(3);
  std::vector<float> scales_a, scales_b;
  add_scales(a.matrix, false, scales_a, in), add_scales(b.matrix, true, scales_b, in);
  std::vector<Out<T>> result = c.memory;
  const MatrixRef<Out<T>> C = c.in(result);
  bool computed = true;
  try {
    gemm(exec, alpha, a.matrix, b.matrix, beta, C, options);
    exec.fence();
  } catch (const Error&) {
    require(options != GemmOptions{});  // only named kernels, tiles or modes may be refused
    computed = false;
  }
  if (computed) {
    require(Reference<T>({alpha, a.matrix, b.matrix, beta, c.matrix}).compare_exact(C).passed());
    for (Index i = 0; i < C.rows; ++i) {
      for (Index j = 0; j < C.cols; ++j) C(i, j) = c.matrix(i, j);
    }
  }
  require(result.empty() || std::memcmp(result.data(), c.memory.data(), result.size() * sizeof(Out<T>)) == 0);
}

}  // namespace
}  // namespace rooftile::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rooftile::fuzz::Bytes in(data, size);
  using namespace rooftile;
  constexpr void (*checks[])(fuzz::Bytes&) = {fuzz::check_product<float>,
                                              fuzz::check_product<double>,
                                              fuzz::check_product<float16>,
                                              fuzz::check_product<bfloat16>,
                                              fuzz::check_product<complex<float>>,
                                              fuzz::check_product<complex<double>>,
                                              fuzz::check_product<Mixed<float16, float>>,
                                              fuzz::check_product<Mixed<bfloat16, float>>,
                                              fuzz::check_product<Mixed<float, double>>,
                                              fuzz::check_product<Mixed<std::int8_t, std::int32_t>>,
                                              fuzz::check_product<Mixed<float8_e4m3, float>>,
                                              fuzz::check_product<Mixed<float8_e4m3, bfloat16>>,
                                              fuzz::check_product<Mixed<float8_e4m3, float16>>};
  in.one_of(checks)(in);
  return 0;
}
