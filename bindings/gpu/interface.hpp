// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "bindings/gpu/copiers.hpp"
#include "plan/plan.hpp"

/// The interface of `librooftile_gpu`, which the C and BLAS libraries open at run time. Only for libraries of
/// one build: C++ types cross the interface, exceptions do not.
namespace rooftile::gpu {

/// The result of a call.
enum class Outcome {
  done,
  left,    ///< not computed; the CPU must compute it
  refused  ///< not computed, and the CPU cannot compute it either; `Answer::why` has the reason
};

/// Additional results of a call.
struct Answer {
  char why[256] = "";          ///< why the call was refused, or why the GPU must not be used again
  bool device_memory = false;  ///< whether the CPU cannot access an operand
  bool no_memory = false;      ///< of the device or of the host; may be temporary
  bool broken = false;         ///< the GPU must not be used again
  bool wrong = false;          ///< an argument is invalid, and C is untouched
};

/// A product with operands in any memory.
struct HostCall {
  ComputeMode math;     ///< wanted mode; without a kernel for it, the element type's own mode is used
  const void* product;  ///< a `GemmArgs` of the mode's element types
  bool swapped;         ///< whether A and B are swapped relative to the caller's names
  double cpu_seconds;   ///< modelled CPU time; 0: the CPU computes products with all operands on the host
  Copiers copiers;
  void (*rest)(const void* product, void* context);  ///< computes a product of these types on the CPU
  void* context;
};

struct Functions {
  const char* version;  ///< of the build
  /// Computes a product and waits for it.
  Outcome (*multiply)(const HostCall& call, Answer& answer) noexcept;
  /// Enqueues a batch, a `BatchArgs` of the mode's element types, in a CUDA stream.
  Outcome (*enqueue)(ComputeMode math, const void* batch, void* stream, Answer& answer) noexcept;
  /// Enqueues `count` products, an array of `GemmArgs` of the mode's element types.
  Outcome (*enqueue_group)(ComputeMode math, const void* products, std::size_t count, void* stream,
                           Answer& answer) noexcept;
  /// The plan of a batch, for the log. @return whether there is one
  bool (*explain)(ComputeMode math, const void* batch, void* stream, GemmPlan& plan) noexcept;
};

/// The exported function. Initializes the GPU.
/// @return null if no GPU can be used; `answer.why` has the reason
using Open = const Functions*(Answer& answer) noexcept;
inline constexpr char open_name[] = "rooftile_gpu_open";

}  // namespace rooftile::gpu
