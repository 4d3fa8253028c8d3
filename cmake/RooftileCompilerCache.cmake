# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Compiles through ccache if it is found and works. A parent project and CMAKE_CXX_COMPILER_LAUNCHER, even if it is
# empty, have priority. Sets
#   rooftile_compiler_cache  the text of the summary

set(rooftile_compiler_cache "off (no ccache)")
if(NOT PROJECT_IS_TOP_LEVEL OR DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(rooftile_compiler_cache "as CMAKE_CXX_COMPILER_LAUNCHER says (${CMAKE_CXX_COMPILER_LAUNCHER})")
  return()
endif()
find_program(rooftile_ccache ccache HINTS ${PROJECT_SOURCE_DIR}/.deps/ccache/bin)
mark_as_advanced(rooftile_ccache)
if(NOT rooftile_ccache)
  return()
endif()

# Paths below the sources are hashed relative to the build folder, so that other clones reuse these objects.
set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true CCACHE_SLOPPINESS=pch_defines,time_macros ${rooftile_ccache})

# ccache stops with an error if it cannot write its cache.
set(probe ${PROJECT_BINARY_DIR}/CMakeFiles/ccache_probe.cpp)
file(WRITE ${probe} "int main() {}\n")
execute_process(COMMAND ${launcher} ${CMAKE_CXX_COMPILER} -c ${probe} -o ${probe}.o
                RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(NOT result EQUAL 0)
  string(REGEX REPLACE "\n.*" "" text "${text}")
  set(rooftile_compiler_cache "off (${rooftile_ccache} fails: ${text})")
  return()
endif()
foreach(language C CXX CUDA)
  set(CMAKE_${language}_COMPILER_LAUNCHER ${launcher})
endforeach()
set(rooftile_compiler_cache "${rooftile_ccache}")
