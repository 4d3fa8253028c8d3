# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Writes a source with the texts of the suites to SOURCE. -DFILES= lists the suites, separated by commas.
string(REPLACE "," ";" files "${FILES}")
set(all "#include \"perf/record/suite_file.hpp\"\n\nnamespace rooftile::perf {\n\n")
string(APPEND all "std::span<const ShippedSuite> shipped_suites() {\n  static constexpr ShippedSuite all[] = {\n")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(APPEND all "      {\"${name}\", R\"ROOFTILE(${text})ROOFTILE\"},\n")
endforeach()
string(APPEND all "  };\n  return all;\n}\n\n}  // namespace rooftile::perf\n")
file(WRITE "${SOURCE}" "${all}")
