// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "program.hpp"

/// Helpers that the tests of `rooftile report` share.
namespace rooftile::testing {

/// Run files, and the pages made from them.
class Reported : public ScratchFolder {
 public:
  std::string add(const std::string& name, const json& bench) const {
    const std::string file = *this / name;
    std::ofstream(file) << bench;
    return " '" + file + "'";
  }
  /// A file with two devices. Other files contain a device with the second one's name, too.
  std::string two(const std::string& other = "Z80") const {
    const json failed =
        failed_row(bench_row(other, "openmp", "vendor", "fp64", 32, 7), "wrong & <b>bold</b>");
    return add("two.json", bench_json({bench_device("NVIDIA H200", "cuda"), bench_device(other, "openmp")},
                                      {bench_row("NVIDIA H200", "cuda", "native", "fp32", 64, 99),
                                       bench_row("NVIDIA H200", "cuda", "native", "fp32", 128, 199),
                                       bench_row("NVIDIA H200", "cuda", "vendor", "fp32", 128, 190),
                                       bench_row(other, "openmp", "portable", "fp64", 32, 7), failed}));
  }
  std::string page(const std::string& files) const {
    const std::string file = *this / "page.html";
    const Ran ran = run_program("report --html '" + file + "' " + files);
    INFO(ran.text);
    REQUIRE(ran.status == 0);
    return text_of(file);
  }
};

/// The number of occurrences of `part` in `text`.
inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// The data that the page's script reads.
inline json records_of(const std::string& page) {
  const std::string begin = "id=\"records\">";
  const std::size_t at = page.find(begin) + begin.size();
  return json::parse(page.substr(at, page.find("</script>", at) - at));
}

/// A column of the records, with text numbers replaced by texts.
inline json column_of(const json& records, const std::string& name) {
  const json& columns = records["columns"];
  const auto at = std::find(columns.begin(), columns.end(), name) - columns.begin();
  json values = json::array();
  for (const json& row : records["rows"]) values.push_back(row[static_cast<std::size_t>(at)]);
  return values;
}
inline json texts_of(const json& records, const std::string& name) {
  json texts = json::array();
  for (const json& number : column_of(records, name))
    texts.push_back(records["texts"][number.get<std::size_t>()]);
  return texts;
}

/// An automatic choice on n³ with a ratio to the vendor, and the vendor's result.
inline std::vector<json> compared(const std::string& device, int n, double ratio,
                                  const std::string& path = "native") {
  json own = bench_row(device, "cuda", path, "fp32", n, 100),
       vendor = bench_row(device, "cuda", "vendor", "fp32", n, 90);
  own["automatic"] = true, own["vendor_ratio"] = ratio;
  own["seconds"]["low"] = 1.8, own["seconds"]["high"] = 2.5;
  vendor["seconds"]["low"] = 1.5, vendor["seconds"]["high"] = 1.8;
  return {own, vendor};
}

}  // namespace rooftile::testing
