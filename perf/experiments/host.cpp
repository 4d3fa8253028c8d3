// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The texts' kernels on the CPU, in C++ and OpenMP.
#include "host/add.hpp"
#include "host/branch.hpp"
#include "host/increment.hpp"
#include "host/registers.hpp"
#include "host/transpose.hpp"

namespace rooftile::perf {
namespace {

/// Of a CPU's threads `1, 2, 4 …`, and all.
std::vector<int> thread_counts(int all) {
  std::vector<int> counts;
  for (int some = 1; some < all; some *= 2) counts.push_back(some);
  counts.push_back(all);
  return counts;
}

void add_host(Machine& machine, std::vector<TextKernels>& all) {
  TextKernels host;
  host.device = machine.devices.front().get();
  host.path = "native";
  for (const int threads : thread_counts(host.device->threads)) {
    for (const int bytes : {4, 16, 32, 64}) host.increments.push_back({bytes, 1, 0, threads});
  }
  host.increment = host::increment;
  host.lanes = {32, 1};
  host.branch = host::branch_all;
  host.hold = host::hold_registers;
  host.transpose = host::transpose;
  host.add = host::add;
  all.push_back(std::move(host));
}

const TextKernelProvider provider{add_host};

}  // namespace
}  // namespace rooftile::perf
