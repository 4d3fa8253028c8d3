// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Random products inside teams, on the execution space of the build: `team_products [CASES [SEED]]`. Operands
// are small integers, so that every result is exact; all that surrounds them is NaN, which must neither be
// read nor change.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>

#include "rooftile/team_gemm.hpp"

namespace {

using rooftile::Index;
using Exec = Kokkos::DefaultExecutionSpace;
using Policy = Kokkos::TeamPolicy<Exec>;

constexpr int teams = 3;

enum class Entry { team, vector, thread };
enum class Where { global, level0, level1 };

/// A matrix in an array of `size` elements, of which others belong to nobody.
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

/// An operand (rows,cols) of a product, as it is read from a matrix in a layout: bit 0 transposes, bit 1
/// conjugates.
template <class T>
KOKKOS_FUNCTION rooftile::MatrixRef<T> operand(T* data, const Layout& x, int op) {
  rooftile::MatrixRef<T> X{data + x.first, x.rows, x.cols, x.row_stride, x.col_stride};
  if ((op & 1) != 0) X = X.transposed();
  return (op & 2) != 0 ? X.conjugated() : X;
}

template <class E, class R, Entry entry, rooftile::ComputeMode math>
struct Multiply {
  Kokkos::View<E*, Exec> a, b;
  Kokkos::View<R*, Exec> c;
  Case p;
  std::size_t copy_bytes;

  template <class T>
  KOKKOS_FUNCTION static T* place(const Policy::member_type& member, T* data, const Layout& x) {
    if (x.where == Where::global) return data;
    const int level = x.where == Where::level0 ? 0 : 1;
    const std::size_t bytes = static_cast<std::size_t>(x.size) * sizeof(T);
    T* const to = static_cast<T*>(member.team_scratch(level).get_shmem_aligned(bytes, 16));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, static_cast<int>(x.size)),
                         [&](int i) { to[i] = data[i]; });
    return to;
  }

  KOKKOS_FUNCTION void operator()(const Policy::member_type& member) const {
    const Index team = member.league_rank();
    R* const c_global = c.data() + team * p.c.size;
    E* const a_here = place(member, a.data() + team * p.a.size, p.a);
    E* const b_here = place(member, b.data() + team * p.b.size, p.b);
    R* const c_here = place(member, c_global, p.c);
    rooftile::TeamGemmOptions<0, 0, 0, math> options;
    options.barrier_before = options.barrier_after = p.barriers;
    if (p.staged && copy_bytes > 0) {
      options.scratch = member.team_scratch(0).get_shmem_aligned(copy_bytes, 16);
      options.scratch_bytes = copy_bytes;
    }
    if (!p.barriers || entry != Entry::team) member.team_barrier();
    const rooftile::MatrixRef<const E> A = operand<const E>(a_here, p.a, p.ops & 3);
    const rooftile::MatrixRef<const E> B = operand<const E>(b_here, p.b, p.ops >> 2 & 3);
    const rooftile::MatrixRef<R> C = operand<R>(c_here, p.c, p.ops >> 4 & 3);
    using S = rooftile::Scalar<R>;
    const S alpha(static_cast<rooftile::Real<S>>(p.alpha)), beta(static_cast<rooftile::Real<S>>(p.beta));
    if constexpr (entry == Entry::team) {
      rooftile::team_gemm(member, alpha, A, B, beta, C, options);
    } else if constexpr (entry == Entry::vector) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1),
                           [&](int) { rooftile::vector_gemm(member, alpha, A, B, beta, C, options); });
    } else {
      Kokkos::single(Kokkos::PerTeam(member), [&] { rooftile::thread_gemm(alpha, A, B, beta, C, options); });
    }
    member.team_barrier();
    if (p.c.where != Where::global) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(member, static_cast<int>(p.c.size)),
                           [&](int i) { c_global[i] = c_here[i]; });
    }
  }
};

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

