#include "app/reading/step_words.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/reading/cell_trace.h"
#include "engine/inputs/text.h"
#include "engine/math/masked.h"
#include "engine/trace/rule.h"

namespace headlight::app {

namespace {

// Empty where it has none.
std::string given_name(const Trace& trace, Index head) {
  const auto at = static_cast<std::size_t>(head);
  return at < trace.heads.size() ? trace.heads[at].name : "";
}

}  // namespace

bool is_weight(const Step& step) {
  return step.info.kind == Kind::probability ||
         (step.info.role == Role::weight && !step.info.axes.empty() && step.info.axes.back().role == Role::key);
}

const Step* masking_step(const Trace& trace, const Step& weights) {
  if (const Step* scores = trace.scores_before(weights); scores && scores->info.minus_infinity_masks) return scores;
  for (const Step* read : trace.inputs_of(weights)) {
    if (read->info.kind == Kind::mask && read->info.minus_infinity_masks) return read;
    if (is_weight(*read) && read->explain)
      if (const Step* found = masking_step(trace, *read)) return found;
  }
  return nullptr;
}

std::string head_name(const Trace& trace, Index head) {
  const std::string name = given_name(trace, head);
  return name.empty() ? fmt::format("Head {}", head) : name;
}

std::string head_number(const Trace& trace, Index head) {
  return given_name(trace, head).empty() ? "" : fmt::format("{}", head);
}

namespace {

// What the run's heads are called: maps, where each head has several.
std::string unit_of_heads(const Trace& trace) {
  const Step* map = trace.map();
  const Axis* heads = map ? map->axis(AxisRole::head) : nullptr;
  return heads && !heads->name.empty() ? heads->name : "head";
}

// They are the run's heads themselves, each with a name of its own.
bool are_own_heads(const Trace& trace, const Step& step) {
  const Axis* heads = step.axis(AxisRole::head);
  return !heads || (heads->shared_by == 1 && unit_of_heads(trace) == "head");
}

}  // namespace

std::string counted_head(const Trace& trace, const Step& step, Index head) {
  const Axis* heads = step.axis(AxisRole::head);
  const Index place = place_of_head(step, head);
  if (!heads || (heads->shared_by == 1 && heads->name.empty())) return fmt::format("head {}", head);
  const std::string unit = unit_of_heads(trace);
  if (heads->shared_by == 1 || heads->name == "head")
    return fmt::format("{} {}", heads->shared_by == 1 ? unit : heads->name, place);
  const Index first = first_head_at(step, place);
  return fmt::format("{}s {}–{}", unit, first, first + heads->shared_by - 1);
}

std::string capitalized(std::string words) {
  if (!words.empty()) words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return words;
}

std::string head_name(const Trace& trace, const Step& step, Index head) {
  if (are_own_heads(trace, step)) return head_name(trace, head);
  return capitalized(counted_head(trace, step, head));
}

std::string head_number(const Trace& trace, const Step& step, Index head) {
  return are_own_heads(trace, step) ? head_number(trace, head) : "";
}

std::string quantity_of(const Step& step) {
  if (step.info.role == Role::weight) return "weight";  // also those that no softmax made
  switch (step.info.kind) {
    case Kind::probability:
      return "weight";
    case Kind::score:
      return "score";
    case Kind::mask:
      return "mask";
    case Kind::weight:
      return "parameter";  // drawn, learned or made by hand
    default:
      return "value";
  }
}

std::string sharing_of(const Step& step) {
  return heads_of(step) > 1 && has_heads(step) ? "shared by all heads" : "";
}

namespace {

// How far it goes: to the output, or to the last step that has such a number where there is no output.
std::string reach_in_words(const Trace& trace, const Origin& origin) {
  const auto is_broken = [](const Step& step) {
    return std::ranges::any_of(step.extents, [](const Extent& item) { return item.broken > 0; });
  };
  if (const Step* output = trace.output())
    return is_broken(*output) ? "goes on to the output" : "does not reach the output";
  const auto last = std::ranges::find_if(trace.steps.rbegin(), trace.steps.rend(), is_broken);
  if (last == trace.steps.rend() || last->info.id == origin.step) return "goes no further";
  return fmt::format("goes on to {}", last->info.id);
}

}  // namespace

std::string origin_in_words(const Trace& trace, const Origin& origin) {
  const char* value = origin.value < 0 ? "−∞" : "+∞";
  if (std::isnan(origin.value)) value = "NaN";
  return fmt::format("{} is {} at [{}], where it begins; it {}", origin.step, value,
                     fmt::join(index_at_flat(trace.find(origin.step)->tensor().shape(), origin.cell), ", "),
                     reach_in_words(trace, origin));
}

bool is_replaced(const Trace& trace, const Step& step) {
  const Role role = step.info.role;
  if (role != Role::query && role != Role::key && role != Role::value) return false;
  return std::ranges::any_of(trace.steps, [&](const Step& other) {
    return &other != &step && other.info.role == role && std::ranges::count(trace.inputs_of(other), &step) > 0;
  });
}

bool is_projection(const Trace& trace, const Step& step) {
  const Role role = step.info.role;
  const bool projected = role == Role::query || role == Role::key || role == Role::value;
  return projected && step.explain && has_heads(step) && !is_replaced(trace, step);
}

Index width_of_heads(const Trace& trace, const Step& step) {
  if (!step.explain || has_heads(step) || step.tensor().size() == 0) return 0;
  const auto read = trace.inputs_of(step);
  if (read.size() != 1 || !has_heads(*read.front())) return 0;
  const Explanation why = step.base_explain()(0);
  const bool copies = rule_of(why.combine).is_plain_sum() && why.terms.size() == 1 && why.terms[0].factors.size() == 1;
  const Index width = read.front()->tensor().dim(-1);
  return copies && step.tensor().dim(-1) == heads_of(*read.front()) * width ? width : 0;
}

std::optional<PooledKeys> pooled_keys(const Trace& trace) {
  for (const Step& step : trace.steps) {
    if (step.info.role != Role::key || !has_heads(step)) continue;
    for (const Step* from : trace.inputs_of(step))
      if (from->explain && from->info.role == Role::key && has_heads(*from)) return PooledKeys{from, &step};
  }
  return std::nullopt;
}

ValueRange range_of(const Step& step, Index batch) {
  return value_range(step.info.kind, extent_of_item(step, batch));
}

MatrixView cells_of(const Trace& trace, const Step& step, const Focus& focus, std::shared_ptr<const Tensor>& owner) {
  return cells_of(trace, slice_of(step, focus), focus, owner);
}

namespace {

// Scores, but −∞ where a mask's number stands for that.
Tensor masked_by_numbers(const MatrixView& scores, const MatrixView& mask) {
  Tensor cells = Tensor::uninitialized({scores.rows, scores.columns});
  float* cell = cells.data();
  for (Index row = 0; row < scores.rows; ++row)
    for (Index column = 0; column < scores.columns; ++column)
      *cell++ = mask.at(row, column) <= stands_for_masked ? masked_value : scores.at(row, column);
  return cells;
}

}  // namespace

MatrixView cells_of(const Trace& trace, const Slice& slice, const Focus& focus, std::shared_ptr<const Tensor>& owner) {
  const MatrixView cells = slice.matrix;
  const Step* by = is_weight(*slice.step) ? masking_step(trace, *slice.step) : nullptr;
  if (!by) return cells;
  const auto beside_cells = [&](const Step& step) {
    MatrixView view = slice_of(step, focus).matrix;
    if (view.rows == 1) {  // one row for all queries
      view.row_stride = 0;
      view.rows = cells.rows;
    }
    return view.rows == cells.rows && view.columns == cells.columns ? view : MatrixView{};
  };
  const MatrixView hides = beside_cells(*by);
  if (hides.empty()) return cells;
  const auto read = trace.inputs_of(*by);
  const auto mask = std::ranges::find_if(read, [](const Step* step) {
    return step->info.kind == Kind::mask &&
           std::ranges::any_of(step->extents, [](const Extent& item) { return item.least <= stands_for_masked; });
  });
  const MatrixView added = mask == read.end() ? MatrixView{} : beside_cells(**mask);
  const Tensor scores = added.empty() ? Tensor() : masked_by_numbers(hides, added);
  owner = std::make_shared<const Tensor>(hide_masked(cells, added.empty() ? hides : matrix_at(scores, {})));
  return matrix_at(*owner, {});
}

Index visible_cells(const MatrixView& cells) {
  Index seen = 0;
  for (Index row = 0; row < cells.rows; ++row)
    for (Index column = 0; column < cells.columns; ++column) seen += !is_minus_infinity(cells.at(row, column));
  return seen;
}

Index visible_keys(const Trace& trace, const Step& map, Focus focus) {
  Index seen = 0;
  for (focus.frame = 0; focus.frame < frames_of(map); ++focus.frame) {
    std::shared_ptr<const Tensor> owner;
    seen += visible_cells(cells_of(trace, map, focus, owner));
  }
  return seen;
}

std::shared_ptr<const Tensor> with_hidden(const Trace& trace, const Step& map) {
  if (!is_weight(map) || !masking_step(trace, map)) return map.values;
  Tensor shown = Tensor::uninitialized(map.tensor().shape());
  float* to = shown.data();
  Focus focus;
  focus.flat = true;
  for (focus.batch = 0; focus.batch < batches_of(map); ++focus.batch)
    for (Index m = 0; m < heads_of(map); ++m) {
      focus.head = first_head_at(map, m);
      std::shared_ptr<const Tensor> owner;
      const MatrixView cells = cells_of(trace, map, focus, owner);
      for (Index i = 0; i < cells.rows; ++i)
        for (Index j = 0; j < cells.columns; ++j) *to++ = cells.at(i, j);
    }
  return std::make_shared<const Tensor>(std::move(shown));
}

const Step* masked_step(const Trace& trace) {
  for (const auto* list : {&trace.sources, &trace.steps})
    for (const Step& step : *list)
      if (step.rules) return &step;
  return nullptr;
}

namespace {

std::string word_at(const Axis& axis, Index position, Index item) {
  return axis.labels.empty() ? "" : label_of(&axis, position, item);
}

// Whether the key is one that the head looks for.
bool is_target_key(const HeadInfo& head, const Axis& queries, Index query, const Axis& keys, Index key, Index item) {
  switch (head.need) {
    case KeyNeed::anything:
      return true;
    case KeyNeed::same_word:
      return same_word(word_at(queries, query, item), word_at(keys, key, item), head.meanings);
    case KeyNeed::after_same_word:
      return key > 0 && word_at(queries, query, item) != start_token_text &&
             same_word(word_at(queries, query, item), word_at(keys, key - 1, item), head.meanings);
  }
  return true;
}

}  // namespace

std::string head_sentence(const Trace& trace, const Step& step, Index head) {
  const auto at = static_cast<std::size_t>(head);
  if (step.info.kind != Kind::probability || at >= trace.heads.size() || trace.heads[at].sentence.empty()) return {};
  return fmt::format("Head {}: {}", head, trace.heads[at].sentence);
}

std::string why_head_finds_nothing(const Trace& trace, const Step& weights, const Focus& focus) {
  const auto head = static_cast<std::size_t>(focus.head);
  const Axis *queries = weights.axis(AxisRole::query), *keys = weights.axis(AxisRole::key);
  if (head >= trace.heads.size() || !queries || !keys || queries->labels.empty() || keys->labels.empty()) return {};
  const KeyNeed need = trace.heads[head].need;
  const Slice slice = slice_of(weights, focus);
  const auto row = slice.is_picture() ? std::nullopt : selected_row(slice, focus.selection);
  if (need == KeyNeed::anything || !row) return {};
  for (Index key = 0; key < slice.matrix.columns; ++key)
    if (is_target_key(trace.heads[head], *queries, *row, *keys, key, slice.item) &&
        why_masked(trace, weights, slice.cell_at(*row, key)).empty())
      return {};
  const bool across = queries->labels != keys->labels;
  return fmt::format("“{}” {}: this head finds nothing that it looks for, and its weight rests elsewhere.",
                     word_at(*queries, *row, slice.item),
                     across ? "does not stand in the other text" : "has no earlier place");
}

bool is_flat_map(const MatrixView& cells, bool of_one_query) {
  bool any = false;
  float least = 2, greatest = 0;
  for (Index row = 0; row < cells.rows; ++row) {
    if (!of_one_query) {
      least = 2;
      greatest = 0;
    }
    for (Index column = 0; column < cells.columns; ++column) {
      const float weight = cells.at(row, column);
      if (!std::isfinite(weight)) continue;
      any = any || least <= 1;
      least = std::min(least, weight);
      greatest = std::max(greatest, weight);
    }
    if (least <= 1 && greatest > 1.1F * least) return false;
  }
  return any;
}

}  // namespace headlight::app
