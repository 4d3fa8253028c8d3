# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Installs BUILD and moves the installation to PREFIX, so that nothing can depend on the original path. Checks that the
# package contains nothing of this machine: no path of the build, no warning, no CPU's instructions.
file(REMOVE_RECURSE ${PREFIX} ${PREFIX}.first)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}.first --config ${CONFIG}
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
file(RENAME ${PREFIX}.first ${PREFIX})

file(GLOB_RECURSE package ${PREFIX}/*/cmake/rooftile/*.cmake)
if(NOT package)
  message(FATAL_ERROR "no package below ${PREFIX}")
endif()
file(GLOB_RECURSE of_pkg_config ${PREFIX}/*.pc)
list(APPEND package ${of_pkg_config})
foreach(file IN LISTS package)
  file(READ ${file} text)
  string(REGEX REPLACE "LINK_ONLY:(OpenMP|NCCL)::" "" text "${text}")  # dependencies of static libraries
  foreach(leak IN ITEMS "${BUILD}" "${SOURCE}" "${PREFIX}" "-march=" "-Wall" "LINK_ONLY" "_perf")
    string(FIND "${text}" "${leak}" at)
    if(at GREATER_EQUAL 0)
      message(SEND_ERROR "${file} says ${leak}")
    endif()
  endforeach()
endforeach()
