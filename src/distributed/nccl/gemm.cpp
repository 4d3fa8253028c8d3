// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "cuda_native/device_accessible.hpp"
#include "distributed/mpi/agreement.hpp"
#include "distributed/mpi/checks.hpp"
#include "distributed/nccl/device.hpp"
#include "distributed/nccl/device_panels.hpp"
#include "distributed/nccl/started_work.hpp"
#include "plan/device_accessible.hpp"
#include "rooftile/cuda_native.hpp"

namespace rooftile::distributed {

namespace {

/// @throws Error if the device cannot access the local operands
template <class T>
void check_on_device(const GemmArgs<T>& held, int device) {
  detail::check_call_accessible<T>(
      held, nullptr, [&](const void* address) { return cuda_native::device_accessible(device, address); });
}

/// Runs the panels along K one after another, and waits. While `stream` multiplies one panel, the messages of
/// the next one are sent.
/// @param multiply  enqueues the product of panel [from, to) of a slot on the stream
template <class T, class Multiply>
void run_panels(Context& context, CudaContext::Device& device, cudaStream_t stream, const Plan& plan,
                DevicePanels<T>& of_a, DevicePanels<T>& of_b, const Multiply& multiply) {
  const cudaStream_t sends = device.sends.get();
  const Index k = plan.shape.k;
  const auto end_of = [&](Index from) { return std::min(k, from + (from > 0 ? plan.depth : plan.first)); };
  const auto start = [&](Index from, int slot) {
    if (!device.exchanges) return;
    of_a.start(from, end_of(from), slot, *device.messages, sends);
    of_b.start(from, end_of(from), slot, *device.messages, sends);
    device.messages->start(sends);
  };
  device.ready.record(stream);
  device.ready.hold(sends);
  start(0, 0);
  int panel = 0;
  for (Index from = 0; from < k; from = end_of(from), ++panel) {
    const int slot = panel % 2;
    if (device.exchanges) {
      device.messages->finish(sends);
      of_a.finish(sends), of_b.finish(sends);
    }
    Event& arrived = device.arrived[static_cast<std::size_t>(slot)];
    arrived.record(sends);
    const auto computed = [&](int number) -> Event& {
      return device.computed[static_cast<std::size_t>(number % CudaContext::Device::max_ahead)];
    };
    if (end_of(from) < k) {
      if (panel > 0) computed(panel - 1).hold(sends);  // the previous panel used the other slot
      start(end_of(from), 1 - slot);
    }
    if (panel >= CudaContext::Device::max_ahead)
      wait_for(context, device, computed(panel));  // records the panel `max_ahead` before
    arrived.hold(stream);
    multiply(from, end_of(from), slot);
    computed(panel).record(stream);
  }
  wait_for_both(context, device, stream);
}

template <class T>
void multiply(CudaContext& on_gpus, cudaStream_t stream, Scalar<T> alpha, const DistributedMatrix<const T>& A,
              const DistributedMatrix<const T>& B, Scalar<T> beta, const DistributedMatrix<T>& C,
              const GemmOptions& options) {
  Context& context = on_gpus.processes();
  CudaContext::Device& device = on_gpus.on_device();
  const DistributedMatrix<const T> Bt = B.transposed();
  const bool reads = alpha != Scalar<T>(0) && A.cols.extent > 0;
  const auto here = [&](const auto& X) {
    return local_block(X, context.grid(), context.row(), context.col());
  };
  Plan plan;
  RunLists lists;
  std::optional<DevicePanels<T>> of_a, of_b;
  Proposal mine;
  mine.refusal = refusal_of([&] {
    check_stream(stream, device.number);
    check_product(context, A, B, C);
    plan = plan_product(
        {context.grid(), A.rows, A.cols, B.rows, B.cols, C.rows, C.cols, type_of<T>(), reads, true},
        context.options().products);
    if (!context.in_grid()) return;
    check_on_device<T>({reads ? alpha : Scalar<T>(0), here(A), here(B), beta, here(C)}, device.number);
    if (plan.panels == 0) return;
    const Division division = division_of(plan, C.rows, C.cols, A.cols);
    of_a.emplace(context, A, C.rows, division, plan.depth, lists);
    of_b.emplace(context, Bt, C.cols, division, plan.depth, lists);
    device.workspace.reserve(plan.workspace, "allocate a distributed product's workspace");
    device.messages->reserve(of_a->message_bytes() + of_b->message_bytes());
    device.upload(lists);
    if (options != default_options && !detail::is_empty(here(C))) {  // checks the options
      of_b->take(of_a->take(device.workspace.data(), lies_along_k(A), lists, device.runs_there()),
                 lies_along_k(Bt), lists, device.runs_there());
      const auto a = of_a->panel(0, plan.first, 0), b = of_b->panel(0, plan.first, 0).transposed();
      static_cast<void>(cuda_native::explain<T>(stream, GemmArgs<T>{alpha, a, b, beta, here(C)}, options));
    }
  });
  Fingerprint fingerprint = fingerprint_of<T>(alpha, A, B, beta, C);
  fingerprint.add(options.kernel, options.math, options.tile.bm, options.tile.bn, options.repack);
  mine.fingerprint = fingerprint.value();
  mine.a_along_k = lies_along_k(A), mine.b_along_k = lies_along_k(Bt);
  const Proposal all = agree(context.watch(), mine);
  device.runs.forget();
  if (plan.panels > 0) {
    run_or_give_up(context, device, [&] { device.messages->meet(device.workspace.data()); });
    device.workspace.forget();  // now no process has it open
  }
  if (!context.in_grid() || plan.shape.m == 0 || plan.shape.n == 0) return;

  const MatrixRef<T> own = here(C);
  const auto product = [&](const MatrixRef<const T>& a, const MatrixRef<const T>& b, Scalar<T> beta_now) {
    if (device.multiplies) cuda_native::gemm(stream, alpha, a, b, beta_now, own, options);
  };
  run_or_give_up(context, device, [&] {
    if (plan.panels > 0) {
      std::byte* const behind =
          of_a->take(device.workspace.data(), all.a_along_k, lists, device.runs_there());
      of_b->take(behind, all.b_along_k, lists, device.runs_there());
      return run_panels(context, device, stream, plan, *of_a, *of_b, [&](Index from, Index to, int slot) {
        product(of_a->panel(from, to, slot), of_b->panel(from, to, slot).transposed(),
                from > 0 ? Scalar<T>(1) : beta);
      });
    }
    if (plan.in_place && reads) {
      product(here(A), here(B), beta);
    } else {
      cuda_native::gemm(stream, Scalar<T>(0), {nullptr, own.rows, 0, 0, 0}, {nullptr, 0, own.cols, 0, 0},
                        beta, own, options);
    }
    device.computed[0].record(stream);
    context.watch().wait_until([&] { return device.computed[0].is_reached(); });
  });
}

}  // namespace

template <class T>
void gemm(CudaContext& context, cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
          const DistributedMatrix<const T>& A, const DistributedMatrix<const T>& B,
          std::type_identity_t<Scalar<T>> beta, const DistributedMatrix<T>& C, const GemmOptions& options) {
  const cuda_native::OnDevice there(context.device());
  context.processes().watch().run([&] { multiply<T>(context, stream, alpha, A, B, beta, C, options); });
}

#define ROOFTILE_GEMM(T)                                                                           \
  template void gemm<T>(CudaContext&, cudaStream_t, Scalar<T>, const DistributedMatrix<const T>&,  \
                        const DistributedMatrix<const T>&, Scalar<T>, const DistributedMatrix<T>&, \
                        const GemmOptions&);
ROOFTILE_GEMM(float)
ROOFTILE_GEMM(double)
ROOFTILE_GEMM(float16)
ROOFTILE_GEMM(bfloat16)
ROOFTILE_GEMM(complex<float>)
ROOFTILE_GEMM(complex<double>)
#undef ROOFTILE_GEMM

}  // namespace rooftile::distributed
