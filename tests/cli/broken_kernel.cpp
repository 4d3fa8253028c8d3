// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Adds a wrong kernel to the path BROKEN_PATH: one element of a product is off by a thousandth.
#include <cstdlib>

#include "perf/machine.hpp"

namespace rooftile::perf {
namespace {

template <class T>
void multiply(const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  for (Index i = 0; i < C.rows; ++i) {
    for (Index j = 0; j < C.cols; ++j) {
      T product = 0;
      for (Index k = 0; k < A.cols; ++k) product += A(i, k) * B(k, j);
      C(i, j) = alpha * product;
    }
  }
  C(2, 1) += T(1e-3);
}

template <class T>
Candidate<T> broken(Device& host) {
  const auto takes_all = [](const BatchArgs<T>&) { return Refusal{}; };
  const char* const path = std::getenv("BROKEN_PATH");
  Candidate<T> naive{
      &host,     own_mode<T>(),          path == nullptr ? "portable" : path, "naive", "1x1", 0,
      takes_all, call_of<T>(multiply<T>)};
  naive.group = [](std::span<const GemmArgs<T>> group) {
    return [group] {
      for (const GemmArgs<T>& product : group) multiply<T>(product);
    };
  };
  return naive;
}

const Provider provider{Provider::vendor, [](Machine& machine) {
                          Device& host = *machine.devices.front();
                          machine.candidates<float>().push_back(broken<float>(host));
                          machine.candidates<double>().push_back(broken<double>(host));
                        }};

}  // namespace
}  // namespace rooftile::perf
