// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "rooftile/log.hpp"

/// The sink of the log that `ROOFTILE_LOG` names. It uses no lock, which a fork could leave locked. The file
/// stays open until the process ends, because calls may occur during program exit.
namespace rooftile::detail {

/// Whether logging is certainly off. This check is the whole cost of logging in a program without a log.
inline bool is_log_off() noexcept {
  return log_sink.load(std::memory_order_relaxed) == nullptr;
}

/// Returns an environment variable. Returns null in a setuid program, which must not write files that its
/// user names.
const char* environment(const char* name) noexcept;

/// Returns the sink of log lines; null: no log.
const LogSink* find_log() noexcept;

}  // namespace rooftile::detail
