// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "rooftile/distributed/distributed_matrix.hpp"
#include "rooftile/model/distributed.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::distributed {

/// The panels along K that are long enough for a product of them to run at full speed.
inline constexpr Index usual_depth = 1024;
/// The same on GPUs, where each panel costs a launch, and C is read and written once more.
inline constexpr Index usual_depth_on_gpus = 4096;

/// The workspace of a process, in bytes, that it may take where nothing is said. On GPUs a context allows an
/// eighth of the smallest GPU's memory, if that is more.
inline constexpr std::size_t usual_workspace = std::size_t{1} << 30;

/// What a product is to keep to. All processes give the same.
struct Options {
  std::size_t workspace = 0;  ///< bytes that a process may take beside its operands; 0: as usual
  Index depth = 0;  ///< of a panel along K, at most, whatever the blocks are; 0: as usual, if it fits
  int layers = 0;   ///< that share K; 0: as many as the model says; 1: none computes what it does not hold
  /// What the model is to reckon with. Where it is not told: a node of two sockets on a link of 200 Gbit/s.
  model::Process process{.gflops = 2000, .bandwidth_gbs = 20, .latency_us = 2};
};

/// What of a product's operands decides how it is computed.
struct Operands {
  Grid grid;               ///< that holds them
  Slice a_rows;            ///< of op(A): M
  Slice a_cols;            ///< of op(A): K
  Slice b_rows;            ///< of op(B): K
  Slice b_cols;            ///< of op(B): N
  Slice c_rows;            ///< of C: M
  Slice c_cols;            ///< of C: N
  Type type = Type::fp64;  ///< of the elements
  bool reads = true;       ///< whether A and B are read: alpha is not 0
  bool on_gpus = false;    ///< whether they lie in memory of GPUs
};

/// How a product is computed, panel after panel along K: on one layer, each process the elements of C that it
/// holds; on more, each layer all of C from some of the steps along K, and then who holds C sums.
struct Plan {
  Grid grid;                  ///< that holds the operands
  GemmShape shape;            ///< of the product
  Type type = Type::fp64;     ///< of the elements
  int layers = 1;             ///< that share K
  Grid layer_grid;            ///< that computes, on each layer; of one layer: `grid`
  Index block = 0;            ///< steps along K that a layer has before the next one; of one layer: 0
  Index depth = 0;            ///< of a panel along K, on each layer; 0: nothing is read
  Index first = 0;            ///< steps of the first panel, which nothing hides: on GPUs fewer than `depth`
  Index panels = 0;           ///< along K
  std::size_t workspace = 0;  ///< bytes, of the process that takes the most
  double bytes_moved = 0;     ///< from one process to another, of all
  bool in_place = false;      ///< whether one process holds all: a product where the operands lie
};

/// How a product is computed. On the host alone, without a communicator.
/// @throws Error where the workspace does not suffice for a panel of one; where there are more layers than
///         processes
Plan explain(const Operands& operands, const Options& options = {});

/// The same for a product of matrices, of which only the layouts are looked at.
template <class T>
Plan explain(const Grid& grid, const DistributedMatrix<const T>& A, const DistributedMatrix<const T>& B,
             const DistributedMatrix<T>& C, const Options& options = {}) {
  return explain({grid, A.rows, A.cols, B.rows, B.cols, C.rows, C.cols, type_of<T>()}, options);
}

/// A line for people.
std::string to_string(const Plan& plan);

}  // namespace rooftile::distributed
