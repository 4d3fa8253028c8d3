// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Delay injection, which makes the kernels of a test build slow at random.
namespace rooftile::testing {

/// Sets the seed of the delays of all kernels that are launched from now on; 0: no delays. Waits for running
/// kernels.
void set_shake_seed(unsigned seed);

/// Occupies a third of the SMs, and memory bandwidth, for half a millisecond, on its own stream.
void steal_sms();

}  // namespace rooftile::testing
