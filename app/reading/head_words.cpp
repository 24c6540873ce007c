#include "app/reading/head_words.h"

#include "app/reading/cell_trace.h"
#include "engine/inputs/text.h"

namespace headlight::app {

namespace {

std::string word_at(const Axis& axis, Index position) {
  return axis.labels.empty() ? "" : label_of(&axis, position);
}

// Whether the key is one that the head looks for.
bool is_wanted(Wants wants, const Axis& queries, Index query, const Axis& keys, Index key) {
  switch (wants) {
    case Wants::anything:
      return true;
    case Wants::same_word:
      return same_word(word_at(queries, query), word_at(keys, key));
    case Wants::after_same_word:
      return key > 0 && word_at(queries, query) != start_token_text &&
             same_word(word_at(queries, query), word_at(keys, key - 1));
  }
  return true;
}

}  // namespace

std::string silence_of(const Trace& trace, const Step& weights, const Focus& focus) {
  const auto head = static_cast<std::size_t>(focus.head);
  const Axis *queries = weights.axis(AxisRole::query), *keys = weights.axis(AxisRole::key);
  if (head >= trace.heads.size() || !queries || !keys || queries->labels.empty() || keys->labels.empty()) return {};
  const Wants wants = trace.heads[head].wants;
  const Slice slice = slice_of(weights, focus);
  const auto row = slice.is_picture() ? std::nullopt : selected_row(slice, focus.selection);
  if (wants == Wants::anything || !row) return {};
  for (Index key = 0; key < slice.matrix.columns; ++key)
    if (is_wanted(wants, *queries, *row, *keys, key) && why_masked(trace, weights, slice.cell_at(*row, key)).empty())
      return {};
  const bool across = queries->labels != keys->labels;
  return fmt::format("“{}” {}: this row has nothing to look at.", word_at(*queries, *row),
                     across ? "does not stand in the other text" : "has no earlier place");
}

}  // namespace headlight::app
