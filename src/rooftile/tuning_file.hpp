// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/tuning.hpp"

/// @file
/// The file of a `TuningTable`: text with one entry in a line, which the library reads strictly. Lines may
/// end with CR LF.
///
///     rooftile tuning 3
///     device NVIDIA H200
///     mode native fp64 repack_start=6100 …
///     tile tensor_core 64x64x16 4x4 start=12000 again=5600 step=220 busy=300
///     # path math MxNxK layout alignment kernel tile ns ns_of_the_model
///     native fp32 1024x1024x1024 rrr aligned pipelined 64x128x16 65000 71000
///     native fp32 1024x1001x1024 rcr aligned,aligned,ragged automatic - 65000 65000
///     end

namespace rooftile {

/// Returns the table in a text.
/// @param file  name of the text, for messages
/// @throws Error  that names the file, the line and the value, if the text is not a tuning table
TuningTable parse_tuning(std::string_view text, std::string_view file);

/// Returns the table in a file. @throws Error  if the file cannot be read or is not a tuning table
TuningTable read_tuning(const std::string& file);

/// Returns the text of a table, which `parse_tuning` reads.
/// @param remarks  comment lines about the run
std::string to_text(const TuningTable& table, const std::vector<std::string>& remarks = {});

}  // namespace rooftile
