// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backends/nccl/device_panels.hpp"
#include "backends/nccl/started_work.hpp"

namespace rooftile::distributed {

/// Runs a product panel after panel along K: while one is multiplied on `stream`, the next one's messages are
/// under way on the context's own. Waits for both streams.
/// @param multiply  puts the product of panel [from, to), which lies in a slot, on the stream
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
      if (panel > 0) computed(panel - 1).hold(sends);  // which was in the other slot
      start(end_of(from), 1 - slot);
    }
    if (panel >= CudaContext::Device::max_ahead)
      wait_for(context, device, computed(panel));  // the one so many before
    arrived.hold(stream);
    multiply(from, end_of(from), slot);
    computed(panel).record(stream);
  }
  wait_for_both(context, device, stream);
}

}  // namespace rooftile::distributed