Layout draw_layout(Random& random, Index rows, Index cols, bool has_scratch) {
  Layout x{rows, cols, 0, 0, random.one_of(0, 0, 0, 1, 2, 3, 4), 0, Where::global};
  const Index pad = random.one_of(0, 0, 1, 3, 4, 8), step = random.one_of(1, 1, 1, 1, 2);
  const bool by_rows = random.below(2) == 0;
  (by_rows ? x.col_stride : x.row_stride) = step;
  (by_rows ? x.row_stride : x.col_stride) = step * (by_rows ? cols : rows) + pad;
  x.size = x.first + (std::max<Index>(rows, 1) - 1) * x.row_stride +
           (std::max<Index>(cols, 1) - 1) * x.col_stride + 1 + 4;
  if (random.below(8) == 0 && rows > 1) {  // from the last row on, upwards
    x.first += (rows - 1) * x.row_stride;
    x.row_stride = -x.row_stride;
  }
  if (has_scratch) x.where = static_cast<Where>(random.below(3));
  return x;
}

int extent(Random& random) {
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
bool same_bits(const T& x, const T& y) {
  return std::memcmp(&x, &y, sizeof(T)) == 0;
}

template <class T>
T quiet_nan() {
  const auto part = [] { return std::numeric_limits<float>::quiet_NaN(); };
  return rooftile::detail::from_parts<T>(part);
}

/// An array with a matrix of digits -1, 0 and 1, or of NaN, for each team.
template <class T>
Kokkos::View<T*, Exec> filled(const Layout& x, bool with_numbers, std::uint64_t seed) {
  Kokkos::View<T*, Exec> view(Kokkos::view_alloc("operand", Kokkos::WithoutInitializing),
                              static_cast<std::size_t>(teams * x.size));
  auto host = Kokkos::create_mirror_view(view);
  Random random(seed);
  for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = quiet_nan<T>();
  for (Index t = 0; t < teams && with_numbers; ++t) {
    for (Index i = 0; i < x.rows; ++i) {
      for (Index j = 0; j < x.cols; ++j)
        host(static_cast<std::size_t>(t * x.size + x.first + i * x.row_stride + j * x.col_stride)) =
            rooftile::detail::from_parts<T>([&] { return static_cast<float>(random.below(3) - 1); });
    }
  }
  Kokkos::deep_copy(view, host);
  return view;
}

/// @return whether the product is right
template <class E, class R, Entry entry, rooftile::ComputeMode math>
bool run(Case p, std::uint64_t seed) {
  using S = rooftile::Scalar<R>;
  const auto a = filled<E>(p.a, p.alpha != 0, seed), b = filled<E>(p.b, p.alpha != 0, seed + 1);
  const auto c = filled<R>(p.c, p.beta != 0, seed + 2);
  const auto a_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  const auto b_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  const auto before = Kokkos::create_mirror(Kokkos::HostSpace(), c);
  Kokkos::deep_copy(before, c);

  Multiply<E, R, entry, math> multiply{a, b, c, p, 0};
  if (p.staged)
    multiply.copy_bytes =
        rooftile::detail::staged_bytes<E>(p.m, p.k) + rooftile::detail::staged_bytes<E>(p.k, p.n);
  std::size_t bytes[2] = {0, 0};
  const auto add = [&](const Layout& x, std::size_t size) {
    if (x.where != Where::global)
      bytes[x.where == Where::level0 ? 0 : 1] += static_cast<std::size_t>(x.size) * size + 32;
  };
  add(p.a, sizeof(E)), add(p.b, sizeof(E)), add(p.c, sizeof(R));
  constexpr std::size_t most = 30 << 10;  // that every backend has
  if (bytes[0] + multiply.copy_bytes + 32 > most) multiply.copy_bytes = 0;
  if (bytes[0] > most) {
    for (Layout* x : {&multiply.p.a, &multiply.p.b, &multiply.p.c})
      if (x->where == Where::level0) x->where = Where::level1;
    bytes[1] += bytes[0], bytes[0] = 0;
  }
  if (multiply.copy_bytes > 0) bytes[0] += multiply.copy_bytes + 32;
  const auto with_scratch = [&](Policy policy) {
    return policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes[0])))
        .set_scratch_size(1, Kokkos::PerTeam(static_cast<int>(bytes[1])));
  };
  const Policy one = with_scratch(Policy(teams, 1, p.vector_length));
  const int size = std::min(p.team_size, one.team_size_max(multiply, Kokkos::ParallelForTag()));
  Kokkos::parallel_for("product",
                       p.team_size == 0 ? with_scratch(Policy(teams, Kokkos::AUTO, p.vector_length))
                                        : with_scratch(Policy(teams, std::max(size, 1), p.vector_length)),
                       multiply);
  const auto after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c);

  const S alpha(static_cast<rooftile::Real<S>>(p.alpha)), beta(static_cast<rooftile::Real<S>>(p.beta));
  for (Index t = 0; t < teams; ++t) {
    std::vector<R> expected(before.data() + t * p.c.size, before.data() + (t + 1) * p.c.size);
    const auto A = operand<const E>(a_host.data() + t * p.a.size, p.a, p.ops & 3);
    const auto B = operand<const E>(b_host.data() + t * p.b.size, p.b, p.ops >> 2 & 3);
    const auto C = operand<R>(expected.data(), p.c, p.ops >> 4 & 3);
    for (Index i = 0; i < p.m; ++i) {
      for (Index j = 0; j < p.n; ++j) {
        S sum(0);
        for (Index k = 0; k < p.k && p.alpha != 0; ++k)
          rooftile::detail::multiply_add(sum, static_cast<S>(A.value(i, k)), static_cast<S>(B.value(k, j)));
        S value = p.alpha == 0 ? S(0) : alpha * sum;
        if (p.beta != 0) value = value + beta * static_cast<S>(C.value(i, j));
        C(i, j) = C.read(static_cast<R>(value));
      }
    }
    const R* const got = after.data() + t * p.c.size;
    for (Index i = 0; i < p.c.size; ++i) {
      const R& want = expected[static_cast<std::size_t>(i)];
      const bool is_number = want == want;
      if (is_number ? got[i] == want : same_bits(got[i], want)) continue;
      std::printf("wrong element %lld of team %lld (entry %d, %zu bytes, mode %d): %s\n",
                  static_cast<long long>(i), static_cast<long long>(t), static_cast<int>(entry), sizeof(E),
                  static_cast<int>(math), p.text().c_str());
      return false;
    }
  }
  return true;
}

