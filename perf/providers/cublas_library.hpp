// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dlfcn.h>

#include "rooftile/error.hpp"

namespace rooftile::perf {

/// Opens cuBLAS, which includes cuBLASLt, at the toolkit's path or on the loader's search path, since the
/// program may have moved to another machine. Linking its 600 MB would add 70 ms to every command.
struct CublasLibrary {
  void* library = open();

  template <class F>
  F symbol(const char* name) const {
    if (void* found = dlsym(library, name)) return reinterpret_cast<F>(found);
    throw Error(detail::text("cuBLAS lacks a function (", name, "): take version 12 or newer"));
  }

 private:
  static void* open() {
    const std::string path = ROOFTILE_CUBLAS;
    if (void* there = dlopen(path.c_str(), RTLD_NOW)) return there;
    if (void* found = dlopen(path.substr(path.rfind('/') + 1).c_str(), RTLD_NOW)) return found;
    throw Error(detail::text("could not open cuBLAS (", path, "): ", dlerror()));
  }
};

}  // namespace rooftile::perf
