// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>

#include <omp.h>

#include "bindings/c/rooftile.h"
#include "bindings/gpu/interface.hpp"
#include "rooftile/error.hpp"

/// The state behind a handle.
struct rooftile_context {
  char message[512] = "";                         ///< of the last failed call, truncated to the buffer
  const rooftile::gpu::Functions* gpu = nullptr;  ///< computes in the stream; null: on the host
  void* stream = nullptr;                         ///< a CUDA stream
  int threads = 0;                                ///< threads of a call; 0: OpenMP's default

  /// Stores a message and returns the status.
  rooftile_status fail(rooftile_status status, std::string_view why) noexcept;
};

namespace rooftile::c {

/// During its lifetime, the calling thread uses the handle's number of OpenMP threads. OpenMP keeps this
/// number per host thread, so that products of other threads are not affected.
class ThreadsOfCall {
 public:
  /// @param wanted  number of threads; 0 for OpenMP's default
  explicit ThreadsOfCall(int wanted) : before_(wanted > 0 ? omp_get_max_threads() : 0) {
    if (wanted > 0) omp_set_num_threads(wanted);
  }
  ThreadsOfCall(const ThreadsOfCall&) = delete;
  ThreadsOfCall& operator=(const ThreadsOfCall&) = delete;
  ~ThreadsOfCall() {
    if (before_ > 0) omp_set_num_threads(before_);
  }

 private:
  int before_;
};

/// Runs a call, and converts exceptions to a status and a message.
template <class F>
rooftile_status guarded(rooftile_handle handle, const F& call) noexcept {
  if (handle == nullptr) return ROOFTILE_INVALID_VALUE;
  const ThreadsOfCall threads(handle->threads);
  try {
    call();
    return ROOFTILE_SUCCESS;
  } catch (const OutOfMemory& error) {
    return handle->fail(ROOFTILE_OUT_OF_MEMORY, error.what());
  } catch (const Error& error) {
    return handle->fail(ROOFTILE_INVALID_VALUE, error.what());
  } catch (const std::bad_alloc&) {
    return handle->fail(ROOFTILE_OUT_OF_MEMORY, "no memory for a workspace (of at most 20 MiB): free some");
  } catch (const std::length_error&) {
    return handle->fail(ROOFTILE_OUT_OF_MEMORY, "more products than any memory holds: give fewer in a call");
  } catch (const std::exception& error) {
    return handle->fail(ROOFTILE_INTERNAL_ERROR, error.what());
  } catch (...) {
    return handle->fail(ROOFTILE_INTERNAL_ERROR, "exception without a message");
  }
}

}  // namespace rooftile::c
