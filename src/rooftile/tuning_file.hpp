// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/tuning.hpp"

/// @file
/// The file of a `TuningTable`: text, an entry a line, read strictly. Lines may end with CR LF.
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

/// @param file  what the text is called in an Error
/// @throws Error that names the file, the line and the value
TuningTable parse_tuning(std::string_view text, std::string_view file);

/// @throws Error where the file cannot be read or is no tuning table
TuningTable read_tuning(const std::string& file);

/// What `parse_tuning` reads.
/// @param remarks  lines about the run, for its readers
std::string to_text(const TuningTable& table, const std::vector<std::string>& remarks = {});

}  // namespace rooftile
