// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/tuning_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "plan/read_text.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/error.hpp"
#include "rooftile/find_kernel.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile::detail {

namespace {

constexpr std::string_view tuning_version = "rooftile tuning 3";

constexpr std::string_view tuning_fields = "path math MxNxK layout alignment kernel tile ns ns_of_the_model";

constexpr std::string_view mode_word = "mode ", tile_word = "tile ";

/// Returns the major orders of A, B and C, such as `rcr`.
std::string letters_of(const TuningLayout& layout) {
  return {layout.a_is_row_major ? 'r' : 'c', layout.b_is_row_major ? 'r' : 'c', 'r'};
}

/// Returns `aligned` if all operands are; otherwise the alignment of each, such as `ragged,aligned,aligned`.
std::string alignments_of(const TuningLayout& layout) {
  if (layout.a == layout.b && layout.b == layout.c && layout.a == Alignment::aligned) return "aligned";
  return text(to_string(layout.a), ',', to_string(layout.b), ',', to_string(layout.c));
}

/// Parses a tuning table line by line. Errors name the file, the line and the value.
class TuningParser {
 public:
  TuningParser(std::string_view text, std::string_view file) : rest_(text), file_(file) {}

  TuningTable table() {
    TuningTable table;
    if (next_line() != tuning_version) refuse("not a tuning table of this version", line_, run_again);
    const std::string_view word = "device ";
    if (!next_line().starts_with(word) || line_ == word) refuse("no device", line_, "write device NAME");
    table.device = line_.substr(word.size());
    while (next_line() != "end") {
      if (line_.empty() || line_.front() == '#') continue;
      if (line_.starts_with(mode_word)) {
        add_mode(table);
        continue;
      }
      if (line_.starts_with(tile_word)) {
        add_tile(table);
        continue;
      }
      const TuningEntry read = entry();
      const auto same = [&](const TuningEntry& e) { return e.same_product(read); };
      if (std::any_of(table.entries.begin(), table.entries.end(), same)) {
        refuse("product twice", line_, "keep one of the two");
      }
      table.entries.push_back(read);
    }
    if (!rest_.empty()) refuse("more after the end", rest_.substr(0, rest_.find('\n')), run_again);
    return table;
  }

 private:
  static constexpr std::string_view run_again = "run `rooftile tune` again",
                                    calibrate_again = "run `rooftile calibrate` again";

  /// Returns the words of the line after the prefix `word`.
  std::vector<std::string_view> words_behind(std::string_view word) const {
    std::vector<std::string_view> words;
    for (std::string_view left = line_.substr(word.size()); !left.empty();) {
      const std::size_t length = std::min(left.find(' '), left.size());
      words.push_back(left.substr(0, length));
      left.remove_prefix(std::min(length + 1, left.size()));
    }
    return words;
  }

  /// Reads the costs NAME=VALUE of a line. All must be present, in the order of `figures`.
  template <class Costs, class Figures>
  void read_figures(Costs& costs, const Figures& figures, const std::vector<std::string_view>& words,
                    std::size_t first) const {
    if (words.size() != first + std::size(figures))
      refuse(text("not ", std::size(figures), " costs"), line_, calibrate_again);
    for (std::size_t i = 0; i < std::size(figures); ++i) {
      const std::string_view word = words[first + i], name = figures[i].name;
      if (!word.starts_with(name) || word.size() <= name.size() || word[name.size()] != '=')
        refuse(text("cost ", name, " missing"), word, calibrate_again);
      const std::string_view field = word.substr(name.size() + 1);
      float value = 0;
      const char* const last = field.data() + field.size();
      const auto [end, problem] = std::from_chars(field.data(), last, value);
      if (problem != std::errc() || end != last || !std::isfinite(value) || value < 0)
        refuse(text("not a finite value of ", name, ", 0 or more"), field, "write a number");
      costs.*figures[i].member = value;
    }
  }

  void add_mode(TuningTable& table) const {
    const std::vector<std::string_view> words = words_behind(mode_word);
    if (words.size() < 2) refuse("no path and mode of costs", line_, calibrate_again);
    model::ModeCosts mode;
    mode.path = one_of<Path>(words[0], {Path::portable, Path::native}, "path");
    mode.math = one_of<ComputeMode>(words[1], {std::begin(all_modes), std::end(all_modes)}, "compute mode");
    for (const model::ModeCosts& other : table.modes) {
      if (other.path == mode.path && other.math == mode.math)
        refuse("costs of a mode twice", line_, "keep one of the two");
    }
    read_figures(mode, model::mode_figures, words, 2);
    mode.first = table.tiles.size();
    table.modes.push_back(mode);
  }

