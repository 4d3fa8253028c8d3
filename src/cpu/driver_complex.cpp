// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/packed.hpp"

namespace rooftile::portable {

template struct CpuDriver<complex<float>>;
template struct CpuDriver<complex<double>>;

}  // namespace rooftile::portable
