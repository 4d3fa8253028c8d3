// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// A Kokkos tool that records regions and launches. Kokkos loads it through KOKKOS_TOOLS_LIBS.
#include <cstdint>
#include <mutex>
#include <string>

namespace {

std::mutex recording;
std::string events;

void record(const char* what, const char* name) {
  const std::lock_guard hold(recording);
  events.append(what).append(name).append("\n");
}

}  // namespace

extern "C" {

void kokkosp_push_profile_region(const char* name) {
  record("begin ", name);
}

void kokkosp_pop_profile_region() {
  record("end", "");
}

void kokkosp_begin_parallel_for(const char* name, std::uint32_t, std::uint64_t* number) {
  *number = 0;
  record("launch ", name);
}

/// The events since the last call, one per line.
const char* take_events() {
  static std::string taken;
  const std::lock_guard hold(recording);
  taken.clear();
  taken.swap(events);
  return taken.c_str();
}

}  // extern "C"
