// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The CUDA blocks of the documents.
#include <cstdio>
#include <vector>

#include <rooftile/cuda_native.hpp>

#include "cuda.inc"
