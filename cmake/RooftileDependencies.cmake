# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# What the build needs, and what it can use. Sets
#   rooftile_spaces          the execution spaces of the Kokkos found: OpenMP, Serial, Cuda, HIP
#   ROOFTILE_BACKEND_SPACE   the one that ROOFTILE_BACKEND picks

# CMake before 3.25.2 knows no C++20 flag for nvcc 12 and 13 and silently passes none.
macro(rooftile_enable_cuda)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80 90)
  endif()
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
endmacro()

if(ROOFTILE_ENABLE_CUDA_NATIVE)
  rooftile_enable_cuda()
  find_package(CUDAToolkit REQUIRED)
endif()

set(rooftile_spaces "")
if(ROOFTILE_ENABLE_PORTABLE)
  if(NOT TARGET Kokkos::kokkos)  # a parent project's Kokkos comes first
    find_package(Kokkos REQUIRED)
    if(Kokkos_VERSION VERSION_LESS 4.6 OR Kokkos_VERSION VERSION_GREATER_EQUAL 6)
      message(FATAL_ERROR "unsupported Kokkos (${Kokkos_VERSION} in ${Kokkos_DIR}): take 4.6 up to any 5.x")
    endif()
  endif()
  foreach(space Cuda HIP OpenMP Serial)  # in the order in which Kokkos picks its default
    string(TOUPPER ${space} device)
    if(device IN_LIST Kokkos_DEVICES OR Kokkos_ENABLE_${device})
      list(APPEND rooftile_spaces ${space})
    endif()
  endforeach()

  string(REPLACE "CUDA" "Cuda" ROOFTILE_BACKEND_SPACE "${ROOFTILE_BACKEND}")
  if(NOT ROOFTILE_BACKEND)
    list(GET rooftile_spaces 0 ROOFTILE_BACKEND_SPACE)
  elseif(NOT ROOFTILE_BACKEND_SPACE IN_LIST rooftile_spaces)
    string(REPLACE "Cuda" "CUDA" known "${rooftile_spaces}")
    list(JOIN known ", " known)
    message(FATAL_ERROR "Kokkos lacks the backend (ROOFTILE_BACKEND=${ROOFTILE_BACKEND}): take one of ${known}, or "
                        "point Kokkos_ROOT to a Kokkos built with it")
  endif()

  # Kokkos may want its users' sources compiled as CUDA or HIP.
  set(rooftile_kokkos_language CXX)
  if(Kokkos_COMPILE_LANGUAGE)
    set(rooftile_kokkos_language ${Kokkos_COMPILE_LANGUAGE})
    if(rooftile_kokkos_language STREQUAL "CUDA")
      rooftile_enable_cuda()
    else()
      enable_language(${rooftile_kokkos_language})
    endif()
  endif()
endif()

if(ROOFTILE_ENABLE_PERF)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  find_package(fmt REQUIRED)
endif()
if(ROOFTILE_ENABLE_TESTS)
  find_package(Catch2 3 REQUIRED)
endif()
