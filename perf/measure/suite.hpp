// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "../record/result.hpp"
#include "../writers/output.hpp"

/// `bench --suite`: what a user of a path gets on a fixed set of products, against the vendor library.
namespace rooftile::perf {

/// A product and how its operands lie (`Layout`).
struct Product {
  GemmShape shape;
  std::string layout = "rrr";
};

/// The suite's products: powers of two, ragged sizes, and shapes that starve a device; of one size of each
/// kind, all four combinations of transposed operands.
inline std::vector<Product> suite_products(bool gpu) {
  std::vector<Product> products;
  for (const GemmShape& shape :
       {GemmShape{512, 512, 512}, {2048, 2048, 2048}, {16384, 64, 4096}, {64, 64, 65536}, {8192, 8192, 64}}) {
    products.push_back({shape});
  }
  if (gpu) products.push_back({{8192, 8192, 8192}});
  for (const GemmShape& shape : {GemmShape{1000, 1000, 1000},
                                 {1024, 1024, 1024},
                                 {4096, 4096, 4096},
                                 {2000, 3000, 2500},
                                 {4095, 4097, 4093}}) {
    for (const char* layout : {"rrr", "rcr", "crr", "ccr"}) products.push_back({shape, layout});
  }
  return products;
}

/// Whether each row (of a column-major operand, each column) is a multiple of 16 bytes: what the widest loads
/// and the tensor memory accelerator want.
inline bool is_aligned(const Product& product, std::size_t element_size) {
  const auto [m, n, k] = product.shape;
  const Index rows[] = {m, k, m}, cols[] = {k, n, n};
  for (std::size_t operand = 0; operand < 3; ++operand) {
    const Index contiguous = product.layout[operand] == 'r' ? cols[operand] : rows[operand];
    if (contiguous * static_cast<Index>(element_size) % 16 != 0) return false;
  }
  return true;
}

/// Another library's median time over the kernel's, of several products.
struct Ratios {
  double geometric_mean = 0;  ///< of those that ran; 0 if none did
  double worst = 0;
  std::string worst_product;  ///< `4096x4096x4096 rrr`
  std::size_t products = 0;   ///< that ran, and the other's
  std::size_t missing = 0;    ///< that did not

  /// @param ratio  0 where one of the two did not run
  void add(const Result& r, double ratio) {
    if (ratio <= 0) {
      ++missing;
      return;
    }
    if (products == 0 || ratio < worst) {
      worst = ratio, worst_product = to_string(r.shape) + ' ' + r.layout;
    }
    sum_of_logs_ += std::log(ratio);
    geometric_mean = std::exp(sum_of_logs_ / static_cast<double>(++products));
  }

 private:
  double sum_of_logs_ = 0;
};

/// One path on one device in one math mode.
struct Summary {
  std::string path, backend, dtype, math;
  Ratios aligned, unaligned;  ///< to the vendor
  Ratios peer;                ///< all products
};

/// @return one for each path, device and math mode that the library's own choice ran on
inline std::vector<Summary> summaries_of(const std::vector<Result>& results) {
  std::vector<Summary> summaries;
  for (const Result& r : results) {
    if (!r.automatic) continue;
    auto found = std::find_if(summaries.begin(), summaries.end(), [&](const Summary& s) {
      return s.path == r.path && s.backend == r.backend && s.math == r.math;
    });
    if (found == summaries.end()) {
      found = summaries.insert(found, {r.path, r.backend, r.dtype, r.math, {}, {}, {}});
    }
    (r.aligned ? found->aligned : found->unaligned).add(r, r.vendor_ratio);
    found->peer.add(r, r.peer_ratio);
  }
  return summaries;
}

inline nlohmann::ordered_json to_json(const Ratios& r) {
  nlohmann::ordered_json json = {{"products", r.products}, {"missing", r.missing}};
  if (r.products > 0) {
    json["geometric_mean"] = r.geometric_mean;
    json["worst"] = r.worst;
    json["worst_product"] = r.worst_product;
  }
  return json;
}
inline nlohmann::ordered_json to_json(const Summary& s) {
  nlohmann::ordered_json json = {
      {"path", s.path}, {"backend", s.backend},          {"dtype", s.dtype},
      {"math", s.math}, {"aligned", to_json(s.aligned)}, {"unaligned", to_json(s.unaligned)}};
  if (s.peer.products > 0) json["peer"] = to_json(s.peer);
  return json;
}

inline void print_summaries(const std::vector<Summary>& summaries) {
  fmt::print(
      "\nThe vendor's time over ours; aligned: every row is a multiple of 16 bytes; peer: its time over "
      "ours\n");
  Table table({"path", "backend", "dtype", "math", "rows", "mean", "worst", "at", "products", "missing"});
  for (const Summary& s : summaries) {
    const auto add = [&](const char* rows, const Ratios& r) {
      if (r.products + r.missing == 0) return;
      const auto number = [&](double x) { return r.products > 0 ? fmt::format("{:.2f}", x) : "-"; };
      table.add({s.path, s.backend, s.dtype, s.math, rows, number(r.geometric_mean), number(r.worst),
                 r.products > 0 ? r.worst_product : "-", std::to_string(r.products),
                 std::to_string(r.missing)});
    };
    add("aligned", s.aligned);
    add("unaligned", s.unaligned);
    if (s.peer.products > 0) add("all, peer", s.peer);
  }
  table.print();
}

}  // namespace rooftile::perf
