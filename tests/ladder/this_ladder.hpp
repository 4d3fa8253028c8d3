// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "kernels.hpp"

/// The executable's path and backend (ROOFTILE_TEST_PATH, ROOFTILE_TEST_BACKEND), on this machine.
namespace rooftile::testing {

/// Whether the table has kernels for a type on the path and backend.
constexpr bool has_kernels(Type type) {
  constexpr std::string_view backend = ROOFTILE_TEST_BACKEND;
  constexpr bool native = std::string_view(ROOFTILE_TEST_PATH) == "native";
  for (const Rung& rung : ladder) {
    constexpr Path path = native ? Path::native : Path::portable;
    if (!rung.on(path) || !rung.is_for(backend == "openmp" || backend == "serial")) continue;
    // No other backends have matrix instructions.
    if (!native && rung.fragments && backend != "cuda" && backend != "hip") continue;
    if (!native && rung.tma && backend != "cuda") continue;
    for (const Math math : rung.maths_on(path)) {
      if (type_of(math) == type) return true;
    }
  }
  return false;
}

/// Skips the test, or fails it if ROOFTILE_REQUIRE_GPU=1.
inline void skip(const std::string& reason) {
  const char* required = std::getenv("ROOFTILE_REQUIRE_GPU");
  if (required != nullptr && std::string(required) == "1") FAIL(reason);
  SKIP(reason);
}

/// The device of the executable's backend; without one, the test is skipped. Found on first use, so that
/// listing tests initialises neither Kokkos nor a GPU.
inline Device& device() {
  static std::string lack;
  static const std::unique_ptr<Device> found = find_device(lack);
  if (found == nullptr) skip("no device for " ROOFTILE_TEST_BACKEND " (" + lack + ")");
  return *found;
}

/// The element types that a kernel of the path computes with.
template <class... Ts>
auto types_of(std::type_identity<std::tuple<Ts...>>) -> decltype(std::tuple_cat(
    std::declval<std::conditional_t<has_kernels(type_of<Ts>()), std::tuple<Ts>, std::tuple<>>>()...));
using Types = decltype(types_of(std::type_identity<Elements>()));

/// The kernels of the path. A GPU without matrix instructions may have none for 16 bits; then the test is
/// skipped.
template <class T>
std::vector<LadderKernel<T>> kernels() {
  std::vector<LadderKernel<T>> found = kernels_of<T>(device());
  if (found.empty()) skip("no kernel computes in " + std::string(to_string(own_math<T>())) + " here");
  return found;
}

}  // namespace rooftile::testing
