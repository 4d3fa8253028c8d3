// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rooftile::portable {

/// Whether this process cannot start threads, because it was forked after its parent had loaded the library.
/// OpenMP threads do not survive a fork, and the GCC runtime would wait for them forever.
bool is_forked();

}  // namespace rooftile::portable
