// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What makes the kernels of a test build slow at random.
namespace rooftile::testing {

/// All kernels launched from now on are held up by this seed; 0: not at all. Waits for those that run.
void set_shake_seed(unsigned seed);

/// Takes a third of the SMs, and memory bandwidth, for half a millisecond, on a stream of its own.
void steal_sms();

}  // namespace rooftile::testing
