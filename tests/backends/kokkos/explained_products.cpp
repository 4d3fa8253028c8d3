// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "explained_products.hpp"

#include <set>

#include <Kokkos_Core.hpp>

#include "rooftile/gemm.hpp"
#include "tests/support/random_products.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;
constexpr bool on_cpu = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

/// The names of what is launched, while the object lives.
class Launches {
 public:
  Launches() {
    names().clear();
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(
        [](const char* name, std::uint32_t, std::uint64_t*) { names().insert(name); });
  }
  ~Launches() { Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr); }
  Launches(const Launches&) = delete;
  Launches& operator=(const Launches&) = delete;

  static std::set<std::string>& names() {
    static std::set<std::string> seen;
    return seen;
  }
};

/// What a plan is to launch.
std::set<std::string> launches_of(const GemmPlan& plan) {
  const std::string kernel = "rooftile::" + std::string(rung_of(plan.kernel).name);
  const bool tma = rung_of(plan.kernel).tma;
  if (plan.by_caller) return {};
  if (tma && plan.desc.shape.k == 0) return {kernel + "_sum"};
  std::set<std::string> names{kernel};
  if ((plan.repack || tma) && (plan.a.repack || plan.b.repack)) names.insert("rooftile::repack");
  if (plan.stream.shared > 0 || (tma && plan.splits > 1)) names.insert(kernel + "_sum");
  return names;
}

std::string text_of(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + ' ';
  return text;
}

template <class T>
void explain_some(int products, Explained& found) {
  const Index elements = on_cpu ? 1 << 18 : 1 << 22;
  const Kokkos::View<T*, Memory> a("a", elements), b("b", elements), c("c", elements);
  RandomProducts<T> random(20261122 + static_cast<int>(type_of<T>()), a.data(), b.data(), c.data(), elements);
  const Exec exec;
  const int until = found.computed + products;
  for (int i = 0; found.computed < until && found.fault.empty(); ++i) {
    const BatchArgs<T> args = random.draw();
    const double flops = args.shape().flops() * static_cast<double>(args.batch.count);
    if (on_cpu && flops > (i % 16 == 0 ? 2e7 : 1e6)) continue;  // of which few are for more threads than one
    const GemmOptions options = random.options();
    GemmPlan plan;
    std::set<std::string> launched;
    const std::string refusal = refused([&] { plan = detail::explain(exec, args, options); });
    const std::string refusal_of_gemm = refused([&] {
      const Launches launches;
      detail::gemm(exec, args, options);
      launched = Launches::names();
    });
    const std::string product = detail::text(to_string(type_of<T>()), " number ", i, ", ", args.batch.count,
                                             " of ", to_string(args.shape()), ": ");
    if (refusal != refusal_of_gemm) {
      found.fault = product + "explain says \"" + refusal + "\", gemm \"" + refusal_of_gemm + '"';
    } else if (!refusal.empty()) {
      ++found.refused;
    } else if (launched != launches_of(plan)) {
      found.fault = product + text_of(launched) + "instead of " + text_of(launches_of(plan));
    } else {
      ++found.computed;
      const Launches launches;
      detail::run(plan, exec, args);
      if (Launches::names() != launched) found.fault = product + "run does otherwise than gemm";
    }
    exec.fence();
  }
}

}  // namespace

bool has_device() {
#ifdef KOKKOS_ENABLE_CUDA
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
#elif defined(KOKKOS_ENABLE_HIP)
  int count = 0;
  return hipGetDeviceCount(&count) == hipSuccess && count > 0;
#else
  return true;
#endif
}

Explained explain_products(int computed) {
  const Kokkos::ScopeGuard kokkos;
  Explained found;
  explain_some<float>(computed / 4, found);
  explain_some<double>(computed / 4, found);
  explain_some<float16>(computed / 4, found);
  explain_some<bfloat16>(computed / 4, found);
  return found;
}

}  // namespace rooftile::testing
