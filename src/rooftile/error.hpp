// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rooftile {

/// Where in a source something was noticed. `std::source_location`, but one type for all compilers: clang 15
/// has none, and an Error may pass between objects of different compilers.
class SourceLocation {
 public:
  /// Where it is called from.
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          const char* function = __builtin_FUNCTION(),
                                          unsigned line = __builtin_LINE()) noexcept {
    return {file, function, line};
  }

  constexpr const char* file_name() const noexcept { return file_; }          ///< as the compiler names it
  constexpr const char* function_name() const noexcept { return function_; }  ///< without its arguments
  constexpr unsigned line() const noexcept { return line_; }                  ///< from 1 on

 private:
  constexpr SourceLocation(const char* file, const char* function, unsigned line) noexcept
      : file_(file), function_(function), line_(line) {}

  const char* file_;
  const char* function_;
  unsigned line_;
};

/// Every refused request, raised on the host before anything is launched or written.
/// The message reads `<problem> (<the values>): <what to do>`.
class Error : public std::runtime_error {
 public:
  /// @param message  the whole of it, as `what()` returns it
  explicit Error(const std::string& message, SourceLocation where = SourceLocation::current())
      : std::runtime_error(message), where_(where) {}

  /// Where the library noticed the problem.
  const SourceLocation& where() const noexcept { return where_; }

 private:
  SourceLocation where_;
};

/// The same where a device has too little memory for a product's workspace: other work may leave it more.
class OutOfMemory : public Error {
 public:
  /// As of `Error`.
  explicit OutOfMemory(const std::string& message, SourceLocation where = SourceLocation::current())
      : Error(message, where) {}
};

namespace detail {

/// The parts printed one after the other, with numbers as C++ writes them, whatever the program's locale is.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.exceptions(std::ios::badbit);  // without memory, no half of a text
  (out << ... << parts);
  return out.str();
}

/// A text of the input as a message quotes it: control characters become `\r`, `\t`, `\n` or `\x01`.
inline std::string visible(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\r' || c == '\t' || c == '\n') {
      shown.append(c == '\r' ? "\\r" : c == '\t' ? "\\t" : "\\n");
    } else if (byte < ' ' || byte == 0x7f) {
      shown.append("\\x") += digits[byte / 16];
      shown += digits[byte % 16];
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace detail
/// What a kernel lacks for a product.
enum class Reason {
  nothing,       ///< it computes the product
  path,          ///< it is not on the target's path
  hardware,      ///< it is for CPUs, or GPUs, and this is none
  mode,          ///< it does not compute in the math mode, or not after repacking
  instructions,  ///< the device has not got those that it multiplies with
  tile,          ///< it has not got the tile
  shape,         ///< the tile, or the kernel with any, does not take the product's extents
  memory,        ///< the device's blocks are too small for the tile
  launch,        ///< one launch does not count so many tiles or steps
  addresses,     ///< it, or repacking, does not follow arrays of pointers
  workspace,     ///< it takes more of it than the caller allows
};
/// The name before 0.1.0.
using Lack [[deprecated("rooftile::Lack is now rooftile::Reason")]] = Reason;

/// Why a kernel cannot compute a product.
struct Refusal {
  Reason code = Reason::nothing;  ///< what it lacks
  std::string text = {};          ///< of the Error that it would be

  /// Whether nothing is lacking.
  bool empty() const { return code == Reason::nothing; }
  /// Whether that is the text.
  friend bool operator==(const Refusal& x, std::string_view expected) {
    return x.text.compare(expected) == 0;
  }
};

/// A product that a kernel, or each of a path, refuses.
class Unsupported : public Error {
 public:
  /// @pre the refusal is not empty
  explicit Unsupported(const Refusal& refusal, SourceLocation where = SourceLocation::current())
      : Error(refusal.text, where), code_(refusal.code) {}

  /// What the last kernel that was tried lacks.
  Reason code() const noexcept { return code_; }

 private:
  Reason code_;
};

}  // namespace rooftile
