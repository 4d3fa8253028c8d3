// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../products.hpp"
#include "../record/record.hpp"
#include "plan/log_line.hpp"
#include "suite.hpp"

/// `--replay`: reads the calls of a log (`ROOFTILE_LOG`) and repeats them.
namespace rooftile::perf {

/// A distinct call of a log.
struct ReplayedCall {
  LoggedProduct product;
  std::string name;       ///< function of the first occurrence
  Index calls = 0;        ///< number of occurrences; each product of a group counts
  double seconds = 0;     ///< total time of the occurrences with a logged time
  bool in_group = false;  ///< whether the first occurrence was in a group
  Index line = 0;         ///< line of the first occurrence in the log
};

struct Replay {
  std::vector<ReplayedCall> calls;
  Index idle = 0;                        ///< skipped calls without work
  std::vector<std::string> too_large{};  ///< messages for calls that do not fit in memory
};

std::vector<std::string> left_out(const Replay& replay);

/// Reads a log line by line; its length is not limited.
/// @throws Error if the file cannot be read, has a damaged line, or has no call to repeat
Replay read_replay(const std::string& file);

/// The logged calls that tuning tables can contain: single products of one element type that multiply. Alpha,
/// beta and conjugation are dropped, since the kernel choice does not depend on them.
struct SingleProducts {
  std::vector<LoggedProduct> products;
  std::vector<std::string> left_out;  ///< messages for the other calls
};

/// Reads the single products of a log. @throws Error as `read_replay`, and if there is none
SingleProducts single_products(const std::string& file);

/// Calls f.operator()<T>() for the product type of a call.
template <class F>
void with_product_type(const ReplayedCall& call, const F& f) {
  for_each_product_type([&]<class T>() {
    if (is_mode_of<T>(call.product.math)) f.template operator()<T>();
  });
}

/// The shape, and for each operand whether its rows (r) or its columns (c) are contiguous lines.
Product product_of(const LoggedProduct& call);

Result result_of(const ReplayedCall& call);

/// A short description, such as `fp64 500x300x200 crc (DGEMM, 3 calls)`.
std::string title_of(const ReplayedCall& call);

}  // namespace rooftile::perf
