// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/error.hpp"

#include <string_view>

#include <catch2/catch_test_macros.hpp>

namespace rooftile {
namespace {

TEST_CASE("an error carries its message and the place that noticed", "[error]") {
  const int line = __LINE__ + 1;
  const Error error("too large (7): take a smaller one");
  CHECK(std::string_view(error.what()) == "too large (7): take a smaller one");
  CHECK(static_cast<int>(error.where().line()) == line);
  CHECK(std::string_view(error.where().file_name()).ends_with("error.cpp"));
  CHECK(std::string_view(error.where().function_name()).find("TEST") != std::string_view::npos);
}

TEST_CASE("a message's parts are printed one after the other", "[error]") {
  CHECK(detail::text("a ", 1, ' ', 2.5, std::string(" b")) == "a 1 2.5 b");
}

}  // namespace
}  // namespace rooftile
