#include "app/reading/questions/question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>
#include <utility>

#include "app/reading/key_place.h"
#include "app/reading/slice.h"
#include "app/reading/step_words.h"
#include "engine/inputs/text.h"
#include "engine/picture/matrix.h"

namespace headlight::app {

namespace {

// The rows of one of a map's matrices, and which of their keys are seen.
struct Rows {
  std::shared_ptr<const Axis> queries, keys;  // as the item of the batch names them
  MatrixView weights, hides;                  // what hides is empty where nothing does

  bool sees(Index row, Index key) const {
    if (hides.empty() || weights.at(row, key) != 0) return true;  // what was set by hand is seen
    return !headlight::is_masked(hides.at(hides.rows == 1 ? 0 : row, key));
  }
};

// Nothing where the map does not lie as queries by keys.
std::optional<Rows> rows_of(const Trace& trace, const Step& map, Index batch, Index head) {
  const Focus focus{.batch = batch, .head = head, .flat = true};
  const Slice slice = slice_of(map, focus);
  const Axis *queries = map.axis(AxisRole::query), *keys = map.axis(AxisRole::key);
  if (!queries || !keys || slice.rows != queries || slice.columns != keys) return std::nullopt;
  const auto named = [&](const Axis& axis) { return std::make_shared<const Axis>(named_as_in(batch, axis)); };
  Rows rows{named(*queries), named(*keys), slice.matrix, {}};
  if (const Step* by = masking_step(trace, map)) {
    const MatrixView hides = slice_of(*by, focus).matrix;
    if (hides.columns == rows.weights.columns && (hides.rows == 1 || hides.rows == rows.weights.rows))
      rows.hides = hides;
  }
  return rows;
}

// What a row holds of keys that are seen.
struct RowSummary {
  Index seen = 0;
  Index first = -1, second = -1;  // by their weights
  bool finite = true;
  double most = 0, next = 0;  // their weights

