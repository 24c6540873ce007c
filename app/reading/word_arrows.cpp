#include "app/reading/word_arrows.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "app/reading/edits_offered.h"
#include "engine/math/principal.h"

namespace headlight::app {

namespace {

constexpr Index most_arrows = 128;  // of one step: more is a tangle

// The last two axes are positions and channels, one row a position.
bool has_word_rows(const Step& step) {
  const auto& axes = step.info.axes;
  if (axes.size() < 2 || step.info.kind == Kind::weight) return false;
  if (step.axis(AxisRole::query) && step.axis(AxisRole::key)) return false;
  const Axis &positions = axes[axes.size() - 2], &channels = axes.back();
  const AxisRole along = role_along(positions);
  return (along == AxisRole::query || along == AxisRole::key) && role_along(channels) == AxisRole::channel &&
         channels.size >= 2 && positions.size <= most_arrows && !is_on_picture(positions);
}

bool runs_along(const Step& step, AxisRole role) {
  return has_word_rows(step) && role_along(step.info.axes[step.info.axes.size() - 2]) == role;
}

// What asks and what answers in the plane.
struct Pairing {
  const Step *asking = nullptr, *answering = nullptr;
  bool mixes = false;
};

// What a step of pairs multiplies.
Pairing multiplied_by(const Trace& trace, const Step& pairs) {
  Pairing found;
  for (const Step* read : trace.inputs_of(pairs)) {
    if (runs_along(*read, AxisRole::query) && !found.asking) found.asking = read;
    if (runs_along(*read, AxisRole::key) && !found.answering) found.answering = read;
  }
  const bool fit =
      found.asking && found.answering && found.asking->info.axes.back().size == found.answering->info.axes.back().size;
  return fit ? found : Pairing{};
}

// Behind weights, scaled and masked scores: the first dot products on the way back.
Pairing source_pairing(const Trace& trace, const Step& pairs, int deepest = 8) {
  if (deepest == 0 || !pairs.axis(AxisRole::query) || !pairs.axis(AxisRole::key)) return {};
  if (const Pairing found = multiplied_by(trace, pairs); found.asking) return found;
  for (const Step* read : trace.inputs_of(pairs))
    if (const Pairing found = source_pairing(trace, *read, deepest - 1); found.asking) return found;
  return {};
}

Pairing pairing_of(const Trace& trace, const Step& step) {
  if (!has_word_rows(step)) return source_pairing(trace, step);
  if (const auto maps = trace.maps(); runs_along(step, AxisRole::query)) {
    const Step *map = nullptr, *values = nullptr;
    for (const Step* read : trace.inputs_of(step)) {
      if (std::ranges::find(maps, read) != maps.end()) map = read;
      if (runs_along(*read, AxisRole::key) && read->info.axes.back().size == step.info.axes.back().size) values = read;
    }
    if (map && values) return {&step, values, true};
  }
  for (const Step& pairs : trace.steps)
    if (const Pairing found = multiplied_by(trace, pairs); found.asking == &step || found.answering == &step)
      return found;
  return {&step, nullptr};
}

struct ArrowRows {
  std::vector<WordArrow> arrows;
  std::vector<float> numbers;  // one row after the other
};

void add_row(ArrowRows& rows, const Step& step, const Slice& slice, Index row) {
  const std::size_t before = rows.numbers.size();
  for (Index c = 0; c < slice.matrix.columns; ++c) rows.numbers.push_back(slice.matrix.at(row, c));
  const auto begin = rows.numbers.begin() + static_cast<std::ptrdiff_t>(before);
  if (!std::all_of(begin, rows.numbers.end(), [](float x) { return std::isfinite(x); })) {
    rows.numbers.resize(before);
    return;
  }
  WordArrow arrow{.of = &step, .row = row, .along = role_along(*slice.rows), .label = {}};
  arrow.position = slice.rows->only.value_or(row);
  arrow.label = label_of(slice.rows, row, slice.item);
  rows.arrows.push_back(std::move(arrow));
}

// A word that asks with what it answers with is one arrow: the others without it, unless it is the answerer.
void drop_repeated(ArrowRows& rows, int& answers, std::size_t channels) {
  if (rows.arrows.empty()) return;
  const auto numbers_of = [&](std::size_t i) { return std::span(rows.numbers).subspan(i * channels, channels); };
  const std::size_t asker = rows.arrows.size() - 1;
  for (std::size_t i = 0; i < asker; ++i) {
    if (static_cast<int>(i) == answers || rows.arrows[i].label != rows.arrows[asker].label ||
        !std::ranges::equal(numbers_of(i), numbers_of(asker)))
      continue;
    rows.arrows.erase(rows.arrows.begin() + static_cast<std::ptrdiff_t>(i));
    const auto first = rows.numbers.begin() + static_cast<std::ptrdiff_t>(i * channels);
    rows.numbers.erase(first, first + static_cast<std::ptrdiff_t>(channels));
    if (answers > static_cast<int>(i)) --answers;
    return;
  }
}

Slice rows_of(const Step& step, Focus focus) {
  focus.flat = true;
  return slice_of(step, focus);
}

void place(WordArrows& found, const ArrowRows& rows) {
  found.all = rows.arrows;
  const auto numbers_at = [&](std::size_t i, Index channel) {
    return static_cast<double>(
        rows.numbers[i * static_cast<std::size_t>(found.channels) + static_cast<std::size_t>(channel)]);
  };
  if (found.channels == 2) {
    for (std::size_t i = 0; i < found.all.size(); ++i) {
      found.all[i].x = numbers_at(i, 0);
      found.all[i].y = numbers_at(i, 1);
    }
  } else {
    const auto plane = math::principal_plane(rows.numbers, found.channels);
    found.kept = plane.kept;
    for (std::size_t i = 0; i < found.all.size(); ++i) {
      found.all[i].x = plane.points[i][0];
      found.all[i].y = plane.points[i][1];
    }
  }
  if (found.mixes || found.asks < 0 || found.answers < 0) return;
  double sum = 0;
  for (Index c = 0; c < found.channels; ++c)
    sum += numbers_at(static_cast<std::size_t>(found.asks), c) * numbers_at(static_cast<std::size_t>(found.answers), c);
  found.product = sum;
}

// An input that a step's rows merely repeat, as where weights are the identity.
const Step* repeated_input(const Trace& trace, const Step& step, int deepest = 3) {
  for (const Step* read : trace.inputs_of(step)) {
    const auto same = [&](const Step& other) {
      return has_word_rows(other) && std::ranges::equal(other.tensor().values(), step.tensor().values());
    };
    if (read->info.kind == Kind::weight || !same(*read)) continue;
    if (std::ranges::find(trace.sources, read->info.id, [](const Step& s) { return s.info.id; }) != trace.sources.end())
      return read;
    if (deepest > 1)
      if (const Step* input = repeated_input(trace, *read, deepest - 1)) return input;
  }
  return nullptr;
}

}  // namespace

bool has_word_arrows(const Trace& trace, const Step& step) {
  return pairing_of(trace, step).asking != nullptr;
}

std::optional<WordArrows> word_arrows(const Trace& trace, const Step& step, const Focus& focus) {
  const Pairing pairing = pairing_of(trace, step);
  if (!pairing.asking) return std::nullopt;
  WordArrows found;
  found.mixes = pairing.mixes;
  found.channels = pairing.asking->info.axes.back().size;
  ArrowRows rows;
  const auto index_of_last = [&] { return static_cast<int>(rows.arrows.size()) - 1; };
  const Step& others = pairing.answering ? *pairing.answering : *pairing.asking;
  const Slice of_others = rows_of(others, focus);
  const auto selected = selected_along(of_others.rows, focus.selection);
  for (Index row = 0; row < of_others.matrix.rows; ++row) {
    const std::size_t before = rows.arrows.size();
    add_row(rows, others, of_others, row);
    if (rows.arrows.size() == before || selected != row) continue;
    (pairing.answering ? found.answers : found.asks) = index_of_last();
  }
  if (pairing.answering) {
    const Slice asking = rows_of(*pairing.asking, focus);
    if (const auto query = selected_along(asking.rows, focus.selection); query && *query < asking.matrix.rows) {
      const std::size_t before = rows.arrows.size();
      add_row(rows, *pairing.asking, asking, *query);
      if (rows.arrows.size() > before) {
        if (!found.mixes) drop_repeated(rows, found.answers, static_cast<std::size_t>(found.channels));
        found.asks = index_of_last();
      }
    }
    if (found.mixes) found.answers = -1;
  }
  place(found, rows);
  if (found.mixes && found.asks >= 0) found.all[static_cast<std::size_t>(found.asks)].label.insert(0, "the mix of ");
  return found;
}

std::optional<Edit> arrow_moved(const Trace& trace, const WordArrow& arrow, const Focus& focus, double x, double y) {
  const Step* input = repeated_input(trace, *arrow.of);
  const Step& step = input ? *input : *arrow.of;
  if (step.info.axes.back().size != 2 || !can_be_set(step)) return std::nullopt;
  const Slice slice = rows_of(step, focus);
  if (arrow.row >= slice.matrix.rows) return std::nullopt;
  Edit edit = edit_of_cells(step, slice.cell_at(arrow.row, 0), slice.cell_at(arrow.row, 1), x);
  edit.values = {x, y};
  return edit;
}

}  // namespace headlight::app
