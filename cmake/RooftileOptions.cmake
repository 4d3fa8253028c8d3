# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# All options of the project. Any other ROOFTILE_… stops the configure step, so that misspelt options are reported.

# Native kernels take minutes to compile and need a driver to run, so a compiler without a driver does not enable them.
set(rooftile_native_default OFF)
set(rooftile_native_off "ROOFTILE_ENABLE_CUDA_NATIVE=OFF")
if(NOT DEFINED ROOFTILE_ENABLE_CUDA_NATIVE)
  include(CheckLanguage)
  check_language(CUDA)
  set(driver ON)
  if(NOT EXISTS /proc/driver/nvidia/version)  # for example on Windows
    execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
    if(NOT result EQUAL 0)
      set(driver OFF)
    endif()
  endif()
  if(driver AND CMAKE_CUDA_COMPILER)
    set(rooftile_native_default ON)
  elseif(driver)
    set(rooftile_native_off "an NVIDIA driver, but no nvcc: install the CUDA toolkit")
  elseif(CMAKE_CUDA_COMPILER)
    set(rooftile_native_off "nvcc, but no NVIDIA driver: -DROOFTILE_ENABLE_CUDA_NATIVE=ON builds it anyway")
  else()
    set(rooftile_native_off "no nvcc and no NVIDIA driver")
  endif()
endif()

option(ROOFTILE_ENABLE_PORTABLE "The Kokkos ladder, rooftile::rooftile" ON)
option(ROOFTILE_ENABLE_CUDA_NATIVE "The hand-written CUDA ladder, rooftile::cuda_native" ${rooftile_native_default})
set(rooftile_bindings_possible OFF)
if(PROJECT_IS_TOP_LEVEL AND ROOFTILE_ENABLE_PORTABLE AND UNIX AND NOT APPLE)  # the linker must support version scripts
  find_package(OpenMP QUIET COMPONENTS CXX)
  set(rooftile_bindings_possible ${OpenMP_CXX_FOUND})
endif()
option(ROOFTILE_ENABLE_BLAS "BLAS' gemm on the CPU, to be loaded before another BLAS, rooftile::blas"
       ${rooftile_bindings_possible})
option(ROOFTILE_ENABLE_C "gemm on the CPU for C and Fortran, rooftile::c and rooftile::fortran" ${rooftile_bindings_possible})
set(rooftile_mpi_found OFF)
if(rooftile_bindings_possible AND NOT DEFINED ROOFTILE_ENABLE_DISTRIBUTED)
  find_package(MPI QUIET COMPONENTS CXX)
  set(rooftile_mpi_found ${MPI_CXX_FOUND})
endif()
option(ROOFTILE_ENABLE_DISTRIBUTED "gemm of matrices that MPI's processes share, rooftile::distributed and rooftile::scalapack"
       ${rooftile_mpi_found})
set(rooftile_nccl_found OFF)
if(ROOFTILE_ENABLE_DISTRIBUTED AND ROOFTILE_ENABLE_CUDA_NATIVE AND NOT DEFINED ROOFTILE_ENABLE_DISTRIBUTED_CUDA)
  find_package(NCCL 2.18 QUIET)
  set(rooftile_nccl_found ${NCCL_FOUND})
endif()
option(ROOFTILE_ENABLE_DISTRIBUTED_CUDA "The same in memory of GPUs, rooftile::distributed_cuda" ${rooftile_nccl_found})
option(ROOFTILE_ENABLE_PERF "The program `rooftile`" ${PROJECT_IS_TOP_LEVEL})
option(ROOFTILE_ENABLE_TESTS "The tests" ${PROJECT_IS_TOP_LEVEL})
option(ROOFTILE_ENABLE_EXAMPLES "The examples" ${PROJECT_IS_TOP_LEVEL})
option(ROOFTILE_ENABLE_VENDOR "Vendor libraries as baselines of the program, where found" ON)
option(ROOFTILE_ENABLE_NATIVE_ARCH "Compile for this machine's CPU alone (private to our own sources)" OFF)
option(ROOFTILE_ENABLE_WARNINGS_AS_ERRORS "Stop at a compiler warning" OFF)
if(DEFINED ROOFTILE_ENABLE_GPU_NETS)  # the name before 0.1.0
  message(WARNING "ROOFTILE_ENABLE_GPU_NETS is now ROOFTILE_ENABLE_GPU_CHECKS (${ROOFTILE_ENABLE_GPU_NETS})")
  set(ROOFTILE_ENABLE_GPU_CHECKS "${ROOFTILE_ENABLE_GPU_NETS}" CACHE BOOL "" FORCE)
  unset(ROOFTILE_ENABLE_GPU_NETS CACHE)
endif()
option(ROOFTILE_ENABLE_GPU_CHECKS "For tests on a GPU: kernels with injected delays, and with injected faults" OFF)
option(ROOFTILE_ENABLE_FUZZER "For tests: link tests/fuzz with libFuzzer, which clang has" OFF)
set(ROOFTILE_BACKEND "" CACHE STRING "Default backend of gemm: OpenMP, Serial, CUDA or HIP; empty: the Kokkos default")
set(ROOFTILE_PLOT_JS "" CACHE FILEPATH
    "Chart.js, for what a report can do beyond its pictures; empty: where scripts/deps or Debian has it, or without")
set(ROOFTILE_DEVICE_CODE AUTO CACHE STRING
    "For tests: compile device code for GPUs that are not here; AUTO: for one of each vendor whose compiler is found, ON: for all, or fail, OFF")
set(ROOFTILE_ROCM_ROOT "" CACHE PATH "For tests: unpacked packages with HIP's headers and AMD's device libraries")
set(ROOFTILE_KOKKOS_CUDA_ROOT "" CACHE PATH "For tests: a Kokkos with CUDA, to compile and link that backend against")
set(ROOFTILE_KOKKOS_HIP_ROOT "" CACHE PATH "For tests: a Kokkos with HIP, to compile and link that backend against")

set(rooftile_options
    ROOFTILE_ENABLE_PORTABLE ROOFTILE_ENABLE_CUDA_NATIVE ROOFTILE_ENABLE_BLAS ROOFTILE_ENABLE_C
    ROOFTILE_ENABLE_DISTRIBUTED ROOFTILE_ENABLE_DISTRIBUTED_CUDA ROOFTILE_ENABLE_PERF
    ROOFTILE_ENABLE_TESTS ROOFTILE_ENABLE_EXAMPLES ROOFTILE_ENABLE_VENDOR ROOFTILE_ENABLE_NATIVE_ARCH
    ROOFTILE_ENABLE_WARNINGS_AS_ERRORS ROOFTILE_ENABLE_GPU_CHECKS ROOFTILE_ENABLE_FUZZER ROOFTILE_BACKEND ROOFTILE_PLOT_JS
    ROOFTILE_DEVICE_CODE
    ROOFTILE_ROCM_ROOT ROOFTILE_KOKKOS_CUDA_ROOT ROOFTILE_KOKKOS_HIP_ROOT)

get_cmake_property(rooftile_cached CACHE_VARIABLES)
foreach(name IN LISTS rooftile_cached)
  if(name MATCHES "^ROOFTILE_" AND NOT name IN_LIST rooftile_options)
    list(JOIN rooftile_options ", " known)
    message(FATAL_ERROR "unknown option (${name}): take one of ${known}")
  endif()
endforeach()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
