// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The gemm of KokkosKernels, a portable peer library. Excluded if it only calls a vendor library.
#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBlas3_gemm.hpp>

#include "kokkos_devices.hpp"
#include "library_candidate.hpp"

namespace rooftile::perf {
namespace {

template <class Exec, class T, class Layout>
using View = Kokkos::View<T**, Layout, typename Exec::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class Exec, class T, class F>
void with_view(const MatrixRef<T>& X, const F& f) {
  if (dense(X) == Dense::by_rows) {
    f(View<Exec, T, Kokkos::LayoutRight>(X.data, X.rows, X.cols));
  } else {
    f(View<Exec, T, Kokkos::LayoutLeft>(X.data, X.rows, X.cols));
  }
}

template <class Exec, class T>
void gemm(const Exec& exec, const GemmArgs<T>& args) {
  with_view<Exec>(args.A, [&](const auto& A) {
    with_view<Exec>(args.B, [&](const auto& B) {
      with_view<Exec>(
          args.C, [&](const auto& C) { KokkosBlas::gemm(exec, "N", "N", args.alpha, A, B, args.beta, C); });
    });
  });
}

template <class Exec, class T>
constexpr bool calls_vendor =
    KokkosBlas::Impl::gemm_tpl_spec_avail<Exec, View<Exec, const T, Kokkos::LayoutLeft>,
                                          View<Exec, const T, Kokkos::LayoutLeft>,
                                          View<Exec, T, Kokkos::LayoutLeft>>::value;

template <class T, class Exec>
void add_gemm(Machine& machine, Device& device, const Exec& exec) {
  if constexpr (calls_vendor<Exec, T>) {
    machine.absent.push_back({"peer", "KokkosKernels hands gemm on " + device.backend +
                                          " to a vendor's library, which is timed by itself"});
  } else {
    machine.add(
        peer_candidate<T>(device, "kokkoskernels", [exec](const GemmArgs<T>& args) { gemm(exec, args); }));
  }
}

/// One product per team, computed by KokkosBatched's TeamGemm.
template <class Exec, class T>
struct TeamProducts {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Trans = KokkosBatched::Trans::NoTranspose;
  template <class E>
  using Matrix = View<Exec, E, Kokkos::LayoutRight>;

  StridedArgs<T> batch;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const GemmArgs<T> p = batch.product(team.league_rank());
    const Matrix<const T> A(p.A.data, p.A.rows, p.A.cols), B(p.B.data, p.B.rows, p.B.cols);
    const Matrix<T> C(p.C.data, p.C.rows, p.C.cols);
    KokkosBatched::TeamGemm<Member, Trans, Trans, KokkosBatched::Algo::Gemm::Blocked>::invoke(
        team, p.alpha, A, B, p.beta, C);
  }
};

template <class T, class Exec>
void add_team_gemm(Machine& machine, Device& device, const Exec& exec) {
  const auto refusal = [](const BatchArgs<T>& args) -> Refusal {
    const auto by_rows = [](const auto& X) { return dense(X) == Dense::by_rows; };
    const GemmArgs<T>& p = args.first;
    if (!args.pointers.any() && args.batch.inner == 0 && by_rows(p.A) && by_rows(p.B) && by_rows(p.C))
      return {};
    return {Reason::shape,
            "KokkosBatched is compiled for row-major matrices without gaps: take --layout rrr"};
  };
  const auto launch = [exec](const BatchArgs<T>& args) {
    Kokkos::parallel_for("kokkosbatched",
                         Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(args.batch.count), Kokkos::AUTO),
                         TeamProducts<Exec, T>{{args.first, args.batch}});
  };
  Candidate<T> candidate{&device, own_mode<T>(), "peer", "kokkosbatched", "", 0, refusal, call_of<T>(launch)};
  candidate.on_request = true;
  machine.add(std::move(candidate));
}

void add(Machine& machine) {
  if (!Kokkos::is_initialized()) return;  // the portable provider reports why
  for_each_kokkos_device(machine, [&](Device& device, const auto& exec) {
    add_gemm<float>(machine, device, exec);
    add_gemm<double>(machine, device, exec);
    add_team_gemm<float>(machine, device, exec);
    add_team_gemm<double>(machine, device, exec);
  });
}

const Provider provider{Provider::peer, add};

}  // namespace
}  // namespace rooftile::perf
