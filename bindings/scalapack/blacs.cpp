// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "bindings/scalapack/blacs.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <dlfcn.h>

#include "rooftile/error.hpp"

namespace rooftile::scalapack {

namespace {

/// The symbol of a name in this process, as type T, or null.
template <class T>
T* find(const char* name) {
  return reinterpret_cast<T*>(dlsym(RTLD_DEFAULT, name));
}

/// The key of Rooftile's context among the attributes of BLACS' communicator. Freeing the communicator
/// deletes the context.
int key_of_context() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(
        MPI_COMM_NULL_COPY_FN,
        [](MPI_Comm, int, void* context, void*) {
          delete static_cast<distributed::Context*>(context);
          return MPI_SUCCESS;
        },
        &made, nullptr);
    return made;
  }();
  return key;
}

/// The communicator of a BLACS context. Its ranks are row-major in the grid.
MPI_Comm communicator_of(int context) {
  constexpr int blacs_handle = 10;  // the code of the system context in BLACS_GET
  auto* const get = find<void(int, int, int*)>("Cblacs_get");
  auto* const to_mpi = find<MPI_Comm(int)>("Cblacs2sys_handle");
  if (get == nullptr || to_mpi == nullptr) {
    throw Error(
        "no BLACS in this process (Cblacs_get, Cblacs2sys_handle): load this library before ScaLAPACK, "
        "dynamically linked");
  }
  int handle = 0;
  get(context, blacs_handle, &handle);
  return to_mpi(handle);
}

}  // namespace

Place place_in(int context) {
  Place place{-1, -1, -1, -1};
  if (auto* const info = find<void(int, int*, int*, int*, int*)>("Cblacs_gridinfo")) {
    info(context, &place.rows, &place.cols, &place.row, &place.col);
  }
  return place;
}

distributed::Context& context_of(int context, const Place& place) {
  const MPI_Comm communicator = communicator_of(context);
  void* kept = nullptr;
  int is_there = 0;
  MPI_Comm_get_attr(communicator, key_of_context(), &kept, &is_there);
  if (is_there == 0) {
    auto made = std::make_unique<distributed::Context>(
        communicator, distributed::ContextOptions{.grid = {place.rows, place.cols}, .timeout = 0});
    MPI_Comm_set_attr(communicator, key_of_context(), made.get());
    kept = made.release();
  }
  return *static_cast<distributed::Context*>(kept);
}

void report(int context, const char* routine, int info) {
  if (auto* const abort = find<void(int, const char*, int)>("PB_Cabort"))
    return abort(context, routine, info);
  const int code = -info;
  if (auto* const pxerbla = find<void(const int*, const char*, const int*, std::size_t)>("pxerbla_")) {
    pxerbla(&context, routine, &code, std::strlen(routine));
  }
  end(context, routine, "an argument had an illegal value");
}

void end(int context, const char* routine, const char* text) {
  std::fprintf(stderr, "rooftile: %s: %s\n", routine, text);
  if (auto* const abort = find<void(int, int)>("Cblacs_abort")) abort(context, 1);
  std::abort();
}

void* next(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

}  // namespace rooftile::scalapack
