// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <vector>

#include <nccl.h>

#include "distributed/mpi/watchdog.hpp"
#include "distributed/nccl/device_messages.hpp"
#include "rooftile/error.hpp"

namespace rooftile::distributed {

namespace {

/// Messages by NCCL sends and receives; the messages of one `start` form one NCCL group. NCCL calls do not
/// block: each call is polled until it completes, while other processes are answered and watched.
class NcclMessages : public DeviceMessages {
 public:
  NcclMessages(const Context& context, const CudaOptions& options) : watch_(context.watch()) {
    const auto id = std::make_shared<Id>();
    if (context.rank() == 0) id->result = ncclGetUniqueId(&id->id);
    MPI_Request request = MPI_REQUEST_NULL;
    watch_.check(MPI_Ibcast(id.get(), sizeof *id, MPI_BYTE, 0, watch_.communicator(), &request));
    watch_.wait_for_all(request, id);
    if (id->result != ncclSuccess) fail(id->result);
    if (!context.in_grid()) return;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    if (options.max_ctas > 0) {
      config.minCTAs = 1;
      config.maxCTAs = options.max_ctas;
    }
    wait_for(ncclCommInitRankConfig(&communicator_, context.grid().size(), id->id, context.rank(), &config));
  }
  ~NcclMessages() override {
    if (communicator_ == nullptr) return;
    try {
      wait_for(ncclCommFinalize(communicator_));
      ncclCommDestroy(communicator_);
    } catch (const Error&) {
      abort();
    }
  }

  void reserve(std::size_t) override {}
  void send(const void* data, std::size_t bytes, int rank) override {
    posted_.push_back({const_cast<void*>(data), bytes, rank, true});
  }
  void receive(void* data, std::size_t bytes, int rank) override {
    posted_.push_back({data, bytes, rank, false});
  }
  void start(cudaStream_t stream) override {
    if (posted_.empty()) return;
    post(ncclGroupStart());
    for (const auto& [data, bytes, rank, sends] : posted_) {
      post(sends ? ncclSend(data, bytes, ncclInt8, rank, communicator_, stream)
                 : ncclRecv(data, bytes, ncclInt8, rank, communicator_, stream));
    }
    posted_.clear();
    wait_for(ncclGroupEnd());
  }
  void finish(cudaStream_t) override {}
  void check() override { static_cast<void>(is_ready()); }
  void abort() noexcept override {
    if (communicator_ != nullptr) ncclCommAbort(communicator_);
    communicator_ = nullptr;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Id {
    ncclUniqueId id;
    ncclResult_t result;
  };
  struct Posted {
    void* data;
    std::size_t bytes;
    int rank;
    bool sends;
  };

  [[noreturn]] void fail(ncclResult_t result) {
    watch_.give_up(detail::text("NCCL failed (", ncclGetErrorString(result),
                                "): run with NCCL_DEBUG=WARN for the cause, or take CudaEngine::staging"));
  }
  void post(ncclResult_t result) {
    if (result != ncclSuccess && result != ncclInProgress) fail(result);
  }
  /// Whether the last NCCL operation has completed. A failure may be due to a dead process, which the
  /// watchdog needs time to identify. Until the limit of the watchdog has passed, a failure counts as not
  /// completed.
  bool is_ready() {
    ncclResult_t state = ncclSuccess;
    const ncclResult_t asked = ncclCommGetAsyncError(communicator_, &state);
    if (asked != ncclSuccess) state = asked;
    if (state == ncclSuccess || state == ncclInProgress) return state == ncclSuccess;
    if (failed_since_ == Clock::time_point()) failed_since_ = Clock::now();
    if (Clock::now() - failed_since_ > watch_.limit()) fail(state);
    return false;
  }
  void wait_for(ncclResult_t result) {
    post(result);
    watch_.wait_until([&] { return is_ready(); });
  }

  Watchdog& watch_;
  ncclComm_t communicator_ = nullptr;
  std::vector<Posted> posted_;
  Clock::time_point failed_since_{};
};

}  // namespace

std::unique_ptr<DeviceMessages> nccl_messages(const Context& context, const CudaOptions& options) {
  return std::make_unique<NcclMessages>(context, options);
}

}  // namespace rooftile::distributed