template <class E, class R, rooftile::ComputeMode math = rooftile::ComputeMode::automatic>
bool run_entry(int entry, const Case& p, std::uint64_t seed) {
  switch (entry) {
    case 0:
      return run<E, R, Entry::vector, math>(p, seed);
    case 1:
      return run<E, R, Entry::thread, math>(p, seed);
    default:
      return run<E, R, Entry::team, math>(p, seed);
  }
}

bool run_case(std::uint64_t seed) {
  Random random(seed);
  Case p{};
  p.m = extent(random), p.n = extent(random), p.k = extent(random);
  p.team_size = random.one_of(0, 1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 48, 64, 96, 128, 256);
  p.vector_length = random.one_of(1, 1, 1, 2, 4, 8, 16, 32);
  p.alpha = random.one_of(1, 1, 1, -1, 2, 0), p.beta = random.one_of(0, 0, 1, 1, -1, 2);
  p.ops = random.below(64);
  p.staged = random.below(2) == 0, p.barriers = random.below(4) != 0;
  const int entry = random.below(8), type = random.below(9);
  const auto layout = [&](Index rows, Index cols, int op) {
    return (op & 1) != 0 ? draw_layout(random, cols, rows, true) : draw_layout(random, rows, cols, true);
  };
  p.a = layout(p.m, p.k, p.ops), p.b = layout(p.k, p.n, p.ops >> 2), p.c = layout(p.m, p.n, p.ops >> 4);
  using namespace rooftile;
  switch (type) {
    case 0:
      return run_entry<float, float>(entry, p, seed);
    case 1:
      return run_entry<double, double>(entry, p, seed);
    case 2:
      return run_entry<float16, float16>(entry, p, seed);
    case 3:
      return run_entry<bfloat16, bfloat16>(entry, p, seed);
    case 4:
      return run_entry<complex<float>, complex<float>>(entry, p, seed);
    case 5:
      return run_entry<complex<double>, complex<double>>(entry, p, seed);
    case 6:
      return run_entry<float16, float>(entry, p, seed);
    case 7:
      return run_entry<bfloat16, float>(entry, p, seed);
    default:
      return run_entry<float, float, ComputeMode::tf32>(entry, p, seed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int cases = argc > 1 ? std::atoi(argv[1]) : 2000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20261129;
  int wrong = 0;
  for (int i = 0; i < cases && wrong < 20; ++i)
    wrong += run_case(seed + static_cast<std::uint64_t>(i) * 7919) ? 0 : 1;
  std::printf("%s: %d products in teams from seed %llu, %d wrong\n", Exec::name(), cases,
              static_cast<unsigned long long>(seed), wrong);
  return wrong == 0 && cases > 0 ? 0 : 1;
}