  void add_tile(TuningTable& table) const {
    const std::vector<std::string_view> words = words_behind(tile_word);
    if (table.modes.empty()) refuse("costs of a tile before those of a mode", line_, calibrate_again);
    if (words.size() < 3) refuse("no kernel and tile of costs", line_, calibrate_again);
    model::ModeCosts& mode = table.modes.back();
    model::TileCosts costs;
    for (const Rung& rung : ladder) {
      if (rung.name != words[0]) continue;
      for (const TileShape tile : rung.tiles) {
        if (to_string(tile) == words[1] && text(tile.tm, 'x', tile.tn) == words[2])
          costs.kernel = rung.kernel, costs.tile = tile;
      }
    }
    if (costs.kernel == Kernel::automatic) refuse("no such kernel and tile", line_, calibrate_again);
    for (std::size_t i = mode.first; i < table.tiles.size(); ++i) {
      if (table.tiles[i].kernel == costs.kernel && table.tiles[i].tile == costs.tile)
        refuse("costs of a tile twice", line_, "keep one of the two");
    }
    read_figures(costs, model::tile_figures, words, 3);
    table.tiles.push_back(costs);
    ++mode.count;
  }

  TuningEntry entry() {
    const std::vector<std::string_view> fields = words_behind("");
    if (fields.size() != 9) {
      refuse("not 9 fields, one space apart", line_, text("write ", tuning_fields));
    }
    TuningEntry e;
    e.path = one_of<Path>(fields[0], {Path::portable, Path::native}, "path");
    e.math = one_of<ComputeMode>(fields[1], {std::begin(all_modes), std::end(all_modes)}, "compute mode");
    e.shape = shape(fields[2]);
    e.layout = layout(fields[3], fields[4], type_of(e.math));
    if (fields[5] != "automatic") {
      const NamedKernel named = kernel(fields[5], e);
      e.kernel = named.kernel, e.repack = named.repack;
    }
    e.tile = tile(fields[6], e);
    e.nanoseconds = count(fields[7], "time");
    e.model_nanoseconds = count(fields[8], "time");
    return e;
  }

  TuningLayout layout(std::string_view letters, std::string_view alignments, Type type) const {
    if (letters.size() != 3 || letters.find_first_not_of("rc") != letters.npos || letters[2] != 'r') {
      refuse("not a layout with rows of C", letters, "take one of rrr, rcr, crr, ccr");
    }
    TuningLayout layout{letters[0] == 'r', letters[1] == 'r'};
    if (alignments == to_string(Alignment::aligned)) return layout;
    const std::size_t first = std::min(alignments.find(','), alignments.size());
    const std::size_t second = alignments.find(',', first + 1);
    if (second == alignments.npos) refuse("not an alignment", alignments, "write aligned, or A's,B's,C's");
    std::vector<Alignment> of_factors{Alignment::ragged, Alignment::padded, Alignment::aligned};
    if (is_16_bit(type)) of_factors.push_back(Alignment::pairs);
    layout.a = one_of(alignments.substr(0, first), of_factors, "alignment of A");
    layout.b = one_of(alignments.substr(first + 1, second - first - 1), of_factors, "alignment of B");
    layout.c = one_of<Alignment>(alignments.substr(second + 1), {Alignment::ragged, Alignment::aligned},
                                 "alignment of C");
    return layout;
  }

  template <class E>
  E one_of(std::string_view field, const std::vector<E>& known, std::string_view what) const {
    std::string names;
    for (const E e : known) {
      if (to_string(e) == field) return e;
      names += (names.empty() ? "" : ", ") + std::string(to_string(e));
    }
    refuse(text("unknown ", what), field, "take one of " + names);
  }

  NamedKernel kernel(std::string_view field, const TuningEntry& e) const {
    for (const Rung& rung : ladder) {
      if (!rung.on(e.path) || !rung.supports(e.math, e.path)) continue;
      for (const bool repack : {false, true}) {
        const NamedKernel named{rung.kernel, repack};
        if ((!repack || contains(rung.repacks, e.math)) && to_string(named) == field) return named;
      }
    }
    refuse(text("no kernel of the ", to_string(e.path), " path in ", to_string(e.math)), field, run_again);
  }

