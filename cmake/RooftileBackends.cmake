# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# The backends: every folder backends/NAME whose backend.hpp says in a line `// Backend of GPUs: Cuda` which execution
# spaces of Kokkos it is for. Sets
#   rooftile_gpu_spaces, rooftile_cpu_spaces   those that there are backends for
#   rooftile_cpu_names                         the latter as programs name them: openmp
#   rooftile_backends                          both, as ROOFTILE_BACKEND names them, in the order in which one is picked
# and makes the headers backends/kokkos/{backend,fragments,workspace}.hpp, which include those of the Kokkos found.

set(rooftile_gpu_spaces "")
set(rooftile_cpu_spaces "")
set(includes_backend "")
set(includes_fragments "")
set(includes_workspace "")
file(GLOB folders CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/backends/*/backend.hpp)
foreach(header IN LISTS folders)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(STRINGS ${header} line REGEX "^// Backend of [CG]PUs: ")
  if(NOT line MATCHES "^// Backend of ([CG])PUs: ([A-Za-z ]+)$")
    message(FATAL_ERROR "a backend without its execution spaces (${header}): add a line such as // Backend of GPUs: SYCL")
  endif()
  string(TOLOWER rooftile_${CMAKE_MATCH_1}pu_spaces kind)
  string(REPLACE " " ";" spaces "${CMAKE_MATCH_2}")
  list(APPEND ${kind} ${spaces})
  list(TRANSFORM spaces TOUPPER)
  list(TRANSFORM spaces REPLACE "(.+)" "defined(KOKKOS_ENABLE_\\1)" OUTPUT_VARIABLE enabled)
  list(JOIN enabled " || " enabled)
  cmake_path(GET header PARENT_PATH folder)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  set(parts backend)
  if(kind STREQUAL "rooftile_gpu_spaces")
    list(APPEND parts fragments workspace)
  endif()
  foreach(part IN LISTS parts)
    string(APPEND includes_${part} "#if ${enabled}\n#include \"${folder}/${part}.hpp\"\n#endif\n")
  endforeach()
endforeach()
foreach(part IN ITEMS backend fragments workspace)
  set(includes "${includes_${part}}")
  configure_file(${PROJECT_SOURCE_DIR}/backends/kokkos/found.hpp.in
                 ${PROJECT_BINARY_DIR}/include/backends/kokkos/${part}.hpp @ONLY)
endforeach()
set(rooftile_backends ${rooftile_gpu_spaces} ${rooftile_cpu_spaces})
list(TRANSFORM rooftile_backends REPLACE "^Cuda$" CUDA)
list(TRANSFORM rooftile_cpu_spaces TOLOWER OUTPUT_VARIABLE rooftile_cpu_names)
