// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/forked.hpp"

#include <pthread.h>

namespace rooftile::portable {

namespace {

bool forked = false;  // set where there is but one thread

/// When the library is loaded: what is forked before the first product may have threads to wait for, too.
[[gnu::constructor]] void notice_forks() {
  const int failed = pthread_atfork(nullptr, nullptr, [] { forked = true; });
  forked = failed != 0;
}

}  // namespace

bool is_forked() {
  return forked;
}

}  // namespace rooftile::portable
