// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>

#include "rooftile/problem.hpp"
#include "rooftile/types.hpp"

/// @file
/// The log of calls: what the library computes, a line a call, to the file that the environment variable
/// `ROOFTILE_LOG` names, to standard error (`ROOFTILE_LOG=stderr`), or to a function of the program.
/// docs/log.md has the words of a line; `log_line.hpp` writes and reads them.

namespace rooftile {

/// What alpha or beta is.
enum class Factor { zero, one, minus_one, other };

/// Bytes beyond which nobody asks how an address is aligned.
inline constexpr Index max_logged_alignment = 256;

/// How an operand of a call lies.
struct LoggedOperand {
  Index row_stride = 0;  ///< elements
  Index col_stride = 0;  ///< elements
  Index alignment =
      max_logged_alignment;  ///< a power of two that its address, or each pointer, is a multiple of
  bool conjugated = false;   ///< read as conjugates
  Index every = 0;           ///< of a batch: elements from matrix to matrix; 0: all share one
  bool pointers = false;     ///< of a batch: matrices lie where an array of pointers says
  Index outer = 0;           ///< of two dimensions: elements from one of the outer one to the next

  /// Member by member.
  friend constexpr bool operator==(const LoggedOperand&, const LoggedOperand&) = default;
};

/// What a call computes: all that it takes to make it again, but for the numbers.
struct LoggedProduct {
  Type type = Type::fp32;                ///< of the elements, of mixed types of A and B; `math` has C's
  GemmShape shape;                       ///< of each product
  LoggedOperand a;                       ///< as the caller gave it
  LoggedOperand b;                       ///< the same
  LoggedOperand c;                       ///< the same
  Factor alpha = Factor::one;            ///< its class
  Factor beta = Factor::zero;            ///< its class
  Index count = 1;                       ///< of products
  Index inner = 0;                       ///< of two dimensions: products of the inner one; 0: there is one
  bool epilogue = false;                 ///< elements of C go through one
  ComputeMode math = ComputeMode::fp32;  ///< that it is computed in

  /// Member by member.
  friend constexpr bool operator==(const LoggedProduct&, const LoggedProduct&) = default;
};

/// A line. Its texts have no blanks, and are somebody else's; `-` where there is nothing to say.
struct LoggedCall {
  std::string_view name = "-";  ///< of the function, such as `rooftile::gemm` or `dgemm_`
  LoggedProduct product;        ///< that was computed
  Index group = 0;  ///< products in the call, of any shapes, of which this is one; 0: no such call
  Index times = 1;  ///< how many of the group, one behind the other, the line stands for
  std::string_view path = "-";    ///< portable, native
  std::string_view kernel = "-";  ///< `-`: nothing had to be computed
  std::string_view tile = "-";    ///< of the kernel, such as `64x128x16`
  std::string_view how = "-";     ///< the algorithm of a CPU
  std::string_view why = "-";     ///< the kernel was taken
  double seconds = -1;  ///< that the call took; of a group, in its first line. Negative: not measured

  /// Member by member.
  friend constexpr bool operator==(const LoggedCall&, const LoggedCall&) = default;
};

/// Who takes the lines of a log.
struct LogSink {
  /// Called when a call returns, by its thread, several at a time; must not throw nor call the library.
  /// @param line     ends with a line feed, and then a zero that `length` does not count
  /// @param context  the sink's
  void (*write)(const char* line, std::size_t length, void* context) = nullptr;
  void* context = nullptr;  ///< handed to `write`
  /// Whether lines tell how long a call took. On a GPU it then waits for what was queued before it, and until
  /// it is computed; no stream can be captured meanwhile.
  bool times = false;
};

namespace detail {

/// Who takes lines where nobody has looked into the environment yet.
inline constexpr LogSink unread_environment;

/// Who takes them; null: nobody.
inline std::atomic<const LogSink*> log_sink{&unread_environment};

}  // namespace detail

/// Lets a sink take the lines of all calls that begin from now on, in place of what the environment names.
/// Thread-safe. Of the C++ libraries that this program links; others read the environment.
/// @param sink  outlives the calls; null: nobody takes lines
inline void set_log(const LogSink* sink) noexcept {
  detail::log_sink.store(sink, std::memory_order_release);
}

}  // namespace rooftile
