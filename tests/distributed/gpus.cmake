# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Products and redistributions in GPU memory. Without GPUs, a device simulated in host memory is used.

foreach(program products missing times)
  add_executable(distributed_gpu_${program} gpu_${program}.cpp)
  target_link_libraries(distributed_gpu_${program} PRIVATE rooftile_distributed_cuda NCCL::nccl)
endforeach()
foreach(program products missing)
  add_executable(distributed_host_${program} gpu_${program}.cpp host_gpu.cpp ${rooftile_distributed_cuda_sources})
  target_link_libraries(distributed_host_${program} PRIVATE rooftile_distributed)
  target_include_directories(distributed_host_${program} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS} ${NCCL_INCLUDE_DIR})
endforeach()
foreach(program gpu_products gpu_missing gpu_times host_products host_missing)
  rooftile_own_target(distributed_${program})
  target_include_directories(distributed_${program} PRIVATE ${PROJECT_SOURCE_DIR})
endforeach()
foreach(program gpu_products host_products)
  target_link_options(distributed_${program} PRIVATE -Wl,--wrap=cudaMalloc,--wrap=ncclSend)
endforeach()

foreach(engine staging nccl copies)
  foreach(ranks 1 2 4 6)
    rooftile_mpi_test(host_${engine}_${ranks} ${ranks} $<TARGET_FILE:distributed_host_products> products ${engine} 6)
  endforeach()
  foreach(ranks 1 4 6)
    rooftile_mpi_test(host_redistributions_${engine}_${ranks} ${ranks}
                      $<TARGET_FILE:distributed_host_products> redistributions ${engine} 20)
  endforeach()
  rooftile_mpi_test(host_missing_${engine} 3 --enable-recovery $<TARGET_FILE:distributed_host_missing> ${engine})
  set_tests_properties(distributed.host_missing_${engine} PROPERTIES
    PASS_REGULAR_EXPRESSION "rank 1 is right.*rank 2 is right|rank 2 is right.*rank 1 is right")
endforeach()
# If one process's GPU memory cannot be shared, all processes use another engine.
rooftile_mpi_test(host_not_shared 3 $<TARGET_FILE:distributed_host_products> products automatic 2)
set_tests_properties(distributed.host_not_shared PROPERTIES
                     ENVIRONMENT "${rooftile_mpi_environment};ROOFTILE_TEST_NO_IPC=1")
# Skip the last step along K or rank 0's part, write outside C, or send one more byte
foreach(fault step rank outside explain)
  rooftile_mpi_test(host_catches_${fault} 2 $<TARGET_FILE:distributed_host_products> products nccl 2 1 ${fault})
endforeach()
foreach(fault rank outside)
  rooftile_mpi_test(host_redistributions_catch_${fault} 2
                    $<TARGET_FILE:distributed_host_products> redistributions nccl 2 1 ${fault})
endforeach()

# rooftile_gpu_mpi_test(NAME RANKS ARGUMENTS…): skipped if there are too few GPUs. Disables NCCL's NVLink multicast,
# which a shared host may forbid.
function(rooftile_gpu_mpi_test name ranks)
  rooftile_mpi_test(${name} ${ranks} ${ARGN})
  set_tests_properties(distributed.${name} PROPERTIES
    LABELS "distributed;gpu" SKIP_REGULAR_EXPRESSION "skipped: [0-9]+ GPUs of" RESOURCE_LOCK gpu
    ENVIRONMENT "${rooftile_mpi_environment};NCCL_NVLS_ENABLE=0")
endfunction()
foreach(ranks 1 2 4)  # also on one GPU
  rooftile_gpu_mpi_test(gpu_staging_${ranks} ${ranks} $<TARGET_FILE:distributed_gpu_products> products staging 20)
endforeach()
foreach(ranks 2 4)
  rooftile_gpu_mpi_test(gpu_copies_${ranks} ${ranks} $<TARGET_FILE:distributed_gpu_products> products copies 20)
  rooftile_gpu_mpi_test(gpu_nccl_${ranks} ${ranks} $<TARGET_FILE:distributed_gpu_products> products nccl 20)
  foreach(engine staging nccl copies)
    rooftile_gpu_mpi_test(gpu_redistributions_${engine}_${ranks} ${ranks}
                          $<TARGET_FILE:distributed_gpu_products> redistributions ${engine} 20)
  endforeach()
endforeach()
rooftile_gpu_mpi_test(gpu_refused 2 $<TARGET_FILE:distributed_gpu_products> refused)
foreach(engine staging nccl copies)
  rooftile_gpu_mpi_test(gpu_missing_${engine} 2 --enable-recovery $<TARGET_FILE:distributed_gpu_missing> ${engine})
  set_tests_properties(distributed.gpu_missing_${engine} PROPERTIES PASS_REGULAR_EXPRESSION "rank 1 is right")
endforeach()