  TileShape tile(std::string_view field, const TuningEntry& e) const {
    const bool listed = e.kernel != Kernel::automatic && !rung_of(e.kernel).tiles.empty();
    if (!listed && field == "-") return {};
    if (!listed) refuse("tile of a kernel that lists none", field, "write -");
    const Rung& rung = rung_of(e.kernel);
    for (const TileShape tile : rung.tiles) {
      if (to_string(tile) == field && is_built(rung, e.path, tile, type_of(e.math))) return tile;
    }
    refuse(text("tile not built for ", rung_of(e.kernel).name, " in ", to_string(e.math)), field, run_again);
  }

  GemmShape shape(std::string_view field) const {
    const std::size_t first = std::min(field.find('x'), field.size());
    const std::size_t second = std::min(field.find('x', first + 1), field.size());
    const auto part = [&](std::size_t from, std::size_t to) {
      return from > field.size() ? std::string_view() : field.substr(from, to - from);
    };
    return {count(part(0, first), "extent"), count(part(first + 1, second), "extent"),
            count(part(second + 1, field.size()), "extent")};
  }

  Index count(std::string_view field, std::string_view what) const {
    Index value = 0;
    const char* const last = field.data() + field.size();
    const auto [end, problem] = std::from_chars(field.data(), last, value);
    if (problem != std::errc() || end != last || value < 1) {
      refuse(text("not a positive ", what), field, "write a whole number");
    }
    return value;
  }

  std::string_view next_line() {
    ++number_;
    const std::size_t length = rest_.find('\n');
    if (length == rest_.npos) refuse("table ends early", rest_, run_again);
    line_ = rest_.substr(0, length);
    while (line_.ends_with('\r')) line_.remove_suffix(1);
    rest_.remove_prefix(length + 1);
    return line_;
  }

  /// Throws an Error. A long value, as from a file of another format, is truncated.
  [[noreturn]] void refuse(std::string_view problem, std::string_view value, std::string_view advice) const {
    constexpr std::size_t named = 80;
    throw Error(text(problem, " (", file_, " line ", number_, ", '", visible(value.substr(0, named)),
                     value.size() > named ? "…" : "", "'): ", advice));
  }

  std::string_view rest_;
  std::string_view file_;
  std::string_view line_;
  int number_ = 0;
};

}  // namespace

}  // namespace rooftile::detail

namespace rooftile {

TuningTable parse_tuning(std::string_view text, std::string_view file) {
  return detail::TuningParser(text, file).table();
}

TuningTable read_tuning(const std::string& file) {
  return parse_tuning(detail::read_text(file, file, "name a file that `rooftile tune` wrote"), file);
}

std::string to_text(const TuningTable& table, const std::vector<std::string>& remarks) {
  std::string text = detail::text(detail::tuning_version, "\ndevice ", table.device, '\n');
  for (const std::string& remark : remarks) text += "# " + remark + '\n';
  const auto add_figures = [&](const auto& costs, const auto& figures) {
    for (const auto& figure : figures) {
      std::array<char, 32> digits;  // the shortest digits that read back exactly
      const auto end = std::to_chars(digits.begin(), digits.end(), costs.*figure.member).ptr;
      text += detail::text(' ', figure.name, '=',
                           std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
    }
    text += '\n';
  };
  for (const model::ModeCosts& mode : table.modes) {
    text += detail::text(detail::mode_word, to_string(mode.path), ' ', to_string(mode.math));
    add_figures(mode, model::mode_figures);
    for (std::size_t i = 0; i < mode.count; ++i) {
      const model::TileCosts& tile = table.tiles[mode.first + i];
      text += detail::text(detail::tile_word, rung_of(tile.kernel).name, ' ', to_string(tile.tile), ' ',
                           tile.tile.tm, 'x', tile.tile.tn);
      add_figures(tile, model::tile_figures);
    }
  }
  text += detail::text("# ", detail::tuning_fields, '\n');
  for (const TuningEntry& e : table.entries) {
    text += detail::text(
        to_string(e.path), ' ', to_string(e.math), ' ', to_string(e.shape), ' ', detail::letters_of(e.layout),
        ' ', detail::alignments_of(e.layout), ' ',
        e.kernel == Kernel::automatic ? "automatic" : to_string(NamedKernel{e.kernel, e.repack}), ' ',
        e.tile ? to_string(e.tile) : "-", ' ', e.nanoseconds, ' ', e.model_nanoseconds, '\n');
  }
  return text + "end\n";
}

}  // namespace rooftile
