# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# CPU code is compiled once for each instruction set, and one set is selected at run time. Sets
#   rooftile_instruction_sets  the names of the sets for ROOFTILE_ISA, the best first

# The sets of each family of CPUs, the best first. All CPUs of the family support the last one.
set(rooftile_sets_of_x86_64 avx512_bf16 avx512 avx2 sse2)
set(rooftile_sets_of_aarch64 sve512 sve256 neon)

set(rooftile_flags_of_sse2 "")
set(rooftile_flags_of_avx2 -march=x86-64-v3)
set(rooftile_flags_of_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
set(rooftile_flags_of_avx512_bf16 ${rooftile_flags_of_avx512} -mavx512bf16 -mavx512vnni)
# GCC's scheduler would reorder the multiply-adds of a micro-tile so that the accumulators exceed the registers.
set(rooftile_flags_of_neon $<$<CXX_COMPILER_ID:GNU>:-fno-schedule-insns>)
# SVE with a fixed vector length, so that vectors are ordinary types with a size. NEON covers vectors of 128 bits.
set(rooftile_flags_of_sve256 -march=armv8.2-a+sve -msve-vector-bits=256 ${rooftile_flags_of_neon})
set(rooftile_flags_of_sve512 -march=armv8.2-a+sve -msve-vector-bits=512 ${rooftile_flags_of_neon})
# A set reuses the objects of its base, except its own sources, which contain the set's name or its instructions.
set(rooftile_base_of_avx512_bf16 avx512)
set(rooftile_own_of_avx512_bf16 "(kernels|bf16_dot|int8_dot|host_peak)\\.cpp")

# Several sets need a linker that keeps their functions apart, else all sets would use one set's inline functions.
execute_process(COMMAND ${CMAKE_LINKER} --help OUTPUT_VARIABLE help ERROR_QUIET)
string(REGEX REPLACE "^AMD64$" "x86_64" family "${CMAKE_SYSTEM_PROCESSOR}")
if(ROOFTILE_ENABLE_NATIVE_ARCH)
  set(rooftile_instruction_sets native)  # the common options set -march=native
elseif(rooftile_sets_of_${family} AND help MATCHES "--force-group-allocation" AND CMAKE_OBJCOPY)
  set(rooftile_instruction_sets ${rooftile_sets_of_${family}})
else()
  set(rooftile_instruction_sets baseline)
endif()

# instruction_sets.inc contains INSTRUCTION_SET(name) for each set.
list(TRANSFORM rooftile_instruction_sets REPLACE "(.+)" "INSTRUCTION_SET(\\1)\n" OUTPUT_VARIABLE lines)
list(JOIN lines "" lines)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/instruction_sets/instruction_sets.inc CONTENT "@lines@" @ONLY)

# Compiles the other arguments for each set, as targets ${name}_${set}. If there are several sets, each exports only
# the variable that its sources define as ROOFTILE_IN_SET(name). All its other symbols are local.
function(rooftile_for_instruction_sets name)
  list(LENGTH rooftile_instruction_sets count)
  set(objects "")
  foreach(set IN LISTS rooftile_instruction_sets)
    set(target ${name}_${set})
    set(sources ${ARGN})
    set(objects_of_set $<TARGET_OBJECTS:${target}>)
    if(rooftile_base_of_${set})
      set(own "${rooftile_own_of_${set}}")
      list(FILTER sources INCLUDE REGEX "${own}$")
      list(APPEND objects_of_set
           "$<FILTER:$<TARGET_OBJECTS:${name}_${rooftile_base_of_${set}}>,EXCLUDE,${own}>")
    endif()
    add_library(${target} OBJECT ${sources})
    rooftile_common_options(${target})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/instruction_sets)
    target_link_libraries(${target} PRIVATE rooftile_model)
    # objcopy can make local neither GCC's unique symbols nor the symbols in the intermediate code of link-time
    # optimisation.
    set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
    target_compile_options(${target} PRIVATE ${rooftile_flags_of_${set}} $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>
                                             $<$<CXX_COMPILER_ID:GNU,Clang>:-fno-lto>)
    target_compile_definitions(${target} PRIVATE ROOFTILE_SET=${set})
    if(count EQUAL 1)
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
      continue()
    endif()
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.o)
    add_custom_command(OUTPUT ${object} DEPENDS ${target} ${objects_of_set} COMMAND_EXPAND_LISTS VERBATIM
      COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${object} ${objects_of_set}
      COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=${target} ${object}
      COMMENT "Linking ${name} for ${set}")
    list(APPEND objects ${object})
  endforeach()
  add_custom_target(${name} DEPENDS ${objects})
  set_property(TARGET ${name} PROPERTY ROOFTILE_OBJECTS ${objects})
endfunction()

# Adds the objects of rooftile_for_instruction_sets(NAME) to a target in any folder.
# @param scope  PRIVATE, or INTERFACE to add them to targets that link it
function(rooftile_use_objects target scope name)
  get_target_property(objects ${name} ROOFTILE_OBJECTS)
  target_sources(${target} ${scope} ${objects})
  add_dependencies(${target} ${name})
endfunction()
