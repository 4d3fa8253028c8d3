// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <vector>

#include "device/common/delay_injection.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/matrix.hpp"

/// Emulates `src/device/common/verbs.hpp` for GPU threads that run as host threads. Copies are asynchronous
/// and execute as late as possible, when their thread waits for them.
namespace rooftile::detail {

template <class T>
T unforeseen(T x) {
  return x;
}
template <class T>
T unforeseen_by_clang(T x) {
  return x;
}
template <class T>
T unforeseen_scalar(T x) {
  return x;
}
template <class T>
T* global_pointer(T* pointer) {
  return pointer;
}
template <class T>
T* unforeseen_global(T* pointer) {
  return pointer;
}
template <class T>
T* read_pointer(T* const* pointers, Index i) {
  return pointers[i];
}
constexpr int unrolled_steps(int all) {
  return all;
}

inline constexpr bool copies_are_asynchronous = true;

/// Copies that the thread has started: closed groups, which a wait completes, and the open group.
struct BegunCopies {
  std::deque<std::vector<std::function<void()>>> groups;
  std::vector<std::function<void()>> open;
};
inline thread_local BegunCopies begun_copies;

template <int n, class T>
void begin_copy(T* shared, const T* global, bool wanted) {
  if (wanted) begun_copies.open.push_back([=] { std::memcpy(shared, global, n * sizeof(T)); });
}

inline void end_group() {
  begun_copies.groups.push_back(std::move(begun_copies.open));
  begun_copies.open.clear();
}

template <int pending>
void wait_for_groups() {
  while (begun_copies.groups.size() > pending) {
    for (const auto& copy : begun_copies.groups.front()) copy();
    begun_copies.groups.pop_front();
  }
}

}  // namespace rooftile::detail
