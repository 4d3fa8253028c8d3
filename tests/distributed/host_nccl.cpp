// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// NCCL made of MPI, on the device of the host's memory.
#include <memory>
#include <vector>

#include <mpi.h>
#include <nccl.h>

#include "tests/distributed/host_device.hpp"

struct ncclComm {
  MPI_Comm processes = MPI_COMM_NULL;
  bool is_aborted = false;  ///< its messages count as arrived then
};

extern "C" {
ncclResult_t ncclGetUniqueId(ncclUniqueId*) {
  return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t) {
  return "an error";
}
/// @pre no process of MPI_COMM_WORLD has a rank in the communicator but its own
ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int ranks, ncclUniqueId, int, ncclConfig_t*) {
  *communicator = new ncclComm;
  MPI_Group all, some;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int range[1][3] = {{0, ranks - 1, 1}};
  MPI_Group_range_incl(all, 1, range, &some);
  MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &(*communicator)->processes);
  MPI_Group_free(&all), MPI_Group_free(&some);
  return ncclInProgress;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* state) {
  *state = ncclSuccess;
  return ncclSuccess;
}
ncclResult_t ncclCommFinalize(ncclComm_t) {
  return ncclInProgress;
}
ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  MPI_Comm_free(&communicator->processes);
  delete communicator;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  communicator->is_aborted = true;
  return ncclSuccess;
}
}

namespace {

/// What a group of NCCL's has got.
struct Group {
  struct Message {
    void* data;
    std::size_t bytes;
    int rank;
    bool sends;
  };
  std::vector<Message> messages;
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
} group;

}  // namespace

extern "C" {
ncclResult_t ncclGroupStart() {
  group = {};
  return ncclSuccess;
}
ncclResult_t ncclSend(const void* data, std::size_t bytes, ncclDataType_t, int rank, ncclComm_t communicator,
                      cudaStream_t stream) {
  group.messages.push_back({const_cast<void*>(data), bytes, rank, true});
  group.communicator = communicator, group.stream = stream;
  return ncclInProgress;
}
ncclResult_t ncclRecv(void* data, std::size_t bytes, ncclDataType_t, int rank, ncclComm_t communicator,
                      cudaStream_t stream) {
  group.messages.push_back({data, bytes, rank, false});
  group.communicator = communicator, group.stream = stream;
  return ncclInProgress;
}
ncclResult_t ncclGroupEnd() {
  put(group.stream, [now = group, requests = std::make_shared<std::vector<MPI_Request>>()] {
    if (now.communicator->is_aborted) return true;
    if (requests->empty()) {
      for (const auto& [data, bytes, rank, sends] : now.messages) {
        requests->emplace_back();
        const auto count = static_cast<int>(bytes);
        sends ? PMPI_Isend(data, count, MPI_BYTE, rank, 0, now.communicator->processes, &requests->back())
              : PMPI_Irecv(data, count, MPI_BYTE, rank, 0, now.communicator->processes, &requests->back());
      }
    }
    int done = 0;
    PMPI_Testall(static_cast<int>(requests->size()), requests->data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  });
  return ncclInProgress;
}
}
