// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "rooftile/error.hpp"

namespace rooftile::perf {

/// Reads and checks the fields of a JSON object. A free function `fields(reader, object)` beside the type
/// (found by argument-dependent lookup) names the fields. An Error names the file, the member and its value.
class JsonReader {
 public:
  /// @param object  outlives the reader
  /// @param where   the file, and a pointer to the object in it
  JsonReader(const nlohmann::json& object, std::string where, std::string_view advice)
      : object_(object), where_(std::move(where)), advice_(advice) {
    if (!object_.is_object()) refuse("not an object", where_ + ' ' + shown(object_));
  }

  template <class T>
  void required(const char* key, T& value) const {
    read(member(key), where_ + '/' + key, value);
  }
  template <class T>
  void positive(const char* key, T& value) const {
    required(key, value);
    if (!(value > T())) refuse_value("not a positive number", key);
  }
  /// A number that is present must be positive.
  template <class T>
  void optional(const char* key, T& value) const {
    if (!has(key)) return;
    if constexpr (std::is_arithmetic_v<T> && !std::same_as<T, bool>) {
      positive(key, value);
    } else {
      required(key, value);
    }
  }
  template <class T>
  void if_there(const char* key, T& value) const {
    if (has(key)) required(key, value);
  }
  /// null stands for infinity, which JSON cannot represent.
  void number_or_null(const char* key, double& value) const {
    if (member(key).is_null()) {
      value = std::numeric_limits<double>::infinity();
    } else {
      required(key, value);
    }
  }
  template <class F>
  void object(const char* key, const F& fields_of) const {
    const JsonReader part(member(key), where_ + '/' + key, advice_);
    fields_of(part);
  }

  /// Calls f(reader) for each object of an array.
  template <class F>
  void each(const char* key, const F& f) const {
    const nlohmann::json& list = member(key);
    if (!list.is_array()) refuse_value("not a list", key);
    for (std::size_t i = 0; i < list.size(); ++i)
      f(JsonReader(list[i], detail::text(where_, '/', key, '/', i), advice_));
  }

  /// @throws Error for a member that was not read: misspelt members would otherwise be ignored
  void no_others() const {
    for (const auto& item : object_.items()) {
      if (std::find(asked_.begin(), asked_.end(), item.key()) != asked_.end()) continue;
      std::string known;
      for (const std::string& key : asked_) known += (known.empty() ? "" : ", ") + key;
      throw Error(detail::text("unknown member (", where_, '/', item.key(), ' ', shown(item.value()),
                               "): take one of ", known));
    }
  }

  /// @throws Error that names the member, or the element of an array, and its value
  [[noreturn]] void refuse_value(std::string_view problem, const std::string& key) const {
    refuse(problem, where_ + '/' + key + ' ' + shown(object_.at(key)));
  }
  [[noreturn]] void refuse_value(std::string_view problem, const std::string& key, std::size_t i) const {
    refuse(problem, detail::text(where_, '/', key, '/', i, ' ', shown(object_.at(key).at(i))));
  }

 private:
  [[noreturn]] void refuse(std::string_view problem, const std::string& where) const {
    throw Error(detail::text(problem, " (", where, "): ", advice_));
  }

  static std::string shown(const nlohmann::json& value) {
    constexpr std::size_t longest = 60;
    const std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return text.size() > longest ? text.substr(0, longest) + "..." : text;
  }

  bool has(const char* key) const {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.emplace_back(key);
    return object_.contains(key);
  }
  const nlohmann::json& member(const char* key) const {
    if (!has(key)) refuse("missing member", where_ + '/' + key);
    return object_.at(key);
  }

  template <class T>
  void read(const nlohmann::json& from, const std::string& where, T& value) const {
    const auto require = [&](bool is_one, const char* problem) {
      if (!is_one) refuse(problem, where + ' ' + shown(from));
    };
    if constexpr (std::same_as<T, double>) {
      require(from.is_number(), "not a number");
      value = from.get<double>();
    } else if constexpr (std::same_as<T, bool>) {
      require(from.is_boolean(), "not true or false");
      value = from.get<bool>();
    } else if constexpr (std::integral<T>) {
      constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
      require(from.is_number_unsigned() && from.get<std::uint64_t>() <= most, "not a whole number");
      value = from.get<T>();
    } else if constexpr (std::same_as<T, std::string>) {
      require(from.is_string(), "not a text");
      value = from.get<std::string>();
    } else {
      const JsonReader reader(from, where, advice_);
      fields(reader, value);
    }
  }
  template <class T>
  void read(const nlohmann::json& from, const std::string& where, std::vector<T>& values) const {
    if (!from.is_array()) refuse("not a list", where + ' ' + shown(from));
    values.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      read(from[i], detail::text(where, '/', i), values[i]);
    }
  }

  const nlohmann::json& object_;
  std::string where_;
  std::string_view advice_;
  mutable std::vector<std::string> asked_;  ///< names of the members read so far
};

}  // namespace rooftile::perf
