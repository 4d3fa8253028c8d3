// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Any text is refused as a tuning file, or it is read and then written as a text that reads back equal.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "rooftile/tuning_file.hpp"

namespace rooftile::fuzz {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(std::string_view text) {
  TuningTable table;
  try {
    table = parse_tuning(text, "fuzz");
  } catch (const Error&) {
    return;
  }
  const TuningTable again = parse_tuning(to_text(table), "fuzz");
  require(again.device == table.device && again.entries.size() == table.entries.size() &&
          again.modes == table.modes && again.tiles == table.tiles);
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    const TuningEntry& e = table.entries[i];
    const TuningEntry& written = again.entries[i];
    require(written.path == e.path && written.math == e.math && written.shape == e.shape &&
            written.layout == e.layout && written.kernel == e.kernel && written.tile == e.tile &&
            written.nanoseconds == e.nanoseconds && written.model_nanoseconds == e.model_nanoseconds);
    const TuningEntry* const nearest = table.nearest(e.path, e.math, e.shape, e.layout);
    require(nearest != nullptr && nearest->shape == e.shape);
  }
}

}  // namespace
}  // namespace rooftile::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rooftile::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
