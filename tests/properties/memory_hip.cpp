// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <hip/hip_runtime.h>

#include "memory_gpu.hpp"
#include "rooftile/error.hpp"

// Older runtimes and stubs lack these functions. Their addresses are then null.
#pragma weak hipMemAddressFree
#pragma weak hipMemAddressReserve
#pragma weak hipMemCreate
#pragma weak hipMemGetAllocationGranularity
#pragma weak hipMemMap
#pragma weak hipMemRelease
#pragma weak hipMemSetAccess
#pragma weak hipMemUnmap

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

std::size_t page_bytes() {
  const hipMemAllocationProp properties = on_device_0();
  std::size_t found = 0;
  check(hipMemGetAllocationGranularity(&found, &properties, hipMemAllocationGranularityMinimum),
        "ask for the size of a page");
  return found;
}

}  // namespace

Limits limits() {
  return {4e9, std::size_t{1} << 29, 100000, 20000};
}

bool fenced() {
  static const bool can = [] {
    if (hipMemAddressReserve == nullptr) return false;
    const std::size_t page = page_bytes();
    void* addresses = nullptr;
    const hipError_t status = hipMemAddressReserve(&addresses, page, 0, nullptr, 0);
    static_cast<void>(hipGetLastError());  // clears the error for the next kernel
    if (status == hipErrorNotSupported) return false;
    check(status, "reserve addresses");
    check(hipMemAddressFree(addresses, page), "free addresses");
    return true;
  }();
  return can;
}

void synchronize() {
  check(hipGetLastError(), "start a kernel");
  check(hipDeviceSynchronize(), "run a kernel");
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  check(hipMemcpy(to, from, bytes, hipMemcpyDefault), "copy memory");
  synchronize();  // as in memory_cuda.cu
}

/// Reserves addresses with an unmapped page before and after the mapped memory.
Block::Block(std::size_t bytes) {
  if (!fenced()) {
    whole_bytes_ = bytes;
    check(hipMalloc(&whole_, bytes), "allocate memory");
    begin_ = static_cast<char*>(whole_), end_ = begin_ + bytes;
    return;
  }
  const hipMemAllocationProp properties = on_device_0();
  const std::size_t page = page_bytes(), inside = (bytes + page - 1) / page * page;
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
  if (!fenced()) {
    static_cast<void>(hipFree(whole_));
    return;
  }
  static_cast<void>(hipMemUnmap(begin_, static_cast<std::size_t>(end_ - begin_)));
  static_cast<void>(hipMemAddressFree(whole_, whole_bytes_));
}

}  // namespace rooftile::testing
