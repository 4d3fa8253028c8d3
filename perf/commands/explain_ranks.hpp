// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../arguments.hpp"
#include "rooftile/model/distributed.hpp"

namespace rooftile::perf {

/// `rooftile explain --ranks`: a product that processes share.
struct RanksOptions {
  model::Count ranks = 0;     ///< processes; 0: none share it
  std::string grid = "auto";  ///< of them: auto, or rows x columns x layers
  double bandwidth_gbs = 50;  ///< of a process
  double latency_us = 10;     ///< of a message
};

/// Adds them, behind the options of products that nobody shares.
void add_ranks_options(Arguments& app, RanksOptions& o);

/// Prints which grid the product gets, what each process of it receives, and what bounds it.
/// @param device  that each process has to itself
int explain_ranks(const RanksOptions& o, const std::string& math, const model::SharedProduct& product,
                  const std::string& device, double gflops, bool json);

}  // namespace rooftile::perf
