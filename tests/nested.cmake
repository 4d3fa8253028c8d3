# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Sets rooftile_nested: cache entries with which a test's configure step compiles as this build does. They are in a
# file, because values may contain blanks and semicolons.
set(cache "# Made by CMake from tests/nested.cmake.\n")
foreach(name IN ITEMS CMAKE_TOOLCHAIN_FILE CMAKE_BUILD_TYPE CMAKE_CXX_COMPILER CMAKE_CXX_FLAGS CMAKE_PREFIX_PATH
                      CMAKE_CUDA_COMPILER CMAKE_CUDA_ARCHITECTURES CMAKE_CUDA_HOST_COMPILER Kokkos_DIR)
  if(${name})
    string(APPEND cache "set(${name} [[${${name}}]] CACHE STRING \"\")\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/tests/nested-cache.cmake CONTENT "${cache}" @ONLY)
set(rooftile_nested -G ${CMAKE_GENERATOR} -C ${PROJECT_BINARY_DIR}/tests/nested-cache.cmake)
