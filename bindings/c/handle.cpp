// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "bindings/c/handle.hpp"

#include "bindings/offload/offload.hpp"

rooftile_status rooftile_context::fail(rooftile_status status, std::string_view why) noexcept {
  const std::size_t length = why.copy(message, sizeof message - 1);
  message[length] = '\0';
  return status;
}

extern "C" {

rooftile_status rooftile_create(rooftile_handle* handle) {
  if (handle == nullptr) return ROOFTILE_INVALID_VALUE;
  auto* const made = new (std::nothrow) rooftile_context;
  if (made == nullptr) return ROOFTILE_OUT_OF_MEMORY;
  *handle = made;
  return ROOFTILE_SUCCESS;
}

rooftile_status rooftile_create_on_stream(rooftile_handle* handle, void* stream) {
  if (handle == nullptr) return ROOFTILE_INVALID_VALUE;
  rooftile::gpu::Answer answer;
  const rooftile::gpu::Functions* const part = rooftile::bindings::gpu_part_or_none(answer);
  if (part == nullptr) return answer.no_memory ? ROOFTILE_OUT_OF_MEMORY : ROOFTILE_NO_GPU;
  const rooftile_status status = rooftile_create(handle);
  if (status == ROOFTILE_SUCCESS) (*handle)->gpu = part, (*handle)->stream = stream;
  return status;
}

rooftile_status rooftile_set_num_threads(rooftile_handle handle, int threads) {
  return rooftile::c::guarded(handle, [&] {
    if (threads < 0) {
      throw rooftile::Error(rooftile::detail::text("negative number of threads (", threads,
                                                   "): give 1 or more, or 0 for OpenMP's number"));
    }
    handle->threads = threads;
  });
}

void rooftile_destroy(rooftile_handle handle) {
  delete handle;
}

const char* rooftile_last_message(rooftile_handle handle) {
  return handle != nullptr ? handle->message : "null handle: create one with rooftile_create";
}

const char* rooftile_status_string(int status) {
  switch (status) {
    case ROOFTILE_SUCCESS:
      return "success";
    case ROOFTILE_INVALID_VALUE:
      return "invalid value";
    case ROOFTILE_OUT_OF_MEMORY:
      return "out of memory";
    case ROOFTILE_INTERNAL_ERROR:
      return "internal error";
    case ROOFTILE_NO_GPU:
      return "no GPU";
  }
  return "unknown status";
}

void rooftile_version(int* major, int* minor, int* patch) {
  if (major != nullptr) *major = ROOFTILE_VERSION_MAJOR;
  if (minor != nullptr) *minor = ROOFTILE_VERSION_MINOR;
  if (patch != nullptr) *patch = ROOFTILE_VERSION_PATCH;
}

}  // extern "C"
