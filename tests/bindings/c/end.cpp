// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// A program that multiplies while it ends: in an `atexit` or `at_quick_exit` handler, in destructors, and in
// a thread that outlives main. Its argument selects the way to end. A wrong product gives exit code 1.
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

#include "tests/bindings/c/call.hpp"

namespace {

using namespace rooftile;

/// Ends the program if a product of ones (n,n) is wrong. Large products are packed; small ones are not.
void multiply() {
  for (const Index n : {300, 60, 5}) {
    const std::vector<double> ones(static_cast<std::size_t>(n * n), 1);
    std::vector<double> c(ones.size());
    const testing::Handle handle;
    const GemmArgs<double> args{1, row_major(ones.data(), n, n), row_major(ones.data(), n, n).transposed(), 0,
                                row_major(c.data(), n, n)};
    if (testing::call<double>(handle, args) != ROOFTILE_SUCCESS) _exit(1);
    for (const double x : c) {
      if (x != static_cast<double>(n)) _exit(1);
    }
  }
}

struct AtEnd {
  ~AtEnd() { multiply(); }
};
const AtEnd of_program;

}  // namespace

int main(int, char** arguments) {
  const std::string_view way = arguments[1];
  // Registered and constructed before the first product: they run after all handlers that the first product
  // registers.
  static_cast<void>(std::atexit([] { multiply(), std::puts("multiplied at exit"); }));
  static_cast<void>(
      std::at_quick_exit([] { multiply(), std::puts("multiplied at exit"), std::fflush(stdout); }));
  thread_local const AtEnd of_thread;
  static_cast<void>(&of_thread);
  std::thread([] {
    thread_local const AtEnd of_other_thread;
    static_cast<void>(&of_other_thread);
    multiply();
  }).join();
  multiply();
  if (way == "quick_exit") std::quick_exit(0);
  if (way == "detached") {
    std::thread([] {
      while (true) multiply();
    }).detach();
    usleep(20000);
  }
}
