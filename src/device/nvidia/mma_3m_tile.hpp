// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/common/three_products.hpp"
#include "device/nvidia/mma_tile.hpp"
#include "plan/batch_parts.hpp"

/// A warp's part of a tile of C of complex numbers, from three real products in place of four.
namespace rooftile::detail {

/// A warp's elements of C, as fragments of (16,8), each three sums until it is stored. The loop is one for
/// b's values and for their conjugates: what differs is a sign in b's sums of parts.
template <class T, class Tile>
struct Mma3mTile {
  using Plain = MmaTile<T, Tile>;
  using Sum = Scalar<T>;
  using Fragments = typename Plain::Fragments;
  static constexpr int k_step = Plain::k_step, FM = Plain::FM, FN = Plain::FN;
  static constexpr bool has_one_loop = true;

  MmaPlace<Tile> place;
  ThreeProducts<Real<T>> value[FM][FN][4] = {};
  int b_is_conjugated;

  /// @param conjugates_b  whether the values of b are read as their conjugates
  ROOFTILE_FUNCTION explicit Mma3mTile(int rank, bool conjugates_b = false)
      : place(rank), b_is_conjugated(conjugates_b ? 1 : 0) {}

  template <Conjugation = Conjugation::none, class PanelA, class PanelB>
  ROOFTILE_FUNCTION void load(Fragments& f, const PanelA& a, const PanelB& b, int k) const {
    load_a(f, a, place.g, place.t, k, place.row);
    load_b(f, b, place.g, place.t, k, place.col);
  }

  /// The products one after the other, each for all fragments: no instruction waits for the one before.
  template <Conjugation = Conjugation::none>
  ROOFTILE_FUNCTION void multiply_add(const Fragments& f) {
    const auto sign = static_cast<Real<T>>(sign_of(b_is_conjugated));
    Real<T> a[FM][4], b[FN][2];
    const auto multiply = [&](auto of, auto part, auto part_of_b) {
      ROOFTILE_UNROLL_ALL
      for (int i = 0; i < FM; ++i) {
        ROOFTILE_UNROLL_ALL
        for (int e = 0; e < 4; ++e) a[i][e] = part(f.a[i][e]);
      }
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < FN; ++j) {
        ROOFTILE_UNROLL_ALL
        for (int e = 0; e < 2; ++e) b[j][e] = part_of_b(f.b[j][e]);
      }
      ROOFTILE_UNROLL_ALL
      for (int i = 0; i < FM; ++i) {
        ROOFTILE_UNROLL_ALL
        for (int j = 0; j < FN; ++j) {
          auto& d = value[i][j];
          mma(of(d[0]), of(d[1]), of(d[2]), of(d[3]), a[i], b[j]);
        }
      }
    };
    const auto re = [](const T& z) { return z.re; };
    const auto im = [](const T& z) { return z.im; };
    multiply(
        [](auto& sums) -> auto& { return sums.re; }, re, re);
    multiply(
        [](auto& sums) -> auto& { return sums.im; }, im, im);
    multiply(
        [](auto& sums) -> auto& { return sums.both; }, [](const T& z) { return z.re + z.im; },
        [sign](const T& z) { return z.re + sign * z.im; });
  }

  /// As of `MmaTile`.
  template <class U, class Epilogue = Unchanged>
  ROOFTILE_FUNCTION void store(const MatrixRef<U>& C, Index row0, Index col0, int rank, Sum alpha, Sum beta,
                               bool conjugates = false, const Epilogue& epilogue = {}) const {
    Plain sums(rank);
    const auto sign = static_cast<Real<T>>(sign_of(b_is_conjugated));
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < FM; ++i) {
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < FN; ++j) {
        ROOFTILE_UNROLL_ALL
        for (int e = 0; e < 4; ++e) sums.value[i][j][e] = combined(value[i][j][e], sign);
      }
    }
    sums.store(C, row0, col0, rank, alpha, beta, conjugates, epilogue);
  }
};

}  // namespace rooftile::detail
