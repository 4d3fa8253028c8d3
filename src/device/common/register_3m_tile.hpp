// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/common/register_tile.hpp"
#include "device/common/three_products.hpp"
#include "plan/batch_parts.hpp"
#include "rooftile/types.hpp"

/// A thread's part of a tile of C of complex numbers, from three real products in place of four.
namespace rooftile::detail {

/// (TM,TN) elements of C per thread, each three sums until it is stored; for each of TM·TN of them three
/// multiply-adds, and for each of TM + TN values from shared memory the sum of its parts. The loop is one for
/// b's values and for their conjugates: what differs is a sign in b's sums of parts.
template <class T, class Tile>
struct Register3mTile {
  using Plain = RegisterTile<T, Tile>;
  using Fragments = typename Plain::Fragments;
  static constexpr int k_step = 1, TM = Plain::TM, TN = Plain::TN;
  static constexpr bool has_one_loop = true;

  Plain plain;  // the thread's place; its sums are those that are stored
  ThreeProducts<Real<T>> value[std::size_t{TM}][std::size_t{TN}] = {};  // (TM,TN)
  int b_is_conjugated;

  /// @param conjugates_b  whether the values of b are read as their conjugates
  ROOFTILE_FUNCTION explicit Register3mTile(int rank, bool conjugates_b = false)
      : plain(rank), b_is_conjugated(conjugates_b ? 1 : 0) {}

  template <Conjugation = Conjugation::none, class PanelA, class PanelB>
  ROOFTILE_FUNCTION void load(Fragments& f, const PanelA& a, const PanelB& b, int k) const {
    plain.template load<Conjugation::none>(f, a, b, k);
  }

  template <Conjugation = Conjugation::none>
  ROOFTILE_FUNCTION void multiply_add(const Fragments& f) {
    const auto sign = static_cast<Real<T>>(sign_of(b_is_conjugated));
    Real<T> b[std::size_t{TN}];
    ROOFTILE_UNROLL_ALL
    for (int j = 0; j < TN; ++j) b[j] = f.b[j].re + sign * f.b[j].im;
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < TM; ++i) {
      const Real<T> a = f.a[i].re + f.a[i].im;
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < TN; ++j) value[i][j].re += f.a[i].re * f.b[j].re;
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < TN; ++j) value[i][j].im += f.a[i].im * f.b[j].im;
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < TN; ++j) value[i][j].both += a * b[j];
    }
  }

  /// As of `RegisterTile`.
  template <class Epilogue = Unchanged>
  ROOFTILE_FUNCTION void store(const MatrixRef<T>& C, Index row0, Index col0, int rank, T alpha, T beta,
                               bool conjugates = false, const Epilogue& epilogue = {}) const {
    Plain sums(rank);
    const auto sign = static_cast<Real<T>>(sign_of(b_is_conjugated));
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < TM; ++i) {
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < TN; ++j) sums.value[i][j] = combined(value[i][j], sign);
    }
    sums.store(C, row0, col0, rank, alpha, beta, conjugates, epilogue);
  }
};

}  // namespace rooftile::detail
