// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rooftile/error.hpp"

namespace rooftile::testing {

/// What a call refuses with; empty if it does not.
template <class F>
std::string refused(const F& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace rooftile::testing
