// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../arguments.hpp"
#include "../bench_ranks.hpp"

namespace rooftile::perf {

/// Adds the options of `rooftile bench --ranks`, behind all others.
void add_sharing_options(Arguments& app, SharingOptions& o);

/// On each process that mpirun has started; the first one prints and writes, and how it ends counts.
int bench_ranks(const BenchOptions& options, const SharingOptions& sharing);

}  // namespace rooftile::perf
