# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Finds the required and the optional dependencies.

# CMake before 3.25.2 has no C++20 flag for nvcc 12 and 13, and silently passes none.
macro(rooftile_enable_cuda)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    set(CMAKE_CUDA_ARCHITECTURES 80 90)
    if(Kokkos_CUDA_ARCHITECTURES) # Kokkos' code is compiled for these only
      set(CMAKE_CUDA_ARCHITECTURES ${Kokkos_CUDA_ARCHITECTURES})
    endif()
  endif()
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
endmacro()

set(rooftile_spaces "")
if(ROOFTILE_ENABLE_PORTABLE)
  include(RooftileKokkos)
  if(rooftile_kokkos_language STREQUAL "CUDA")
    rooftile_enable_cuda()
  else()
    enable_language(${rooftile_kokkos_language})
  endif()
endif()

if(ROOFTILE_ENABLE_CUDA_NATIVE)
  rooftile_enable_cuda()
  find_package(CUDAToolkit REQUIRED)
endif()

set(rooftile_needs_cpu_kernels ${ROOFTILE_ENABLE_PORTABLE})  # independent of Kokkos
foreach(binding BLAS C DISTRIBUTED)
  if(ROOFTILE_ENABLE_${binding})
    set(rooftile_needs_cpu_kernels ON)
    find_package(OpenMP REQUIRED COMPONENTS CXX)
  endif()
endforeach()
if(ROOFTILE_ENABLE_DISTRIBUTED)
  set(MPI_CXX_SKIP_MPICXX ON)  # only MPI's C interface is used
  find_package(MPI REQUIRED COMPONENTS CXX)
  # For tests: OpenMPI runs as root and without ssh, and waiting processes yield when cores are oversubscribed. Containers may
  # forbid reads of another process's memory.
  set(rooftile_mpi_environment OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
      OMPI_MCA_plm_rsh_agent=true OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none)
  # Programs that start without mpirun must find the OpenMPI of scripts/deps.
  cmake_path(GET MPIEXEC_EXECUTABLE PARENT_PATH rooftile_mpi_usr)
  cmake_path(SET rooftile_mpi_usr NORMALIZE ${rooftile_mpi_usr}/../usr)
  if(EXISTS ${rooftile_mpi_usr}/bin/orted)
    set(rooftile_mpi_libraries ${rooftile_mpi_usr}/lib/${CMAKE_LIBRARY_ARCHITECTURE})
    list(APPEND rooftile_mpi_environment OPAL_PREFIX=${rooftile_mpi_usr} LD_LIBRARY_PATH=${rooftile_mpi_libraries}
         OMPI_MCA_mca_base_component_show_load_errors=0 PMIX_MCA_pcompress_base_silence_warning=1)
  endif()
endif()
if(ROOFTILE_ENABLE_DISTRIBUTED_CUDA)
  if(NOT ROOFTILE_ENABLE_DISTRIBUTED OR NOT ROOFTILE_ENABLE_CUDA_NATIVE)
    message(FATAL_ERROR "distributed products on GPUs without MPI or native CUDA (ROOFTILE_ENABLE_DISTRIBUTED_CUDA=ON): "
                        "turn ROOFTILE_ENABLE_DISTRIBUTED and ROOFTILE_ENABLE_CUDA_NATIVE on, or this off")
  endif()
  find_package(NCCL 2.18 REQUIRED)
endif()
if(ROOFTILE_ENABLE_C)
  include(CheckLanguage)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
  endif()
endif()

if(ROOFTILE_ENABLE_PERF)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  find_package(fmt REQUIRED)
endif()
if(ROOFTILE_ENABLE_TESTS)
  find_package(Catch2 3 REQUIRED)
  find_package(rapidcheck QUIET)
endif()
