// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "rooftile/log.hpp"

/// Where `ROOFTILE_LOG` has a log written to. No lock, which a fork could leave locked, and no end: what the
/// program could still call at its end finds the file open.
namespace rooftile::detail {

/// Whether nobody takes lines, for certain: all that a call costs whose program has no log.
inline bool is_log_off() noexcept {
  return log_sink.load(std::memory_order_relaxed) == nullptr;
}

/// A variable of the environment; null in a program that runs with other rights than its user's (setuid),
/// which must not write files at the user's word.
const char* environment(const char* name) noexcept;

/// Who takes lines; null: nobody.
const LogSink* find_log() noexcept;

}  // namespace rooftile::detail
