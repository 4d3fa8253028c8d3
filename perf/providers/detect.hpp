// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "../record/hardware.hpp"
#include "rooftile/model/device.hpp"

namespace rooftile::perf {

struct DetectedDevice : model::Device {
  Hardware hardware;
};

/// Adds the devices of one kind to what is detected. A file in `providers/` registers one with a static
/// object.
struct Detector {
  explicit Detector(std::function<void(std::vector<DetectedDevice>&)> add);
};

/// What this machine has, as it reports itself, the CPU first; what it does not report is 0 or empty.
std::vector<DetectedDevice> detected_devices();

/// The same text for as long as the program runs: a `model::Device` does not own its names.
std::string_view lasting(std::string text);

}  // namespace rooftile::perf
