// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>

#include "rooftile/problem.hpp"
#include "rooftile/types.hpp"

/// @file
/// The log of calls: one line for each call. The environment variable `ROOFTILE_LOG` names a file, or
/// `stderr`; `set_log` names a function of the program. docs/bench.md explains the words of a line;
/// `log_line.hpp` writes and reads them.

namespace rooftile {

/// The class of a value of alpha or beta.
enum class Factor { zero, one, minus_one, other };

/// The log does not record larger alignments, in bytes.
inline constexpr Index max_logged_alignment = 256;

/// The layout of an operand of a call.
struct LoggedOperand {
  Index row_stride = 0;  ///< elements from one row to the next
  Index col_stride = 0;  ///< elements from one column to the next
  Index alignment =
      max_logged_alignment;  ///< bytes: a power of two that divides the address, or each pointer
  bool conjugated = false;   ///< the operand is read as conjugates
  Index every = 0;           ///< batches: elements from matrix to matrix; 0: all share one
  bool pointers = false;     ///< batches: the operand is an array of pointers
  Index outer = 0;           ///< two batch dimensions: elements between entries of the outer one
  Float8Format format = Float8Format::e4m3;  ///< the format of 8-bit floats
  Float8Scales scales = {};                  ///< the scales of 8-bit floats, without their address

  /// Compares all members.
  friend constexpr bool operator==(const LoggedOperand&, const LoggedOperand&) = default;
};

/// The product of a call: all data that repeat it, except the values of the elements.
struct LoggedProduct {
  Type type = Type::fp32;                ///< element type of A and B; `math` contains the type of C
  GemmShape shape;                       ///< of each product
  LoggedOperand a;                       ///< A, as the caller gave it
  LoggedOperand b;                       ///< B, as the caller gave it
  LoggedOperand c;                       ///< C, as the caller gave it
  Factor alpha = Factor::one;            ///< class of alpha
  Factor beta = Factor::zero;            ///< class of beta
  Index count = 1;                       ///< number of products
  Index inner = 0;                       ///< products of the inner of two batch dimensions; 0: one dimension
  bool epilogue = false;                 ///< an epilogue is applied
  ComputeMode math = ComputeMode::fp32;  ///< compute mode

  /// Compares all members.
  friend constexpr bool operator==(const LoggedProduct&, const LoggedProduct&) = default;
};

/// One line of the log. Its texts contain no blanks and are not owned; `-` stands for no value.
struct LoggedCall {
  std::string_view name = "-";    ///< function, such as `rooftile::gemm` or `dgemm_`
  LoggedProduct product;          ///< the product
  Index group = 0;                ///< products of the call, if the line describes one of a group; 0: no group
  Index times = 1;                ///< consecutive products of the group that the line describes
  std::string_view path = "-";    ///< portable or native
  std::string_view kernel = "-";  ///< kernel; `-`: nothing had to be computed
  std::string_view tile = "-";    ///< tile of the kernel, such as `64x128x16`
  std::string_view how = "-";     ///< algorithm of a CPU
  std::string_view why = "-";     ///< reason for the choice of the kernel
  double seconds = -1;  ///< time of the call; for a group, in its first line; negative: not measured

  /// Compares all members.
  friend constexpr bool operator==(const LoggedCall&, const LoggedCall&) = default;
};

/// A receiver of log lines.
struct LogSink {
  /// The function that receives a line. The thread of a call calls it when the call returns. Several threads
  /// may call it at once. It must not throw or call the library.
  /// @param line  ends with a line feed and a zero byte, which `length` does not count
  /// @param context  the sink's `context`
  void (*write)(const char* line, std::size_t length, void* context) = nullptr;
  void* context = nullptr;  ///< passed to `write`
  /// Whether lines contain the time of a call. On a GPU, a call then waits for earlier work and for the
  /// product, and no stream can be captured.
  bool times = false;
};

namespace detail {

/// The sink before the environment was read.
inline constexpr LogSink unread_environment;

/// The sink of all lines; null: no log.
inline std::atomic<const LogSink*> log_sink{&unread_environment};

}  // namespace detail

/// Sends the lines of all later calls to a sink, in place of the environment's. Any thread may call it. It
/// applies to the C++ libraries that this program links; other libraries read the environment.
/// @param sink  must outlive the calls; null: no log
inline void set_log(const LogSink* sink) noexcept {
  detail::log_sink.store(sink, std::memory_order_release);
}

}  // namespace rooftile
