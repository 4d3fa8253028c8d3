// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <fstream>
#include <string>

#include <unistd.h>

#include "rooftile/problem.hpp"

namespace rooftile::perf {

/// Bytes that the machine can still give. Linux promises more than that and ends the process later.
inline double available_memory() {
  std::ifstream meminfo("/proc/meminfo");
  std::string name;
  for (double kilobytes = 0; meminfo >> name >> kilobytes; meminfo.ignore(64, '\n')) {
    if (name == "MemAvailable:") return 1024 * kilobytes;  // what the page cache would give up counts
  }
  return static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Bytes of host memory for `count` products and their references; in double, which sizes do not overflow.
/// @param on_host       the device's operands are in host memory too
inline double host_bytes(const GemmShape& shape, Index count, std::size_t element_size, Index rows_checked,
                         bool on_host) {
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k), size = static_cast<double>(element_size);
  const double operands = size * (m * k + k * n + m * n);
  const double widened = std::max(size, 4.0);  // the reference's own B
  const double reference = widened * k * n + sizeof(double) * static_cast<double>(rows_checked) * (2 * n + 1);
  return static_cast<double>(count) * ((on_host ? 2 : 1) * operands + size * m * n) + reference;
}

}  // namespace rooftile::perf
