// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <rooftile/ladder.hpp>
#include <rooftile/model/device_table.hpp>
#include <rooftile/version.hpp>

int main() {
  const bool has_tiled = rooftile::rung_of(rooftile::Kernel::tiled).name == "tiled";
  const bool has_devices = std::size(rooftile::model::devices) > 0;
  return has_tiled && has_devices && rooftile::version[0] != '\0' ? 0 : 1;
}
