// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Allocations by `new` of the calling thread that succeed before one fails; negative: none does.
extern thread_local int until_failure;
