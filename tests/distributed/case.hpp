// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "rooftile/distributed/gemm.hpp"

/// Random products of distributed matrices, identical on all processes. The elements are small integers, so
/// that sums are exact.
namespace rooftile::distributed::test {

/// A random sequence that is identical on all processes.
class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  /// Draws from [low, high].
  int operator()(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1));
  }
  bool coin() { return (*this)(0, 1) == 1; }

 private:
  std::mt19937 engine_;
};

/// Element (i,j) of matrix `which`. Each part is from -3 to 3; for 16-bit types from -1 to 1, for exact sums.
template <class T>
T element(int which, Index i, Index j) {
  const auto part = [&](Index salt) {
    constexpr Index largest = Element16<T> ? 1 : 3;
    return static_cast<Real<T>>((i * 31 + j * 17 + i * j % 13 + which * 7 + salt) % (2 * largest + 1) -
                                largest);
  };
  if constexpr (detail::is_complex<T>) {
    return {part(0), part(5)};
  } else {
    return part(0);
  }
}

/// Options with a grid of some or all processes, any layers, and often little workspace and short panels and
/// messages.
/// @param tiny  a workspace in bytes that hardly suffices for a single step
inline ContextOptions random_options(Draw& draw, int processes, int tiny) {
  ContextOptions options;
  options.grid.rows = draw(1, processes);
  options.grid.cols = draw(1, processes / options.grid.rows);
  options.products.depth = draw.coin() ? draw(1, 20) : usual_depth;
  options.products.layers = draw(0, 2) == 0 ? 0 : draw(1, options.grid.size());
  if (options.products.layers > 1) tiny *= 16;  // for the parts of C
  options.products.workspace =
      draw.coin() ? static_cast<std::size_t>(draw(tiny, 2 * tiny)) : options.products.workspace;
  options.message = draw.coin() ? draw(1, 1024) : options.message;
  return options;
}

/// Calls f(T()) for a random type.
template <class F>
void with_random_type(Draw& draw, const F& f) {
  switch (draw(0, 3)) {
    case 0:
      return f(float());
    case 1:
      return f(double());
    case 2:
      return f(complex<float>());
    default:
      return f(complex<double>());
  }
}

/// Sums the wrong elements of all processes. Collective. Rank 0 prints a sum other than 0 with the seed.
inline int wrong_of_all(int wrong, unsigned seed, const Context& context) {
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (wrong > 0 && context.rank() == 0) std::printf("wrong: seed %u, %d elements\n", seed, wrong);
  return wrong;
}

/// Runs a case with a random type on a random grid of at most all processes. Rank 0 prints the number of
/// wrong elements.
/// @param tiny            as for `random_options`
/// @param wrong_elements  called with the context, the random sequence and T(); returns this process's wrong
/// elements
/// @return wrong elements of all processes
template <class F>
int wrong_of_random(unsigned seed, int processes, int tiny, const F& wrong_elements) {
  Draw draw(seed);
  const ContextOptions options = random_options(draw, processes, tiny);
  Context context(MPI_COMM_WORLD, options);
  int wrong = 0;
  with_random_type(draw, [&](auto x) { wrong = wrong_elements(context, draw, x); });
  return wrong_of_all(wrong, seed, context);
}

template <class T>
T not_a_number() {
  return T(std::numeric_limits<Real<T>>::quiet_NaN());
}

/// Whether two elements are equal bit for bit. NaNs may be equal.
template <class T>
bool same_bits(const T& x, const T& y) {
  return std::memcmp(&x, &y, sizeof x) == 0;
}

/// A distributed matrix that contains op(X) (m,n) as a block, and this process's elements between guard
/// bands.
template <class T>
class Shared {
 public:
  /// @param block  0: a random layout; else X is a whole matrix in blocks of this length, so that the
  /// operands
  ///               of a product are dealt alike
  Shared(const Context& context, Draw& draw, int which, Index m, Index n, int block = 0) {
    trans_ = block == 0 ? draw(0, 2) : 0;
    const Index rows = trans_ == 0 ? m : n, cols = trans_ == 0 ? n : m;
    i_ = block == 0 ? draw(0, 9) : 0, j_ = block == 0 ? draw(0, 9) : 0;
    // With the largest block length, one or two blocks hold the whole extent.
    const auto dealing = [&](Index extent, int processes) {
      if (block > 0) return Dealing{extent, block};
      const int length = draw(1, draw.coin() ? 3 : 40);
      return Dealing{extent + draw(0, 5), length == 40 ? std::numeric_limits<Index>::max() : length,
                     draw.coin() ? 0 : draw(1, 12), draw(0, processes - 1)};
    };
    layout_.rows = dealing(i_ + rows, context.grid().rows);
    layout_.cols = dealing(j_ + cols, context.grid().cols);
    by_rows_ = draw(0, 3) == 0;
    const Index gap = draw(0, 3);
    held_rows_ = context.in_grid() ? layout_.rows.held(context.grid().rows, context.row()) : 0;
    held_cols_ = context.in_grid() ? layout_.cols.held(context.grid().cols, context.col()) : 0;
    ld_ = (by_rows_ ? held_cols_ : held_rows_) + gap;
    memory_.assign(static_cast<std::size_t>(guard + ld_ * (by_rows_ ? held_rows_ : held_cols_) + guard),
                   not_a_number<T>());
    for (Index i = 0; i < held_rows_; ++i) {
      for (Index j = 0; j < held_cols_; ++j) {
        local()(i, j) = element<T>(which, global(layout_.rows, i, context.grid().rows, context.row()),
                                   global(layout_.cols, j, context.grid().cols, context.col()));
      }
    }
    whole_rows_ = m, whole_cols_ = n;
  }

