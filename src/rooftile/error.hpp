// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rooftile {

/// A location in source code. It replaces `std::source_location`, which clang 15 lacks, because an Error may
/// pass between objects of different compilers.
class SourceLocation {
 public:
  /// Returns the location of the caller.
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          const char* function = __builtin_FUNCTION(),
                                          unsigned line = __builtin_LINE()) noexcept {
    return {file, function, line};
  }

  constexpr const char* file_name() const noexcept { return file_; }          ///< as the compiler names it
  constexpr const char* function_name() const noexcept { return function_; }  ///< without arguments
  constexpr unsigned line() const noexcept { return line_; }                  ///< from 1

 private:
  constexpr SourceLocation(const char* file, const char* function, unsigned line) noexcept
      : file_(file), function_(function), line_(line) {}

  const char* file_;
  const char* function_;
  unsigned line_;
};

/// The exception of every refused call. The library throws it on the host before it launches or writes
/// anything. The message has the form `<problem> (<values>): <what to do>`.
class Error : public std::runtime_error {
 public:
  /// @param message  the complete message, which `what()` returns
  /// @param where  where the problem was found
  explicit Error(const std::string& message, SourceLocation where = SourceLocation::current())
      : std::runtime_error(message), where_(where) {}

  /// Returns where the library found the problem.
  const SourceLocation& where() const noexcept { return where_; }

 private:
  SourceLocation where_;
};

/// The exception if a device has too little memory for a workspace. The call may succeed later.
class OutOfMemory : public Error {
 public:
  /// Makes the exception. @see Error
  explicit OutOfMemory(const std::string& message, SourceLocation where = SourceLocation::current())
      : Error(message, where) {}
};

namespace detail {

/// Returns the parts as one text. Numbers have the format of the C locale, independent of the program's
/// locale.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.exceptions(std::ios::badbit);  // without memory, no half of a text
  (out << ... << parts);
  return out.str();
}

/// Returns input text for a message: control characters become `\r`, `\t`, `\n` or `\x01`.
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
/// The reason why a kernel cannot compute a product.
enum class Reason {
  nothing,       ///< none: the kernel computes the product
  path,          ///< the kernel is not on the target's path
  hardware,      ///< the kernel is for CPUs and the target is a GPU, or the other way round
  mode,          ///< the kernel does not compute in the compute mode, or not after repacking
  instructions,  ///< the device does not have the kernel's multiply instructions
  tile,          ///< the kernel does not have the tile
  shape,         ///< the tile, or every tile, does not fit the product's extents
  memory,        ///< a thread block of the device has too little memory for the tile
  launch,        ///< a launch cannot count the tiles or steps
  addresses,     ///< the kernel, or repacking, does not follow arrays of pointers
  workspace,     ///< the kernel needs more workspace than the caller allows
};
/// The deprecated name of `Reason`.
using Lack [[deprecated("rooftile::Lack is now rooftile::Reason")]] = Reason;

/// Why a kernel cannot compute a product.
struct Refusal {
  Reason code = Reason::nothing;  ///< the reason
  std::string text = {};          ///< the message of the Error

  /// Whether there is no reason.
  bool empty() const { return code == Reason::nothing; }
  /// Whether the message equals a text.
  friend bool operator==(const Refusal& x, std::string_view expected) {
    return x.text.compare(expected) == 0;
  }
};

/// The exception if the named kernel, or no kernel, computes the product.
class Unsupported : public Error {
 public:
  /// @pre the refusal is not empty
  explicit Unsupported(const Refusal& refusal, SourceLocation where = SourceLocation::current())
      : Error(refusal.text, where), code_(refusal.code) {}

  /// Returns the reason of the last kernel that was tried.
  Reason code() const noexcept { return code_; }

 private:
  Reason code_;
};

}  // namespace rooftile
