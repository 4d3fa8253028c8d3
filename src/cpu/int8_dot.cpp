// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/int8_dot.hpp"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "cpu/micro_kernel.hpp"
#include "cpu/pack.hpp"
#include "plan/residue_blocks.hpp"

namespace rooftile::portable {
namespace {

using Sum = std::uint32_t;  // unsigned, because signed overflow is undefined
using V = Simd<Sum>;

static_assert(MicroTile<Sum>::rows == MicroTile<float>::rows &&
                  MicroTile<Sum>::cols == MicroTile<float>::cols,
              "integers have the blocks of fp32");
static_assert(MicroTile<Sum>::rows <= detail::ResidueBlocks::pack_slack &&
                  MicroTile<Sum>::cols <= detail::ResidueBlocks::pack_slack,
              "packing fits the memory that products by residues reserve");

/// Adds both products of a pair of 16 bits.
struct IntegerPairs {
  [[gnu::always_inline]] static void add(V::Vector& acc, Sum a, const V::Vector& row) {
#if defined(__AVX512VNNI__)
    acc = as<V::Vector>(
        _mm512_dpwssd_epi32(as<__m512i>(acc), _mm512_set1_epi32(static_cast<int>(a)), as<__m512i>(row)));
#elif defined(__AVX512BW__)
    acc += as<V::Vector>(_mm512_madd_epi16(_mm512_set1_epi32(static_cast<int>(a)), as<__m512i>(row)));
#elif defined(__AVX2__)
    acc += as<V::Vector>(_mm256_madd_epi16(_mm256_set1_epi32(static_cast<int>(a)), as<__m256i>(row)));
#elif defined(__SSE2__)
    acc += as<V::Vector>(_mm_madd_epi16(_mm_set1_epi32(static_cast<int>(a)), as<__m128i>(row)));
#else
    typedef std::int32_t Integers [[gnu::vector_size(vector_bytes)]];
    const auto pairs = as<Integers>(row);
    const Sum low = a << 16;
    acc += (static_cast<Sum>(static_cast<std::int32_t>(low) >> 16)) * as<V::Vector>((pairs << 16) >> 16);
    acc += (static_cast<Sum>(static_cast<std::int32_t>(a) >> 16)) * as<V::Vector>(pairs >> 16);
#endif
  }

  template <class To, class From>
  [[gnu::always_inline]] static To as(const From& from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
  }
};

// Lambdas, so that the compiler inlines them into the packing code.
constexpr auto pair_of = [](std::int8_t first, std::int8_t second) {
  return (static_cast<Sum>(first) & 0xFFFFU) | static_cast<Sum>(second) << 16;
};

constexpr auto load_pairs = [](const std::int8_t* from) {
  Simd<std::int8_t, 2 * V::lanes>::Vector bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return IntegerPairs::as<V::Vector>(
      __builtin_convertvector(bytes, Simd<std::int16_t, 2 * V::lanes>::Vector));
};

/// The micropanel with its elements reinterpreted as unsigned.
Micropanel<Sum> sums(const Micropanel<std::int32_t>& X) {
  return {reinterpret_cast<const Sum*>(X.data), X.stride, X.step};
}

}  // namespace

void pack_integers(const MatrixRef<const std::int8_t>& X, int width, Index from, Index to,
                   std::int32_t* memory) {
  const Index size = integers_size(width, X.cols);
  for (Index s = from; s < to; ++s) {
    auto* const out = reinterpret_cast<Sum*>(memory + s * size);
    if (width == MicroTile<Sum>::rows) {
      pack_micropanel_of_pairs<MicroTile<Sum>::rows>(X, s * width, pair_of, load_pairs, out);
    } else {
      pack_micropanel_of_pairs<MicroTile<Sum>::cols>(X, s * width, pair_of, load_pairs, out);
    }
  }
}

void multiply_integers(const Micropanels<std::int32_t>& A, const Micropanels<std::int32_t>& B, Index kc,
                       const MatrixRef<std::int32_t>& C, std::int32_t alpha, std::int32_t beta) {
  constexpr Index mr = MicroTile<Sum>::rows, nr = MicroTile<Sum>::cols;
  for (Index j0 = 0; j0 < C.cols; j0 += nr) {
    const Index cols = std::min(nr, C.cols - j0);
    for (Index i0 = 0; i0 < C.rows; i0 += mr) {
      const Index rows = std::min(mr, C.rows - i0);
      const MatrixRef<Sum> c{reinterpret_cast<Sum*>(&C(i0, j0)), rows, cols, C.row_stride, C.col_stride};
      MicroKernels<Sum, true, IntegerPairs>::of(rows, cols)(sums(A[i0 / mr]), sums(B[j0 / nr]), (kc + 1) / 2,
                                                            c, 0, static_cast<Sum>(alpha),
                                                            static_cast<Sum>(beta));
    }
  }
}

}  // namespace rooftile::portable
