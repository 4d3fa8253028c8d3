# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Compiles device code for GPUs that this machine and its Kokkos may lack, so that tests can check registers, spills
# and wave size on any machine. The results are not linked or run.
#
#   rooftile_device_toolchains(KOKKOS_INCLUDE_DIR)
#     Finds nvcc, and clang with HIP's headers and device libraries (below ROOFTILE_ROCM_ROOT, else in ROCM_PATH or the
#     system). Sets rooftile_device_code_<cuda|hip>_lacks to the reason why the backend's device code cannot be
#     compiled, or to an empty string.
#   rooftile_device_code(NAME SOURCE ARCHITECTURE [INCLUDE_DIRECTORIES dir…])
#     Adds the target NAME, which compiles SOURCE for an architecture such as sm_80 or gfx90a. Its property DEVICE_CODE
#     is the file to read: the log of `ptxas -v` for NVIDIA (the cubin is in that folder), the code object for AMD.
#     DEVICE_ASSEMBLY is AMD's assembly. It is empty for NVIDIA, because a cubin needs a disassembler.

# Kokkos' names of NVIDIA architectures. The names of AMD architectures are derived from the compiler's names.
set(rooftile_kokkos_arch_sm_80 AMPERE80)
set(rooftile_kokkos_arch_sm_90 HOPPER90)
set(rooftile_kokkos_arch_sm_90a HOPPER90)
set(rooftile_kokkos_arch_sm_100 BLACKWELL100)

# These five headers come before Kokkos' own headers and enable the backend of the compiler.
set(rooftile_kokkos_switch "${CMAKE_CURRENT_LIST_DIR}/../tests/device_code/kokkos")

function(rooftile_device_toolchains kokkos_include)
  find_file(config KokkosCore_config.h PATHS "${kokkos_include}" NO_DEFAULT_PATH NO_CACHE)
  if(NOT config)
    set(cuda_lacks "no KokkosCore_config.h in '${kokkos_include}'")
    set(hip_lacks "${cuda_lacks}")
  else()
    file(STRINGS "${config}" version REGEX "define KOKKOS_VERSION ")
    string(REGEX MATCH "[0-9]+$" kokkos "${version}")
    rooftile_find_nvcc(${kokkos} cuda_lacks)
    rooftile_find_hip(${kokkos} hip_lacks)
  endif()
  set(rooftile_device_code_cuda_lacks "${cuda_lacks}" PARENT_SCOPE)
  set(rooftile_device_code_hip_lacks "${hip_lacks}" PARENT_SCOPE)
  set(rooftile_device_code_kokkos "${kokkos_include}" PARENT_SCOPE)
endfunction()

