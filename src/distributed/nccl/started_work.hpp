// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/device.hpp"
#include "distributed/mpi/watchdog.hpp"
#include "distributed/nccl/device.hpp"

/// Of work that processes put on their streams together.
namespace rooftile::distributed {

/// @throws Error where the stream is of another device than the context
inline void check_stream(cudaStream_t stream, int device) {
  const int current = cuda_native::current_device();
  const int there = cuda_native::device_of(stream, current);
  if (there == device) return;
  throw Error(detail::text("stream of another device than the context's (", there, ", ", device,
                           "): give one of the device that was current when the context was made"));
}

/// Calls f, which others wait for. Where it fails nothing of it goes on, here or on other processes.
/// @throws Error then, with one text on all of them; the context is lost
template <class F>
void run_or_give_up(Context& context, CudaContext::Device& device, const F& f) {
  try {
    f();
  } catch (const Error& error) {
    device.messages->abort();
    context.watch().give_up(error.what());
  }
}

/// Waits for a place in a stream. @throws Error where messages fail, or a process is missing
inline void wait_for(Context& context, CudaContext::Device& device, const Event& event) {
  context.watch().wait_until([&] {
    device.messages->check();
    return event.is_reached();
  });
}

/// Lets `stream` go on when all is done that was put on the context's own, and waits for both.
inline void wait_for_both(Context& context, CudaContext::Device& device, cudaStream_t stream) {
  device.ready.record(device.sends.get());
  device.ready.hold(stream);
  device.computed[0].record(stream);
  wait_for(context, device, device.computed[0]);
}

}  // namespace rooftile::distributed
