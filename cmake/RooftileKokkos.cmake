# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Finds Kokkos, or uses a parent project's, and reads its configuration. Sets
#   rooftile_kokkos_version    such as 5.2.2
#   rooftile_spaces            its execution spaces: Cuda, HIP, OpenMP, Serial
#   rooftile_kokkos_language   the language in which sources that include Kokkos are compiled: CXX, CUDA, HIP
#   ROOFTILE_BACKEND_SPACE     the execution space that ROOFTILE_BACKEND selects
#   rooftile_kokkos_own_architecture   sm_90a, if nvcc compiles for Hopper without relocatable device code; else empty

include(RooftileBackends)

# Reads Kokkos' own header. The variables of find_package are not visible in other folders, and the variables of a
# parent that builds Kokkos may differ from the result.
function(rooftile_read_kokkos)
  set(folders "")
  foreach(target IN ITEMS Kokkos::kokkos Kokkos::kokkoscore)
    if(TARGET ${target})
      get_target_property(of_target ${target} INTERFACE_INCLUDE_DIRECTORIES)
      list(APPEND folders ${of_target})
    endif()
  endforeach()
  string(REGEX REPLACE "\\$<BUILD_INTERFACE:([^>]*)>" "\\1" folders "${folders}")
  find_file(header KokkosCore_config.h PATHS ${folders} NO_DEFAULT_PATH NO_CACHE)
  if(NOT header)
    message(FATAL_ERROR "no KokkosCore_config.h in the include folders of Kokkos::kokkos (${folders}): give an "
                        "installed Kokkos, or add Kokkos to the build before rooftile")
  endif()
  file(STRINGS ${header} defines REGEX "^#define KOKKOS_(VERSION |ENABLE_[A-Z]+( |$))")
  string(REGEX MATCH "VERSION ([0-9]+)" number "${defines}")
  math(EXPR major "${CMAKE_MATCH_1} / 10000")
  math(EXPR minor "${CMAKE_MATCH_1} / 100 % 100")
  math(EXPR patch "${CMAKE_MATCH_1} % 100")
  set(rooftile_kokkos_version ${major}.${minor}.${patch} PARENT_SCOPE)

  set(spaces "")
  foreach(backend IN LISTS rooftile_backends)
    string(TOUPPER ${backend} name)
    if(defines MATCHES "KOKKOS_ENABLE_${name}( |;|$)")
      string(REPLACE CUDA Cuda space ${backend})
      list(APPEND spaces ${space})
    endif()
  endforeach()
  set(rooftile_spaces "${spaces}" PARENT_SCOPE)

  # clang lacks the instructions, and relocatable device code must be for one architecture.
  file(STRINGS ${header} hopper REGEX "^#define KOKKOS_ARCH_HOPPER90( |$)")
  file(STRINGS ${header} other REGEX "^#define KOKKOS_(ENABLE_CUDA_RELOCATABLE_DEVICE_CODE|COMPILER_CLANG)( |$)")
  set(compiler "${CMAKE_CXX_COMPILER_ID}")
  if(Kokkos_CXX_COMPILER_ID)
    set(compiler "${Kokkos_CXX_COMPILER_ID}")
  endif()
  set(rooftile_kokkos_own_architecture "" PARENT_SCOPE)
  if(hopper AND NOT other AND NOT compiler MATCHES "Clang")
    set(rooftile_kokkos_own_architecture sm_90a PARENT_SCOPE)
  endif()

  get_target_property(definitions Kokkos::kokkoscore INTERFACE_COMPILE_DEFINITIONS)
  if(definitions MATCHES "COMPILE_LANGUAGE:([A-Z]+)>:KOKKOS_DEPENDENCE")
    set(rooftile_kokkos_language ${CMAKE_MATCH_1} PARENT_SCOPE)
  elseif(Kokkos_COMPILE_LANGUAGE)
    set(rooftile_kokkos_language ${Kokkos_COMPILE_LANGUAGE} PARENT_SCOPE)
  else()
    set(rooftile_kokkos_language CXX PARENT_SCOPE)
  endif()
endfunction()

if(ROOFTILE_BACKEND AND NOT ROOFTILE_BACKEND IN_LIST rooftile_backends)
  list(JOIN rooftile_backends ", " known)
  message(FATAL_ERROR "unknown backend (ROOFTILE_BACKEND=${ROOFTILE_BACKEND}): take one of ${known}")
endif()
if(NOT TARGET Kokkos::kokkos)  # a parent project's Kokkos comes first
  find_package(Kokkos REQUIRED)
endif()
rooftile_read_kokkos()
set(built_for_sm_90a false)
if(rooftile_kokkos_own_architecture STREQUAL "sm_90a")
  set(built_for_sm_90a true)
endif()
configure_file(${PROJECT_SOURCE_DIR}/backends/cuda/built.hpp.in ${PROJECT_BINARY_DIR}/include/backends/cuda/built.hpp @ONLY)
if(rooftile_kokkos_version VERSION_LESS 4.6 OR rooftile_kokkos_version VERSION_GREATER_EQUAL 6)
  message(FATAL_ERROR "unsupported Kokkos (${rooftile_kokkos_version} in '${Kokkos_DIR}'): take 4.6 up to any 5.x")
endif()

string(REPLACE CUDA Cuda ROOFTILE_BACKEND_SPACE "${ROOFTILE_BACKEND}")
string(REPLACE Cuda CUDA known "${rooftile_spaces}")
list(JOIN known ", " known)
if(NOT rooftile_spaces)
  list(JOIN rooftile_backends ", " known)
  message(FATAL_ERROR "Kokkos has no execution space that rooftile runs on ('${Kokkos_DIR}'): build it with one of "
                      "${known}")
elseif(NOT ROOFTILE_BACKEND)
  list(GET rooftile_spaces 0 ROOFTILE_BACKEND_SPACE)
elseif(NOT ROOFTILE_BACKEND_SPACE IN_LIST rooftile_spaces)
  message(FATAL_ERROR "Kokkos lacks the backend (ROOFTILE_BACKEND=${ROOFTILE_BACKEND}, Kokkos has ${known}): take one "
                      "that it has, or point Kokkos_ROOT to a Kokkos built with it")
endif()
