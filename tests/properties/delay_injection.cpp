// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The random products with kernels that are delayed at random, under 200 seeds. Every second seed uses a
// stream.
#include "program.hpp"
#include "tests/delay_injection/hold_up.hpp"

namespace rooftile::testing {
namespace {

constexpr unsigned seeds = 200;

void shake(perf::Machine& machine) {
  perf::for_each_product_type([&]<class T>() {
    for (perf::Candidate<T>& kernel : machine.candidates<T>()) {
      kernel.call = perf::call_of<T>([right = kernel](const BatchArgs<T>& args) {
        static unsigned calls = 0;
        const unsigned seed = calls++ % seeds + 1;
        set_shake_seed(seed);
        if (seed % 2 == 0) steal_sms();
        right.launch(args);
      });
    }
  });
}

}  // namespace
}  // namespace rooftile::testing

int main(int argc, char** argv) {
  using namespace rooftile;
  return testing::run(argc, argv,
                      {ROOFTILE_TEST_PATH, ROOFTILE_TEST_BACKEND, ROOFTILE_TEST_CASES, testing::shake});
}
