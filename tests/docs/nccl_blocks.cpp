// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The blocks of the documents about GPU memory of MPI processes.
#include "nccl.inc"
