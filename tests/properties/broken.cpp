// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// broken FAULT [ARGS]: the random products with a fault injected into every kernel. catches.cmake checks the
// report.
#include <iostream>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "program.hpp"
#include "rooftile/error.hpp"

namespace rooftile::testing {
namespace {

/// Adds x to an element of C.
template <class T>
void add(const GemmArgs<T>& args, Index i, Index j, Scalar<T> x) {
  args.C(i, j) = static_cast<Out<T>>(static_cast<Scalar<T>>(args.C(i, j)) + x);
}

template <class T>
void touch(const T* element) {
  static_cast<void>(*reinterpret_cast<const volatile char*>(element));
}

/// Computes one non-empty product with the fault.
/// @param right  the correct kernel
template <class T, class Right>
void compute(const std::string& fault, GemmArgs<T> args, const Right& right) {
  const auto [m, n, k] = args.shape();
  if (fault == "bound") {  // misses a row in a tile with a single row
    const Index rows = m % 16 == 1 && m > 1 ? m - 1 : m;
    args.A.rows = args.C.rows = rows;
    right(args);
  } else if (fault == "beta") {  // adds 0 times C instead of nothing
    std::vector<Out<T>> before;
    for (Index x = 0; x < m * n; ++x) before.push_back(args.C(x / n, x % n));
    right(args);
    for (Index x = 0; x < m * n && args.beta == 0; ++x)
      add(args, x / n, x % n, 0 * static_cast<Scalar<T>>(before[static_cast<std::size_t>(x)]));
  } else if (fault == "padding") {  // writes after a row
    right(args);
    if (m > 1 && args.C.col_stride == 1 && args.C.row_stride > n) args.C(0, n) = {};
  } else if (fault == "end") {  // reads after the last element of A
    right(args);
    if (args.A.row_stride > 0 && args.A.col_stride > 0 && k > 0) touch(&args.A(m - 1, k - 1) + 1);
  } else if (fault == "begin") {  // reads before the first element of B
    right(args);
    if (args.B.row_stride > 0 && args.B.col_stride > 0 && k > 0) touch(args.B.data - 1);
  } else if (fault == "tiles") {  // wrong for odd numbers of tiles
    right(args);
    const Index tiles = ((m + 15) / 16) * ((n + 15) / 16);
    if (tiles > 1 && tiles % 2 == 1) add(args, m - 1, n - 1, 1);
  } else if (fault == "stale") {  // adds the result of the last call
    static Scalar<T> left = 0;
    right(args);
    const auto now = static_cast<Scalar<T>>(args.C(0, 0));
    add(args, 0, 0, left);
    left = now;
  } else if (fault == "operand") {  // uses A as workspace
    right(args);
    if (k > 0) const_cast<In<T>&>(args.A(0, 0)) = {};
  } else if (fault == "panel") {  // omits the last step along K if it is short
    const Index whole = k % 8 == 1 && k > 1 ? k - 1 : k;
    args.A.cols = args.B.rows = whole;
    right(args);
  } else {
    right(args);
  }
}

/// Refuses a valid product: fp64 by pointers.
template <class T>
void refuse_pointers(perf::Candidate<T>& kernel) {
  kernel.refusal = [right = kernel](const BatchArgs<T>& args) {
    const bool refused = right.math == ComputeMode::fp64 && args.pointers.any();
    return refused ? Refusal{Reason::addresses, "no pointers (fp64): give strides"} : right.refusal(args);
  };
  kernel.call = perf::call_of<T>([right = kernel](const BatchArgs<T>& args) {
    if (const Refusal refusal = right.refusal(args); !refusal.empty()) throw Error(refusal.text);
    right.launch(args);
  });
}

void plant(perf::Machine& machine, const std::string& fault) {
  perf::for_each_product_type([&]<class T>() {
    for (perf::Candidate<T>& kernel : machine.candidates<T>()) {
      if (fault == "pointers") {
        refuse_pointers(kernel);
        continue;
      }
      if (fault == "group" && kernel.group) {  // omits the last product of several
        kernel.group = [right = kernel.group](std::span<const GemmArgs<T>> group) {
          return right(group.first(group.size() > 1 ? group.size() - 1 : group.size()));
        };
      }
      kernel.call = perf::call_of<T>([fault, right = kernel](const BatchArgs<T>& args) {
        if (!right.refusal(args).empty() || args.first.C.rows == 0 || args.first.C.cols == 0)
          return right.launch(args);
        for (Index i = 0; i < args.batch.count; ++i)
          compute(fault, args.product(i), [&](const GemmArgs<T>& one) { right.launch(one); });
      });
    }
  });
}

}  // namespace
}  // namespace rooftile::testing

int main(int argc, char** argv) {
  using namespace rooftile;
  if (argc < 2) {
    std::cerr << "no fault named: broken FAULT [ARGS]\n";
    return 2;
  }
  const std::string fault = argv[1];
  return testing::run(argc - 1, argv + 1,
                      {ROOFTILE_TEST_PATH, ROOFTILE_TEST_BACKEND, ROOFTILE_TEST_CASES,
                       [&](perf::Machine& machine) { testing::plant(machine, fault); }});
}