  // Of weights that rounding alone could tell apart nobody knows which is larger.
  bool tied() const { return second >= 0 && most - next <= 1e-6 * std::max(std::abs(most), std::abs(next)); }
  bool asks() const { return finite && seen > 1 && !tied(); }
};

RowSummary row_summary(const Rows& rows, Index row) {
  RowSummary s;
  for (Index key = 0; key < rows.weights.columns; ++key) {
    if (!rows.sees(row, key)) continue;
    const double weight = rows.weights.at(row, key);
    ++s.seen;
    s.finite = s.finite && std::isfinite(weight);
    if (s.first < 0 || weight > s.most) {
      s.second = std::exchange(s.first, key);
      s.next = std::exchange(s.most, weight);
    } else if (s.second < 0 || weight > s.next) {
      s.second = key;
      s.next = weight;
    }
  }
  return s;
}

std::string label_at(const Axis& axis, Index position) {
  const auto at = static_cast<std::size_t>(position);
  return at < axis.labels.size() ? axis.labels[at] : std::string();
}

// ---- Names ----------------------------------------------------------------------------------------------------------

std::string pixel_name(const KeyPlace& at, bool frames) {
  return fmt::format("{}row{} {}, column{} {}", frames ? fmt::format("frame {}, ", at.frame) : "",
                     at.rows > 1 ? "s" : "", span_text(at.row, at.rows), at.columns > 1 ? "s" : "",
                     span_text(at.column, at.columns));
}

KeyPlace place_on(const Grid& grid, Index position) {
  return {.at = {},
          .row = position / grid.columns % grid.rows,
          .column = position % grid.columns,
          .frame = position / (grid.rows * grid.columns)};
}

// ---- What a key is to the query -------------------------------------------------------------------------------------

// "2 up, 1 left"
std::string offset_in_words(Index down, Index right, Index later) {
  std::vector<std::string> parts;
  const auto add = [&](Index by, const char* forth, const char* back) {
    if (by != 0) parts.push_back(fmt::format("{} {}", std::abs(by), by > 0 ? forth : back));
  };
  add(later, later == 1 ? "frame later" : "frames later", later == -1 ? "frame earlier" : "frames earlier");
  add(down, "down", "up");
  add(right, "right", "left");
  return fmt::format("{}", fmt::join(parts, ", "));
}

// How far a position lies from what covers so many from `first` on; 0 where it is among them.
Index away(Index first, Index count, Index position) {
  return first > position ? first - position : std::min<Index>(0, first + count - 1 - position);
}

std::string pixel_relation(const KeyPlace& at, const KeyPlace& from, const std::string& one) {
  if (at.outside) return "outside the picture";
  const Index down = away(at.row, at.rows, from.row), right = away(at.column, at.columns, from.column),
              later = at.frame - from.frame;
  if (down == 0 && right == 0 && later == 0)
    return at.rows * at.columns > 1 ? fmt::format("around the {}", one) : fmt::format("the {} itself", one);
  if (down == 0 && right == 0) return fmt::format("the same place, {}", offset_in_words(0, 0, later));
  return offset_in_words(down, right, later);
}

// "top left" of a picture that the query is no part of.
std::string part_of_picture(const KeyPlace& at, const Grid& grid) {
  const auto third = [](Index position, Index count) { return 3 * (2 * position + 1) / (2 * count); };
  const Index down = third(at.row, std::max(grid.rows, at.row + 1)),
              right = third(at.column, std::max(grid.columns, at.column + 1));
  static constexpr const char* names[3][3] = {
      {"top left", "top", "top right"}, {"left", "middle", "right"}, {"bottom left", "bottom", "bottom right"}};
  return names[std::clamp<Index>(down, 0, 2)][std::clamp<Index>(right, 0, 2)];
}

// The first position that stands for text.
Index first_of(const Axis& keys) {
  Index first = 0;
  while (first + 1 < keys.size && label_at(keys, first) == start_token_text) ++first;
  return first;
}

// Whether the position has that label. Words that somebody gave are tokens: "The" and "the" are two.
bool is_same(const Axis& keys, Index position, const std::string& label) {
  const std::string at = label_at(keys, position);
  return !label.empty() && label != start_token_text &&
         (keys.given_labels.empty() ? same_word(at, label) : at == label);
}

// The nearest position before the query with its label; −1: there is none.
Index previous_same(const Axis& keys, const std::string& label, Index query) {
  Index at = std::min(query, keys.size) - 1;
  while (at >= 0 && !is_same(keys, at, label)) --at;
  return at;
}

std::string token_relation(const Axis& keys, const std::string& asker, Index query, Index key, const std::string& one) {
  const std::string label = label_at(keys, key);
  const bool same = is_same(keys, key, asker);
  if (label == start_token_text) return key == query ? "the start token itself" : "the start token";
  if (key == query) return fmt::format("the {} itself", one);
  if (same) {
    const char* where = key < query ? "earlier" : "later";
    if (key == query - 1) where = "just before";
    if (key == query + 1) where = "just after";
    return fmt::format("the same {}, {}", one, where);
  }
  if (key == query - 1) return fmt::format("the {} just before", one);
  if (key == query + 1) return fmt::format("the {} just after", one);
  if (key < query && key > 0 && is_same(keys, key - 1, asker)) return "what came after it";
  if (key == first_of(keys)) return fmt::format("the first {}", one);
  return fmt::format("the {} {} places {}", one, std::abs(key - query), key < query ? "before" : "after");
}

std::string in_other_sequence(const Axis& keys, const std::string& asker, Index query, Index key,
                              const std::string& one) {
  const std::string label = label_at(keys, key);
  if (is_same(keys, key, asker)) return fmt::format("the same {}", one);
  if (label == start_token_text) return "the start token";
  if (key == first_of(keys)) return fmt::format("the first {}", one);
  if (key == keys.size - 1) return fmt::format("the last {}", one);
  return key == query ? "in the same place" : fmt::format("{} from the end", keys.size - 1 - key);
}

// ---- The question ---------------------------------------------------------------------------------------------------

// A row, and all that its keys are described by.
struct Asked {
  const Trace& trace;
  const Step& map;
  const Rows& rows;
  Index row, query, item;
  const PositionWords& words;

