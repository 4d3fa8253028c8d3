// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#if defined(__has_feature)
#define ROOFTILE_TEST_HAS_FEATURE(feature) __has_feature(feature)
#else
#define ROOFTILE_TEST_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || ROOFTILE_TEST_HAS_FEATURE(address_sanitizer)
#define ROOFTILE_TEST_LEAKS 1
#include <sanitizer/lsan_interface.h>

/// LeakSanitizer asks for this by name: what MPI and the libraries below it never free is no leak of ours.
/// One source of a program includes this file.
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() {
  return "leak:libmpi\nleak:libopen-\nleak:mca_\nleak:libpmix\nleak:libevent\nleak:libhwloc\n";
}
#else
#define ROOFTILE_TEST_LEAKS 0
#endif

namespace rooftile::distributed::test {

/// MPI from its beginning to its end, and a look for leaks in between, where the sanitizer is built in. MPI
/// unloads plugins when it begins and when it ends; what they leave then has no module to be known by. So
/// nothing that MPI_Init allocates counts, and leaks are looked for before MPI_Finalize, and no more at exit.
class MpiProcess {
 public:
  MpiProcess(int& argc, char**& argv) {
#if ROOFTILE_TEST_LEAKS
    const __lsan::ScopedDisabler not_counted;
#endif
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  }
  ~MpiProcess() {
#if ROOFTILE_TEST_LEAKS
    __lsan_do_leak_check();  // ends the program where it finds one
#endif
    MPI_Finalize();
  }
  MpiProcess(const MpiProcess&) = delete;
  MpiProcess& operator=(const MpiProcess&) = delete;
};

}  // namespace rooftile::distributed::test
