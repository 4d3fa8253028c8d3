// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Texts of files as parts of a page or picture, in which they never become markup.
namespace rooftile::perf {

/// A text as it stands in XML and HTML, between tags and in attributes alike. U+FFFD replaces characters that
/// XML does not allow, and bytes that are not UTF-8, which a file's name may have.
std::string markup(std::string_view text);

/// `<td>text</td>`, the text as markup.
std::string element(std::string_view tag, std::string_view text);

/// JSON as it stands in a `script` element: nothing in it ends the element or is a tag.
/// @param json  with all beyond ASCII escaped
std::string json_in_markup(std::string_view json);

}  // namespace rooftile::perf
