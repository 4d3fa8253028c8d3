// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// CUDA's runtime, the kernels and NCCL, simulated with host memory and MPI. Streams are queues that execute
// late: some work runs at each event query. Work that no event orders then sometimes gives wrong results.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "distributed/nccl/copy_runs.hpp"
#include "rooftile/cuda_native.hpp"

// CUDA declares these types without defining them.
struct CUstream_st {
  std::deque<std::function<bool()>> work;  ///< each returns whether it is done; else it is called again
};
struct CUevent_st {
  int recorded = 0, reached = 0;
};
struct ncclComm {
  MPI_Comm processes = MPI_COMM_NULL;
  bool is_aborted = false;  ///< its messages then count as arrived
};

namespace {

std::vector<CUstream_st*>& streams() {
  static std::vector<CUstream_st*> all{new CUstream_st};  // the first one is the null stream
  return all;
}
CUstream_st& stream_of(cudaStream_t stream) {
  return stream == nullptr ? *streams().front() : *stream;
}
bool step(CUstream_st& stream) {
  if (stream.work.empty() || !stream.work.front()()) return false;
  stream.work.pop_front();
  return true;
}
/// Executes some work of a random stream.
void go_on() {
  static std::mt19937 draw(1);
  CUstream_st& stream = *streams()[draw() % streams().size()];
  for (auto some = draw() % 3; some > 0 && step(stream);) --some;
}
/// Executes work until all streams are empty.
void finish_all() {
  const auto busy = [](CUstream_st* stream) { return !stream->work.empty(); };
  while (std::any_of(streams().begin(), streams().end(), busy)) go_on();
}

/// An address in the memory of a process.
struct Memory {
  std::byte* data;
  pid_t process;
};
/// Another process's memory, and the local address range that represents it. That range is not readable.
struct Opened {
  std::byte* place;
  Memory memory;
};
constexpr std::size_t bytes_of_opened = std::size_t{1} << 32;
std::vector<Opened>& opened() {
  static std::vector<Opened> all;
  return all;
}

/// Adds work to a stream. The work returns whether it is done; else it is called again.
void put(cudaStream_t stream, std::function<bool()> work) {
  stream_of(stream).work.push_back(std::move(work));
}
/// Adds work that completes in one call.
void put_done(cudaStream_t stream, const std::function<void()>& work) {
  put(stream, [work] { return work(), true; });
}

/// The calls of an open NCCL group.
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
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 8;  // each process uses the device of its rank
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  properties->uuid.bytes[0] = static_cast<char>(rank);
  properties->totalGlobalMem = static_cast<std::size_t>(20 - rank) << 30;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* last, int* first) {
  *last = 0, *first = -1;
  return cudaSuccess;
}
const char* cudaGetErrorName(cudaError_t) {
  return "cudaError";
}
const char* cudaGetErrorString(cudaError_t) {
  return "an error";
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* told, const void* address) {
  *told = {};
  told->type = cudaMemoryTypeDevice;
  told->devicePointer = const_cast<void*>(address);
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  return cudaMalloc(memory, bytes);
}
cudaError_t cudaFree(void* memory) {
  finish_all();
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  return cudaFree(memory);
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  put_done(nullptr, [=] { std::memset(memory, value, bytes); });
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  finish_all();
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  const auto other = std::find_if(opened().begin(), opened().end(), [&](const Opened& x) {
    return to >= x.place && to < x.place + bytes_of_opened;
  });
  if (other == opened().end()) {
    put_done(stream, [=] { std::memcpy(to, from, bytes); });
    return cudaSuccess;
  }
  put_done(stream, [=, memory = other->memory, offset = static_cast<std::byte*>(to) - other->place] {
    iovec here{const_cast<void*>(from), bytes}, there{memory.data + offset, bytes};
    const ssize_t written = process_vm_writev(memory.process, &here, 1, &there, 1, 0);
    if (written != static_cast<ssize_t>(bytes) && errno != ESRCH) std::abort();  // unless it has ended
  });
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return cudaDeviceSynchronize();
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaDeviceSynchronize();
}
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 && std::getenv("ROOFTILE_TEST_NO_IPC") != nullptr) return cudaErrorNotSupported;
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // lets other processes write to this one
  const Memory mine{static_cast<std::byte*>(memory), getpid()};
  std::memcpy(handle->reserved, &mine, sizeof mine);
  return cudaSuccess;
}
cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle, unsigned) {
  *memory = mmap(nullptr, bytes_of_opened, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  opened().push_back({static_cast<std::byte*>(*memory), {}});
  std::memcpy(&opened().back().memory, handle.reserved, sizeof(Memory));
  return cudaSuccess;
}
cudaError_t cudaIpcCloseMemHandle(void* memory) {
  finish_all();
  munmap(memory, bytes_of_opened);
  std::erase_if(opened(), [&](const Opened& x) { return x.place == memory; });
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  streams().push_back(*stream = new CUstream_st);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  finish_all();
  std::erase(streams(), stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
  return cudaGetDevice(device);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  put(stream, [event, number = event->recorded] { return event->reached >= number; });
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  finish_all();
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  put_done(stream,
           [event, number = ++event->recorded] { event->reached = std::max(event->reached, number); });
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  go_on();
  return event->reached >= event->recorded ? cudaSuccess : cudaErrorNotReady;
}

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

namespace rooftile::distributed {

void start_copy(cudaStream_t stream, const RunCopy& given, int size, Index word_of_x, Index word_of_y,
                const void* from, void* to) {
  const auto [copy, bytes] = in_words(given, size, word_of_x, word_of_y, from, to);
  put_done(stream, [=, copy = copy, bytes = bytes] {
    const Index word = bytes / size;
    for (Index i = 0; i < copy.x.extent; i += word) {
      const Axis::Place x = copy.x.place(i);
      for (Index j = 0; j < copy.y.extent; ++j) {
        const RunCopy::Offsets at = copy.offsets(x, copy.y.place(j));
        char* const there = static_cast<char*>(to) + at.to / word * bytes;
        std::memcpy(there, static_cast<const char*>(from) + at.from / word * bytes,
                    static_cast<std::size_t>(bytes));
        if (copy.conjugates) there[bytes - 1] ^= '\x80';  // the sign of the imaginary part
      }
    }
  });
}

}  // namespace rooftile::distributed

namespace rooftile::cuda_native {

template <Element T>
void gemm(cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
          std::type_identity_t<MatrixRef<const T>> A, std::type_identity_t<MatrixRef<const T>> B,
          std::type_identity_t<Scalar<T>> beta, MatrixRef<T> C, const GemmOptions&) {
  put_done(stream, [=] {
    for (Index i = 0; i < C.rows; ++i) {
      for (Index j = 0; j < C.cols; ++j) {
        Scalar<T> sum(0);
        for (Index l = 0; l < A.cols; ++l) sum += Scalar<T>(A.value(i, l)) * Scalar<T>(B.value(l, j));
        sum = alpha * sum;
        if (beta != Scalar<T>(0)) sum += beta * Scalar<T>(C.value(i, j));
        C(i, j) = detail::conjugated_if(detail::reads_conjugates(C), T(sum));
      }
    }
  });
}

template <class T>
GemmPlan explain(cudaStream_t, const BatchArgs<T>&, const GemmOptions&) {
  return {};
}

#define ROOFTILE_TEST_GEMM(T)                                                                    \
  template void gemm(cudaStream_t, Scalar<T>, MatrixRef<const T>, MatrixRef<const T>, Scalar<T>, \
                     MatrixRef<T>, const GemmOptions&);                                          \
  template GemmPlan explain(cudaStream_t, const BatchArgs<T>&, const GemmOptions&);
ROOFTILE_TEST_GEMM(float)
ROOFTILE_TEST_GEMM(double)
ROOFTILE_TEST_GEMM(float16)
ROOFTILE_TEST_GEMM(bfloat16)
ROOFTILE_TEST_GEMM(complex<float>)
ROOFTILE_TEST_GEMM(complex<double>)

}  // namespace rooftile::cuda_native
