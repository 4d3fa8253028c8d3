// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <random>
#include <vector>

#include "rooftile/ladder.hpp"
#include "rooftile/options.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::testing {

/// Draws products with operands of every layout, offset and padding, single ones and batches, in memory at A,
/// B and C.
template <class T>
class RandomProducts {
 public:
  /// @param elements  size of each memory. An operand fits it with an offset of up to 8.
  RandomProducts(std::uint64_t first_seed, T* a, T* b, T* c, Index elements)
      : random_(first_seed), a_(a), b_(b), c_(c), elements_(elements) {}

  BatchArgs<T> draw() {
    for (;;) {
      const Index m = extent(), n = extent(), k = below(20) == 0 ? 0 : extent();
      const Index count = below(3) > 0 ? 1 : one_of({2, 3, 7, 100, 5000});
      const Operand A = operand(a_, m, k, count), B = operand(b_, k, n, count), C = operand(c_, m, n, count);
      if (std::max({A.reach, B.reach, C.reach}) > elements_ || (count > 1 && C.stride == 0)) continue;
      const Scalar<T> alpha = below(16) == 0 ? 0 : 1, beta = below(4) == 0 ? 1 : 0;
      return {{alpha, A.matrix, B.matrix, beta, C.matrix}, {count, A.stride, B.stride, C.stride}};
    }
  }

  /// Mostly the automatic choice. Else a rung of the table, which may refuse the product.
  GemmOptions options() {
    if (below(3) > 0) return {};
    const Rung& rung = ladder[below(rung_count)];
    GemmOptions drawn{.kernel = rung.kernel, .repack = below(4) == 0};
    if (!rung.tiles.empty() && below(2) == 0) drawn.tile = rung.tiles[below(rung.tiles.size())];
    drawn.math = mode(rung);
    return drawn;
  }

 private:
  /// A random mode of T that the rung supports on a path. If there is none, the type's own mode.
  ComputeMode mode(const Rung& rung) {
    std::vector<ComputeMode> found;
    std::copy_if(all_modes.begin(), all_modes.end(), std::back_inserter(found), [&](ComputeMode math) {
      return is_mode_of<T>(math) &&
             (rung.supports(math, Path::native) || rung.supports(math, Path::portable));
    });
    return found.empty() ? ComputeMode::automatic : found[below(found.size())];
  }

  struct Operand {
    MatrixRef<T> matrix;
    Index stride, reach;
  };

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  Index one_of(std::initializer_list<Index> list) { return *(list.begin() + below(list.size())); }

  Index extent() {
    switch (below(4)) {
      case 0:
        return static_cast<Index>(1 + below(9));
      case 1:
        return static_cast<Index>(8 * (1 + below(40)));
      case 2:
        return static_cast<Index>(1 + below(700));
      default:
        return one_of({64, 128, 1000, 1024, 2048, 20000});
    }
  }

  Operand operand(T* memory, Index rows, Index cols, Index count) {
    const Index pad = below(3) > 0 ? 0 : one_of({1, 2, 4, 8, 16});
    T* const data = memory + (below(3) > 0 ? 0 : below(9));
    const bool by_rows = below(2) == 0;
    const MatrixRef<T> X =
        by_rows ? row_major(data, rows, cols, cols + pad) : column_major(data, rows, cols, rows + pad);
    const Index size = (by_rows ? rows : cols) * ((by_rows ? cols : rows) + pad);
    const Index stride =
        count == 1 || below(4) == 0 ? 0 : size + static_cast<Index>(below(3) > 0 ? 0 : below(9));
    return {X, stride, 8 + size + (count - 1) * stride};
  }

  std::mt19937_64 random_;
  T *a_, *b_, *c_;
  Index elements_;
};

}  // namespace rooftile::testing
