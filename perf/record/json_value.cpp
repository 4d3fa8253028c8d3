// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "json_value.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include <nlohmann/json.hpp>

namespace rooftile::perf {

namespace {

Json::Object::iterator find(Json::Object& members, std::string_view key) {
  return std::find_if(members.begin(), members.end(),
                      [&](const auto& member) { return member.first == key; });
}

}  // namespace

struct JsonText {
  static nlohmann::ordered_json of(const Json& json) {
    return std::visit(
        []<class T>(const T& value) -> nlohmann::ordered_json {
          if constexpr (std::is_same_v<T, Json::Array>) {
            nlohmann::ordered_json array = nlohmann::ordered_json::array();
            for (const Json& element : value) array.push_back(of(element));
            return array;
          } else if constexpr (std::is_same_v<T, Json::Object>) {
            nlohmann::ordered_json object = nlohmann::ordered_json::object();
            for (const auto& [key, member] : value) object[key] = of(member);
            return object;
          } else {
            return value;
          }
        },
        json.value_);
  }
};

Json::Json(std::initializer_list<Json> elements) {
  const auto is_member = [](const Json& element) {
    const auto* pair = element.get_if<Array>();
    return pair != nullptr && pair->size() == 2 && pair->front().get_if<std::string>() != nullptr;
  };
  if (!std::all_of(elements.begin(), elements.end(), is_member)) {
    value_ = Array(elements);
    return;
  }
  Object members;
  for (const Json& element : elements) {
    const Array& pair = *element.get_if<Array>();
    members.emplace_back(*pair.front().get_if<std::string>(), pair.back());
  }
  value_ = std::move(members);
}

Json Json::array(std::initializer_list<Json> elements) {
  Json json;
  json.value_ = Array(elements);
  return json;
}

Json Json::object() {
  Json json;
  json.value_ = Object();
  return json;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object();
  auto& members = std::get<Object>(value_);
  const auto found = find(members, key);
  return found != members.end() ? found->second : members.emplace_back(std::string(key), Json()).second;
}

const Json& Json::at(std::string_view key) const {
  for (const auto& [name, member] : std::get<Object>(value_)) {
    if (name == key) return member;
  }
  throw std::out_of_range("no member " + std::string(key));
}

void Json::update(const Json& other) {
  for (const auto& [key, member] : std::get<Object>(other.value_)) (*this)[key] = member;
}

void Json::push_back(Json element) {
  if (is_null()) value_ = Array();
  std::get<Array>(value_).push_back(std::move(element));
}

std::string Json::dump(int indent, bool ascii) const {
  return JsonText::of(*this).dump(indent, ' ', ascii, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace rooftile::perf
