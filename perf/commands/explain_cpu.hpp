// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../machine.hpp"
#include "rooftile/model/device.hpp"

/// `rooftile explain --device CPU`: the model of this machine's CPU.
namespace rooftile::perf {

/// The host. Its rates are measured, since no data sheet tells those of a CPU's products.
class MeasuredCpu {
 public:
  /// @param cpu  the table's entry for CPUs
  explicit MeasuredCpu(const model::Device& cpu);

  const model::Device& device() const { return device_; }

  /// As the library sees it.
  /// @throws Error where the build has no such path for CPUs
  Target target(Path path, Math math) const;

 private:
  Machine machine_ = find_machine();
  model::Device device_;
};

}  // namespace rooftile::perf
