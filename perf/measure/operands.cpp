// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "operands.hpp"

namespace rooftile::perf {

#define ROOFTILE_INSTANTIATE(...) template class Operands<__VA_ARGS__>;
ROOFTILE_FOR_EACH_PRODUCT_TYPE(ROOFTILE_INSTANTIATE)

}  // namespace rooftile::perf
