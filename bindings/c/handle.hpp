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

/// What a handle points to.
struct rooftile_context {
  char message[512] = "";  ///< of the last call that failed, cut off where it is longer
  const rooftile::gpu::Functions* gpu = nullptr;  ///< that computes in the stream; null: the host computes
  void* stream = nullptr;                         ///< of CUDA
  int threads = 0;  ///< that share the work of a call; 0: as many as OpenMP says

  /// Keeps a message and hands on the status.
  rooftile_status fail(rooftile_status status, std::string_view why) noexcept;
};

namespace rooftile::c {

/// While it lives, OpenMP gives the calling thread as many threads as a handle asks for. OpenMP keeps this
/// number for each host thread, so other threads' products do not change.
class ThreadsOfCall {
 public:
  /// @param wanted  0: as many as OpenMP says
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

/// Does what a call asks for; what is thrown becomes a status and a message.
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
    return handle->fail(ROOFTILE_INTERNAL_ERROR, "what was thrown has no message");
  }
}

}  // namespace rooftile::c
