# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# The options of all our own targets. Only C++20 propagates to users.

if(PROJECT_IS_TOP_LEVEL)  # a parent project has its own output folder
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endif()

# For code whose speed does not matter, such as tests and the output of the program: -O1 compiles in half the time of
# -O3. Empty if the build type does not optimise.
set(rooftile_compile_quickly "")
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
if("${CMAKE_CXX_FLAGS_${type}}" MATCHES "-O[23]")
  set(rooftile_compile_quickly "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-O1>")
endif()

# Kernels need optimisation. If a parent project sets no build type, our targets add -O3. Debug builds and flags with a
# level of their own are not changed.
set(rooftile_optimise "")
if(NOT MSVC AND NOT CMAKE_CONFIGURATION_TYPES AND NOT type STREQUAL "DEBUG"
   AND NOT " ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" MATCHES " -O")
  set(rooftile_optimise -O3)
endif()

# Sets warnings, C++20 and optionally -march=native, and removes the paths of the build machine.
function(rooftile_common_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CUDA_STANDARD 20 HIP_STANDARD 20
                                             POSITION_INDEPENDENT_CODE ON
                                             UNITY_BUILD OFF)  # different sources use equal local names
  if(NOT BUILD_SHARED_LIBS)  # a shared library must export its templates on Kokkos' types
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX,CUDA,HIP>:${rooftile_optimise}>")
  set(warnings -Wall -Wextra -Wshadow)
  if(ROOFTILE_ENABLE_WARNINGS_AS_ERRORS)
    list(APPEND warnings -Werror)
  endif()
  list(JOIN warnings "," host_warnings)
  # Error::where() returns src/… on every build machine. ccache makes paths relative to the build folder.
  set(folder ${PROJECT_BINARY_DIR})
  if(CMAKE_GENERATOR MATCHES "Makefiles")
    set(folder ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  file(RELATIVE_PATH up ${folder} ${PROJECT_SOURCE_DIR})
  set(names -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/= -fmacro-prefix-map=${up}=)
  list(JOIN names "," host_names)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:${warnings};${names}>" "$<$<COMPILE_LANGUAGE:HIP>:${names}>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${host_warnings},${host_names}>")
  if(ROOFTILE_ENABLE_NATIVE_ARCH)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:-march=native>" "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-march=native>")
  endif()
endfunction()

# A target that does not include Kokkos.
function(rooftile_own_target target)
  rooftile_common_options(${target})
  cmake_path(GET CMAKE_CXX_COMPILER FILENAME compiler)
  if(compiler MATCHES "hipcc")  # hipcc treats every source as HIP, which JSON libraries do not support
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-x;c++>")
  endif()
endfunction()

# A target whose sources may include Kokkos. All of them are compiled in Kokkos' language.
function(rooftile_kokkos_target target)
  rooftile_common_options(${target})
  get_target_property(sources ${target} SOURCES)
  if(NOT rooftile_kokkos_language STREQUAL "CXX")
    set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE ${rooftile_kokkos_language})
  endif()
endfunction()

# A Kokkos target that is compiled for `rooftile_kokkos_own_architecture`, whose instructions Kokkos' architecture flag
# and later architectures do not support. It uses all of Kokkos' options except that flag.
function(rooftile_own_architecture_target target)
  rooftile_kokkos_target(${target})
  string(REPLACE sm_ "" number ${rooftile_kokkos_own_architecture})
  set(kokkos Kokkos::kokkoscore)
  target_include_directories(${target} SYSTEM PRIVATE $<TARGET_PROPERTY:${kokkos},INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${kokkos},INTERFACE_COMPILE_DEFINITIONS>)
  target_compile_options(${target} PRIVATE
    "$<FILTER:$<TARGET_PROPERTY:${kokkos},INTERFACE_COMPILE_OPTIONS>,EXCLUDE,arch=>"
    "$<$<COMPILE_LANGUAGE:CXX>:-gencode=arch=compute_${number},code=sm_${number}>")
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES ${number}-real)
  if(ROOFTILE_ENABLE_WARNINGS_AS_ERRORS)  # ptxas warns of serialised wgmma (C7510) and of spilled registers
    target_compile_options(${target} PRIVATE -Xptxas=-Werror,-warn-spills,-warn-lmem-usage)
  endif()
endfunction()
