// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/backend.hpp"
#include "backends/kokkos/run.hpp"
#include "rooftile/choose.hpp"
#include "rooftile/detail/batch.hpp"
#include "rooftile/detail/kokkos.hpp"

namespace rooftile::detail {

template <class Exec>
Target portable_target(const Exec& exec, Math math) {
  static_assert(portable::HasBackend<Exec>, "this execution space has no backend: add a folder in backends/");
  using Backend = portable::Backend<Exec>;
  require_kokkos();
  return {.path = Path::portable,
          .limits = Backend::limits(exec),
          .math = math,
          .cache_blocks = Backend::cache_blocks(type_of(math)),
          .sms = Backend::sm_count(exec),
          .fragments = Backend::has_fragments(exec) ? Backend::fragments : std::span<const Math>{},
          .asynchronous_copies = Backend::asynchronous_copies,
          .device = Backend::device_name(exec)};
}

/// What starts each rung that the execution space has.
template <class Exec, class T>
constexpr auto portable_kernels =
    kernel_table<portable::Run<Exec, T>>([]<Kernel kernel>(std::integral_constant<Kernel, kernel>) {
      constexpr const Rung& rung = rung_of(kernel);
      using Backend = portable::Backend<Exec>;
      constexpr bool here =
          rung.is_for(Backend::one_thread_teams) && (!rung.fragments || !Backend::fragments.empty());
      if constexpr (rung.portable && here) {
        return portable::runs<kernel, Exec, T>;
      } else {
        return KernelRow<portable::Run<Exec, T>>{};
      }
    });

/// Starts checked products on the kernel chosen for them. CPUs have one for all, which is looked for
/// once: a small product takes less time than that.
template <class Exec, class T>
void start_chosen(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options) {
  const auto look = [&] { return choose(args, options, portable_target(exec, own_math<T>())); };
  const auto start = [&](const Choice& choice) {
    portable_kernels<Exec, T>(choice.kernel, choice.math)(exec, args, choice.tile);
  };
  if constexpr (portable::Backend<Exec>::one_thread_teams &&
                rung_of(Kernel::packed).supports(own_math<T>(), Path::portable)) {
    if (options == GemmOptions{} || options == GemmOptions{.math = own_math<T>()}) {
      static const Choice usual = look();
      return start(usual);
    }
  }
  start(look());
}

template <class Exec, class T>
void gemm(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options) {
  require_kokkos();
  if (is_prepared(args)) {  // without a copy, which small products would feel
    check_one(args);
    return start_chosen(exec, args, options);
  }
  const BatchArgs<T> ready = prepared(args);
  if (!nothing_to_do(ready)) return start_chosen(exec, ready, options);
  require_known(options.kernel);
  resolved(options.math, type_of<T>());
}

}  // namespace rooftile::detail
