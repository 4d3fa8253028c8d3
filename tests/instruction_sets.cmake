# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Tests of code that is compiled for several instruction sets.

# Runs a program, with arguments, once for each set. Skipped if the CPU lacks the set.
function(rooftile_test_with_sets program label)
  list(LENGTH rooftile_instruction_sets count)
  if(count EQUAL 1)
    return()
  endif()
  foreach(set IN LISTS rooftile_instruction_sets)
    add_test(NAME ${program}.${set} COMMAND ${program} ${ARGN})
    set_tests_properties(${program}.${set} PROPERTIES LABELS ${label} TIMEOUT 900 ENVIRONMENT ROOFTILE_ISA=${set}
                                                      SKIP_REGULAR_EXPRESSION "\\(ROOFTILE_ISA=${set}\\)")
  endforeach()
endfunction()

# Each object made by `rooftile_for_instruction_sets` may export only one symbol. If the linker shared another function
# between sets, a CPU could execute instructions that it lacks.
function(rooftile_test_symbols_of_sets name)
  list(LENGTH rooftile_instruction_sets count)
  if(count EQUAL 1)
    return()
  endif()
  get_target_property(objects ${name} ROOFTILE_OBJECTS)
  foreach(set object IN ZIP_LISTS rooftile_instruction_sets objects)
    add_test(NAME symbols.${name}_${set}
             COMMAND ${CMAKE_COMMAND} -DOBJECT=${object} -DEXPECTED=${name}_${set} -DNM=${CMAKE_NM}
                     -P ${PROJECT_SOURCE_DIR}/tests/symbols_of_set.cmake)
    set_tests_properties(symbols.${name}_${set} PROPERTIES LABELS unit TIMEOUT 60)
  endforeach()
endfunction()
