// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The complete program of docs/guide.md.
#include "program.inc"
