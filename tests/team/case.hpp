// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "rooftile/problem.hpp"
#include "rooftile/types.hpp"

/// Random products inside teams. Operands are small integers, so that every result is exact. The elements
/// around them are NaN, which must be neither read nor changed.
namespace rooftile::testing {

/// Number of teams. Each computes the product with its own operands.
inline constexpr int teams = 3;

enum class Where { global, level0, level1 };

/// A matrix in an array of `size` elements.
struct Layout {
  Index rows, cols, row_stride, col_stride, first, size;
  Where where;
};

struct Case {
  Layout a, b, c;
  Index m, n, k;
  int team_size, vector_length, alpha, beta, ops;
  bool staged, barriers;
  std::string text() const {
    const auto layout = [](const char* name, const Layout& x) {
      return std::string(name) + " strides " + std::to_string(x.row_stride) + "," +
             std::to_string(x.col_stride) + " at " + std::to_string(x.first) + " in space " +
             std::to_string(static_cast<int>(x.where));
    };
    return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + ", team " +
           std::to_string(team_size) + "x" + std::to_string(vector_length) + ", alpha " +
           std::to_string(alpha) + ", beta " + std::to_string(beta) + ", ops " + std::to_string(ops) +
           ", scratch " + std::to_string(staged) + ", " + layout("A", a) + ", " + layout("B", b) + ", " +
           layout("C", c);
  }
};

/// Returns an operand (rows,cols) of a product from a matrix in a layout.
/// @param op  bit 0 transposes, bit 1 conjugates
template <class T>
ROOFTILE_FUNCTION MatrixRef<T> operand(T* data, const Layout& x, int op) {
  MatrixRef<T> X{data + x.first, x.rows, x.cols, x.row_stride, x.col_stride};
  if ((op & 1) != 0) X = X.transposed();
  return (op & 2) != 0 ? X.conjugated() : X;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  int below(int n) { return static_cast<int>(bits_() % static_cast<unsigned>(n)); }
  template <class... Int>
  int one_of(Int... values) {
    const int all[] = {values...};
    return all[below(static_cast<int>(sizeof...(values)))];
  }

 private:
  std::mt19937_64 bits_;
};

inline Layout draw_layout(Random& random, Index rows, Index cols, bool has_scratch) {
  Layout x{rows, cols, 0, 0, random.one_of(0, 0, 0, 1, 2, 3, 4), 0, Where::global};
  const Index pad = random.one_of(0, 0, 1, 3, 4, 8), step = random.one_of(1, 1, 1, 1, 2);
  const bool by_rows = random.below(2) == 0;
  (by_rows ? x.col_stride : x.row_stride) = step;
  (by_rows ? x.row_stride : x.col_stride) = step * (by_rows ? cols : rows) + pad;
  x.size = x.first + (std::max<Index>(rows, 1) - 1) * x.row_stride +
           (std::max<Index>(cols, 1) - 1) * x.col_stride + 1 + 4;
  if (random.below(8) == 0 && rows > 1) {  // the last row comes first
    x.first += (rows - 1) * x.row_stride;
    x.row_stride = -x.row_stride;
  }
  if (has_scratch) x.where = static_cast<Where>(random.below(3));
  return x;
}

inline int extent(Random& random) {
  switch (random.below(8)) {
    case 0:
      return random.below(4);
    case 1:
      return random.one_of(8, 16, 32, 64);
    case 2:
      return 33 + random.below(40);
    default:
      return 1 + random.below(36);
  }
}

template <class T>
double first_part(const T& x) {
  const auto y = static_cast<Scalar<T>>(x);
  if constexpr (detail::is_complex<T>) {
    return static_cast<double>(y.re);
  } else {
    return static_cast<double>(y);
  }
}

template <class T>
T quiet_nan() {
  const auto part = [] { return std::numeric_limits<float>::quiet_NaN(); };
  return detail::from_parts<T>(part);
}

/// Returns one matrix per team, with elements of -1, 0 and 1, or NaN, and NaN around them.
template <class T>
std::vector<T> filled(const Layout& x, bool with_numbers, std::uint64_t seed) {
  std::vector<T> all(static_cast<std::size_t>(teams * x.size), quiet_nan<T>());
  Random random(seed);
  for (Index t = 0; t < teams && with_numbers; ++t) {
    for (Index i = 0; i < x.rows; ++i) {
      for (Index j = 0; j < x.cols; ++j) {
        all[static_cast<std::size_t>(t * x.size + x.first + i * x.row_stride + j * x.col_stride)] =
            detail::from_parts<T>([&] { return static_cast<float>(random.below(3) - 1); });
      }
    }
  }
  return all;
}

/// The operands of a case.
template <class E, class R>
struct Operands {
  std::vector<E> a, b;
  std::vector<R> c;

  Operands(const Case& p, std::uint64_t seed)
      : a(filled<E>(p.a, p.alpha != 0, seed)),
        b(filled<E>(p.b, p.alpha != 0, seed + 1)),
        c(filled<R>(p.c, p.beta != 0, seed + 2)) {}

