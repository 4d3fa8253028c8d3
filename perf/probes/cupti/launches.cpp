// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "launches.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <cuda.h>
#include <cupti_activity.h>

namespace rooftile::perf {
namespace {

/// Its first members, which are all that is read, are those of every later one.
using Kernel = CUpti_ActivityKernel9;

/// A launch that was seen.
struct Seen {
  std::uint64_t nanoseconds;
  double registers, shared, local;
};

/// CUPTI calls back without an argument of ours.
struct Records {
  const CuptiLibrary* cupti = nullptr;
  std::vector<Seen> kernels;
};
Records records;

constexpr std::size_t buffer_bytes = std::size_t{1} << 18, buffer_alignment = 8;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
  *bytes = *buffer != nullptr ? buffer_bytes : 0;
  *max_records = 0;  // as many as there is space for
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  const auto next =
      records.cupti->symbol<decltype(&cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord");
  for (CUpti_Activity* record = nullptr; next(buffer, valid, &record) == CUPTI_SUCCESS;) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    const auto& kernel = *reinterpret_cast<const Kernel*>(record);
    records.kernels.push_back({kernel.end - kernel.start, static_cast<double>(kernel.registersPerThread),
                               static_cast<double>(kernel.staticSharedMemory) + kernel.dynamicSharedMemory,
                               static_cast<double>(kernel.localMemoryPerThread)});
  }
  std::free(buffer);
}

}  // namespace

std::vector<Metric> launches_of(const CuptiLibrary& cupti, const std::function<void()>& call) {
  records = {&cupti, {}};
  cupti.call_with("cuptiActivityRegisterCallbacks", &give_buffer, &take_buffer);
  cupti.call_with("cuptiActivityEnable", CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  call();
  cupti.call_with("cuptiActivityFlushAll", std::uint32_t{0});
  cupti.call_with("cuptiActivityDisable", CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (records.kernels.empty()) return {};
  const Seen& longest =
      *std::max_element(records.kernels.begin(), records.kernels.end(),
                        [](const Seen& a, const Seen& b) { return a.nanoseconds < b.nanoseconds; });
  return {{"kernels", static_cast<double>(records.kernels.size()), ""},
          {"registers", longest.registers, ""},
          {"shared_per_block", longest.shared, "B"},
          {"local_per_thread", longest.local, "B"}};
}

}  // namespace rooftile::perf
