// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <Kokkos_Core.hpp>

namespace rooftile::portable {

/// Copies host data to the device as kernel parameters, which a captured graph keeps. Kokkos would pass more
/// than 4 KiB of parameters through memory that it waits for.
template <int max_count>
struct StoreWords {
  static constexpr int threads = 128;

  unsigned words[max_count];
  unsigned* to;
  int count;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    for (int i = member.team_rank(); i < count; i += threads) to[i] = words[i];
  }
};

/// @param to     device memory in stream order of the instance, aligned to 4 bytes
/// @param bytes  a multiple of 4
template <class Exec>
void store_words(const Exec& exec, const void* from, void* to, std::size_t bytes) {
  using Store = StoreWords<896>;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Store::threads, 1>>;
  const auto* next = static_cast<const char*>(from);
  for (std::size_t done = 0; done < bytes;) {
    Store store;
    const std::size_t part = std::min(bytes - done, sizeof store.words);
    std::memcpy(store.words, next + done, part);
    store.to = static_cast<unsigned*>(to) + done / sizeof(unsigned);
    store.count = static_cast<int>(part / sizeof(unsigned));
    // A light-weight kernel: for others, Kokkos passes parameters through that memory on HIP, too.
    Kokkos::parallel_for(
        "rooftile::store_words",
        Kokkos::Experimental::require(Policy(exec, 1, Store::threads, 1),
                                      Kokkos::Experimental::WorkItemProperty::HintLightWeight),
        store);
    done += part;
  }
}

}  // namespace rooftile::portable
