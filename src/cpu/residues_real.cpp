// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/residues.hpp"

namespace rooftile::portable {

template void run_residues(const Threads&, const BatchArgs<double>&, const GemmPlan&);

}  // namespace rooftile::portable
