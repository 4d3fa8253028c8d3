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

/// Adds the devices of one kind to the detected devices. Each file in `providers/` registers one static
/// Detector.
struct Detector {
  explicit Detector(std::function<void(std::vector<DetectedDevice>&)> add);
};

/// The devices of this machine as they report themselves, CPU first. Unreported values are 0 or empty.
std::vector<DetectedDevice> detected_devices();

/// A copy of the text with the lifetime of the program: `model::Device` does not own its names.
std::string_view lasting(std::string text);

}  // namespace rooftile::perf
