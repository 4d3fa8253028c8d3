// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rooftile::portable {

/// Whether this process can start no threads: it was forked from one that had loaded the library. OpenMP's
/// threads are not in it, and GCC's runtime would wait for them forever.
bool is_forked();

}  // namespace rooftile::portable
