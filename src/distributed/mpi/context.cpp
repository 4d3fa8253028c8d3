// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/distributed/context.hpp"

#include <new>

#include "distributed/mpi/agreement.hpp"
#include "distributed/mpi/panel_buffers.hpp"
#include "distributed/mpi/watchdog.hpp"
#include "rooftile/error.hpp"

namespace rooftile::distributed {

namespace {

constexpr std::align_val_t alignment{alignment_of_buffers};

/// Completes a grid: the missing number of rows or columns makes it as square as `size` processes allow.
Grid completed(Grid grid, int size) {
  if (grid.rows <= 0 && grid.cols <= 0) {
    grid.rows = 1;
    for (int rows = 1; rows * rows <= size; ++rows) {
      if (size % rows == 0) grid.rows = rows;
    }
  }
  if (grid.rows <= 0) grid.rows = size / grid.cols;
  if (grid.cols <= 0) grid.cols = size / grid.rows;
  return grid;
}

std::string refusal_of(const ContextOptions& options, int size) {
  const auto [rows, cols] = options.grid;
  if (rows < 1 || cols < 1 || rows > size / cols) {
    return detail::text("grid does not fit the communicator's processes (", rows, " x ", cols, " of ", size,
                        "): take at most as many rows x columns as there are processes");
  }
  if (options.message < 1 || options.message > (Index{1} << 30)) {
    return detail::text("invalid message size (", options.message, " bytes): take 1 to ", Index{1} << 30);
  }
  if (!(options.timeout >= 0)) {
    return detail::text("invalid timeout (", options.timeout, " s): take seconds, or 0 for none");
  }
  return {};
}

}  // namespace

void Context::Free::operator()(std::byte* memory) const noexcept {
  ::operator delete(memory, alignment);
}

Context::Context(MPI_Comm communicator, const ContextOptions& options) : options_(options) {
  communicator_ = duplicate(communicator, options.timeout);
  watch_ = std::make_unique<Watchdog>(communicator_, options.timeout);
  MPI_Comm_rank(communicator_, &rank_);
  MPI_Comm_size(communicator_, &size_);
  options_.grid = completed(options.grid, size_);
  Fingerprint fingerprint;
  fingerprint.add(options_.grid.rows, options_.grid.cols, options_.products.workspace,
                  options_.products.depth, options_.products.layers, options_.message);
  const auto& [gflops, bandwidth, latency] = options_.products.process;
  for (const double number : {gflops, bandwidth, latency, options_.timeout}) {
    fingerprint.add_bytes(&number, sizeof number);
  }
  try {
    watch_->run([&] {
      watch_->exchange_places();
      agree(*watch_, {refusal_of(options_, size_), fingerprint.value()});
    });
  } catch (...) {
    close();
    throw;
  }
  if (options_.products.workspace == 0) allow_workspace(usual_workspace);
}

Context::~Context() {
  close();
}

void Context::close() noexcept {
  if (watch_->lost()) {  // MPI may still write to the buffers
    release_workspace();
    static_cast<void>(watch_.release());
    return;
  }
  watch_.reset();
  MPI_Comm_free(&communicator_);
}

std::byte* Context::reserve(std::size_t bytes) noexcept {
  if (bytes > reserved_ || !workspace_) {
    release_workspace();
    workspace_.reset(static_cast<std::byte*>(::operator new(bytes, alignment, std::nothrow)));
    reserved_ = workspace_ ? bytes : 0;
  }
  return workspace_.get();
}

void Context::release_workspace() noexcept {
  if (watch_ && watch_->lost()) static_cast<void>(workspace_.release());
  workspace_.reset();
  reserved_ = 0;
}

}  // namespace rooftile::distributed
