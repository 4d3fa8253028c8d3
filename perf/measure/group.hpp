// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "operands.hpp"
#include "sampler.hpp"
#include "suite.hpp"

/// Grouped gemm: products of random shapes in one call.
namespace rooftile::perf {

template <class T>
class Group {
 public:
  /// @param product  with `smallest`
  Group(Device& device, const Product& product, std::uint64_t seed);

  /// Verifies the candidates, then times them interleaved: one call for the group, and one call per product.
  /// Individually named kernels do not support groups.
  std::vector<Result> sample(const std::vector<const Candidate<T>*>& candidates, const Sampling& sampling,
                             const std::function<void(const std::string&)>& progress);

  double flops() const;
  /// FLOP per byte if each operand moves once.
  double intensity() const;

 private:
  struct Way;
  std::vector<Way> ways_of(const std::vector<const Candidate<T>*>& candidates,
                           const Sampling& sampling) const;
  void verify(Values values, const Sampling& sampling, std::vector<Way>& ways,
              const std::function<void(const std::string&)>& progress);

  Product product_;
  Device& device_;
  std::deque<Operands<T>> operands_;
  std::vector<GemmArgs<T>> products_;
};

#define ROOFTILE_DECLARE(...) extern template class Group<__VA_ARGS__>;
ROOFTILE_FOR_EACH_PRODUCT_TYPE(ROOFTILE_DECLARE)
#undef ROOFTILE_DECLARE

}  // namespace rooftile::perf
