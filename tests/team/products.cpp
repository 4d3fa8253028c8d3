// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Random products inside Kokkos teams, on the execution space of the build: `team_products [CASES [SEED]]`.
#include <Kokkos_Core.hpp>

#include "case.hpp"
#include "rooftile/team_gemm.hpp"

namespace {

using namespace rooftile::testing;
using rooftile::Index;
using Exec = Kokkos::DefaultExecutionSpace;
using Policy = Kokkos::TeamPolicy<Exec>;

enum class Entry { team, vector, thread };

template <class E, class R, Entry entry, rooftile::ComputeMode math>
struct Multiply {
  E *a, *b;
  R* c;
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
    R* const c_global = c + team * p.c.size;
    E* const a_here = place(member, a + team * p.a.size, p.a);
    E* const b_here = place(member, b + team * p.b.size, p.b);
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

/// @return whether the product is right
template <class E, class R, Entry entry, rooftile::ComputeMode math>
bool run(Case p, std::uint64_t seed) {
  const Operands<E, R> operands(p, seed);
  const auto uploaded = [](const auto& from) {
    using T = typename std::remove_cvref_t<decltype(from)>::value_type;
    Kokkos::View<T*, Exec> to(Kokkos::view_alloc("operand", Kokkos::WithoutInitializing), from.size());
    Kokkos::deep_copy(to, Kokkos::View<const T*, Kokkos::HostSpace>(from.data(), from.size()));
    return to;
  };
  const auto a = uploaded(operands.a), b = uploaded(operands.b);
  const auto c = uploaded(operands.c);
  Multiply<E, R, entry, math> multiply{a.data(), b.data(), c.data(), p, 0};
  if (p.staged)
    multiply.copy_bytes =
        rooftile::detail::staged_bytes<E>(p.m, p.k) + rooftile::detail::staged_bytes<E>(p.k, p.n);
  std::size_t bytes[2] = {0, 0};
  const auto add = [&](const Layout& x, std::size_t size) {
    if (x.where != Where::global)
      bytes[x.where == Where::level0 ? 0 : 1] += static_cast<std::size_t>(x.size) * size + 32;
  };
  add(p.a, sizeof(E)), add(p.b, sizeof(E)), add(p.c, sizeof(R));
  constexpr std::size_t most = 30 << 10;  // available on every backend
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
  const int size = std::max(1, std::min(p.team_size, one.team_size_max(multiply, Kokkos::ParallelForTag())));
  Kokkos::parallel_for("product",
                       p.team_size == 0 ? with_scratch(Policy(teams, Kokkos::AUTO, p.vector_length))
                                        : with_scratch(Policy(teams, size, p.vector_length)),
                       multiply);
  std::vector<R> after(operands.c.size());
  Kokkos::deep_copy(Kokkos::View<R*, Kokkos::HostSpace>(after.data(), after.size()), c);
  return operands.check(p, after,
                        entry == Entry::team     ? "team_gemm"
                        : entry == Entry::vector ? "vector_gemm"
                                                 : "thread_gemm");
}

bool run_case(std::uint64_t seed) {
  Random random(seed);
  const int type = random.below(type_count), entry = random.below(8);
  const Case p = draw_case(random, true);
  return with_types(type, [&]<class E, class R, rooftile::ComputeMode math>() {
    return entry == 0   ? run<E, R, Entry::vector, math>(p, seed)
           : entry == 1 ? run<E, R, Entry::thread, math>(p, seed)
                        : run<E, R, Entry::team, math>(p, seed);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return run_cases(argc, argv, Exec::name(), run_case);
}
