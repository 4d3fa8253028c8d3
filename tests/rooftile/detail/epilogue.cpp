// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/detail/epilogue.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch_template_test_macros.hpp>

namespace rooftile {
namespace {

/// C after the update, by any function with update's signature.
template <class T, class Update>
T updated(const Update& update, T c, T alpha, T product, T beta) {
  update(c, alpha, product, beta);
  return c;
}

/// Whether `update` overwrites NaN and infinity where beta is 0.
template <class T, class Update>
bool overwrites(const Update& update) {
  using Limits = std::numeric_limits<T>;
  bool all = true;
  for (const T before : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), T(5)}) {
    all = all && updated<T>(update, before, 2, 3, 0) == 6 && updated<T>(update, before, 2, 3, T(-0.0)) == 6;
  }
  return all;
}

TEMPLATE_TEST_CASE("beta scales C, and zero overwrites it", "[epilogue]", float, double) {
  const auto update = [](auto&... x) { detail::update(x...); };
  CHECK(updated<TestType>(update, 5, 2, 3, 1) == 11);
  CHECK(updated<TestType>(update, 5, 2, 3, -4) == -14);
  CHECK(updated<TestType>(update, 5, 0, 3, 2) == 10);
  CHECK(overwrites<TestType>(update));
}

TEMPLATE_TEST_CASE("a NaN in C is kept where beta reads it", "[epilogue]", float, double) {
  const auto update = [](auto&... x) { detail::update(x...); };
  CHECK(std::isnan(updated<TestType>(update, std::numeric_limits<TestType>::quiet_NaN(), 2, 3, 1)));
}

TEMPLATE_TEST_CASE("an update that multiplies by a beta of zero is found out", "[epilogue]", float, double) {
  CHECK_FALSE(overwrites<TestType>(
      [](TestType& c, TestType alpha, TestType product, TestType beta) { c = alpha * product + beta * c; }));
}

}  // namespace
}  // namespace rooftile
