// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rooftile/gemm.hpp>

using Exec = rooftile::DefaultExecutionSpace;

template <class T>
using Matrix = Kokkos::View<T**, Exec::memory_space>;

template <class A, class B, class C>
void multiply(const A& a, const B& b, const C& c) {
  rooftile::gemm(Exec(), 1, a, b, 0, c);
}
