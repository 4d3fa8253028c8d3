// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/forked.hpp"

#include <pthread.h>

namespace rooftile::portable {

namespace {

bool forked = false;  // not atomic: set at load, and in a forked child, which has one thread

/// Registers the handler at load time: a process that forks before its first product may have OpenMP threads,
/// too.
[[gnu::constructor]] void notice_forks() {
  const int failed = pthread_atfork(nullptr, nullptr, [] { forked = true; });
  forked = failed != 0;
}

}  // namespace

bool is_forked() {
  return forked;
}

}  // namespace rooftile::portable
