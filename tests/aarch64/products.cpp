// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// products_of_set SET [broken]: checks the CPU kernels against the definition, on another processor and
// without Catch2. Exits with 1 if a product is wrong or if the library does not select SET. `broken` corrupts
// one element of each product.
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "bindings/offload/explain.hpp"
#include "cpu/driver.hpp"
#include "numerics/reference.hpp"
#include "plan/batch_parts.hpp"
#include "plan/prepare.hpp"
#include "rooftile/detail/batch_args.hpp"

namespace rooftile::testing {
namespace {

constexpr std::uint64_t seed = 20261125;
constexpr int trials = 60, large_trials = 6;  // per type, for integers and for reals

using Random = std::mt19937_64;

Index pick(Random& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

/// A value before, behind and between the elements. It corrupts every sum that reads it, and an overwrite is
/// detected.
template <class T>
T foreign() {
  if constexpr (std::is_integral_v<T>) {
    return 99;
  } else {
    return std::numeric_limits<T>::quiet_NaN();
  }
}

/// `count` matrices, row-major or column-major, contiguous or strided, with the rows in either order.
template <class T>
struct Placed {
  std::vector<T> memory;
  MatrixRef<T> first;
  Index stride;

  Placed(Random& random, Index rows, Index cols, Index count) {
    constexpr Index around = 64;
    const bool by_rows = pick(random, 0, 1) == 0;
    const Index step = pick(random, 0, 3) == 0 ? 2 : 1;
    const Index ld = step * (by_rows ? cols : rows) + pick(random, 0, 3);
    stride = ld * (by_rows ? rows : cols) + pick(random, 0, 3);
    memory.assign(static_cast<std::size_t>(2 * around + count * stride), foreign<T>());
    first = {memory.data() + around, rows, cols, by_rows ? ld : step, by_rows ? step : ld};
    if (pick(random, 0, 5) == 0)
      first = {&first(rows - 1, 0), rows, cols, -first.row_stride, first.col_stride};
  }

  template <class F>
  void for_each(Index count, const F& f) {
    for (Index entry = 0; entry < count; ++entry) {
      for (Index i = 0; i < first.rows; ++i) {
        for (Index j = 0; j < first.cols; ++j) f((&first(i, j))[entry * stride]);
      }
    }
  }
};

/// Compares bit for bit.
template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return std::memcmp(static_cast<const void*>(x.data()), y.data(), x.size() * sizeof(T)) == 0;
}

template <class T>
void compute(const BatchArgs<T>& args, const TileShape& blocks, int threads) {
  omp_set_num_threads(threads);
  const BatchArgs<T> ready = detail::prepared(detail::single_resolved(args));
  if (!detail::nothing_to_do(ready)) {
    const CpuPlan plan = detail::plan_on_cpu(detail::cpu_product(ready), blocks, threads);
    portable::CpuDriver<T>::run(portable::OpenMpThreads(), ready, plan);
  }
}

/// The blocks of this CPU, or blocks so small that small products have edge blocks of every kind.
template <class T>
TileShape blocks_of(bool are_small) {
  const TileShape own = multiplies_fp64(mode_of(own_mode<T>()).accumulator) ? portable::cache_blocks<double>()
                                                                            : portable::cache_blocks<float>();
  return are_small ? TileShape{2 * own.tm, 2 * own.tn, 24, own.tm, own.tn} : own;
}

struct Trial {
  bool exact;   ///< elements and scalars are small integers, so that no sum is rounded
  bool large;   ///< K exceeds KC
  bool broken;  ///< one element of the result is corrupted
};

/// Computes a random product or batch.
/// @return whether the result is right, only C is written, and the bits do not depend on the number of
/// threads
template <class T>
bool is_right(Random& random, const Trial& trial) {
  const auto extent = [&]() -> Index {
    return pick(random, 0, 9) < 3 ? pick(random, 1, 9) : pick(random, 1, pick(random, 0, 5) == 0 ? 300 : 60);
  };
  const Index m = trial.large ? pick(random, 1, 70) : extent(),
              n = trial.large ? pick(random, 1, 70) : extent();
  const Index k = trial.large ? pick(random, 1100, 1300) : extent();
  const Index count = m * n * k < 20000 ? pick(random, 1, 4) : 1;
  Placed<In<T>> a(random, m, k, count), b(random, k, n, count);
  Placed<Out<T>> c(random, m, n, count);
  std::uniform_real_distribution<float> uniform(-1, 1);
  const auto number = [&]<class X>(X& x) {
    constexpr int most = std::is_integral_v<X> ? 127 : 3;
    x = detail::from_parts<X>([&] {
      return static_cast<Real<Scalar<X>>>(trial.exact ? static_cast<float>(pick(random, -most - 1, most))
                                                      : uniform(random));
    });
  };
  a.for_each(count, number), b.for_each(count, number), c.for_each(count, number);
  const auto scalar = [&] {
    constexpr double of_reals[] = {0, 1, -1, 0.375};
    return static_cast<Scalar<T>>(trial.exact ? static_cast<double>(pick(random, -1, 2))
                                              : of_reals[pick(random, 0, 3)]);
  };
  const Scalar<T> alpha = scalar(), beta = scalar();
  if (alpha == Scalar<T>(0)) a.memory.assign(a.memory.size(), foreign<In<T>>());
  if (beta == Scalar<T>(0)) c.memory.assign(c.memory.size(), foreign<Out<T>>());
  const bool conjugates_a = pick(random, 0, 1) == 0, conjugates_b = pick(random, 0, 1) == 0;
  const MatrixRef<const In<T>> A = a.first, B = b.first;
  const BatchArgs<T> args{
      {alpha, conjugates_a ? A.conjugated() : A, conjugates_b ? B.conjugated() : B, beta, c.first},
      {count, a.stride, b.stride, c.stride}};
  const TileShape blocks = testing::blocks_of<T>(pick(random, 0, 1) == 0);

  std::vector<Reference<T>> references;
  for (Index entry = 0; entry < count; ++entry) references.emplace_back(args.product(entry));
  const std::vector<Out<T>> before = c.memory;
  compute(args, blocks, 1);
  const std::vector<Out<T>> alone = c.memory;
  c.memory = before;  // the second result has the address of the first
  compute(args, blocks, 3);
  bool right = same_bits(c.memory, alone);
  if (trial.broken) c.first(m - 1, n - 1) = Out<T>(foreign<Out<T>>());
  for (Index entry = 0; entry < count; ++entry) {
    const MatrixRef<const Out<T>> found = args.product(entry).C;
    const Reference<T>& reference = references[static_cast<std::size_t>(entry)];
    right = right && (trial.exact ? reference.compare_exact(found) : reference.compare(found)).passed();
  }
  c.for_each(count, [](Out<T>& x) { x = foreign<Out<T>>(); });
  right = right && same_bits(c.memory, std::vector<Out<T>>(c.memory.size(), foreign<Out<T>>()));
  if (!right) {
    std::printf("wrong: %s x %lld, blocks %s, alpha %s, beta %s, strides %lld %lld, %lld %lld, %lld %lld\n",
                to_string(args.shape()).c_str(), static_cast<long long>(count), to_string(blocks).c_str(),
                detail::text(alpha).c_str(), detail::text(beta).c_str(), static_cast<long long>(A.row_stride),
                static_cast<long long>(A.col_stride), static_cast<long long>(B.row_stride),
                static_cast<long long>(B.col_stride), static_cast<long long>(c.first.row_stride),
                static_cast<long long>(c.first.col_stride));
  }
  return right;
}

/// @return the number of wrong products of type T
template <class T>
int wrong_products(bool broken) {
  Random random(seed);
  int wrong = 0;
  for (const bool exact : {true, false}) {
    if (!exact && std::is_integral_v<In<T>>) continue;
    for (int i = 0; i < trials; ++i) wrong += !is_right<T>(random, {exact, i < large_trials, broken});
  }
  std::printf("%s: %d wrong\n", std::string(mode_of(own_mode<T>()).name).c_str(), wrong);
  return wrong;
}

int run(std::string_view set, bool broken) {
  if (portable::instruction_set() != set) {
    std::printf("takes %s\n", std::string(portable::instruction_set()).c_str());
    return 1;
  }
  const int wrong =
      wrong_products<float>(broken) + wrong_products<double>(broken) + wrong_products<float16>(broken) +
      wrong_products<bfloat16>(broken) + wrong_products<complex<float>>(broken) +
      wrong_products<complex<double>>(broken) + wrong_products<Mixed<float16, float>>(broken) +
      wrong_products<Mixed<bfloat16, float>>(broken) + wrong_products<Mixed<float, double>>(broken) +
      wrong_products<Mixed<std::int8_t, std::int32_t>>(broken);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace rooftile::testing

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: products_of_set SET [broken]\n", stderr), 2;
  return rooftile::testing::run(argv[1], argc > 2 && std::string_view(argv[2]) == "broken");
}
