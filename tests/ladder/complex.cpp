// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What only complex numbers have: conjugates, and factors with two parts.
#include <catch2/catch_template_test_macros.hpp>

#include "this_ladder.hpp"
#include "try_kernel.hpp"

namespace rooftile::testing {
namespace {

using ComplexTypes = std::tuple<complex<float>, complex<double>>;

constexpr std::array<bool, 3> ways[] = {{false, false, false}, {true, false, false}, {false, true, false},
                                        {true, true, false},   {false, false, true}, {true, false, true},
                                        {false, true, true},   {true, true, true}};

TEMPLATE_LIST_TEST_CASE("operands in every layout are read as their conjugates", "[complex]", ComplexTypes) {
  for (const auto& kernel : kernels<TestType>()) {
    const auto [m, n, k] = edges(kernel);
    for (const GemmShape shape : {GemmShape{m, n, k}, {m + 1, n + 3, k + 5}, {3, 70, 9}}) {
      for (const Storage a : {Storage::row, Storage::column}) {
        for (const Storage b : {Storage::row, Storage::column}) {
          for (const Storage c : {Storage::row, Storage::column}) {
            for (const auto& way : ways) {
              Problem<TestType> problem{shape, a, b, c, {2, -1}, {1, 3}, true};
              problem.conjugated = way;
              try_kernel(kernel, problem);
            }
          }
        }
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("imaginary factors, and parts of 0", "[complex][scalars]", ComplexTypes) {
  using T = TestType;
  for (const auto& kernel : kernels<T>()) {
    const auto [m, n, k] = edges(kernel);
    for (const GemmShape shape : {GemmShape{m, n, k}, {m, n, 0}, {m + 1, n + 2, k + 3}}) {
      for (const T alpha : {T(0, 1), T(0, -2), T(1, 1), T(0, 0)}) {
        for (const T beta : {T(0, 1), T(0, 0), T(-2, 0), T(1, -1)}) {
          try_kernel(kernel, Problem<T>{shape, {}, {}, {}, alpha, beta, true});
        }
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("random complex products stay within the error bound", "[complex]", ComplexTypes) {
  for (const auto& kernel : kernels<TestType>()) {
    for (const auto& way : ways) {
      Problem<TestType> problem{{101, 67, 107}, {}, {}, {}, {1.25, -0.5}, {0.5, 0.75}};
      problem.conjugated = way;
      try_kernel(kernel, problem);
    }
  }
}

}  // namespace
}  // namespace rooftile::testing
