// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "device/common/fused_update.hpp"
#include "device/common/vector.hpp"
#include "device/nvidia/fragment.hpp"
#include "plan/batch_parts.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/types.hpp"

/// A warp's part of a tile of C, multiplied by the tensor cores.
namespace rooftile::detail {

/// The origin of a warp's (4·TM,8·TN) elements in a tile, and the lane's g and t.
template <class Tile>
struct MmaPlace {
  static constexpr int rows = 4 * Tile::tm(), cols = 8 * Tile::tn();
  static constexpr int warps_x = Tile::bn() / cols;

  int row, col, g, t;

  ROOFTILE_FUNCTION explicit MmaPlace(int rank)
      : row(rank / 32 / warps_x * rows), col(rank / 32 % warps_x * cols), g(rank % 32 / 4), t(rank % 4) {}
};

/// A warp's elements of C as fragments (16,8), accumulated in fp64, in fp32, or, for int8, in int32.
template <class T, class Tile>
struct MmaTile {
  using Sum = std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, Scalar<T>>;
  static constexpr int k_step = std::is_same_v<Real<T>, double> ? 8 : 32 / sizeof(Real<T>);
  static constexpr int FM = MmaPlace<Tile>::rows / 16, FN = MmaPlace<Tile>::cols / 8;
  static_assert(MmaPlace<Tile>::rows % 16 == 0 && (FN % 2 == 0 || std::is_same_v<Real<T>, double>),
                "fragments divide a warp's elements");
  using Fragments = detail::Fragments<T, FM, FN>;

  MmaPlace<Tile> place;
  Sum value[FM][FN][4] = {};
  int b_is_conjugated;

  /// @param conjugates_b  whether the values of b are read as their conjugates
  ROOFTILE_FUNCTION explicit MmaTile(int rank, bool conjugates_b = false)
      : place(rank), b_is_conjugated(conjugates_b ? 1 : 0) {}

  template <Conjugation = Conjugation::none, class PanelA, class PanelB>
  ROOFTILE_FUNCTION void load(Fragments& f, const PanelA& a, const PanelB& b, int k) const {
    load_a(f, a, place.g, place.t, k, place.row);
    load_b(f, b, place.g, place.t, k, place.col);
  }

  /// @tparam conjugation  conjugation of b's values, which decides the products of imaginary parts to
  ///   subtract
  template <Conjugation conjugation = Conjugation::none>
  ROOFTILE_FUNCTION void multiply_add(const Fragments& f) {
    if constexpr (std::is_same_v<T, complex<float>>) {
      multiply_add_words(f);
    } else if constexpr (is_complex<T>) {
      multiply_add_parts<conjugation>(f);
    } else {
      multiply_add_real(f);
    }
  }

