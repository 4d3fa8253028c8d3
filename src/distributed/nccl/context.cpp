// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <unistd.h>

#include "cuda_native/device.hpp"
#include "distributed/mpi/agreement.hpp"
#include "distributed/mpi/watchdog.hpp"
#include "distributed/nccl/device.hpp"

namespace rooftile::distributed {

namespace {

using Uuid = std::array<unsigned char, 16>;

/// The GPU and the host of a process.
struct Location {
  Uuid gpu{};
  std::array<char, 64> host{};
  std::size_t memory = 0;  ///< of the GPU, in bytes
  bool operator==(const Location&) const = default;
};

Location location_of(int device) {
  cudaDeviceProp properties;
  cuda_native::check(cudaGetDeviceProperties(&properties, device), "query a CUDA device");
  Location location;
  std::memcpy(location.gpu.data(), properties.uuid.bytes, location.gpu.size());
  gethostname(location.host.data(), location.host.size() - 1);
  location.memory = properties.totalGlobalMem;
  return location;
}

std::string text_of(const Uuid& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", uuid[i]);
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  return text;
}

/// Facts about the processes of a grid that decide which engines can be used.
struct Locations {
  std::optional<std::pair<std::size_t, std::size_t>> sharing;  ///< two ranks on one GPU
  Uuid shared{};                                               ///< the GPU of these two ranks
  std::optional<std::size_t> elsewhere;                        ///< the first rank on another host than rank 0
  std::size_t memory = 0;                                      ///< of the smallest GPU, in bytes
};

/// Collective.
Locations locations_of(const Context& context, const Location& mine) {
  std::vector<Location> all = context.watch().gathered(mine);
  all.resize(static_cast<std::size_t>(context.grid().size()));
  Locations found;
  found.memory = all.front().memory;
  std::map<Uuid, std::size_t> first;  // first rank on each GPU
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const Location& here = all[rank];
    found.memory = std::min(found.memory, here.memory);
    if (!found.elsewhere && here.host != all.front().host) found.elsewhere = rank;
    const auto [gpu, is_first] = first.emplace(here.gpu, rank);
    if (is_first || found.sharing) continue;
    found.sharing = {gpu->second, rank}, found.shared = here.gpu;
  }
  return found;
}

/// The engine of the context: the requested one, else the first possible of copies, NCCL and staging.
/// Collective.
/// @throws Error, on all processes, if the requested engine is impossible
std::pair<CudaEngine, std::unique_ptr<DeviceMessages>> engine_of(const Context& context,
                                                                 const CudaOptions& asked,
                                                                 const Locations& there) {
  const bool any = asked.engine == CudaEngine::automatic;
  if (any || asked.engine == CudaEngine::copies) {
    auto messages = there.elsewhere ? nullptr : copied_messages(context);
    if (messages) return {CudaEngine::copies, std::move(messages)};
    if (!any && there.elsewhere) {
      throw Error(detail::text("GPUs of different hosts cannot copy to each other (ranks 0 and ",
                               *there.elsewhere, "): take CudaEngine::nccl or staging"));
    }
    if (!any) {
      throw Error(detail::text("a GPU cannot access another GPU's memory (", context.grid().size(),
                               " processes): take CudaEngine::nccl or staging"));
    }
  }
  if (asked.engine == CudaEngine::nccl && there.sharing) {
    throw Error(detail::text("two processes on one GPU, which NCCL refuses (ranks ", there.sharing->first,
                             " and ", there.sharing->second, " on ", text_of(there.shared),
                             "): give each a GPU of its own, or take CudaEngine::staging"));
  }
  if (asked.engine == CudaEngine::nccl || (any && !there.sharing)) {
    return {CudaEngine::nccl, nccl_messages(context, asked)};
  }
  return {CudaEngine::staging, staged_messages(context)};
}

}  // namespace

CudaContext::Device::Device() : number(cuda_native::current_device()) {}

void CudaContext::Device::upload(const RunLists& lists) {
  const std::size_t bytes = lists.runs().size() * sizeof(Run);
  if (bytes == 0) return;
  runs.reserve(bytes, "allocate memory for lists of a distributed product's messages");
  cuda_native::check(
      cudaMemcpyAsync(runs.data(), lists.runs().data(), bytes, cudaMemcpyHostToDevice, sends.get()),
      "copy lists of messages");
}

CudaContext::CudaContext(MPI_Comm communicator, const ContextOptions& options, const CudaOptions& asked)
    : processes_(std::make_unique<Context>(communicator, options)) {
  Watchdog& watch = processes_->watch();
  watch.run([&] {
    Location mine_there;
    Proposal mine;
    mine.refusal = refusal_of([&] {
      device_ = std::make_unique<Device>();
      mine_there = location_of(device_->number);
      if (asked.max_ctas < 0) {
        throw Error(
            detail::text("negative number of thread blocks (", asked.max_ctas, "): take 1 or more, or 0"));
      }
    });
    Fingerprint fingerprint;
    fingerprint.add(asked.engine, asked.max_ctas);
    mine.fingerprint = fingerprint.value();
    agree(watch, mine);
    const Locations there = locations_of(*processes_, mine_there);
    if (options.products.workspace == 0)
      processes_->allow_workspace(std::max(usual_workspace, there.memory / 8));
    std::tie(device_->engine, device_->messages) = engine_of(*processes_, asked, there);
  });
}

CudaContext::~CudaContext() {
  try {
    const cuda_native::OnDevice there(device_->number);
    if (processes_->watch().lost()) device_->messages->abort();
    device_.reset();
  } catch (const Error&) {  // CUDA has failed before
  }
}

CudaEngine CudaContext::engine() const {
  return device_->engine;
}
int CudaContext::device() const {
  return device_->number;
}

void CudaContext::release_workspace() noexcept {
  device_->workspace.release();
  if (device_->engine != CudaEngine::copies) device_->workspace.forget();
}

}  // namespace rooftile::distributed
