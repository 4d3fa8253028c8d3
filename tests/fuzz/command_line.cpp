// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The command line, one word per line. For any input, the program must end with one of its exit codes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "program.hpp"

namespace rooftile::fuzz {
namespace {

constexpr std::string_view table =
    "rooftile tuning 3\ndevice NVIDIA H200\nnative fp32 8x8x8 rrr aligned pipelined 64x128x16 65000 "
    "71000\nend\n";
constexpr std::string_view results = R"({"schema": 3,
"host": {"date": "", "rooftile": "", "compiler": "", "threads": 1}, "devices": [
{"name": "a", "backend": "cuda", "ceilings": {"fp32_gflops": 9, "fp64_gflops": 5, "bandwidth_gbs": 2}}],
"results": [{"path": "native", "device": "a", "backend": "cuda", "kernel": "tiled", "tile": "16x16x16",
"dtype": "fp32", "math": "fp32", "m": 8, "n": 8, "k": 8, "batch": 1, "layout": "rrr", "aligned": true,
"alpha": 1.0, "beta": 0.0, "seed": 1, "status": "ok", "error": {"ratio": 0.1, "rows_checked": 8},
"seconds": {"median": 1, "min": 1, "max": 2, "count": 3, "samples": [1, 1, 2]}, "gflops": 4.5, "intensity": 1.5,
"bound": "memory", "roofline_fraction": 0.5, "vendor_ratio": 0.5,
"metrics": [{"tag": "x", "value": 1, "unit": "us"}]}]})";

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty() && words.size() < 32) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    words.emplace_back(text.substr(0, length).substr(0, text.substr(0, length).find('\0')));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return words;
}

/// Whether a word contains a number that would make a measuring command slow. Larger numbers are refused.
bool takes_long(std::string_view word) {
  constexpr double long_from = 13, refused_from = 1e12;
  while (true) {
    const std::size_t at = word.find_first_of("0123456789");
    if (at == word.npos) return false;
    const std::size_t digits = std::min(word.find_first_not_of("0123456789", at), word.size()) - at;
    const bool is_exponent = at > 0 && (word[at - 1] == 'e' || word[at - 1] == 'E');
    const double value = std::strtod(std::string(word.substr(at, digits)).c_str(), nullptr);
    if (!is_exponent && value >= long_from && value < refused_from) return true;
    word.remove_prefix(at + digits);
  }
}

/// Whether a command line stays within the program's folder and ends soon.
bool is_harmless(std::vector<std::string>& words) {
  const bool measures = std::any_of(
      words.begin(), words.end(), [](const std::string& word) { return word == "bench" || word == "tune"; });
  bool shape = false;
  for (const std::string& word : words) {
    if (word.find('/') != word.npos || word == "calibrate") return false;  // large products
    if (measures && takes_long(word)) return false;
    shape = shape || word.starts_with("--shape");
  }
  if (measures && !shape) words.insert(words.end(), {"--shape", "5x4x3"});
  return true;
}

}  // namespace
}  // namespace rooftile::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile::fuzz;
  static const Program program;
  std::vector<std::string> words = words_of({reinterpret_cast<const char*>(data), size});
  if (!is_harmless(words)) return 0;
  program.write("table.txt", table);
  program.write("results.json", results);
  program.run(words);
  program.clear();
  return 0;
}
