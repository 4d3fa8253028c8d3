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

/// LeakSanitizer looks this function up by name. MPI and the libraries below it never free some memory, which
/// is not our leak. Include this file in one source of a program.
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() {
  return "leak:libmpi\nleak:libopen-\nleak:mca_\nleak:libpmix\nleak:libevent\nleak:libhwloc\n";
}
#else
#define ROOFTILE_TEST_LEAKS 0
#endif

namespace rooftile::distributed::test {

/// Initializes and finalizes MPI, and checks for leaks in between if the sanitizer is built in. MPI unloads
/// plugins in both calls, and their leaks then belong to no known module, so that no suppression matches.
/// Therefore allocations of MPI_Init do not count, the check runs before MPI_Finalize, and there is no check
/// at exit.
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
    __lsan_do_leak_check();  // ends the program if there is a leak
#endif
    MPI_Finalize();
  }
  MpiProcess(const MpiProcess&) = delete;
  MpiProcess& operator=(const MpiProcess&) = delete;
};

}  // namespace rooftile::distributed::test
