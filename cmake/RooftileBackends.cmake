# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# The backends and the rungs of the portable ladder. Sets
#   rooftile_gpu_spaces, rooftile_cpu_spaces   the execution spaces of Kokkos that have a backend
#   rooftile_cpu_names                         the names of the CPU spaces in programs, such as openmp
#   rooftile_backends                          all names for ROOFTILE_BACKEND, in the order of preference
#   rooftile_types                             the element types
#   rooftile_rungs                             the rungs, NN_name
# and generates the headers backends/kokkos/{backend,fragments,workspace}.hpp, which include the headers of the
# backends that the Kokkos in use enables.

set(rooftile_gpu_spaces Cuda HIP)
set(rooftile_cpu_spaces OpenMP Serial)
set(rooftile_types float double float16 bfloat16 complex<float> complex<double>)
set(wide_c_types "Mixed<float16,float>" "Mixed<bfloat16,float>")  # for matrix instructions
set(int8_types "Mixed<std::int8_t,std::int32_t>")
set(float8_types "Mixed<float8_e4m3,float>" "Mixed<float8_e4m3,bfloat16>" "Mixed<float8_e4m3,float16>")

set(places_GPUs ${rooftile_gpu_spaces})
set(places_CPUs ${rooftile_cpu_spaces})
set(places_ ${rooftile_gpu_spaces} ${rooftile_cpu_spaces})
foreach(space IN LISTS places_)
  set(places_${space} ${space})
endforeach()
macro(rooftile_rung name)
  cmake_parse_arguments(rooftile_${name} "" "ON;ARCHITECTURE" "OBJECTS" ${ARGN})
  if(rooftile_${name}_UNPARSED_ARGUMENTS OR NOT places_${rooftile_${name}_ON}
     OR NOT EXISTS ${PROJECT_SOURCE_DIR}/backends/kokkos/${name}.hpp)
    message(FATAL_ERROR "not a rung (${name} ${ARGN} in backends/kokkos/rungs.cmake): name a file of that folder, and ON with "
                        "GPUs, CPUs or one of ${places_}, ARCHITECTURE and OBJECTS")
  endif()
endmacro()
include(${PROJECT_SOURCE_DIR}/backends/kokkos/rungs.cmake)
file(GLOB rooftile_rungs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/backends/kokkos/[0-9][0-9]_*.hpp)
list(TRANSFORM rooftile_rungs REPLACE "^.*/(.+)[.]hpp$" "\\1")

# Sets RESULT to whether a rung is compiled for an execution space. A rung with ARCHITECTURE needs a Kokkos for it.
function(rooftile_compiles_rung name exec result)
  set(architecture ${rooftile_${name}_ARCHITECTURE})
  set(${result} OFF PARENT_SCOPE)
  if(exec IN_LIST places_${rooftile_${name}_ON}
     AND (NOT architecture OR architecture STREQUAL rooftile_kokkos_own_architecture))
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