  /// C = alpha·value + beta·C for the tile at (row0,col0). Elements outside C are skipped.
  /// @tparam U          T, or Sum if C is a matrix of sums
  /// @param rank        rank of the thread, passed again so that its place need not stay in registers during
  ///   the product
  /// @param conjugates  whether the conjugates of the sums are stored
  /// @param epilogue    called for each value before the store
  template <class U, class Epilogue = Unchanged>
  ROOFTILE_FUNCTION void store(const MatrixRef<U>& C, Index row0, Index col0, int rank, Sum alpha, Sum beta,
                               [[maybe_unused]] bool conjugates = false,
                               const Epilogue& epilogue = {}) const {
    constexpr int stored = stored_together<U>;
    const MmaPlace<Tile> at(rank);
    // If rows of C are multiples of 8 bytes (16 in fp64 and of complex numbers), lanes store that much at
    // once. Four lanes side by side then write whole sectors of L2.
    const bool vectors = C.col_stride == 1 && C.row_stride % stored == 0 && C.cols % stored == 0 &&
                         reinterpret_cast<std::uintptr_t>(C.data) % (stored * sizeof(U)) == 0;
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < 2 * FM; ++i) {
      const Index y = row0 + at.row + line_of_fragment<T>(at.g) + 8 * i;
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < FN; ++j) {
        const Sum* const sums = &value[i / 2][j][i % 2 * 2];
        const Index x = col0 + at.col + 8 * j + line_of_fragment<T>(2 * at.t);
        if (stored == 1 || !vectors) {
          ROOFTILE_UNROLL_ALL
          for (int e = 0; e < 2; ++e) {
            const Index x_e = x + line_of_fragment<T>(e);
            if (y < C.rows && x_e < C.cols)
              update(C(y, x_e), alpha, conjugated_if(conjugates, sums[e]), beta, y, x_e, epilogue);
          }
        } else if constexpr (stored == 2 && is_complex<U>) {
          const Sum pair[2] = {conjugated_if(conjugates, sums[0]), conjugated_if(conjugates, sums[1])};
          if (y < C.rows && x < C.cols) update_vector(&C(y, x), pair, alpha, beta, y, x, epilogue);
        } else if constexpr (stored == 2) {
          if (y < C.rows && x < C.cols) update_vector(&C(y, x), sums, alpha, beta, y, x, epilogue);
        } else if constexpr (stored == 4) {
          if (j % 2 != 0) continue;
          float four[4];
          exchange(four, sums, &value[i / 2][j + 1][i % 2 * 2], at.t);
          const Index x4 = col0 + at.col + 8 * (j + at.t % 2) + at.t / 2 * 4;
          if (y < C.rows && x4 < C.cols) update_vector(&C(y, x4), four, alpha, beta, y, x4, epilogue);
        }
      }
    }
  }

 private:
  ROOFTILE_FUNCTION void multiply_add_real(const Fragments& f) {
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < FM; ++i) {
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < FN; ++j) {
        if constexpr (std::is_same_v<T, double>) {
          auto& d = value[i][j];
          mma(d[0], d[1], d[2], d[3], f.a[i], f.b[j]);
        } else if constexpr (std::is_same_v<T, std::int8_t>) {
          mma(value[i][j], f.a[i].x, f.b[j / 2].x[j % 2 * 2], f.b[j / 2].x[j % 2 * 2 + 1]);
        } else {
          mma<T>(value[i][j], f.a[i].x, f.b[j / 2].x[j % 2 * 2], f.b[j / 2].x[j % 2 * 2 + 1]);
        }
      }
    }
  }

  /// Multiplies the parts one pair after the other, each for all fragments, so that no instruction waits for
  /// its predecessor.
  template <Conjugation conjugation>
  ROOFTILE_FUNCTION void multiply_add_parts(const Fragments& f) {
    static_assert(conjugation != Conjugation::asked, "a loop for each");
    const auto multiply = [&](auto sum, auto a, auto b) {
      ROOFTILE_UNROLL_ALL
      for (int i = 0; i < FM; ++i) {
        ROOFTILE_UNROLL_ALL
        for (int j = 0; j < FN; ++j) {
          auto& d = value[i][j];
          const auto& [a0, a1, a2, a3] = f.a[i];
          const auto& [b0, b1] = f.b[j];
          mma(sum(d[0]), sum(d[1]), sum(d[2]), sum(d[3]), {a(a0), a(a1), a(a2), a(a3)}, {b(b0), b(b1)});
        }
      }
    };
    const auto re = [](auto& z) -> auto& {
      return z.re;
    };
    const auto im = [](auto& z) -> auto& {
      return z.im;
    };
    const auto minus_im = [](const T& z) { return -z.im; };
    multiply(re, re, re);
    if constexpr (conjugation == Conjugation::all) {
      multiply(im, re, minus_im);
      multiply(re, im, im);
    } else {
      multiply(im, re, im);
      multiply(re, im, minus_im);
    }
    multiply(im, im, re);
  }

  /// Multiplies complex numbers of fp32 in tf32, column by column of fragments: few registers are left beside
  /// the loaded values. Imaginary parts change their signs: b's if it is conjugated, a's where the product of
  /// two imaginary parts is subtracted.
  ROOFTILE_FUNCTION void multiply_add_words(const Fragments& f) {
    const Word conjugated = static_cast<Word>(b_is_conjugated) << 31;
    const auto multiply = [&](int j, auto sum, auto a, Word sign, Word b0, Word b1) {
      ROOFTILE_UNROLL_ALL
      for (int i = 0; i < FM; ++i) {
        auto& d = value[i][j];
        float sums[4];
        Word words[4];
        ROOFTILE_UNROLL_ALL
        for (int e = 0; e < 4; ++e) sums[e] = sum(d[e]), words[e] = bits_as<Word>(a(f.a[i][e])) ^ sign;
        mma<float>(sums, words, b0, b1);
        ROOFTILE_UNROLL_ALL
        for (int e = 0; e < 4; ++e) sum(d[e]) = sums[e];
      }
    };
    const auto re = [](auto& z) -> auto& {
      return z.re;
    };
    const auto im = [](auto& z) -> auto& {
      return z.im;
    };
    ROOFTILE_UNROLL_ALL
    for (int j = 0; j < FN; ++j) {
      const auto& [b0, b1] = f.b[j];
      const Word re0 = bits_as<Word>(b0.re), im0 = bits_as<Word>(b0.im) ^ conjugated;
      const Word re1 = bits_as<Word>(b1.re), im1 = bits_as<Word>(b1.im) ^ conjugated;
      multiply(j, re, re, 0, re0, re1);
      multiply(j, im, re, 0, im0, im1);
      multiply(j, re, im, Word{1} << 31, im0, im1);
      multiply(j, im, im, 0, re0, re1);
    }
  }

  /// Exchanges neighbours between lanes 2t and 2t+1, which hold two in each of two fragments side by side.
  /// Afterwards the even lane holds four of the first fragment, and the odd lane four of the second.
  ROOFTILE_FUNCTION static void exchange(float (&four)[4], const float* first, const float* second, int t) {
    const bool odd = t % 2 != 0;
    ROOFTILE_UNROLL_ALL
    for (int e = 0; e < 2; ++e) {
      const float kept = odd ? second[e] : first[e], got = of_neighbour(odd ? first[e] : second[e]);
      four[e] = odd ? got : kept;
      four[e + 2] = odd ? kept : got;
    }
  }

  /// Elements of a row of C that a lane stores at once.
  template <class U>
  static constexpr int stored_together = std::is_same_v<U, complex<double>> ? 1
                                         : Element16<U>                     ? 4
                                                                            : 2;

  template <class U, class Epilogue>
  ROOFTILE_FUNCTION static void update_vector(U* c, const Sum* sums, Sum alpha, Sum beta, Index y, Index x,
                                              const Epilogue& epilogue) {
    constexpr int stored = stored_together<U>;
    using Row = Vector<U, stored>;
    Row row = beta == Sum(0) ? Row{} : *reinterpret_cast<const Row*>(c);
    Sum result[stored];
    ROOFTILE_UNROLL_ALL
    for (int e = 0; e < stored; ++e) {
      result[e] = static_cast<Sum>(row.value[e]);
      update(result[e], alpha, sums[e], beta, y, x + e, epilogue);
    }
    if constexpr (Element16<U>) {
      *reinterpret_cast<Vector<Word, 2>*>(c) = {rounded_pair<U>(result[0], result[1]),
                                                rounded_pair<U>(result[2], result[3])};
    } else {
      *reinterpret_cast<Row*>(c) = {result[0], result[1]};
    }
  }
};

}  // namespace rooftile::detail
