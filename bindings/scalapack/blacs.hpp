// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/scalapack/descriptor.hpp"
#include "rooftile/distributed/context.hpp"

/// Functions of BLACS and PBLAS that this process has loaded. A program's own functions precede those of a
/// library.
namespace rooftile::scalapack {

/// The place of this process in the grid of a BLACS context.
Place place_in(int context);

/// Rooftile's context for a BLACS context. It lives as long as the communicator of BLACS. The first call is
/// collective.
/// @pre the process is in the grid
/// @throws Error if the process has no BLACS
distributed::Context& context_of(int context, const Place& place);

/// Reports an invalid argument to `PB_Cabort`, or else to `pxerbla_`, and ends the program. A test program
/// may define a `PB_Cabort` that returns.
/// @param routine  for example `PDGEMM`
/// @param info  minus the error code
void report(int context, const char* routine, int info);

/// Ends the program with a message, because PBLAS cannot return an error.
[[noreturn]] void end(int context, const char* routine, const char* text);

/// The next function of that name after this library's, or null.
void* next(const char* name);

}  // namespace rooftile::scalapack
