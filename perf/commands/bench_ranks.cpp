// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "../bench_ranks.hpp"

#include <cstdio>
#include <exception>

#include <fcntl.h>
#include <unistd.h>

#include "../command.hpp"

namespace rooftile::perf {
namespace {

/// Discards all further output of this process.
void say_nothing() {
  std::fflush(stdout);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO), close(nowhere);
}

}  // namespace

void add_sharing_options(Arguments& app, SharingOptions& o) {
  app.group("Processes of MPI");
  Option* const ranks =
      app.add_flag("--ranks", o.asked, "under mpirun: products of distributed matrices in host memory");
  app.add_option("--grid", o.grid, "process grid: auto, or rows and columns, such as 2x3")
      ->needs(ranks)
      ->capture_default_str();
  app.add_option("--block", o.blocks,
                 "rows and columns of the blocks of A, B and C, such as 48x80 (default 64); may be repeated")
      ->needs(ranks);
  app.add_option("--layers", o.layers,
                 "number of layers that share K, or auto: chosen by the model (default); may be repeated")
      ->needs(ranks);
  app.add_option("--peer", o.peers,
                 "file of a peer library with PBLAS gemm and BLACS (default ScaLAPACK and COSMA, if found)")
      ->needs(ranks);
  for (const char* const other :
       {"--suite", "--replay", "--math", "--backend", "--kernel", "--tile", "--layout", "--batch",
        "--pointers", "--caches", "--gpu", "--tuning", "--counters"}) {
    ranks->excludes(app.get_option(other));
  }
}

int bench_ranks(const BenchOptions& options, const SharingOptions& sharing) {
  const std::unique_ptr<Ranks> ranks = open_ranks();
  const bool speaks = ranks->rank() == 0;
  if (!speaks) say_nothing();
  try {
    return RanksBench(*ranks, options, sharing).run();
  } catch (const Error&) {  // thrown on all processes; only rank 0 reports it
    if (speaks) throw;
    return ok;
  } catch (const std::exception& error) {
    ranks->abort(error.what());
    throw;
  }
}

}  // namespace rooftile::perf
