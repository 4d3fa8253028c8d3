// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "data_sheet.hpp"

#include <vector>

#include <fmt/format.h>

#include "rooftile/model/find_device.hpp"

namespace rooftile::perf {
namespace {

/// Each measured ceiling divided by the data sheet's value; empty for devices outside the table.
std::vector<NamedRate> shares(std::string_view device, const Ceilings& measured) {
  const model::Device* const sheet = model::built_in_like(device);
  if (sheet == nullptr) return {};
  std::vector<NamedRate> found;
  const auto add = [&](std::string name, double here, double promised) {
    if (here > 0 && promised > 0) found.push_back({std::move(name), here / promised});
  };
  add("fp32", measured.fp32_gflops, sheet->vector.fp32);
  add("fp64", measured.fp64_gflops, sheet->vector.fp64);
  for (std::size_t p = 0; p < model::precision_names.size(); ++p) {
    const auto precision = static_cast<model::Precision>(p);
    add("matrix " + std::string(model::name(precision)), measured.matrix(model::name(precision)),
        sheet->tensor.of(precision));
  }
  add("memory", measured.bandwidth_gbs, sheet->bandwidth_gbs);
  return found;
}

}  // namespace

std::string share_of_data_sheet(std::string_view device, const Ceilings& measured, std::string_view before) {
  std::string words;
  for (const NamedRate& share : shares(device, measured))
    words += fmt::format("{}{:.2f} {}", words.empty() ? before : ", ", share.rate, share.name);
  return words;
}

std::string disturbance_of(std::string_view device, const Ceilings& measured) {
  constexpr double longest_launch_us = 100;  // GPU launches take 2 to 10 us, CPU launches 0.5 to 20 us
  if (measured.launch_us > longest_launch_us)
    return fmt::format("a launch takes {:.0f} us: other work runs on the device", measured.launch_us);
  for (const NamedRate& share : shares(device, measured)) {
    if (share.rate < 0.5)
      return fmt::format(
          "{} at {:.2f} of the data sheet: other work runs on the device, or its clock is held down",
          share.name, share.rate);
  }
  return {};
}

}  // namespace rooftile::perf
