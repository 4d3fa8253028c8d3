// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Prints the waves per SIMD unit by the model, for each input line of threads and registers. Prints nothing
// if the architecture is unknown.
#include "rooftile/model/occupancy.hpp"

#include <algorithm>
#include <iostream>
#include <string_view>

#include "rooftile/model/device_table.hpp"

int main(int, char** arguments) {
  using namespace rooftile::model;
  const std::string_view architecture = arguments[1];
  const auto device = std::find_if(std::begin(devices), std::end(devices),
                                   [&](const Device& d) { return d.architecture == architecture; });
  if (device == std::end(devices)) return 0;
  Launch launch;
  while (std::cin >> launch.threads >> launch.registers) {
    std::cout << occupancy(device->limits, launch).warps / 4 << '\n';
  }
}
