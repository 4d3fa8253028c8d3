// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/detail/host_product.hpp"

#include "cpu/driver.hpp"
#include "plan/prepare.hpp"

namespace rooftile::detail {
namespace {

/// Runs all work on the calling thread.
struct OneThread final : portable::Threads {
  int count() const override { return 1; }
  bool computes_alone() const override { return true; }
  portable::ThreadOfLaunch this_thread() const override { return {0, 1}; }
  void start(Index size, Work work) const override {
    for (Index i = 0; i < size; ++i) work(i);
  }
};

/// @param ready  a prepared product (`plan/prepare.hpp`)
template <class T>
void multiply(const BatchArgs<T>& ready) {
  static const TileShape real = portable::real_blocks<T>();
  if (portable::run_if_tiny(ready, real)) return;
  portable::CpuDriver<T>::run(OneThread(), ready, plan_on_cpu(cpu_product(ready), real, 1));
}

}  // namespace

template <class T>
void host_product(const GemmArgs<T>& args) {
  const BatchArgs<T> given{args, {}};
  if (is_prepared(given)) return multiply(given);  // a copy would take a tenth of a tiny product's time
  const BatchArgs<T> ready = in_kernel_order<T>(reads_conjugates(args.C) ? args.conjugated() : args);
  if (!is_empty(ready.first.C)) multiply(ready);
}

template void host_product(const GemmArgs<float>&);
template void host_product(const GemmArgs<double>&);
template void host_product(const GemmArgs<float16>&);
template void host_product(const GemmArgs<bfloat16>&);
template void host_product(const GemmArgs<complex<float>>&);
template void host_product(const GemmArgs<complex<double>>&);
template void host_product(const GemmArgs<Mixed<float16, float>>&);
template void host_product(const GemmArgs<Mixed<bfloat16, float>>&);

}  // namespace rooftile::detail
