// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "json_value.hpp"
#include "record.hpp"
#include "rooftile/model/device.hpp"

/// Writes and reads runs as JSON (docs/bench.schema.json).
namespace rooftile::perf {

/// The version of the format. Files of other versions are refused.
inline constexpr int record_schema = 3;

Json to_json(const Result& result);
Json to_json(const Summary& summary);
Json to_json(const Run& run);

/// Reads the file of a run with at least one result. The run may be incomplete.
/// @param option  the command-line option that named the file; empty: none
Run read_run(const std::string& option, const std::string& file);

/// Reads the file of a complete run. @throws Error also if the run is incomplete
Run read_whole_run(const std::string& file);

bool is_device(const std::string& reported, const model::Device& device);

}  // namespace rooftile::perf
