// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "rooftile/distributed/distributed_matrix.hpp"
#include "rooftile/model/distributed.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::distributed {

/// Default panel length along K on the host, with which products run at full speed.
inline constexpr Index usual_depth = 1024;
/// Default panel length along K on GPUs, where each panel costs a launch and another pass over C.
inline constexpr Index usual_depth_on_gpus = 4096;

/// Default workspace of a process in bytes. On GPUs, a context allows an eighth of the smallest GPU's memory
/// if that is more.
inline constexpr std::size_t usual_workspace = std::size_t{1} << 30;

/// Options of distributed products. All processes give equal options.
struct Options {
  std::size_t workspace = 0;  ///< bytes of a process besides operands; 0: the default
  Index depth = 0;            ///< maximum panel length along K; 0: the default, if it fits
  int layers = 0;  ///< that share K; 0: the model decides; 1: each process computes its own elements
  /// Rates for the model. The default is a node of two sockets with a link of 200 Gbit/s.
  model::Process process{.gflops = 2000, .bandwidth_gbs = 20, .latency_us = 2};
};

/// The properties of operands that decide how a product is computed.
struct Operands {
  Grid grid;               ///< the grid that holds them
  Slice a_rows;            ///< of op(A): M
  Slice a_cols;            ///< of op(A): K
  Slice b_rows;            ///< of op(B): K
  Slice b_cols;            ///< of op(B): N
  Slice c_rows;            ///< of C: M
  Slice c_cols;            ///< of C: N
  Type type = Type::fp64;  ///< of the elements
  bool reads = true;       ///< whether A and B are read: alpha is not 0
  bool on_gpus = false;    ///< the operands are in GPU memory
};

/// How a distributed product is computed, panel after panel along K. With one layer, each process computes
/// the elements of C that it holds. With several layers, each layer computes all of C for a part of K, and
/// the owners of C add the parts.
struct Plan {
  Grid grid;                  ///< the grid that holds the operands
  GemmShape shape;            ///< of the product
  Type type = Type::fp64;     ///< of the elements
  int layers = 1;             ///< number of layers that share K
  Grid layer_grid;            ///< the grid of each layer; with one layer, `grid`
  Index block = 0;            ///< consecutive steps along K of a layer; with one layer, 0
  Index depth = 0;            ///< steps of a panel along K on a layer; 0: nothing is read
  Index first = 0;            ///< steps of the first panel, which nothing hides; on GPUs fewer than `depth`
  Index panels = 0;           ///< number of panels along K
  std::size_t workspace = 0;  ///< bytes of the process that takes the most
  double bytes_moved = 0;     ///< from one process to another, of all processes
  bool in_place = false;      ///< one process holds all operands and computes in place
};

/// Returns the plan of a product. Runs on the host, without a communicator.
/// @throws Error  if the workspace is too small for a panel of length one, or there are more layers than
///                processes
Plan explain(const Operands& operands, const Options& options = {});

/// Returns the plan of a product of matrices. Reads only their layouts.
template <class T>
Plan explain(const Grid& grid, const DistributedMatrix<const T>& A, const DistributedMatrix<const T>& B,
             const DistributedMatrix<T>& C, const Options& options = {}) {
  return explain({grid, A.rows, A.cols, B.rows, B.cols, C.rows, C.cols, type_of<T>()}, options);
}

/// Returns a summary of a plan in one line.
std::string to_string(const Plan& plan);

}  // namespace rooftile::distributed