  // Whether queries and keys are places of one sequence or picture.
  bool alike() const {
    const Axis &q = *rows.queries, &k = *rows.keys;
    if (!words.one_sequence || is_on_picture(q) != is_on_picture(k)) return false;
    return is_on_picture(k) || (!k.window && (q.only || q.size == k.size));
  }
  std::string asker() const { return has_names(*rows.queries) ? label_at(*rows.queries, row) : std::string(); }
  KeyPlace place(Index key) const { return key_place(trace, map, key, query, item); }
  double weight(Index key) const { return rows.weights.at(row, key); }

  std::string relation(Index key) const {
    if (is_on_picture(*rows.keys)) {
      const KeyPlace at = place(key);
      return alike() ? pixel_relation(at, place_on(*rows.queries->grid, query), words.one)
                     : part_of_picture(at, *rows.keys->grid);
    }
    return alike() ? token_relation(*rows.keys, asker(), query, key, words.one)
                   : in_other_sequence(*rows.keys, asker(), query, key, words.one);
  }

  CandidateKey choice(Index key) const {
    CandidateKey choice{key, {}, {}, relation(key), weight(key)};
    if (has_names(*rows.keys)) {
      choice.name = label_at(*rows.keys, key);
      choice.number = fmt::format("{}", key);
    } else if (is_on_picture(*rows.keys)) {
      const KeyPlace at = place(key);
      choice.name = at.outside ? at.at : pixel_name(at, rows.keys->grid->frames > 1);
    } else {
      choice.name = fmt::format("{} {}", words.one, place(key).at);
    }
    return choice;
  }

  // Keys that it could well be, the most telling first.
  std::vector<Index> likely() const {
    const Axis& keys = *rows.keys;
    if (!alike()) {
      std::vector<Index> list;
      for (Index key = 0; key < keys.size; ++key)
        if (is_same(keys, key, asker())) list.push_back(key);
      for (const Index key : {query, first_of(keys), keys.size - 1}) list.push_back(key);
      return list;
    }
    if (is_on_picture(keys)) return near();
    const Index same = previous_same(keys, asker(), query);
    std::vector<Index> list;
    if (same >= 0) list = {same, same + 1};
    for (const Index key : {query - 1, first_of(keys), query, query + 1, Index{0}}) list.push_back(key);
    return list;
  }