  /// Returns whether `after` is C after the products, and prints the first wrong element.
  /// @param what  name of the function that was called
  bool check(const Case& p, const std::vector<R>& after, const char* what) const {
    using S = Scalar<R>;
    const S alpha(static_cast<Real<S>>(p.alpha)), beta(static_cast<Real<S>>(p.beta));
    for (Index t = 0; t < teams; ++t) {
      std::vector<R> expected(c.data() + t * p.c.size, c.data() + (t + 1) * p.c.size);
      const auto A = operand<const E>(a.data() + t * p.a.size, p.a, p.ops & 3);
      const auto B = operand<const E>(b.data() + t * p.b.size, p.b, p.ops >> 2 & 3);
      const auto C = operand<R>(expected.data(), p.c, p.ops >> 4 & 3);
      for (Index i = 0; i < p.m; ++i) {
        for (Index j = 0; j < p.n; ++j) {
          S sum(0);
          for (Index k = 0; k < p.k && p.alpha != 0; ++k)
            detail::multiply_add(sum, static_cast<S>(A.value(i, k)), static_cast<S>(B.value(k, j)));
          S value = p.alpha == 0 ? S(0) : alpha * sum;
          if (p.beta != 0) value = value + beta * static_cast<S>(C.value(i, j));
          C(i, j) = C.read(static_cast<R>(value));
        }
      }
      const R* const got = after.data() + t * p.c.size;
      for (Index i = 0; i < p.c.size; ++i) {
        const R& want = expected[static_cast<std::size_t>(i)];
        const bool is_number = want == want;
        if (is_number ? got[i] == want : std::memcmp(&got[i], &want, sizeof(R)) == 0) continue;
        std::printf("wrong element %lld of team %lld (%g instead of %g, %s, %s): %s\n",
                    static_cast<long long>(i), static_cast<long long>(t), first_part(got[i]),
                    first_part(want), what, std::string(to_string(own_mode<ProductOf<E, R>>())).c_str(),
                    p.text().c_str());
        return false;
      }
    }
    return true;
  }
};

/// Draws a case. @param has_level1  whether there is scratch memory of level 1
inline Case draw_case(Random& random, bool has_level1) {
  Case p{};
  p.m = extent(random), p.n = extent(random), p.k = extent(random);
  p.team_size = random.one_of(0, 1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 48, 64, 96, 128, 256);
  p.vector_length = random.one_of(1, 1, 1, 2, 4, 8, 16, 32);
  p.alpha = random.one_of(1, 1, 1, -1, 2, 0), p.beta = random.one_of(0, 0, 1, 1, -1, 2);
  p.ops = random.below(64);
  p.staged = random.below(2) == 0, p.barriers = random.below(4) != 0;
  const auto layout = [&](Index rows, Index cols, int op) {
    return (op & 1) != 0 ? draw_layout(random, cols, rows, has_level1)
                         : draw_layout(random, rows, cols, has_level1);
  };
  p.a = layout(p.m, p.k, p.ops), p.b = layout(p.k, p.n, p.ops >> 2), p.c = layout(p.m, p.n, p.ops >> 4);
  return p;
}

/// Calls `run.operator()<E, R, math>()` for type number `type` of `type_count`. @return its result
inline constexpr int type_count = 9;
template <class F>
bool with_types(int type, const F& run) {
  constexpr ComputeMode automatic = ComputeMode::automatic;
  switch (type) {
    case 0:
      return run.template operator()<float, float, automatic>();
    case 1:
      return run.template operator()<double, double, automatic>();
    case 2:
      return run.template operator()<float16, float16, automatic>();
    case 3:
      return run.template operator()<bfloat16, bfloat16, automatic>();
    case 4:
      return run.template operator()<complex<float>, complex<float>, automatic>();
    case 5:
      return run.template operator()<complex<double>, complex<double>, automatic>();
    case 6:
      return run.template operator()<float16, float, automatic>();
    case 7:
      return run.template operator()<bfloat16, float, automatic>();
    default:
      return run.template operator()<float, float, ComputeMode::tf32>();
  }
}

/// Runs random cases, each with `run(seed)`, and prints how many are wrong. Stops after 20 wrong cases.
/// @return the program's exit status
template <class Run>
int run_cases(int argc, char** argv, const char* where, const Run& run) {
  const int cases = argc > 1 ? std::atoi(argv[1]) : 2000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20261129;
  int wrong = 0;
  for (int i = 0; i < cases && wrong < 20; ++i)
    wrong += run(seed + static_cast<std::uint64_t>(i) * 7919) ? 0 : 1;
  std::printf("%s: %d products in teams from seed %llu, %d wrong\n", where, cases,
              static_cast<unsigned long long>(seed), wrong);
  return wrong == 0 && cases > 0 ? 0 : 1;
}

}  // namespace rooftile::testing
