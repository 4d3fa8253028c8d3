// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>

#include "rooftile/problem.hpp"
#include "rooftile/types.hpp"

namespace rooftile::perf {

/// Element types, and mixed types.
using Products = decltype(std::tuple_cat(Elements(), MixedProducts()));

template <class F>
constexpr void for_each_product_type(const F& f) {
  [&]<class... T>(std::type_identity<std::tuple<T...>>) {
    (f.template operator()<T>(), ...);
  }(std::type_identity<Products>());
}

/// Applies LINE to each product type. A source instantiates templates that other sources only declare.
// clang-format off
#define ROOFTILE_FOR_EACH_PRODUCT_TYPE(LINE)                                                       \
  LINE(float) LINE(double) LINE(float16) LINE(bfloat16) LINE(complex<float>) LINE(complex<double>) \
  LINE(Mixed<float16, float>) LINE(Mixed<bfloat16, float>) LINE(Mixed<float, double>)              \
  LINE(Mixed<std::int8_t, std::int32_t>) LINE(Mixed<float8_e4m3, float>)                           \
  LINE(Mixed<float8_e4m3, bfloat16>) LINE(Mixed<float8_e4m3, float16>)
// clang-format on

#define ROOFTILE_ONE(...) +1
static_assert(ROOFTILE_FOR_EACH_PRODUCT_TYPE(ROOFTILE_ONE) == std::tuple_size_v<Products>);
#undef ROOFTILE_ONE

/// FLOP per byte if each operand moves once.
template <class T>
double intensity_of(const GemmShape& shape, bool reads_c) {
  const double c = (reads_c ? 2.0 : 1.0) * static_cast<double>(shape.m) * static_cast<double>(shape.n);
  const double wider = static_cast<double>(sizeof(Out<T>)) - static_cast<double>(sizeof(In<T>));
  const double bytes = shape.bytes(sizeof(In<T>), reads_c) + wider * c;
  return bytes > 0 ? flops_of(shape, type_of<T>()) / bytes : 0;
}

}  // namespace rooftile::perf
