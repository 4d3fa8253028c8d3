// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "cpu/packed.hpp"

namespace rooftile::portable {

template struct CpuDriver<Mixed<float16, float>>;
template struct CpuDriver<Mixed<bfloat16, float>>;
template struct CpuDriver<Mixed<float, double>>;
template struct CpuDriver<Mixed<std::int8_t, std::int32_t>>;

}  // namespace rooftile::portable
