// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "distributed/mpi/agreement.hpp"
#include "distributed/mpi/messages.hpp"
#include "distributed/nccl/device.hpp"
#include "distributed/nccl/device_messages.hpp"

namespace rooftile::distributed {

namespace {

constexpr int tag = 5;

/// Messages that the sender's GPU copies into the receiver's workspace, which the sender has opened by CUDA
/// IPC. The processes use MPI to announce free destinations and arrived messages.
class CopiedMessages : public DeviceMessages {
 public:
  explicit CopiedMessages(const Context& context)
      : context_(context), messages_(context, tag), others_(static_cast<std::size_t>(context.size())) {}
  ~CopiedMessages() override {
    for (Other& other : others_) close(other);
    if (context_.watch().lost()) return;
    try {
      wait_for_all();  // before a process frees its workspace
    } catch (const Error&) {
    }
  }

  /// Whether each process of the grid can copy to every other one, which this function tests. Collective.
  bool reaches_all() {
    DeviceMemory memory;
    std::string refusal = refusal_of([&] {
      memory.reserve(sizeof(int), "allocate memory to be shared");
      handle_of(memory.data());
    });
    meet(refusal.empty() ? memory.data() : nullptr);
    const int processes = context_.in_grid() ? context_.grid().size() : 0;
    for (int rank = 0; rank < processes && refusal.empty(); ++rank) {
      if (rank == context_.rank()) continue;
      refusal = refusal_of([&] {
        cuda_native::check(cudaMemcpy(memory_of(rank), memory.data(), sizeof(int), cudaMemcpyDeviceToDevice),
                           "copy to another device");
        cuda_native::check(cudaStreamSynchronize(nullptr), "copy to another device");
      });
    }
    const auto fails = std::make_shared<int>(refusal.empty() ? 0 : 1);
    MPI_Request request = MPI_REQUEST_NULL;
    Watchdog& watch = context_.watch();
    watch.check(
        MPI_Iallreduce(MPI_IN_PLACE, fails.get(), 1, MPI_INT, MPI_MAX, watch.communicator(), &request));
    watch.wait_for_all(request, fails);
    meet(nullptr);  // afterwards no process has the memory open
    return *fails == 0;
  }

  void reserve(std::size_t) override {}
  void meet(std::byte* workspace) override {
    workspace_ = workspace;
    Memory mine;
    if (workspace != nullptr) mine.handle = handle_of(workspace);
    mine.address = reinterpret_cast<std::uintptr_t>(workspace);
    const std::vector<Memory> all = context_.watch().gathered(mine);
    bool changes = false;
    for (std::size_t rank = 0; rank < others_.size(); ++rank) {
      const Memory& now = all[rank];
      Other& other = others_[rank];
      if (now == other.memory) continue;
      changes = true;
      close(other);
      other.memory = now;
    }
    if (changes) wait_for_all();  // afterwards the memory that was open before is free
  }
  void send(const void* data, std::size_t bytes, int rank) override { sends_.push_back({data, bytes, rank}); }
  void receive(void* data, std::size_t bytes, int rank) override {
    receives_.push_back({data, bytes, rank, static_cast<std::byte*>(data) - workspace_});
  }
  void start(cudaStream_t stream) override {
    ready_.record(stream);
    started_ = true;
  }
  void finish(cudaStream_t stream) override {
    if (!started_) return;
    Watchdog& watch = context_.watch();
    watch.wait_until([&] { return ready_.is_reached(); });
    for (Posted& post : sends_) messages_.receive(&post.place, 1, post.rank);
    for (const Posted& post : receives_) messages_.send(&post.place, 1, post.rank);
    messages_.wait();
    for (const Posted& post : sends_) {
      cuda_native::check(cudaMemcpyAsync(memory_of(post.rank) + post.place, post.data, post.bytes,
                                         cudaMemcpyDeviceToDevice, stream),
                         "copy to another device");
    }
    ready_.record(stream);
    watch.wait_until([&] { return ready_.is_reached(); });
    for (Posted& post : receives_) messages_.receive(&post.place, 1, post.rank);
    for (const Posted& post : sends_) messages_.send(&post.place, 1, post.rank);
    messages_.wait();
    sends_.clear(), receives_.clear();
    started_ = false;
  }
  void abort() noexcept override {}

 private:
  struct Memory {
    cudaIpcMemHandle_t handle{};
    std::uintptr_t address = 0;
    bool operator==(const Memory& other) const {
      return address == other.address && std::equal(std::begin(handle.reserved), std::end(handle.reserved),
                                                    std::begin(other.handle.reserved));
    }
  };
  struct Other {
    Memory memory;
    void* opened = nullptr;
  };
  struct Posted {
    const void* data;
    std::size_t bytes;
    int rank;
    Index place = 0;  ///< in the receiver's workspace, in bytes
  };

  static cudaIpcMemHandle_t handle_of(std::byte* memory) {
    cudaIpcMemHandle_t handle;
    cuda_native::check(cudaIpcGetMemHandle(&handle, memory), "share memory of the device");
    return handle;
  }
  static void close(Other& other) noexcept {
    if (other.opened != nullptr) cudaIpcCloseMemHandle(other.opened);
    other.opened = nullptr;
  }
  std::byte* memory_of(int rank) {
    Other& other = others_[static_cast<std::size_t>(rank)];
    if (other.opened == nullptr) {
      cuda_native::check(
          cudaIpcOpenMemHandle(&other.opened, other.memory.handle, cudaIpcMemLazyEnablePeerAccess),
          "open memory of another process' device");
    }
    return static_cast<std::byte*>(other.opened);
  }
  void wait_for_all() {
    MPI_Request request = MPI_REQUEST_NULL;
    Watchdog& watch = context_.watch();
    watch.check(MPI_Ibarrier(watch.communicator(), &request));
    watch.wait_for_all(request, nullptr);
  }

  const Context& context_;
  Messages messages_;
  Event ready_;
  bool started_ = false;
  std::byte* workspace_ = nullptr;
  std::vector<Posted> sends_, receives_;
  std::vector<Other> others_;  ///< by rank
};

}  // namespace

std::unique_ptr<DeviceMessages> copied_messages(const Context& context) {
  auto messages = std::make_unique<CopiedMessages>(context);
  return messages->reaches_all() ? std::move(messages) : nullptr;
}

}  // namespace rooftile::distributed