  /// op(X).
  DistributedMatrix<T> matrix() {
    const Index rows = trans_ == 0 ? whole_rows_ : whole_cols_,
                cols = trans_ == 0 ? whole_cols_ : whole_rows_;
    const auto stored = DistributedMatrix<T>(layout_, local()).block(i_, j_, rows, cols);
    return trans_ == 0 ? stored : trans_ == 1 ? stored.transposed() : stored.adjoint();
  }
  /// Element (i,j) of op(X), which every process can compute.
  T value(int which, Index i, Index j) const {
    if (trans_ == 0) return element<T>(which, i_ + i, j_ + j);
    return detail::conjugated_if(trans_ == 2, element<T>(which, i_ + j, j_ + i));
  }

  /// Calls f(element, i, j, inside) for each local element. (i,j) is its index in op(X); `inside` tells
  /// whether it lies there.
  template <class F>
  void for_each(const Context& context, const F& f) {
    for (Index i = 0; i < held_rows_; ++i) {
      for (Index j = 0; j < held_cols_; ++j) {
        const Index x = global(layout_.rows, i, context.grid().rows, context.row()) - i_;
        const Index y = global(layout_.cols, j, context.grid().cols, context.col()) - j_;
        const Index row = trans_ == 0 ? x : y, col = trans_ == 0 ? y : x;
        f(local()(i, j), row, col, row >= 0 && row < whole_rows_ && col >= 0 && col < whole_cols_);
      }
    }
  }

  int trans() const { return trans_; }
  std::vector<T>& memory() { return memory_; }
  Layout& layout() { return layout_; }

 private:
  static constexpr Index guard = 5;

  MatrixRef<T> local() {
    T* const first = memory_.data() + guard;
    return by_rows_ ? row_major(first, held_rows_, held_cols_, ld_)
                    : column_major(first, held_rows_, held_cols_, ld_);
  }
  /// The global index of local index `local`, found by a linear search.
  static Index global(const Dealing& dealing, Index local, int processes, int process) {
    for (Index i = 0, seen = 0; i < dealing.extent; ++i) {
      const Index b = i < dealing.first_block() ? 0 : 1 + (i - dealing.first_block()) / dealing.block;
      if ((b + dealing.source) % processes == process && seen++ == local) return i;
    }
    return -1;
  }

  Layout layout_;
  int trans_ = 0;  ///< 0: not transposed, 1: transposed, 2: adjoint
  bool by_rows_ = false;
  Index i_ = 0, j_ = 0, whole_rows_ = 0, whole_cols_ = 0, held_rows_ = 0, held_cols_ = 0, ld_ = 0;
  std::vector<T> memory_;
};

/// The expected element of C. C's initial elements are those of matrix 2; with beta = 0, op(C) initially
/// holds NaN.
template <class T>
Scalar<T> expected(const Shared<T>& A, const Shared<T>& B, const Shared<T>& C, Scalar<T> alpha,
                   Scalar<T> beta, Index k, Index i, Index j) {
  Scalar<T> sum(0);
  for (Index l = 0; l < k; ++l) sum += Scalar<T>(A.value(0, i, l)) * Scalar<T>(B.value(1, l, j));
  return beta == Scalar<T>(0) ? alpha * sum : alpha * sum + beta * Scalar<T>(C.value(2, i, j));
}

/// Restores each right element of C from `before`. All memory of C must then equal `before`.
/// @return the number of wrong or changed elements
template <class T>
int wrong_elements(const Context& context, const Shared<T>& A, const Shared<T>& B, Shared<T>& C,
                   Scalar<T> alpha, Scalar<T> beta, Index k, const std::vector<T>& before) {
  int wrong = 0;
  const T* const memory = C.memory().data();
  C.for_each(context, [&](T& x, Index i, Index j, bool inside) {
    if (!inside) return;
    if (Scalar<T>(detail::conjugated_if(C.trans() == 2, x)) == expected(A, B, C, alpha, beta, k, i, j)) {
      x = before[static_cast<std::size_t>(&x - memory)];
    } else {
      ++wrong;
    }
  });
  for (std::size_t i = 0; i < before.size(); ++i) wrong += same_bits(before[i], C.memory()[i]) ? 0 : 1;
  return wrong;
}

/// Counts the wrong elements of B = A and restores B from `before`. All memory of B must then equal `before`,
/// and that of A must equal `read`.
/// @return the number of wrong or changed elements
template <class T>
int wrong_of_move(const Context& context, Shared<T>& A, Shared<T>& B, const std::vector<T>& read,
                  const std::vector<T>& before) {
  int wrong = 0;
  const T* const memory = B.memory().data();
  B.for_each(context, [&](T& x, Index i, Index j, bool inside) {
    if (!inside) return;
    wrong += detail::conjugated_if(B.trans() == 2, x) == A.value(0, i, j) ? 0 : 1;
    x = before[static_cast<std::size_t>(&x - memory)];
  });
  for (std::size_t i = 0; i < before.size(); ++i) wrong += same_bits(before[i], B.memory()[i]) ? 0 : 1;
  for (std::size_t i = 0; i < read.size(); ++i) wrong += same_bits(read[i], A.memory()[i]) ? 0 : 1;
  return wrong;
}

}  // namespace rooftile::distributed::test
