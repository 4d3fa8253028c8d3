// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "operand_layout.hpp"
#include "replay.hpp"
#include "rooftile/error.hpp"
#include "sampler.hpp"

/// Checks that the host has enough memory to measure and verify a product.
namespace rooftile::perf {

/// Bytes of host memory for `count` products and their references; a double, to avoid integer overflow.
/// @param on_host  the device's operands are in host memory, too
inline double host_bytes(const GemmShape& shape, Index count, std::size_t element_size, Index rows_checked,
                         bool on_host) {
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k), size = static_cast<double>(element_size);
  const double operands = size * (m * k + k * n + m * n);
  const double widened = std::max(size, 4.0);  // the reference's copy of B
  const double reference = widened * k * n + sizeof(double) * static_cast<double>(rows_checked) * (2 * n + 1);
  return static_cast<double>(count) * ((on_host ? 2 : 1) * operands + size * m * n) + reference;
}

/// @param on_host  the device's operands are in host memory, too
/// @throws Error if a product is too large
inline void require_memory(const Product& product, std::size_t element_size, double reference, bool on_host) {
  const auto [m, n, k] = product.shape;
  const auto products = static_cast<Index>(products_to_check(product.shape, product.batch, reference).size());
  const Index rows =
      products * count_of_rows_to_check(product.shape, reference / static_cast<double>(products));
  const Index p = product.padding;
  const double needed = host_bytes({m + p, n + p, k + p}, product.batch, element_size, rows, on_host);
  const double available = available_memory();
  if (needed <= available) return;
  throw Error(fmt::format(
      "product too large for this machine (--shape {}{}, {:.3g} GB needed, {:.3g} GB free): "
      "take a smaller one",
      to_string(product.shape), product.batch > 1 ? fmt::format(" --batch {}", product.batch) : "",
      1e-9 * needed, 1e-9 * available));
}

/// Bytes of host memory to repeat and verify a logged call.
/// @param on_host  the device's operands are in host memory, too
template <class T>
double replay_bytes(const LoggedProduct& call, double reference, bool on_host) {
  const OperandLayouts places = operand_layouts_of<T>(call);
  const auto bytes = [](const OperandLayout& place, std::size_t size) {
    return static_cast<double>(place.elements) * static_cast<double>(size);
  };
  const double c = bytes(places.c, sizeof(Out<T>));
  const double operands = bytes(places.a, sizeof(In<T>)) + bytes(places.b, sizeof(In<T>)) + c;
  const auto products = static_cast<Index>(products_to_check(call.shape, call.count, reference).size());
  const Index rows =
      count_of_rows_to_check(call.shape, reference / static_cast<double>(std::max<Index>(products, 1)));
  const double references =
      host_bytes(call.shape, 0, sizeof(Out<T>), rows, on_host);  // one reference: its B and its rows
  return (on_host ? 2 : 1) * operands + c + static_cast<double>(products) * references;
}

/// The missing memory of a call, such as `24 GB wanted, 7.9 GB free`; empty if nothing is missing.
/// @param available  bytes of host memory
template <class T>
std::string lack_of(const LoggedProduct& call, double reference, bool on_host, double available) {
  const double wanted = replay_bytes<T>(call, reference, on_host);
  if (wanted <= available) return {};
  return fmt::format("{:.3g} GB wanted, {:.3g} GB free", 1e-9 * wanted, 1e-9 * available);
}

/// The message for a call that is too large: its position in the log, the missing memory and a remedy.
inline std::string too_large(const std::string& log, const ReplayedCall& call, const std::string& lack) {
  return fmt::format("too large for this machine ({}:{}, {}, {}): replay it where there is more memory", log,
                     call.line, title_of(call), lack);
}

/// The results of a skipped call, one for each candidate.
template <class T>
std::vector<Result> results_left_out(const ReplayedCall& call,
                                     const std::vector<const Candidate<T>*>& candidates,
                                     const std::string& reason) {
  std::vector<Result> results(candidates.size(), result_of(call));
  for (std::size_t i = 0; i < results.size(); ++i) {
    set_candidate(results[i], *candidates[i]);
    results[i].status = "unsupported", results[i].reason = reason;
  }
  return results;
}

/// Checks the operands of all calls before the first one runs.
/// @throws Error that names the file and line of a call with invalid operands
inline void require_layouts(const std::string& log, const Replay& replay) {
  for (const ReplayedCall& call : replay.calls) {
    with_product_type(call, [&]<class T>() {
      try {
        operand_layouts_of<T>(call.product);
      } catch (const Error& error) {
        throw Error(detail::text("--replay ", log, ':', call.line, ": ", error.what()));
      }
    });
  }
}

}  // namespace rooftile::perf
