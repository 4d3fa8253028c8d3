// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "data_sheet.hpp"

#include <fmt/format.h>

#include "rooftile/model/find_device.hpp"

namespace rooftile::perf {

std::string share_of_data_sheet(std::string_view device, const Ceilings& measured, std::string_view before) {
  const model::Device* const sheet = model::built_in_like(device);
  if (sheet == nullptr) return {};
  std::string words;
  const auto add = [&](std::string_view what, std::string_view name, double here, double promised) {
    if (here <= 0 || promised <= 0) return;
    words += fmt::format("{}{:.2f} {}{}", words.empty() ? before : ", ", here / promised, what, name);
  };
  add("", "fp32", measured.fp32_gflops, sheet->vector.fp32);
  add("", "fp64", measured.fp64_gflops, sheet->vector.fp64);
  for (std::size_t p = 0; p < model::precision_names.size(); ++p) {
    const auto precision = static_cast<model::Precision>(p);
    add("matrix ", model::name(precision), measured.matrix(model::name(precision)),
        sheet->tensor.of(precision));
  }
  add("", "memory", measured.bandwidth_gbs, sheet->bandwidth_gbs);
  return words;
}

}  // namespace rooftile::perf
