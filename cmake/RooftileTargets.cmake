# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# What all our own targets share. Nothing of it reaches a user.

if(PROJECT_IS_TOP_LEVEL)  # a parent project has its own place for programs
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endif()

# For code that runs for seconds, tests and the printing half of the program: -O1 compiles in half the time of -O3. Empty
# where the build type does not optimise.
set(rooftile_compile_quickly "")
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
if("${CMAKE_CXX_FLAGS_${type}}" MATCHES "-O[23]")
  set(rooftile_compile_quickly "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-O1>")
endif()

# Kernels need optimisation. A parent project without a build type names none, so our targets name it themselves. Debug, and
# flags that name a level, stay as they are.
set(rooftile_optimise "")
if(NOT MSVC AND NOT CMAKE_CONFIGURATION_TYPES AND NOT type STREQUAL "DEBUG"
   AND NOT " ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" MATCHES " -O")
  set(rooftile_optimise -O3)
endif()

# Warnings, C++20, the machine's instructions, no path of the machine that builds.
function(rooftile_common_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CUDA_STANDARD 20 HIP_STANDARD 20
                                             POSITION_INDEPENDENT_CODE ON
                                             UNITY_BUILD OFF)  # local names of different sources are equal
  if(NOT BUILD_SHARED_LIBS)  # else the library's own functions, templates on Kokkos's types, would not be found
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX,CUDA,HIP>:${rooftile_optimise}>")
  set(warnings -Wall -Wextra -Wshadow)
  if(ROOFTILE_ENABLE_WARNINGS_AS_ERRORS)
    list(APPEND warnings -Werror)
  endif()
  list(JOIN warnings "," host_warnings)
  # An Error's where() names src/…, wherever the library was built. ccache makes paths relative to the build folder.
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
  if(compiler MATCHES "hipcc")  # to it, everything is HIP, which JSON libraries are not
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-x;c++>")
  endif()
endfunction()

# A target all of whose sources may include Kokkos: they are compiled in the language that the Kokkos found wants.
function(rooftile_kokkos_target target)
  rooftile_common_options(${target})
  get_target_property(sources ${target} SOURCES)
  if(NOT rooftile_kokkos_language STREQUAL "CXX")
    set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE ${rooftile_kokkos_language})
  endif()
endfunction()

# The same, compiled for the architecture's own instructions (`rooftile_kokkos_own_architecture`), which Kokkos' flags, and
# code for the architectures after it, do not have: all that they say but for which GPU.
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
  if(ROOFTILE_ENABLE_WARNINGS_AS_ERRORS)  # of wgmma that ptxas had to serialise (C7510), or registers that it spills
    target_compile_options(${target} PRIVATE -Xptxas=-Werror,-warn-spills,-warn-lmem-usage)
  endif()
endfunction()
