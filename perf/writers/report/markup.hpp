// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Escapes texts from files for pages and pictures, so that the texts cannot become markup.
namespace rooftile::perf {

/// Escapes a text for XML and HTML, in element content and in attributes. U+FFFD replaces characters that XML
/// does not allow and bytes that are not UTF-8, as in file names.
std::string markup(std::string_view text);

/// `<td>text</td>`, the text as markup.
std::string element(std::string_view tag, std::string_view text);

/// Escapes JSON for a `script` element, so that it contains no tag and cannot end the element.
/// @param json  with all non-ASCII characters escaped
std::string json_in_markup(std::string_view json);

}  // namespace rooftile::perf
