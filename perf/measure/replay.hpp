// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../products.hpp"
#include "../record/record.hpp"
#include "plan/log_line.hpp"
#include "suite.hpp"

/// `--replay`: the calls that a log has (`ROOFTILE_LOG`), to be made again.
namespace rooftile::perf {

/// A call that a log has, once or more.
struct ReplayedCall {
  LoggedProduct product;
  std::string name;       ///< of the function that the first of them was made by
  Index calls = 0;        ///< how often it was made; of a group, each product counts
  double seconds = 0;     ///< that those took whose times the log has
  bool in_group = false;  ///< that the first was one of
  Index line = 0;         ///< of the log that has the first
};

struct Replay {
  std::vector<ReplayedCall> calls;
  Index idle = 0;                        ///< calls that had nothing to do, which are left out
  std::vector<std::string> too_large{};  ///< what is said of calls that the machine has no memory for
};

std::vector<std::string> left_out(const Replay& replay);

/// Reads a log, of any length, line by line.
/// @throws Error where it cannot be read, has a line that is damaged, or has no call that is not left out
Replay read_replay(const std::string& file);

/// The calls of a log that tuning tables have lines for: products by themselves, of one element type, where
/// something is multiplied. Alpha, beta and conjugates are left out, which no kernel is chosen by.
struct SingleProducts {
  std::vector<LoggedProduct> products;
  std::vector<std::string> left_out;  ///< what is said of the other calls
};

/// Reads them. @throws Error as `read_replay`, and where there is none
SingleProducts single_products(const std::string& file);

/// Calls f.operator()<T>() for what a call's products are of.
template <class F>
void with_product_type(const ReplayedCall& call, const F& f) {
  for_each_product_type([&]<class T>() {
    if (is_mode_of<T>(call.product.math)) f.template operator()<T>();
  });
}

/// Its shape, and of each operand whether its rows (r) or its columns are lines.
Product product_of(const LoggedProduct& call);

Result result_of(const ReplayedCall& call);

/// In a few words, such as `fp64 500x300x200 crc (DGEMM, 3 calls)`.
std::string title_of(const ReplayedCall& call);

}  // namespace rooftile::perf
