// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "../machine.hpp"
#include "operands.hpp"
#include "plan/check.hpp"
#include "rooftile/error.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::perf {

/// A product, or a batch of equal products in one call, with the layout of its operands.
struct Product {
  GemmShape shape{};
  std::string layout = "rrr";  ///< letters of a `Layout`
  Index batch = 1;
  Index smallest = 0;     ///< smallest extent of a group of random shapes up to `shape`; 0: no group
  bool pointers = false;  ///< arrays of pointers give the addresses
  double alpha = 1, beta = 0;
  Index padding = 0;                 ///< elements, as in a `Layout`
  Index offset = 0;                  ///< elements, as in a `Layout`
  std::string scales = "none";       ///< of 8-bit floats, as in a `Layout`
  std::vector<std::string> modes{};  ///< names of compute modes; empty: all
  std::string devices{};             ///< cpu or gpu; empty: both

  Layout lies() const { return {layout, padding, offset, scales}; }

  friend bool operator==(const Product&, const Product&) = default;
};

/// The product as computed: Cᵀ = Bᵀ·Aᵀ if C is column-major.
inline Product as_computed(const Product& product) {
  const std::string& layout = product.layout;
  if (layout[2] == 'r') return product;
  const auto transposed = [](char letter) { return letter == 'r' ? 'c' : 'r'; };
  const auto [m, n, k] = product.shape;
  Product computed = product;
  computed.shape = {n, m, k};
  computed.layout = {transposed(layout[1]), transposed(layout[0]), 'r'};
  return computed;
}

inline void set_product(Result& r, const Product& product) {
  r.shape = product.shape, r.layout = product.layout;
  r.batch = product.batch, r.smallest = product.smallest, r.pointers = product.pointers;
  r.alpha = product.alpha, r.beta = product.beta;
  r.padding = product.padding, r.offset = product.offset;
  if (product.scales != "none") r.scales = product.scales;
}

/// A description, such as `64x32x16 rcr batch 9 by pointers`.
inline std::string to_string(const Product& product) {
  Result r;
  set_product(r, product);
  return product_of(r);
}

/// Whether each row (column-major: column) begins at a multiple of 16 bytes, which the widest loads and TMA
/// require.
inline bool is_aligned(const Product& product, std::size_t element_size) {
  if (product.smallest > 0) return false;
  const auto is_multiple = [&](Index elements) {
    return elements * static_cast<Index>(element_size) % 16 == 0;
  };
  const auto [m, n, k] = product.shape;
  const Index rows[] = {m, k, m}, cols[] = {k, n, n};
  for (std::size_t operand = 0; operand < 3; ++operand) {
    const Index contiguous = product.layout[operand] == 'r' ? cols[operand] : rows[operand];
    if (!is_multiple(contiguous + product.padding)) return false;
  }
  return is_multiple(product.offset);
}

inline std::string title_of(const Product& product, ComputeMode math) {
  if (product.smallest > 0) return fmt::format("{} {}", to_string(math), to_string(product));
  Product one = product;
  one.batch = 1, one.pointers = false;
  const std::string many = product.pointers    ? fmt::format("{} products by pointers in ", product.batch)
                           : product.batch > 1 ? fmt::format("{} products in ", product.batch)
                                               : "";
  return fmt::format("{}{} {}", many, to_string(math), to_string(one));
}

/// Relative estimate of the time that bench needs for the product: references, verification and samples.
inline double work_of(const Product& product, std::size_t candidates, double reference) {
  const double multiply_adds = 0.5 * product.shape.flops() * static_cast<double>(product.batch);
  return 1e8 + 2 * std::min(multiply_adds, reference) +
         static_cast<double>(candidates) * (1e7 + std::min(multiply_adds, 1e10));
}

/// A list of products, in the order in which they run.
struct Suite {
  std::string about;
  std::vector<Product> products;

  std::vector<Product> on(const Device& device) const {
    std::vector<Product> found;
    for (const Product& product : products) {
      if (product.devices.empty() || (product.devices == "gpu") == is_gpu(device)) found.push_back(product);
    }
    return found;
  }
};

/// Random shapes: extents from min to max, equally distributed over powers of two.
struct RandomShapes {
  Index count = 0, min = 1, max = 1;
  std::uint64_t seed = 0;
};

/// @throws Error if min exceeds max
inline void check_extents(Index min, Index max) {
  if (min > max) {
    throw Error(fmt::format("--min {} above --max {}: give extents from the least to the largest", min, max));
  }
}

/// Draws the shapes; equal seeds give equal shapes. @pre 0 < min ≤ max
inline std::vector<GemmShape> draw(const RandomShapes& r) {
  std::mt19937_64 bits(r.seed);
  std::uniform_real_distribution<double> exponent(std::log2(r.min), std::log2(r.max + 1));
  const auto extent = [&] { return std::clamp(static_cast<Index>(std::exp2(exponent(bits))), r.min, r.max); };
  std::vector<GemmShape> shapes(static_cast<std::size_t>(r.count));
  for (GemmShape& shape : shapes) shape.m = extent(), shape.n = extent(), shape.k = extent();
  return shapes;
}

}  // namespace rooftile::perf
