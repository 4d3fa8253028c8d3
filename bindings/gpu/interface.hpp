// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "bindings/gpu/copiers.hpp"
#include "plan/plan.hpp"

/// What the libraries for C and BLAS call of `librooftile_gpu`, which they open at run time. Private to
/// libraries of one build: C++ types pass, exceptions do not.
namespace rooftile::gpu {

/// What became of a call.
enum class Outcome {
  done,
  left,    ///< nothing was done: it is for the CPU
  refused  ///< `Answer::why` says why; neither has computed it
};

/// Where a call's texts go.
struct Answer {
  char why[256] = "";          ///< it was refused, or the GPU is not to be asked again
  bool device_memory = false;  ///< an operand lies where the CPU does not reach it
  bool no_memory = false;      ///< of the device, or of the host: later there may be some
  bool broken = false;         ///< the GPU is not to be asked again
  bool wrong = false;          ///< an argument is wrong, and C is untouched
};

/// A product that may have operands anywhere.
struct HostCall {
  ComputeMode math;     ///< that is wanted; where the device has no kernel for it, the elements' own is taken
  const void* product;  ///< a `GemmArgs` of the mode's elements
  bool swapped;         ///< its A is what the caller names B, and its B the caller's A
  double cpu_seconds;   ///< that the CPU takes by the model; 0: where all lies on the host, it is the CPU's
  Copiers copiers;
  void (*rest)(const void* product, void* context);  ///< computes a product, of such, on the CPU
  void* context;
};

struct Functions {
  const char* version;  ///< of the build
  /// Computes a product and waits for it.
  Outcome (*multiply)(const HostCall& call, Answer& answer) noexcept;
  /// Puts a batch, `BatchArgs` of the mode's elements, into a stream of CUDA.
  Outcome (*enqueue)(ComputeMode math, const void* batch, void* stream, Answer& answer) noexcept;
  /// The same of `count` products, `GemmArgs` of the mode's elements.
  Outcome (*enqueue_group)(ComputeMode math, const void* products, std::size_t count, void* stream,
                           Answer& answer) noexcept;
  /// The plan of a batch, as a log has it. @return whether there is one
  bool (*explain)(ComputeMode math, const void* batch, void* stream, GemmPlan& plan) noexcept;
};

/// The function that the library shows: starts what is needed.
/// @return null: there is no GPU to compute with; `answer.why` says why
using Open = const Functions*(Answer& answer) noexcept;
inline constexpr char open_name[] = "rooftile_gpu_open";

}  // namespace rooftile::gpu
