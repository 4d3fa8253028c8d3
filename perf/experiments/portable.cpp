// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of the experiments in Kokkos, one source for GPUs and CPUs with the names of the native
// kernels. They run on every device that this Kokkos build supports.
#include <Kokkos_Core.hpp>

#include "../providers/kokkos_devices.hpp"
#include "kernels.hpp"

namespace rooftile::perf {
namespace portable_texts {

template <class Exec>
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;

/// `count` adjacent values, loaded and stored in one access where the processor can.
template <int count>
struct alignas(sizeof(float) * count) Pack {
  float x[count];
};

/// A thread's accesses are as far apart as there are threads, so that adjacent threads access adjacent
/// memory.
template <class Exec, int bytes, int elements>
void increment(const Exec& exec, float* a, Index count) {
  using V = Pack<bytes / 4>;
  const Index accesses = count * 4 / bytes, threads = accesses / elements;
  V* const v = reinterpret_cast<V*>(a);
  Kokkos::parallel_for(
      "increment", Range<Exec>(exec, 0, threads), KOKKOS_LAMBDA(Index thread) {
        V x[elements];
        for (int e = 0; e < elements; ++e) x[e] = v[thread + e * threads];
        for (int e = 0; e < elements; ++e) {
          for (float& value : x[e].x) value += 1;
          v[thread + e * threads] = x[e];
        }
      });
}

template <class Exec>
void run_increment(const Exec& exec, float* a, Index count, const IncrementLaunch& launch) {
  with_constant<4, 8, 16>(launch.bytes, [&]<int bytes>() {
    with_constant<1, 2, 4>(launch.elements,
                           [&]<int elements>() { increment<Exec, bytes, elements>(exec, a, count); });
  });
}

template <int branching, class Exec>
void branches(const Exec& exec, std::uint32_t* x, Index count) {
  Kokkos::parallel_for(
      "divergence", Range<Exec>(exec, 0, count), KOKKOS_LAMBDA(Index i) {
        std::uint32_t own = x[i];
        branch<branching>(own, i);
        x[i] = own;
      });
}

template <class Exec>
void run_branches(const Exec& exec, std::uint32_t* x, Index count, int branching) {
  with_constant<0, 1, 2, 3>(branching, [&]<int value>() { branches<value>(exec, x, count); });
}

template <int values, bool chained, class Exec>
void hold_registers(const Exec& exec, std::uint32_t* x, Index count) {
  Kokkos::parallel_for(
      "registers", Range<Exec>(exec, 0, count / values),
      KOKKOS_LAMBDA(Index i) { hold<values, chained>(x, i); });
}

template <class Exec>
void run_registers(const Exec& exec, std::uint32_t* x, Index count, const RegisterLaunch& launch) {
  with_held(launch, [&]<int values, bool chained>() { hold_registers<values, chained>(exec, x, count); });
}

/// A team transposes a tile in place in scratch memory. Without the barrier, teams of more than one thread
/// have a race.
template <class Exec>
void run_transpose(const Exec& exec, float* to, const float* from, Index order, const TransposeLaunch& launch,
                   bool shares_tiles) {
  using Policy = Kokkos::TeamPolicy<Exec>;
  const int t = launch.tile;
  const bool barrier = launch.barrier;
  const Index tiles = order / t;
  const int bytes = t * t * static_cast<int>(sizeof(float));
  Kokkos::parallel_for(
      "transpose",
      Policy(exec, static_cast<int>(tiles * tiles), shares_tiles ? t * t : 1)
          .set_scratch_size(0, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        float* const shared = static_cast<float*>(team.team_shmem().get_shmem(bytes));  // (T,T)
        const Index first = team.league_rank() / tiles * t * order + team.league_rank() % tiles * t;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, t * t),
                             [&](int i) { shared[i] = from[first + i / t * order + i % t]; });
        if (barrier) team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, t * t),
                             [&](int i) { to[first + i / t * order + i % t] = shared[i % t * t + i / t]; });
      });
}

template <class Exec>
void run_add(const Exec& exec, float* c, const float* a, const float* b, Index count) {
  Kokkos::parallel_for(
      "add", Range<Exec>(exec, 0, count), KOKKOS_LAMBDA(Index i) { c[i] = a[i] + b[i]; });
}

}  // namespace portable_texts

namespace {

template <class Exec>
void add_path(Device& device, const Exec& exec, std::vector<TextKernels>& all) {
  namespace texts = portable_texts;
  const bool gpu = is_gpu(device);
  TextKernels own;
  own.device = &device;
  own.path = "portable";
  for (const int elements : {1, 2, 4}) {
    for (const int bytes : {4, 8, 16})
      own.increments.push_back({bytes, elements, 0, gpu ? 0 : exec.concurrency()});
  }
  own.increment = [exec](float* a, Index count, const IncrementLaunch& launch) {
    texts::run_increment(exec, a, count, launch);
  };
  own.lanes = {gpu ? 32 : 1};
  own.branch = [exec](std::uint32_t* x, Index count, int branching, int) {
    texts::run_branches(exec, x, count, branching);
  };
  own.hold = [exec](std::uint32_t* x, Index count, const RegisterLaunch& launch) {
    texts::run_registers(exec, x, count, launch);
  };
  own.transpose = [exec, gpu](float* to, const float* from, Index order, const TransposeLaunch& launch) {
    texts::run_transpose(exec, to, from, order, launch, gpu);
  };
  own.shares_tiles = gpu;
  own.add = [exec](float* c, const float* a, const float* b, Index count) {
    texts::run_add(exec, c, a, b, count);
  };
  all.push_back(std::move(own));
}

void add(Machine& machine, std::vector<TextKernels>& all) {
  if (!Kokkos::is_initialized()) return;
  for_each_kokkos_device(machine, [&](Device& device, const auto& exec) { add_path(device, exec, all); });
}

const TextKernelProvider provider{add};

}  // namespace
}  // namespace rooftile::perf
