// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include <omp.h>

/// The number of OpenMP threads that share a product.
namespace rooftile::portable {

/// CPUs equivalent to the quota of a container (cgroup v2, cpu.max); `no_limit` without a quota.
inline int cpus_of_quota(const char* path, int no_limit) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "re"), std::fclose);
  double quota = 0, period = 0;
  if (file == nullptr || std::fscanf(file.get(), "%lf %lf", &quota, &period) != 2 || period <= 0)
    return no_limit;
  return std::max(1, static_cast<int>(std::ceil(quota / period)));
}

/// CPUs that the process may use.
inline int usable_cpus() {
  static const int cpus =
      std::min(omp_get_num_procs(), cpus_of_quota("/sys/fs/cgroup/cpu.max", omp_get_num_procs()));
  return cpus;
}

/// Counted when the library is loaded, because a program may later bind its main thread to one CPU.
inline const int usable_cpus_at_load = usable_cpus();

/// The number of threads of the runtime, unless it exceeds both four and two per usable CPU. With more
/// threads, the threads of a product would wait for each other longer than they compute.
constexpr int useful_threads(int threads, int cpus) {
  return threads <= std::max(4, 2 * cpus) ? threads : cpus;
}

}  // namespace rooftile::portable
