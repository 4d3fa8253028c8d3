# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Writes a source with the texts of a report's parts to SOURCE: the files of this folder, -DLIBRARY= and -DLICENCE=.
# Both may
# be empty.
set(here ${CMAKE_CURRENT_LIST_DIR})
set(all "#include \"perf/writers/report/parts.hpp\"\n\nnamespace rooftile::perf::parts {\n\n")
function(add name)
  set(text "")
  foreach(file IN LISTS ARGN)
    file(READ "${file}" part)
    string(APPEND text "${part}")
  endforeach()
  # Replaces text that would end the CDATA section for an XML parser, and removes references to source maps.
  string(REPLACE "]]>" "]] >" text "${text}")
  string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" text "${text}")
  if(text MATCHES "</script|\\)ROOFTILE\"")
    message(FATAL_ERROR "cannot be part of a page (${ARGN}): name another ROOFTILE_PLOT_JS")
  endif()
  string(APPEND all "const std::string_view ${name} = R\"ROOFTILE(${text})ROOFTILE\";\n")
  set(all "${all}" PARENT_SCOPE)
endfunction()
add(style ${here}/report.css)
add(legend ${here}/legend.html)
add(explorer ${here}/explorer.html)
# Order matters: later scripts use definitions of earlier ones.
add(script ${here}/records.js ${here}/table.js ${here}/panel.js ${here}/charts.js ${here}/report.js)
add(library ${LIBRARY})
add(licence ${LICENCE})
string(APPEND all "\n}  // namespace rooftile::perf::parts\n")
file(WRITE "${SOURCE}" "${all}")
