# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# This table states how the rungs of the portable ladder are compiled. A rung without a row has one object for each
# execution space:
#   rooftile_rung(NN_name [ON GPUs|CPUs|Cuda] [ARCHITECTURE sm_90a] [OBJECTS type…])
# ON: the execution spaces, by default all. ARCHITECTURE: the only architecture that the rung is compiled for, because
# the rung uses its instructions. OBJECTS: one object for each of these element types, which compile in parallel; by
# default one object for all types.

rooftile_rung(05_packed ON CPUs)
rooftile_rung(06_register_blocked ON GPUs)
rooftile_rung(07_pipelined ON GPUs)
rooftile_rung(08_tensor_core ON GPUs OBJECTS ${rooftile_types} ${wide_c_types} ${int8_types})
rooftile_rung(09_stream_k ON GPUs)
rooftile_rung(10_stream_k_tensor_core ON GPUs OBJECTS ${rooftile_types} ${wide_c_types} ${int8_types})
rooftile_rung(11_warpgroup ON Cuda ARCHITECTURE sm_90a
              OBJECTS float16 bfloat16 float ${wide_c_types} ${int8_types} ${float8_types})
rooftile_rung(12_warpgroup_tf32x3 ON Cuda ARCHITECTURE sm_90a OBJECTS float)
rooftile_rung(13_small_batched ON GPUs)
rooftile_rung(15_warpgroup_1m ON Cuda ARCHITECTURE sm_90a OBJECTS complex<float>)
rooftile_rung(16_split_k ON Cuda ARCHITECTURE sm_90a OBJECTS float complex<float>)
rooftile_rung(17_split_k_tensor_core ON Cuda ARCHITECTURE sm_90a OBJECTS double complex<double>)
