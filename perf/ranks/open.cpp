// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <dlfcn.h>

#include "ranks.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

/// The MPI part of the program: in the program's folder, or in its installation folder.
std::filesystem::path file_of_ranks() {
  std::error_code none;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  const std::filesystem::path beside = folder / ROOFTILE_RANKS;
  return exists(beside, none) ? beside : folder / ROOFTILE_RANKS_FOLDER / ROOFTILE_RANKS;
}

/// The number of processes in mpirun's environment variables; 0: not set.
int started() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* const count = std::getenv(name)) return std::atoi(count);
  }
  return 0;
}

}  // namespace

std::unique_ptr<Ranks> open_ranks() {
  // MPI plugins need the symbols in the global scope. The file is never closed, because OpenMP threads still
  // use it.
  void* const file = dlopen(file_of_ranks().c_str(), RTLD_NOW | RTLD_GLOBAL);
  const char* const problem = file == nullptr ? dlerror() : "";
  auto* const open = file == nullptr ? nullptr : reinterpret_cast<OpenRanks*>(dlsym(file, open_ranks_name));
  if (open == nullptr) {
    throw Error(detail::text("no MPI for --ranks (", problem,
                             "): install rooftile-ranks, or build with -DROOFTILE_ENABLE_DISTRIBUTED=ON"));
  }
  std::unique_ptr<Ranks> ranks(open());
  if (ranks->size() == 1 && started() > 1) {
    throw Error(detail::text("processes are not in one MPI job (mpirun started ", started(),
                             "): take the mpirun of the MPI that the program was built with"));
  }
  return ranks;
}

}  // namespace rooftile::perf
