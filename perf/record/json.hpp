// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "json_value.hpp"
#include "record.hpp"
#include "rooftile/model/device.hpp"

/// A run as JSON, docs/bench.schema.json: the one writer and the one reader of it.
namespace rooftile::perf {

/// The version of the format. Files of others are not read.
inline constexpr int record_schema = 3;

Json to_json(const Result& result);
Json to_json(const Summary& summary);
Json to_json(const Run& run);

/// A file of a run, with at least one result, that came to its end or not.
/// @param option  that named the file, empty if none did
Run read_run(const std::string& option, const std::string& file);

/// The same. @throws Error also where the run did not come to its end
Run read_whole_run(const std::string& file);

bool is_device(const std::string& reported, const model::Device& device);

}  // namespace rooftile::perf
