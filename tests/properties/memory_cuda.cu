// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include "cuda_native/check.hpp"
#include "memory_gpu.hpp"

namespace rooftile::testing {
namespace {

using cuda_native::check;

/// Looks up a driver function at run time, so that the driver's library is not linked.
template <class Function>
Function driver(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status;
  check(cudaGetDriverEntryPointByVersion(name, &found, 10020, cudaEnableDefault, &status),
        "find a function of the CUDA driver");
  if (status != cudaDriverEntryPointSuccess)
    throw Error(detail::text("the CUDA driver has no ", name, ": update it to one for CUDA 12 or later"));
  return reinterpret_cast<Function>(found);
}

void check(CUresult status, const char* doing) {
  if (status == CUDA_SUCCESS) return;
  throw Error(detail::text("could not ", doing, " (CUresult ", static_cast<int>(status),
                           "): see the documentation of the CUDA driver"));
}

CUmemAllocationProp on_device_0() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  return properties;
}

std::size_t page_bytes() {
  static const std::size_t bytes = [] {
    std::size_t found = 0;
    const CUmemAllocationProp properties = on_device_0();
    check(driver<PFN_cuMemGetAllocationGranularity_v10020>("cuMemGetAllocationGranularity")(
              &found, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
          "ask for the size of a page");
    return found;
  }();
  return bytes;
}

}  // namespace

Limits limits() {
  return {4e9, std::size_t{1} << 30, 100000, 20000};
}

bool fenced() {
  return true;
}

void synchronize() {
  check(cudaGetLastError(), "start a kernel");
  check(cudaDeviceSynchronize(), "run a kernel");
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "copy memory");
  // A copy may return before it is complete, and kernels on other streams do not wait for it.
  synchronize();
}

/// Reserves addresses with an unmapped page before and after the mapped memory.
Block::Block(std::size_t bytes) {
  check(cudaFree(nullptr), "initialise the device");
  const std::size_t page = page_bytes(), inside = (bytes + page - 1) / page * page;
  whole_bytes_ = inside + 2 * page;
  CUdeviceptr whole = 0;
  check(driver<PFN_cuMemAddressReserve_v10020>("cuMemAddressReserve")(&whole, whole_bytes_, 0, 0, 0),
        "reserve addresses");
  const CUmemAllocationProp properties = on_device_0();
  CUmemGenericAllocationHandle memory = 0;
  check(driver<PFN_cuMemCreate_v10020>("cuMemCreate")(&memory, inside, &properties, 0), "allocate memory");
  check(driver<PFN_cuMemMap_v10020>("cuMemMap")(whole + page, inside, 0, memory, 0), "map memory");
  const CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  check(driver<PFN_cuMemSetAccess_v10020>("cuMemSetAccess")(whole + page, inside, &access, 1),
        "get access to memory");
  check(driver<PFN_cuMemRelease_v10020>("cuMemRelease")(memory), "leave memory to its addresses");
  whole_ = reinterpret_cast<void*>(whole);
  begin_ = static_cast<char*>(whole_) + page, end_ = begin_ + inside;
}

Block::~Block() {
  const auto unmap = driver<PFN_cuMemUnmap_v10020>("cuMemUnmap");
  static_cast<void>(unmap(reinterpret_cast<CUdeviceptr>(begin_), static_cast<std::size_t>(end_ - begin_)));
  static_cast<void>(driver<PFN_cuMemAddressFree_v10020>("cuMemAddressFree")(
      reinterpret_cast<CUdeviceptr>(whole_), whole_bytes_));
}

}  // namespace rooftile::testing
