// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "backends/mpi/agreement.hpp"

#include <algorithm>
#include <vector>

#include "rooftile/error.hpp"

namespace rooftile::distributed {

namespace {

/// Throws what one process has to say on all of them.
[[noreturn]] void throw_text_of(MPI_Comm communicator, int speaker, int size, std::string text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, speaker, communicator);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, speaker, communicator);
  throw Error(detail::text("rank ", speaker, " of ", size, ": ", text));
}

/// Names the first process whose arguments are not those of rank 0.
[[noreturn]] void throw_difference(MPI_Comm communicator, int size, std::uint64_t fingerprint) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
  MPI_Allgather(&fingerprint, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, communicator);
  const auto other = std::find_if(all.begin(), all.end(), [&](std::uint64_t x) { return x != all.front(); });
  throw Error(detail::text("arguments differ between processes (rank ", other - all.begin(), " of ", size,
                           " and rank 0): give the same sizes, layouts, scalars and options everywhere"));
}

}  // namespace

Proposal agree(MPI_Comm communicator, const Proposal& proposal) {
  int rank = 0, size = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &size);
  const bool refuses = !proposal.refusal.empty();
  const std::uint64_t mine[] = {refuses ? static_cast<std::uint64_t>(size - rank) : 0, proposal.fingerprint,
                                ~proposal.fingerprint, proposal.a_along_k, proposal.b_along_k};
  std::uint64_t all[5] = {};
  MPI_Allreduce(mine, all, 5, MPI_UINT64_T, MPI_MAX, communicator);
  if (all[0] != 0) throw_text_of(communicator, size - static_cast<int>(all[0]), size, proposal.refusal);
  if (all[1] != ~all[2]) throw_difference(communicator, size, proposal.fingerprint);
  return {{}, all[1], all[3] != 0, all[4] != 0};
}

}  // namespace rooftile::distributed
