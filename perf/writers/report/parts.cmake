# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Writes the texts of a report's parts into SOURCE: -DCSS= -DJS= -DLIBRARY= -DLICENCE= name the files, the last two may be
# empty.
set(all "#include \"perf/writers/report/parts.hpp\"\n\nnamespace rooftile::perf::parts {\n\n")
foreach(part IN ITEMS CSS:style JS:script LIBRARY:library LICENCE:licence)
  string(REPLACE ":" ";" part "${part}")
  list(GET part 0 file)
  list(GET part 1 name)
  set(text "")
  if(${file})
    file(READ "${${file}}" text)
  endif()
  # A comment that ends what an XML parser takes for text, and where the unminified sources are, are no loss.
  string(REPLACE "]]>" "]] >" text "${text}")
  string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" text "${text}")
  if(text MATCHES "</script|\\)ROOFTILE\"")
    message(FATAL_ERROR "cannot be part of a page (${${file}}): name another ROOFTILE_PLOT_JS")
  endif()
  string(APPEND all "const std::string_view ${name} = R\"ROOFTILE(${text})ROOFTILE\";\n")
endforeach()
string(APPEND all "\n}  // namespace rooftile::perf::parts\n")
file(WRITE "${SOURCE}" "${all}")
