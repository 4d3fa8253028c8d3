// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include "backends/mpi/agreement.hpp"
#include "backends/mpi/watch.hpp"
#include "backends/nccl/device.hpp"
#include "cuda_native/device.hpp"

namespace rooftile::distributed {

namespace {

using Uuid = std::array<unsigned char, 16>;

Uuid uuid_of(int device) {
  cudaDeviceProp properties;
  cuda_native::check(cudaGetDeviceProperties(&properties, device), "query a CUDA device");
  Uuid uuid;
  std::memcpy(uuid.data(), properties.uuid.bytes, uuid.size());
  return uuid;
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

/// Two processes that share a GPU.
struct Sharing {
  std::size_t rank, other;
  Uuid uuid;
};

/// Collective. The first two of the grid that do, if any.
std::optional<Sharing> sharing_of(const Context& context, const Uuid& mine) {
  Watch& watch = context.watch();
  const auto all = std::make_shared<std::vector<Uuid>>(static_cast<std::size_t>(context.size()));
  (*all)[static_cast<std::size_t>(context.rank())] = mine;
  MPI_Request request = MPI_REQUEST_NULL;
  watch.check(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all->data(), sizeof mine, MPI_BYTE,
                             watch.communicator(), &request));
  watch.wait_for_all(request, all);
  const auto end = all->begin() + context.grid().size();
  for (auto each = all->begin(); each != end; ++each) {
    const auto same = std::find(each + 1, end, *each);
    if (same != end) {
      return Sharing{static_cast<std::size_t>(each - all->begin()),
                     static_cast<std::size_t>(same - all->begin()), *each};
    }
  }
  return std::nullopt;
}

/// What the context uses. @throws Error, on all processes, where NCCL is asked for in vain
CudaEngine engine_of(CudaEngine asked, const std::optional<Sharing>& sharing) {
  if (asked == CudaEngine::staging) return asked;
  if (!sharing) return CudaEngine::nccl;
  if (asked == CudaEngine::automatic) return CudaEngine::staging;
  throw Error(detail::text("two processes on one GPU, which NCCL refuses (ranks ", sharing->rank, " and ",
                           sharing->other, " on ", text_of(sharing->uuid),
                           "): give each a GPU of its own, or take CudaEngine::staging"));
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
  Watch& watch = processes_->watch();
  watch.run([&] {
    Uuid uuid{};
    Proposal mine;
    mine.refusal = refusal_of([&] {
      device_ = std::make_unique<Device>();
      uuid = uuid_of(device_->number);
      if (asked.max_ctas < 0) {
        throw Error(detail::text("no number of thread blocks (", asked.max_ctas, "): take 1 or more, or 0"));
      }
    });
    Fingerprint fingerprint;
    fingerprint.add(asked.engine, asked.max_ctas);
    mine.fingerprint = fingerprint.value();
    agree(watch, mine);
    device_->engine = engine_of(asked.engine, sharing_of(*processes_, uuid));
    device_->messages = device_->engine == CudaEngine::nccl ? nccl_messages(*processes_, asked)
                                                            : staged_messages(*processes_);
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
}

}  // namespace rooftile::distributed
