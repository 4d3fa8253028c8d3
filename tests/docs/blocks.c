// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The C blocks of the documents.
#include <stdio.h>

#include "c.inc"