function(rooftile_find_nvcc kokkos lacks)
  find_program(rooftile_nvcc nvcc HINTS ENV CUDACXX ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(rooftile_nvcc)
  if(NOT rooftile_nvcc)
    set(${lacks} "no nvcc" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND "${rooftile_nvcc}" --version OUTPUT_VARIABLE text)
  string(REGEX MATCH "release ([0-9.]+)" text "${text}")
  set(version "${CMAKE_MATCH_1}")
  if(version VERSION_LESS 12.2)
    set(${lacks} "nvcc ${version} is older than 12.2" PARENT_SCOPE)
  elseif(version VERSION_GREATER_EQUAL 13 AND kokkos LESS 40700)
    set(${lacks} "nvcc ${version} needs Kokkos 4.7 or newer" PARENT_SCOPE)
  endif()
endfunction()

function(rooftile_find_hip kokkos lacks)
  set(root "")
  if(ROOFTILE_ROCM_ROOT)
    set(root "${ROOFTILE_ROCM_ROOT}/usr")
    file(GLOB unpacked "${root}/lib/llvm-*/bin")
    find_program(rooftile_hip_clang NAMES clang++ HINTS ${unpacked} NO_DEFAULT_PATH)
  endif()
  find_program(rooftile_hip_clang NAMES amdclang++ clang++-19 HINTS ENV ROCM_PATH /opt/rocm PATH_SUFFIXES bin)
  find_path(rooftile_hip_include hip/hip_version.h HINTS "${root}" ENV ROCM_PATH /opt/rocm PATH_SUFFIXES include)
  set(in_llvm "lib/llvm-*/lib/clang/*/amdgcn/bitcode") # Debian's folder
  file(GLOB bitcode "${root}/${in_llvm}" "/usr/${in_llvm}")
  find_path(rooftile_hip_bitcode ockl.bc HINTS ${bitcode} "$ENV{ROCM_PATH}/amdgcn/bitcode" /opt/rocm/amdgcn/bitcode)
  mark_as_advanced(rooftile_hip_clang rooftile_hip_include rooftile_hip_bitcode)
  if(NOT (rooftile_hip_clang AND rooftile_hip_include AND rooftile_hip_bitcode))
    string(CONCAT text "clang 19 (${rooftile_hip_clang}), HIP's headers (${rooftile_hip_include}) and AMD's device "
                       "libraries (${rooftile_hip_bitcode}) are needed together")
    set(${lacks} "${text}" PARENT_SCOPE)
    return()
  endif()

  file(STRINGS "${rooftile_hip_include}/hip/hip_version.h" text REGEX "define HIP_VERSION_M(AJ|IN)OR ")
  string(REGEX REPLACE "[^0-9;]" "" version "${text}")
  list(JOIN version "." version)
  cmake_path(GET rooftile_hip_include PARENT_PATH prefix)
  set(compile "${rooftile_hip_clang}" -x hip --cuda-device-only --no-gpu-bundle-output -D__HIP_PLATFORM_AMD__
      "--hip-version=${version}" "--rocm-path=${prefix}" "--rocm-device-lib-path=${rooftile_hip_bitcode}")
  if(NOT prefix STREQUAL "/usr") # naming /usr/include again would break libstdc++'s #include_next
    list(APPEND compile -isystem "${rooftile_hip_include}")
  endif()
  file(GLOB libraries "${root}/lib/*-linux-gnu" "${root}/../lib/*-linux-gnu")
  cmake_path(IS_PREFIX root "${rooftile_hip_clang}" clang_is_unpacked)
  if(root AND clang_is_unpacked) # an unpacked clang does not find its libraries
    list(JOIN libraries ":" libraries)
    list(PREPEND compile "${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${libraries}")
  endif()

  # Compiler, headers and libraries may come from different releases, so a probe compiles with all three.
  set(probe "${CMAKE_CURRENT_BINARY_DIR}/hip_probe.cpp")
  file(WRITE "${probe}" "#include <hip/hip_runtime.h>\n__global__ void f(float* x) { *x = sinf(*x); }\n")
  execute_process(COMMAND ${compile} --offload-arch=gfx90a -c "${probe}" -o "${probe}.o"
                  RESULT_VARIABLE failed ERROR_VARIABLE errors OUTPUT_QUIET)
  if(failed)
    string(REGEX MATCH "error: [^\n]*" error "${errors}")
    set(${lacks} "HIP ${version}'s headers do not go with ${rooftile_hip_clang}: ${error}" PARENT_SCOPE)
  elseif(kokkos GREATER_EQUAL 50000 AND version VERSION_LESS 6.2)
    set(${lacks} "HIP ${version} is older than 6.2" PARENT_SCOPE)
  endif()
  set_property(GLOBAL PROPERTY rooftile_hip_compile ${compile})
endfunction()

function(rooftile_device_code name source architecture)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "INCLUDE_DIRECTORIES")
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}.o")
  list(TRANSFORM arg_INCLUDE_DIRECTORIES PREPEND -I)
  set(flags -std=c++20 -O3 -DNDEBUG -MD -MF "${object}.d" -MT "${object}" "-I${rooftile_kokkos_switch}"
      ${arg_INCLUDE_DIRECTORIES} -isystem "${rooftile_device_code_kokkos}" "${source}" -o "${object}")
  if(architecture MATCHES "^sm_")
    set(file "${object}.log")
    set(assembly "")
    # The log goes to a file for the test, and to the terminal if the compiler fails.
    set(keep_log sh -c [["$@" 2>"$0" || ! cat "$0" >&2]] "${file}")
    set(compile ${keep_log} "${rooftile_nvcc}" -ccbin "${CMAKE_CXX_COMPILER}" -allow-unsupported-compiler -x cu -cubin
        "-arch=${architecture}" -extended-lambda -Xptxas=-v "-DKOKKOS_ARCH_${rooftile_kokkos_arch_${architecture}}")
  else()
    set(file "${object}")
    cmake_path(GET source STEM stem)
    set(assembly "${CMAKE_CURRENT_BINARY_DIR}/${stem}-hip-amdgcn-amd-amdhsa-${architecture}.s")
    string(TOUPPER "${architecture}" kokkos_name)
    get_property(compile GLOBAL PROPERTY rooftile_hip_compile)
    list(APPEND compile -save-temps=obj "--offload-arch=${architecture}" "-DKOKKOS_ARCH_AMD_${kokkos_name}"
         "-DKOKKOS_ARCH_AMD_GPU=\"${architecture}\"")
  endif()
  add_custom_command(
    OUTPUT "${object}"
    BYPRODUCTS "${object}.log" ${assembly}
    COMMAND ${compile} ${flags}
    DEPENDS "${source}"
    DEPFILE "${object}.d"
    COMMENT "Compiling device code ${name}"
    VERBATIM
  )
  add_custom_target(${name} ALL DEPENDS "${object}")
  set_target_properties(${name} PROPERTIES DEVICE_CODE "${file}" DEVICE_ASSEMBLY "${assembly}")
endfunction()
