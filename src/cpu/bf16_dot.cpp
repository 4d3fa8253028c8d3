// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/bf16_dot.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#if defined(__AVX512BF16__)
#include <immintrin.h>
#endif

#include "cpu/micro_kernel.hpp"
#include "cpu/pack.hpp"

namespace rooftile::portable {
namespace {

using V = Simd<float>;
using N = Narrow<V>;

/// Widens both elements of a pair to fp32 and adds both products. Runs on every CPU.
struct WidenedPairs {
  template <class Vector>
  [[gnu::always_inline]] static void add(Vector& acc, float a, const Vector& row) {
    const auto both = std::bit_cast<std::uint32_t>(a);
    const auto pairs = N::as<N::Words>(row);
    acc += std::bit_cast<float>(both << 16) * N::as<Vector>(pairs << 16);
    acc += std::bit_cast<float>(both & 0xFFFF0000U) * N::as<Vector>(pairs & 0xFFFF0000U);
  }
};

#if defined(__AVX512BF16__)
/// Adds both products of a pair with one instruction. The instruction flushes subnormal operands and sums to
/// zero.
struct FusedPairs {
  [[gnu::always_inline]] static void add(V::Vector& acc, float a, const V::Vector& row) {
    acc = N::as<V::Vector>(_mm512_dpbf16_ps(
        N::as<__m512>(acc), N::as<__m512bh>(_mm512_set1_epi32(std::bit_cast<int>(a))), N::as<__m512bh>(row)));
  }
};
#else
using FusedPairs = WidenedPairs;
#endif

/// The smallest biased exponent of the nonzero elements; 0 if an element is subnormal, 0xFF if all are zero.
int min_exponent(const float* pairs, Index count) {
  typedef std::uint16_t Halves [[gnu::vector_size(vector_bytes)]];
  const auto smaller = [](const Halves& x, const Halves& y) { return x < y ? x : y; };
  const auto from = [&](Index i) {
    Halves x;
    std::memcpy(&x, pairs + i, sizeof x);
    return (x & 0x7FFF) - 1;  // zero becomes the largest
  };
  Halves found = Halves{} + 0xFFFF;
  Index i = 0;
  for (; i + V::lanes <= count; i += V::lanes) found = smaller(found, from(i));
  if (i < count) found = smaller(found, from(i));  // includes some of the slack, which is zero
  std::uint16_t all = 0xFFFF;
  for (int l = 0; l < 2 * V::lanes; ++l) all = std::min(all, static_cast<std::uint16_t>(found[l]));
  return all == 0xFFFF ? 0xFF : (all + 1) >> 7;
}

/// Whether every nonzero sum of products of two micropanels is a normal number. Each sum is a multiple of the
/// product of the units in the last place of the smallest elements.
bool stays_normal(int exponent_a, int exponent_b) {
  constexpr int bias = 127, fraction = 7, min_normal = -126;
  return std::min(exponent_a, exponent_b) > 0 &&
         exponent_a + exponent_b - 2 * (bias + fraction) >= min_normal;
}

// Lambdas, so that the compiler inlines them into the packing code.
constexpr auto pair_of = [](bfloat16 first, bfloat16 second) {
  return std::bit_cast<float>(std::uint32_t{first.bits} | std::uint32_t{second.bits} << 16);
};

constexpr auto load_pairs = [](const bfloat16* from) {
  V::Vector x;
  std::memcpy(&x, from, sizeof x);
  return x;
};

}  // namespace

bool multiplies_pairs() {
  return !std::is_same_v<FusedPairs, WidenedPairs>;
}

void pack_pairs(const MatrixRef<const bfloat16>& X, int width, Index from, Index to, float* memory) {
  const Index size = pairs_size(width, X.cols);
  for (Index s = from; s < to; ++s) {
    float* const out = memory + s * size;
    if (width == MicroTile<float>::rows) {
      pack_micropanel_of_pairs<MicroTile<float>::rows>(X, s * width, pair_of, load_pairs, out);
    } else {
      pack_micropanel_of_pairs<MicroTile<float>::cols>(X, s * width, pair_of, load_pairs, out);
    }
    float* const behind = out + size - pack_slack;
    std::fill_n(behind, pack_slack, 0.0F);
    behind[0] = std::bit_cast<float>(min_exponent(out, size - pack_slack));
  }
}

void multiply_pairs(const Micropanels<float>& A, const Micropanels<float>& B, Index kc,
                    const MatrixRef<float>& C, float alpha, float beta) {
  constexpr Index mr = MicroTile<float>::rows, nr = MicroTile<float>::cols;
  const auto exponent = [](const Micropanels<float>& X, Index s) {
    return std::bit_cast<int>(X[s].data[X.next - pack_slack]);
  };
  for (Index j0 = 0; j0 < C.cols; j0 += nr) {
    const Index cols = std::min(nr, C.cols - j0);
    const int exponent_b = exponent(B, j0 / nr);
    for (Index i0 = 0; i0 < C.rows; i0 += mr) {
      const Index rows = std::min(mr, C.rows - i0);
      const auto kernel_of = stays_normal(exponent(A, i0 / mr), exponent_b)
                                 ? &MicroKernels<float, true, FusedPairs>::of
                                 : &MicroKernels<float, true, WidenedPairs>::of;
      kernel_of(rows, cols)(A[i0 / mr], B[j0 / nr], (kc + 1) / 2,
                            {&C(i0, j0), rows, cols, C.row_stride, C.col_stride}, 0, alpha, beta);
    }
  }
}

}  // namespace rooftile::portable
