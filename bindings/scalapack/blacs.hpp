// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/scalapack/descriptor.hpp"
#include "rooftile/distributed/context.hpp"

/// BLACS and PBLAS, whose functions the process has: a program's own before a library's.
namespace rooftile::scalapack {

/// Where this process stands in the grid of a BLACS context.
Place place_in(int context);

/// The library's context on a BLACS context, which lives as long as BLACS' communicator. The first call is
/// collective. @pre the process is in the grid. @throws Error where the process has no BLACS
distributed::Context& context_of(int context, const Place& place);

/// Reports a wrong argument to `PB_Cabort`, which ends the program where it is not a tester's, else to
/// `pxerbla_`, and ends the program. @param routine  `PDGEMM` @param info  minus the code
void report(int context, const char* routine, int info);

/// Ends the program with a text: there is nobody to throw to.
[[noreturn]] void end(int context, const char* routine, const char* text);

/// The function of that name that comes behind this library's; null: none.
void* next(const char* name);

}  // namespace rooftile::scalapack
