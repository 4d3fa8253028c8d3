// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "bindings/gpu/lines.hpp"

namespace rooftile::gpu {

/// The threads that copy. `start` calls f(context, i) for i below `count` on several threads, and waits.
struct Copiers {
  int count = 1;
  void (*start)(int count, void (*f)(void* context, int i), void* context) = nullptr;
};

/// @{
/// Copies lines to lines of equal shape.
template <class T>
void copy_lines(const Lines<const T>& from, const Lines<T>& to) {
  for (Index line = 0; line < from.count; ++line) {
    std::memcpy(static_cast<void*>(to.data + line * to.pitch), from.data + line * from.pitch,
                static_cast<std::size_t>(from.length) * sizeof(T));
  }
}
template <class T>
void copy_lines(const Lines<const T>& from, const Lines<T>& to, const Copiers& copiers) {
  constexpr std::size_t few_bytes = std::size_t{1} << 18;  // copying less is faster than waking threads
  const auto bytes = static_cast<std::size_t>(from.count * from.length) * sizeof(T);
  if (copiers.count <= 1 || copiers.start == nullptr || bytes < few_bytes) return copy_lines(from, to);
  struct Job {
    const Lines<const T>& from;
    const Lines<T>& to;
    int count;
  } job{from, to, copiers.count};
  copiers.start(
      job.count,
      [](void* context, int i) {
        const auto& [source, target, count] = *static_cast<Job*>(context);
        const bool by_lines = source.count >= count;
        const Index extent = by_lines ? source.count : source.length;
        const Index begin = extent * i / count, size = extent * (i + 1) / count - begin;
        const auto mine = [&, s = by_lines](const auto& x) {
          return s ? x.part(begin, size, 0, x.length) : x.part(0, x.count, begin, size);
        };
        copy_lines(mine(source), mine(target));
      },
      &job);
}
/// @}

}  // namespace rooftile::gpu
