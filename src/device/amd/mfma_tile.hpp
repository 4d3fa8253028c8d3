// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "device/common/fused_update.hpp"
#include "device/common/panel.hpp"
#include "device/common/vector.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/types.hpp"

/// A wave's part of a tile of C, multiplied by AMD's matrix cores.
namespace rooftile::detail {

/// Whether the target GPU has MFMA instructions for fp32, fp64, 16 bits and int8: CDNA 2 and 3.
#if defined(__gfx90a__) || defined(__gfx942__)
#define ROOFTILE_HAS_MFMA
inline constexpr bool has_mfma = true;
#else
inline constexpr bool has_mfma = false;
#endif

/// d (16,16) += a (16,K)·b (K,16) by a wave, where K is 4·`along_k`. Lane 16g+i holds an Operand of a and of
/// b: a's (i,k) and b's (k,i) for the `along_k` neighbouring k from g·along_k on. For r below 4 it holds d's
/// (`row(g, r)`,i); `row` differs between the types. Sources: AMD Instinct MI200 and MI300 instruction set
/// guides, and AMD's matrix instruction calculator for v_mfma_f32_16x16x4_f32, v_mfma_f64_16x16x4_f64,
/// v_mfma_f32_16x16x16_f16, v_mfma_f32_16x16x16_bf16 and v_mfma_i32_16x16x32_i8. The 32x32 instructions have
/// no higher rate and read as much for an equal number of elements of C.
template <class T>
struct Mfma;

template <class T>
requires std::is_floating_point_v<T>
struct Mfma<T> {
  using Operand = T;
  using Sums = T __attribute__((vector_size(4 * sizeof(T))));
  static constexpr int along_k = 1;
  ROOFTILE_FUNCTION static constexpr int row(int g, int r) {
    return std::is_same_v<T, float> ? 4 * g + r : 4 * r + g;
  }
  ROOFTILE_FUNCTION static void multiply_add([[maybe_unused]] Sums& d, [[maybe_unused]] Operand a,
                                             [[maybe_unused]] Operand b) {
#ifdef ROOFTILE_HAS_MFMA
    if constexpr (std::is_same_v<T, float>) {
      d = __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, d, 0, 0, 0);
    } else {
      d = __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, d, 0, 0, 0);
    }
#endif
  }
};

/// Elements of 16 bits, accumulated in fp32.
template <Element16 T>
struct Mfma<T> {
  using Operand = short __attribute__((vector_size(8)));
  using Sums = float __attribute__((vector_size(16)));
  static constexpr int along_k = 4;
  ROOFTILE_FUNCTION static constexpr int row(int g, int r) { return 4 * g + r; }
  ROOFTILE_FUNCTION static void multiply_add([[maybe_unused]] Sums& d, [[maybe_unused]] Operand a,
                                             [[maybe_unused]] Operand b) {
#ifdef ROOFTILE_HAS_MFMA
    if constexpr (std::is_same_v<T, bfloat16>) {
      d = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, d, 0, 0, 0);
    } else {
      using Halves = _Float16 __attribute__((vector_size(8)));
      d = __builtin_amdgcn_mfma_f32_16x16x16f16(bits_as<Halves>(a), bits_as<Halves>(b), d, 0, 0, 0);
    }
#endif
  }
};

/// Elements of int8, accumulated in int32 modulo 2³². CDNA 2 has an instruction for half as many elements, so
/// the operand's two words are multiplied one after the other. Only the order along K differs.
template <>
struct Mfma<std::int8_t> {
  using Operand = std::int8_t __attribute__((vector_size(8)));
  using Sums = std::int32_t __attribute__((vector_size(16)));
  static constexpr int along_k = 8;
  ROOFTILE_FUNCTION static constexpr int row(int g, int r) { return 4 * g + r; }
  ROOFTILE_FUNCTION static void multiply_add([[maybe_unused]] Sums& d, [[maybe_unused]] Operand a,
                                             [[maybe_unused]] Operand b) {
#if defined(__gfx942__)
    d = __builtin_amdgcn_mfma_i32_16x16x32_i8(bits_as<long>(a), bits_as<long>(b), d, 0, 0, 0);
#elif defined(__gfx90a__)
    using Words = int __attribute__((vector_size(8)));
    const Words words_a = bits_as<Words>(a), words_b = bits_as<Words>(b);
    d = __builtin_amdgcn_mfma_i32_16x16x16i8(words_a[0], words_b[0], d, 0, 0, 0);
    d = __builtin_amdgcn_mfma_i32_16x16x16i8(words_a[1], words_b[1], d, 0, 0, 0);
#endif
  }
};

/// The origin of a wave's (8·TM,8·TN) elements in a tile, and the lane's g and i.
template <class Tile>
struct MfmaPlace {
  static constexpr int rows = 8 * Tile::tm(), cols = 8 * Tile::tn();
  static constexpr int waves_x = Tile::bn() / cols;
  static_assert(rows % 16 == 0 && cols % 16 == 0, "fragments divide a wave's part");

  int row, col, g, i;

  ROOFTILE_FUNCTION explicit MfmaPlace(int rank)
      : row(rank / 64 / waves_x * rows), col(rank / 64 % waves_x * cols), g(rank % 64 / 16), i(rank % 16) {}
};

/// A lane's values of F fragments, the operands of `depth` instructions each. They are read from a panel in
/// the widest contiguous pieces. Along k, a lane takes neighbours for consecutive instructions: the order of
/// a sum is free, as long as both operands agree. If lines run along x, a lane takes `together` neighbours,
/// one for each of as many fragments. These fragments then hold every `together`-th x; `x_of` returns the
/// mapping.
template <class T, int F, int depth>
struct MfmaFragments {
  using Operand = typename Mfma<T>::Operand;
  static constexpr int along_k = Mfma<T>::along_k, together = std::min(F, static_cast<int>(16 / sizeof(T)));

