// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "rooftile/problem.hpp"

/// `bench --suite`: what a user of a path gets on a fixed set of products, against the vendor library.
namespace rooftile::perf {

/// A product and how its operands lie (`Layout`).
struct Product {
  GemmShape shape;
  std::string layout = "rrr";

  friend bool operator==(const Product&, const Product&) = default;
};

/// The product that is computed: where C has columns, Cᵀ = Bᵀ·Aᵀ.
inline Product as_computed(const Product& product) {
  const std::string& layout = product.layout;
  if (layout[2] == 'r') return product;
  const auto transposed = [](char letter) { return letter == 'r' ? 'c' : 'r'; };
  const auto [m, n, k] = product.shape;
  return {{n, m, k}, {transposed(layout[1]), transposed(layout[0]), 'r'}};
}

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

}  // namespace rooftile::perf
