// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rooftile/error.hpp"

namespace rooftile::detail {

/// Calls f(i) for each product. @throws Error of f, with the number of the product before the text
template <class F>
void for_each_product(std::size_t count, const F& f) {
  std::size_t i = 0;
  const auto with_number = [&](const Error& error) {
    return text("product ", i, " of ", count, ", counted from 0: ", error.what());
  };
  try {
    for (; i < count; ++i) f(i);
  } catch (const Unsupported& refused) {
    throw Unsupported({refused.code(), with_number(refused)}, refused.where());
  } catch (const Error& error) {
    throw Error(with_number(error), error.where());
  }
}

}  // namespace rooftile::detail
