// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/packed.hpp"

namespace rooftile::portable {

template struct CpuDriver<float16>;
template struct CpuDriver<bfloat16>;

}  // namespace rooftile::portable
