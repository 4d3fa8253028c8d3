# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# rooftile::fortran. Each project compiles it itself, because module files depend on the compiler. Installed next to the
# sources of the modules.

if(NOT TARGET rooftile::fortran)
  add_library(rooftile_fortran STATIC EXCLUDE_FROM_ALL
              ${CMAKE_CURRENT_LIST_DIR}/rooftile_operands.f90 ${CMAKE_CURRENT_LIST_DIR}/rooftile_groups.f90
              ${CMAKE_CURRENT_LIST_DIR}/rooftile.f90)
  add_library(rooftile::fortran ALIAS rooftile_fortran)
  set_target_properties(rooftile_fortran PROPERTIES
    POSITION_INDEPENDENT_CODE ON Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/rooftile_modules)
  target_include_directories(rooftile_fortran PUBLIC ${CMAKE_CURRENT_BINARY_DIR}/rooftile_modules)
  target_link_libraries(rooftile_fortran PUBLIC rooftile::c)
endif()
