#include "engine/run/labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"
#include "engine/run/inputs.h"
#include "engine/tokens/readable.h"

namespace headlight {

namespace {

using Lists = std::vector<std::vector<std::string>>;

constexpr std::uint64_t largest_list = 64'000'000;  // bytes
constexpr Index usually_beside[] = {0, 1, 2, 5};    // class and distillation tokens, registers

Lists lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(text)) {
    lines.emplace_back(line);
    if (line.ends_with('\r')) lines.back().pop_back();
  }
  return {lines};
}

Result<Lists> lists_in(const Json& json) {
  const bool named = json.is_object() && json.contains("tokens");
  const Json& list = named ? json.at("tokens") : json;
  if (list.is_array() && !list.empty()) return lists_of_texts(list, named ? "tokens" : "");
  return fail("is {}: a list of texts is needed, or an object with one as \"tokens\"",
              list.is_array() ? "an empty list" : kind_of(list));
}

// A square of all positions, or of all but a few that stand before it.
std::optional<GridSize> usual_grid(Index count) {
  for (const Index beside : usually_beside) {
    const auto side =
        static_cast<Index>(std::llround(std::sqrt(static_cast<double>(std::max<Index>(0, count - beside)))));
    if (side >= 2 && side * side == count - beside) return GridSize{side, side};
  }
  return std::nullopt;
}

struct Place {
  Grid grid;
  Index offset = 0;
  bool whole = false;  // every position lies on it
};

Result<Place> place_of(Problem& problem, const LabelledPositions& positions, const PictureLabel& picture,
                       const std::string& where, const std::string& before, const std::string& file) {
  const auto size = picture.grid ? picture.grid : usual_grid(positions.count);
  if (!size)
    return fail("{}.{}grid is missing: {} positions of {} are no square, nor are 1, 2 or 5 fewer", where, before,
                positions.count, file);
  const Index cells = size->rows * size->columns,
              offset = picture.offset.value_or(std::max<Index>(0, positions.count - cells));
  if (offset + cells > positions.count)
    return fail("grid [{}, {}] at offset {} ends at position {}: {} has {}", size->rows, size->columns, offset,
                offset + cells, file, positions.count);
  std::string notice = fmt::format("{}: the picture is taken to lie on {} × {} positions from {} on: say \"{}grid\"",
                                   where, size->rows, size->columns, offset, before);
  if (!picture.grid && std::ranges::count(problem.warnings, notice) == 0) problem.warnings.push_back(std::move(notice));
  return Place{{1, size->rows, size->columns}, offset, offset == 0 && cells == positions.count};
}

// Of each position: its token, else its cell, else its number.
Lists labels_on(const Place& place, const LabelledPositions& positions, const Lists& tokens) {
  const Index cells = place.grid.rows * place.grid.columns;
  Lists labels(std::max<std::size_t>(1, tokens.size()));
  for (std::size_t item = 0; item < labels.size(); ++item) {
    const auto* names = tokens.empty() ? nullptr : &tokens[item];
    const bool all = names && static_cast<Index>(names->size()) == positions.count;
    Index beside = 0;
    for (Index i = 0; i < positions.count; ++i) {
      const bool on = i >= place.offset && i < place.offset + cells;
      const Index cell = i - place.offset;
      const auto at = static_cast<std::size_t>(all ? i : beside);
      if (names && (all || !on) && at < names->size())
        labels[item].push_back((*names)[at]);
      else
        labels[item].push_back(on ? fmt::format("{}, {}", cell / place.grid.columns, cell % place.grid.columns)
                                  : fmt::format("{}", i));
      beside += !on;
    }
  }
  return labels;
}

Status check_lists(const Lists& lists, const LabelledPositions& positions, const std::optional<Place>& place,
                   const std::string& key, const std::string& file) {
  const auto count = static_cast<Index>(lists.size());
  if (count != 1 && count != positions.items)
    return fail("{} has {} lists, but {} has {}: give one list, or one for each", key, count, file,
                positions.items == 1 ? "no batch" : fmt::format("a batch of {}", positions.items));
  const Index beside = place ? positions.count - place->grid.rows * place->grid.columns : -1;
  for (const auto& list : lists)
    if (const auto size = static_cast<Index>(list.size()); size != positions.count && size != beside)
      return fail("{} has {} tokens, but {} has {}", key, size, file, positions.words);
  return {};
}

}  // namespace

std::vector<std::string> labels_together(const Lists& lists) {
  std::vector<std::string> labels = lists.front();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::vector<std::string> different;
    for (const auto& list : lists)
      if (std::ranges::find(different, list[i]) == different.end()) different.push_back(list[i]);
    labels[i] = fmt::format("{}", fmt::join(different, " | "));
  }
  return labels;
}

Result<Lists> read_tokens(const TokenList& tokens, const std::filesystem::path& folder) {
  if (tokens.path.empty()) return tokens.lists;
  const auto path = resolve_path(folder, tokens.path);
  HL_TRY(const std::string text, read_file(path, largest_list));
  const std::string name = one_line(utf8(path));
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return fail("{}: is empty; a list of tokens is needed", name);
  if (text.find('\0') != std::string::npos)
    return fail("{}: holds binary data: a JSON list of tokens is needed, or a text file with a token a line", name);
  const bool json = path.extension() == ".json" || path.extension() == ".headlight";
  if (!json) return lines_of(text);
  auto read = read_json(text);
  if (!read) return fail("{}: {}", name, message_line(read.error().message));
  auto lists = lists_in(*read);
  if (!lists) return fail("{}: {}", name, lists.error().message);
  return lists;
}

Status put_labels(Problem& problem, const LabelledPositions& positions, const TokenList& tokens,
                  const PictureLabel& picture, const std::filesystem::path& folder, const std::string& where,
                  const std::string& before, const std::string& file, bool raw_tokens) {
  if (tokens.empty() && picture.empty()) return {};
  Lists lists;
  if (!tokens.empty()) {
    auto read = read_tokens(tokens, folder);
    if (!read) return fail("{}.{}tokens: {}", where, before, read.error().message);
    lists = raw_tokens ? std::move(*read) : readable_tokens(*read);
  }
  std::optional<Place> place;
  if (!picture.empty()) {
    HL_TRY(place, place_of(problem, positions, picture, where, before, file));
  }
  HL_CHECK(
      check_lists(lists.empty() ? Lists{std::vector<std::string>(static_cast<std::size_t>(positions.count))} : lists,
                  positions, place, fmt::format("{}.{}tokens", where, before), file));
  if (place && place->whole) problem.grids[positions.symbol] = place->grid;
  if (place && !place->whole) problem.placed[positions.symbol] = {place->grid, place->offset};
  if (place) lists = labels_on(*place, positions, lists);
  problem.labels[positions.symbol] = labels_together(lists);
  problem.given_labels[positions.symbol] = std::move(lists);
  return {};
}

}  // namespace headlight
