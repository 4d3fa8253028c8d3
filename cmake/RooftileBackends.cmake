# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# The backends and the rungs of the portable ladder. Sets
#   rooftile_gpu_spaces, rooftile_cpu_spaces   the execution spaces of Kokkos that there are backends for
#   rooftile_cpu_names                         the latter as programs name them: openmp
#   rooftile_backends                          both, as ROOFTILE_BACKEND names them, in the order in which one is picked
#   rooftile_types                             the element types
#   rooftile_rungs                             the rungs, NN_name
# and makes the headers backends/kokkos/{backend,fragments,workspace}.hpp, which include those of the Kokkos found.

set(rooftile_gpu_spaces Cuda HIP)
set(rooftile_cpu_spaces OpenMP Serial)
set(rooftile_types float double float16 bfloat16 complex<float> complex<double>)

set(rooftile_rungs "")
macro(rooftile_rung name)
  list(APPEND rooftile_rungs ${name})
  cmake_parse_arguments(rooftile_${name} "" "ON;ARCHITECTURE" "OBJECTS" ${ARGN})
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/backends/kokkos/${name}.hpp)
    message(FATAL_ERROR "no such rung (${name} in backends/kokkos/rungs.cmake): add backends/kokkos/${name}.hpp")
  endif()
endmacro()
include(${PROJECT_SOURCE_DIR}/backends/kokkos/rungs.cmake)

# Whether a rung is compiled for an execution space: one with an architecture's own instructions only where they can be.
function(rooftile_compiles_rung name exec result)
  set(spaces ${rooftile_${name}_ON})
  set(architecture ${rooftile_${name}_ARCHITECTURE})
  if(NOT spaces)
    set(spaces ${rooftile_gpu_spaces} ${rooftile_cpu_spaces})
  elseif(spaces STREQUAL "GPUs")
    set(spaces ${rooftile_gpu_spaces})
  elseif(spaces STREQUAL "CPUs")
    set(spaces ${rooftile_cpu_spaces})
  endif()
  set(${result} OFF PARENT_SCOPE)
  if(exec IN_LIST spaces AND (NOT architecture OR architecture STREQUAL rooftile_kokkos_own_architecture))
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

set(includes_backend "")
set(includes_fragments "")
set(includes_workspace "")
foreach(space IN LISTS rooftile_gpu_spaces rooftile_cpu_spaces)
  string(TOLOWER ${space} folder)
  string(TOUPPER ${space} option)
  set(parts backend)
  if(space IN_LIST rooftile_gpu_spaces)
    list(APPEND parts fragments workspace)
  endif()
  foreach(part IN LISTS parts)
    string(APPEND includes_${part} "#ifdef KOKKOS_ENABLE_${option}\n#include \"backends/${folder}/${part}.hpp\"\n#endif\n")
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