  // The query's own place and those round it, where keys lie on a grid: beside it in a window, else so far off that a
  // class can tell them apart.
  std::vector<Index> near() const {
    const Axis& keys = *rows.keys;
    const Grid& grid = *keys.grid;
    const KeyPlace from = place_on(*rows.queries->grid, query);
    const KeyPlace corner = place(0);  // of as many pixels as any other
    Index middle = from.row / corner.rows, column = from.column / corner.columns;
    if (keys.window) {
      middle = grid.rows / 2;
      column = grid.columns / 2;
    }
    const Index frame = std::min(keys.window ? 0 : from.frame, grid.frames - 1);
    const Index down_by = keys.window ? 1 : std::max<Index>(1, grid.rows / 6),
                right_by = keys.window ? 1 : std::max<Index>(1, grid.columns / 6);
    std::vector<Index> list;
    for (const auto& [down, right] :
         {std::pair<Index, Index>{0, 0}, {-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {1, 1}, {-1, 1}, {1, -1}}) {
      const Index r = middle + down * down_by, c = column + right * right_by;
      if (r < 0 || c < 0 || r >= grid.rows || c >= grid.columns) continue;
      const Index key = (frame * grid.rows + r) * grid.columns + c;
      if (!place(key).outside) list.push_back(key);
    }
    return list;
  }

  // The seen keys of the largest weights.
  std::vector<Index> heaviest() const {
    std::vector<Index> list;
    for (Index key = 0; key < rows.weights.columns; ++key)
      if (rows.sees(row, key)) list.push_back(key);
    const auto most = std::min(list.size(), most_choices);
    std::ranges::partial_sort(list, list.begin() + static_cast<std::ptrdiff_t>(most),
                              [&](Index a, Index b) { return weight(a) > weight(b); });
    list.resize(most);
    return list;
  }
};

std::vector<Index> chosen_keys(const Asked& asked, const RowSummary& summary) {
  std::vector<Index> chosen{summary.first};
  const auto add = [&](Index key) {
    if (key < 0 || key >= asked.rows.weights.columns || chosen.size() == most_choices) return;
    if (asked.rows.sees(asked.row, key) && std::ranges::find(chosen, key) == chosen.end()) chosen.push_back(key);
  };
  if (summary.next >= 0.5 * summary.most) add(summary.second);  // close behind: it must be among them
  for (const Index key : asked.likely()) add(key);
  for (const Index key : asked.heaviest()) add(key);
  std::ranges::sort(chosen);
  return chosen;
}

std::string why_none(const Asked& asked, const RowSummary& summary) {
  if (summary.seen == 0) return "This row sees no key: all of them are masked.";
  if (!summary.finite) return "This row has a number that is not finite: nobody wins it.";
  if (summary.seen == 1) return "This row sees one key alone: there is nothing to choose.";
  const auto name = [&](Index key) {
    const CandidateKey choice = asked.choice(key);
    return choice.number.empty() ? choice.name : fmt::format("{} ({})", choice.name, choice.number);
  };
  return fmt::format("{} and {} have the same weight: no key of this row wins alone.", name(summary.first),
                     name(summary.second));
}

}  // namespace

Question question_of(const Trace& trace, const Step& map, const RowOf& of, const PositionWords& words) {
  Question question;
  question.query = of.query;
  const auto rows = rows_of(trace, map, of.batch, of.head);
  const auto row = rows ? selected_along(rows->queries.get(), {.query = of.query}) : std::nullopt;
  if (!row) {
    question.why_none = "This map has no such row.";
    return question;
  }
  const Asked asked{trace, map, *rows, *row, of.query, of.batch, words};
  const Axis& queries = *rows->queries;
  question.asker = asked.asker();
  if (question.asker.empty())
    question.asker = is_on_picture(queries) ? pixel_name(place_on(*queries.grid, of.query), queries.grid->frames > 1)
                                            : fmt::format("{} {}", words.one, of.query);
  else if (std::ranges::count(queries.labels, question.asker) > 1)
    question.nth =
        static_cast<int>(std::count(queries.labels.begin(), queries.labels.begin() + *row + 1, question.asker));
  const RowSummary summary = row_summary(*rows, *row);
  if (!summary.asks()) {
    question.why_none = why_none(asked, summary);
    return question;
  }
  for (const Index key : chosen_keys(asked, summary)) {
    if (key == summary.first) question.winner = question.choices.size();
    question.choices.push_back(asked.choice(key));
  }
  return question;
}

std::optional<Index> example_query(const Trace& trace, const Step& map, Index batch, Index head) {
  const auto rows = rows_of(trace, map, batch, head);
  if (!rows) return std::nullopt;
  const auto is_start = [](const Axis& axis, Index at) { return label_at(axis, at) == start_token_text; };
  std::optional<Index> best;
  std::tuple<bool, bool, bool, bool, double> best_tells;
  for (Index row = 0; row < rows->weights.rows; ++row) {
    const RowSummary summary = row_summary(*rows, row);
    if (!summary.asks()) continue;
    const Index query = rows->queries->only.value_or(row);
    const Focus focus{.batch = batch, .head = head, .selection = {.query = query}, .flat = true};
    const std::tuple tells{
        why_head_finds_nothing(trace, map, focus).empty(), summary.seen >= static_cast<Index>(most_choices), row >= 2,
        !is_start(*rows->queries, row) && !is_start(*rows->keys, summary.first), summary.most - summary.next};
    if (best && !(tells > best_tells)) continue;
    best = query;
    best_tells = tells;
  }
  return best;
}

}  // namespace headlight::app
