# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0

function(rooftile_summary_line label)
  string(LENGTH "${label}" length)
  math(EXPR pad "18 - ${length}")
  string(REPEAT " " ${pad} pad)
  list(JOIN ARGN " " text)
  message(STATUS "  ${label}${pad}${text}")
endfunction()

# Prints the arguments as the value of the label if the condition is on, else the text `off`.
function(rooftile_summary_choice label condition off)
  if(${condition})
    set(off ${ARGN})
  endif()
  rooftile_summary_line("${label}" ${off})
endfunction()

message(STATUS "rooftile ${PROJECT_VERSION}")
set(build_type ${CMAKE_BUILD_TYPE} ${CMAKE_CONFIGURATION_TYPES})
if(NOT build_type)
  set(build_type "none")
endif()
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
set(flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} ${rooftile_optimise})
if(NOT flags)
  set(flags "none")
endif()
rooftile_summary_line("build type" ${build_type} "with" ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION})
rooftile_summary_line("C++ flags" ${flags})
rooftile_summary_line("compiler cache" ${rooftile_compiler_cache})
if(ROOFTILE_ENABLE_PORTABLE)
  rooftile_summary_line("Kokkos" ${rooftile_kokkos_version} ${Kokkos_DIR})
  rooftile_summary_line("portable on" ${rooftile_spaces} "(default ${ROOFTILE_BACKEND_SPACE})")
else()
  rooftile_summary_line("portable on" "nothing (ROOFTILE_ENABLE_PORTABLE=OFF)")
endif()
rooftile_summary_choice("native CUDA" ROOFTILE_ENABLE_CUDA_NATIVE "off (${rooftile_native_off})"
                        ${CUDAToolkit_VERSION} "for sm" ${CMAKE_CUDA_ARCHITECTURES})
rooftile_summary_choice("BLAS" ROOFTILE_ENABLE_BLAS "off (no OpenMP, or ROOFTILE_ENABLE_BLAS=OFF)"
                        "librooftile_blas, on CPUs")
if(ROOFTILE_ENABLE_C)
  rooftile_summary_line("C" "librooftile_c, on CPUs")
  rooftile_summary_choice("Fortran" CMAKE_Fortran_COMPILER "sources of the module only (no compiler)"
                          "with" ${CMAKE_Fortran_COMPILER_ID} ${CMAKE_Fortran_COMPILER_VERSION})
else()
  rooftile_summary_line("C and Fortran" "off (no OpenMP, or ROOFTILE_ENABLE_C=OFF)")
endif()
rooftile_summary_choice("distributed" ROOFTILE_ENABLE_DISTRIBUTED "off (no MPI, or ROOFTILE_ENABLE_DISTRIBUTED=OFF)"
                        "librooftile_distributed and librooftile_scalapack, with MPI" ${MPI_CXX_VERSION})
rooftile_summary_choice("  on GPUs" ROOFTILE_ENABLE_DISTRIBUTED_CUDA
                        "off (no MPI, nvcc or NCCL, or ROOFTILE_ENABLE_DISTRIBUTED_CUDA=OFF)"
                        "librooftile_distributed_cuda, with NCCL" ${NCCL_VERSION})
if(ROOFTILE_ENABLE_PERF)
  rooftile_summary_line("baselines" ${rooftile_vendors})
  rooftile_summary_choice("reports" rooftile_plot_js "without a chart (no Chart.js: ROOFTILE_PLOT_JS)"
                          "with" ${rooftile_plot_js})
endif()
if(rooftile_debian_packages)
  rooftile_summary_line("Debian packages" ${rooftile_debian_packages})
endif()
rooftile_summary_line("tests" ${ROOFTILE_ENABLE_TESTS})
