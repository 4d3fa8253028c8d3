// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rooftile::perf {

/// A JSON value for writing. It does not include the JSON library, which takes seconds to compile. A braced
/// list is an object if each element is a pair that starts with a string, else an array: `Json{{"m", 4}}`.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json(std::nullptr_t = nullptr) {}
  Json(bool value) : value_(value) {}
  template <std::signed_integral T>
  Json(T value) : value_(std::int64_t{value}) {}
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) Json(T value) : value_(std::uint64_t{value}) {}
  template <std::floating_point T>
  Json(T value) : value_(double{value}) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  template <class T>
  Json(const std::vector<T>& values) : value_(Array(values.begin(), values.end())) {}
  template <class T, std::size_t n>
  Json(const std::array<T, n>& values) : value_(Array(values.begin(), values.end())) {}
  Json(std::initializer_list<Json> elements);

  static Json array(std::initializer_list<Json> elements = {});
  static Json object();

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  /// @return the value as a T, or nullptr if it has another type
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&value_);
  }

  /// The member of an object; a missing member is appended. A null value becomes an object first.
  Json& operator[](std::string_view key);
  /// The member of an object. @throws std::out_of_range if it does not exist
  const Json& at(std::string_view key) const;
  void update(const Json& other);
  /// Appends to an array. A null value becomes an array first.
  void push_back(Json element);
  Json& back() { return std::get<Array>(value_).back(); }

  /// The JSON text; a negative `indent` writes one line. Bytes that are not UTF-8 become U+FFFD. `ascii`
  /// escapes all other non-ASCII characters.
  std::string dump(int indent = -1, bool ascii = false) const;

 private:
  friend struct JsonText;

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_ =
      nullptr;
};

}  // namespace rooftile::perf