  Operand value[F][depth];

  template <class Panel>
  ROOFTILE_FUNCTION void load(const Panel& panel, int k, int x, int g, int i) {
    constexpr int pieces = Panel::major == Major::k ? F : F / together * depth;
    ROOFTILE_UNROLL_ALL
    for (int p = 0; p < pieces; ++p) {
      if constexpr (Panel::major == Major::k) {
        const T* const from = panel.at(k + depth * along_k * g, x + i) + Panel::offset(0, 16 * p);
        const auto piece = *reinterpret_cast<const Vector<Operand, depth>*>(from);
        ROOFTILE_UNROLL_ALL
        for (int e = 0; e < depth; ++e) value[p][e] = piece.value[e];
      } else {
        const int f = p / depth * together, s = p % depth;
        const T* const from =
            panel.at(k + depth * along_k * g, x + together * i) + Panel::offset(s * along_k, 16 * f);
        Vector<T, together> lines[along_k];
        ROOFTILE_UNROLL_ALL
        for (int l = 0; l < along_k; ++l)
          lines[l] = *reinterpret_cast<const Vector<T, together>*>(from + Panel::offset(l, 0));
        ROOFTILE_UNROLL_ALL
        for (int e = 0; e < together; ++e) value[f + e][s] = across(lines, e);
      }
    }
  }

  /// Returns the x of index i in a fragment.
  ROOFTILE_FUNCTION static int x_of(int fragment, int i, bool by_k) {
    const int inside = fragment % together;
    return fragment / together * 16 * together + (by_k ? 16 * inside + i : together * i + inside);
  }

 private:
  /// Returns element e of each line.
  ROOFTILE_FUNCTION static Operand across(const Vector<T, together> (&lines)[along_k], int e) {
    if constexpr (along_k == 1) {
      return lines[0].value[e];
    } else {
      using Lane = std::conditional_t<sizeof(T) == 1, std::int8_t, short>;
      Operand all;
      ROOFTILE_UNROLL_ALL
      for (int l = 0; l < along_k; ++l) all[l] = bits_as<Lane>(lines[l].value[e]);
      return all;
    }
  }
};

/// A wave's elements of C as fragments (16,16).
template <class T, class Tile>
struct MfmaTile {
  using Sum = std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, Scalar<T>>;
  static constexpr int FM = MfmaPlace<Tile>::rows / 16, FN = MfmaPlace<Tile>::cols / 16;
  /// Whether the sums leave registers for only 8 bytes along k of each fragment.
  static constexpr bool many_sums = FM + FN > 8;
  static constexpr int along_k = 4 * Mfma<T>::along_k;  // of one instruction
  static constexpr int depth = std::min(
      static_cast<int>((many_sums ? 8 : 16) / sizeof(typename Mfma<T>::Operand)), Tile::bk() / along_k);
  static constexpr int k_step = along_k * depth;
  using FragmentsA = MfmaFragments<T, FM, depth>;
  using FragmentsB = MfmaFragments<T, FN, depth>;

  struct Fragments {
    FragmentsA a;
    FragmentsB b;
  };

  MfmaPlace<Tile> place;
  bool a_by_k = false, b_by_k = false;  ///< major orders of the panels, on which `x_of` depends
  typename Mfma<T>::Sums value[FM][FN] = {};

  ROOFTILE_FUNCTION explicit MfmaTile(int rank, bool = false) : place(rank) {}

  template <class PanelA, class PanelB>
  ROOFTILE_FUNCTION void load(Fragments& f, const PanelA& a, const PanelB& b, int k) const {
    f.a.load(a, k, place.row, place.g, place.i);
    f.b.load(b, k, place.col, place.g, place.i);
  }

  ROOFTILE_FUNCTION void multiply_add(const Fragments& f) {
    ROOFTILE_UNROLL_ALL
    for (int e = 0; e < depth; ++e) {
      ROOFTILE_UNROLL_ALL
      for (int i = 0; i < FM; ++i) {
        ROOFTILE_UNROLL_ALL
        for (int j = 0; j < FN; ++j) {
          Mfma<T>::multiply_add(value[i][j], f.a.value[i][e], f.b.value[j][e]);
        }
      }
    }
  }

  /// C = alpha·value + beta·C for the tile at (row0,col0). Elements outside C are skipped.
  /// @param rank      rank of the thread, passed again so that its place need not stay in registers during
  ///   the product
  /// @param epilogue  called for each value before the store
  template <class U, class Epilogue = Unchanged>
  ROOFTILE_FUNCTION void store(const MatrixRef<U>& C, Index row0, Index col0, int rank, Sum alpha, Sum beta,
                               bool = false, const Epilogue& epilogue = {}) const {
    const MfmaPlace<Tile> at(rank);
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < FM; ++i) {
      ROOFTILE_UNROLL_ALL
      for (int r = 0; r < 4; ++r) {
        const Index y = row0 + at.row + FragmentsA::x_of(i, Mfma<T>::row(at.g, r), a_by_k);
        ROOFTILE_UNROLL_ALL
        for (int j = 0; j < FN; ++j) {
          const Index x = col0 + at.col + FragmentsB::x_of(j, at.i, b_by_k);
          if (y < C.rows && x < C.cols) update(C(y, x), alpha, value[i][j][r], beta, y, x, epilogue);
        }
      }
    }
  }
};

}  // namespace rooftile::detail
