// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The blocks of the documents about host memory of MPI processes.
#include "mpi.inc"
