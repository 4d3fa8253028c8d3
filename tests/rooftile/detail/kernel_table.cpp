// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/detail/kernel_table.hpp"

#include <catch2/catch_test_macros.hpp>

namespace rooftile::detail {
namespace {

/// What is instantiated, and hence must be defined, is what the ladder's rows name.
template <Kernel kernel, Path path, Math math>
int made() {
  static_assert(rung_of(kernel).supports(math, path));
  return static_cast<int>(kernel) * 100 + static_cast<int>(math);
}

template <Path path, class T>
constexpr auto table = kernel_table<int (*)()>([]<Kernel kernel>(std::integral_constant<Kernel, kernel>) {
  return kernel_row<kernel, path, T, int (*)()>(
      []<Math math>(std::integral_constant<Math, math>) { return &made<kernel, path, math>; });
});

template <Path path, class T>
void check() {
  for (const Rung& rung : ladder) {
    for (const Math math : all_maths) {
      const auto function = table<path, T>(rung.kernel, math);
      const bool wanted = is_mode_of<T>(math) && rung.supports(math, path);
      REQUIRE((function != nullptr) == wanted);
      if (wanted) CHECK(function() == static_cast<int>(rung.kernel) * 100 + static_cast<int>(math));
    }
  }
}

TEST_CASE("a table has the functions of the rungs and math modes of its element type", "[ladder]") {
  check<Path::native, float>();
  check<Path::native, double>();
  check<Path::native, float16>();
  check<Path::native, bfloat16>();
  check<Path::portable, float>();
  check<Path::portable, double>();
}

}  // namespace
}  // namespace rooftile::detail
