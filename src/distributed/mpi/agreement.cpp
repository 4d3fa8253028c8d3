// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "distributed/mpi/agreement.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "rooftile/error.hpp"

namespace rooftile::distributed {

namespace {

/// The buffer of a collective MPI call. It must live as long as the call, which may never complete.
template <class T>
std::shared_ptr<std::vector<T>> buffer(std::size_t count) {
  return std::make_shared<std::vector<T>>(count);
}

/// Throws the error text of one process on all processes. Collective.
[[noreturn]] void throw_text_of(Watchdog& watch, int speaker, const std::string& text) {
  const auto length = buffer<int>(1);
  length->front() = static_cast<int>(text.size());
  MPI_Request request = MPI_REQUEST_NULL;
  watch.check(MPI_Ibcast(length->data(), 1, MPI_INT, speaker, watch.communicator(), &request));
  watch.wait_for_all(request, length);
  const auto words = buffer<char>(static_cast<std::size_t>(length->front()));
  if (watch.rank() == speaker) std::copy(text.begin(), text.end(), words->begin());
  watch.check(MPI_Ibcast(words->data(), length->front(), MPI_CHAR, speaker, watch.communicator(), &request));
  watch.wait_for_all(request, words);
  throw Error(detail::text("rank ", speaker, " of ", watch.size(), ": ",
                           std::string_view(words->data(), words->size())));
}

/// Throws an error that names the first process whose arguments differ from those of rank 0.
[[noreturn]] void throw_difference(Watchdog& watch, std::uint64_t fingerprint) {
  const std::vector<std::uint64_t> all = watch.gathered(fingerprint);
  const auto other = std::find_if(all.begin(), all.end(), [&](std::uint64_t x) { return x != all.front(); });
  throw Error(detail::text("arguments differ between processes (rank ", other - all.begin(), " of ",
                           watch.size(),
                           " and rank 0): give the same sizes, layouts, scalars and options everywhere"));
}

}  // namespace

Proposal agree(Watchdog& watch, const Proposal& proposal) {
  watch.progress();  // throws if a process is already known to be missing
  const bool refuses = !proposal.refusal.empty();
  const auto all = buffer<std::uint64_t>(5);
  *all = {refuses ? static_cast<std::uint64_t>(watch.size() - watch.rank()) : 0, proposal.fingerprint,
          ~proposal.fingerprint, proposal.a_along_k, proposal.b_along_k};
  MPI_Request request = MPI_REQUEST_NULL;
  watch.check(
      MPI_Iallreduce(MPI_IN_PLACE, all->data(), 5, MPI_UINT64_T, MPI_MAX, watch.communicator(), &request));
  watch.wait_for_all(request, all);
  if ((*all)[0] != 0) throw_text_of(watch, watch.size() - static_cast<int>((*all)[0]), proposal.refusal);
  if ((*all)[1] != ~(*all)[2]) throw_difference(watch, proposal.fingerprint);
  return {{}, (*all)[1], (*all)[3] != 0, (*all)[4] != 0};
}

}  // namespace rooftile::distributed
