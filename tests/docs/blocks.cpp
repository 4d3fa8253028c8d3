// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Runs the C++ blocks of the documents, which extract.awk turns into a source.
#include <cstdio>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <rooftile/gemm.hpp>

#include "cpp.inc"

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  for (void (*const block)() : blocks) {
    block();
    Kokkos::fence();
  }
  std::printf("%zu blocks ran\n", std::size(blocks));
}
