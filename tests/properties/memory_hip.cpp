// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <hip/hip_runtime.h>

#include "memory_gpu.hpp"
#include "rooftile/error.hpp"

namespace rooftile::testing {
namespace {

void check(hipError_t status, const char* doing) {
  if (status == hipSuccess) return;
  throw Error(
      detail::text("could not ", doing, " (", hipGetErrorName(status), "): ", hipGetErrorString(status)));
}

hipMemAllocationProp on_device_0() {
  hipMemAllocationProp properties{};
  properties.type = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  return properties;
}

}  // namespace

Limits limits() {
  return {4e9, std::size_t{1} << 29, 100000, 20000};
}

void synchronize() {
  check(hipGetLastError(), "start a kernel");
  check(hipDeviceSynchronize(), "run a kernel");
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  check(hipMemcpy(to, from, bytes, hipMemcpyDefault), "copy memory");
}

/// Addresses with a page before and behind what is mapped.
Block::Block(std::size_t bytes) {
  const hipMemAllocationProp properties = on_device_0();
  std::size_t page = 0;
  check(hipMemGetAllocationGranularity(&page, &properties, hipMemAllocationGranularityMinimum),
        "ask for the size of a page");
  const std::size_t inside = (bytes + page - 1) / page * page;
  whole_bytes_ = inside + 2 * page;
  check(hipMemAddressReserve(&whole_, whole_bytes_, 0, nullptr, 0), "reserve addresses");
  begin_ = static_cast<char*>(whole_) + page, end_ = begin_ + inside;
  hipMemGenericAllocationHandle_t memory;
  check(hipMemCreate(&memory, inside, &properties, 0), "allocate memory");
  check(hipMemMap(begin_, inside, 0, memory, 0), "map memory");
  const hipMemAccessDesc access{properties.location, hipMemAccessFlagsProtReadWrite};
  check(hipMemSetAccess(begin_, inside, &access, 1), "get access to memory");
  check(hipMemRelease(memory), "leave memory to its addresses");
}

Block::~Block() {
  static_cast<void>(hipMemUnmap(begin_, static_cast<std::size_t>(end_ - begin_)));
  static_cast<void>(hipMemAddressFree(whole_, whole_bytes_));
}

}  // namespace rooftile::testing
