// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/device.hpp"
#include "distributed/mpi/watchdog.hpp"
#include "distributed/nccl/device.hpp"

/// Work that the processes enqueue on their streams together.
namespace rooftile::distributed {

/// @throws Error if the stream and the context are on different devices
inline void check_stream(cudaStream_t stream, int device) {
  const int current = cuda_native::current_device();
  const int there = cuda_native::device_of(stream, current);
  if (there == device) return;
  throw Error(detail::text("stream and context are on different devices (", there, " and ", device,
                           "): give a stream of the device that was current when the context was made"));
}

/// Calls f, for which other processes wait. If f fails, pending messages are aborted, and all processes are
/// told.
/// @throws Error in that case, with one text on all processes; the context is then lost
template <class F>
void run_or_give_up(Context& context, CudaContext::Device& device, const F& f) {
  try {
    f();
  } catch (const Error& error) {
    device.messages->abort();
    context.watch().give_up(error.what());
  }
}

/// Waits for an event. @throws Error if messages fail, or a process is missing
inline void wait_for(Context& context, CudaContext::Device& device, const Event& event) {
  context.watch().wait_until([&] {
    device.messages->check();
    return event.is_reached();
  });
}

/// Makes `stream` wait for all work on the stream of the context, and waits for both.
inline void wait_for_both(Context& context, CudaContext::Device& device, cudaStream_t stream) {
  device.ready.record(device.sends.get());
  device.ready.hold(stream);
  device.computed[0].record(stream);
  wait_for(context, device, device.computed[0]);
}

}  // namespace rooftile::distributed
