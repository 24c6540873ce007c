#include "engine/run/edits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/base/words.h"
#include "engine/variants/recorder.h"

namespace headlight {

namespace {

// What can be edited, in the order in which it is computed.
std::vector<StepInfo> outline_of(const Problem& problem) {
  Recorder recorder(problem);
  problem.variant->record(recorder);
  return std::move(recorder).outline();
}

bool same_extents(const StepInfo& a, const StepInfo& b) {
  return std::ranges::equal(a.axes, b.axes, {}, &Axis::size, &Axis::size);
}

// Whether a cell may be −∞, to hide a key: masks, masked scores, and scores that reach a softmax directly or through a
// mask.
bool takes_minus_infinity(const std::vector<StepInfo>& outline, const StepInfo& info) {
  if (info.minus_infinity_masks || info.role != Role::score) return info.minus_infinity_masks;
  for (const StepInfo* next = &info + 1; next != outline.data() + outline.size(); ++next) {
    const bool mask = next->role == Role::score && next->minus_infinity_masks && same_extents(*next, info);
    if (mask) continue;
    if (next->role == Role::score) return false;
    if (next->role == Role::weight) return next->kind == Kind::probability && same_extents(*next, info);
  }
  return false;
}

Status check(const std::vector<Edit>& edits, const std::vector<StepInfo>& outline) {
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (!edits[i].on) continue;
    const auto found = std::ranges::find(outline, edits[i].array, &StepInfo::id);
    if (found == outline.end()) {
      std::vector<std::string> ids;
      for (const StepInfo& info : outline) ids.push_back(info.id);
      return about_edit<void>(i + 1, fail("edit {}: array \"{}\" is not in this run: it has {}", i + 1,
                                          brief(edits[i].array), fmt::join(ids, ", ")));
    }
    StepInfo info = *found;
    info.minus_infinity_masks = takes_minus_infinity(outline, *found);
    HL_CHECK(about_edit(i + 1, check_edit(edits[i], i + 1, info)));
  }
  return {};
}

// The array, and those that it stands in for.
void put(Problem& problem, const std::string& id, const std::shared_ptr<const Tensor>& values) {
  const auto old = std::exchange(problem.arrays.at(id), values);
  for (const auto* list : {&problem.specs.inputs, &problem.specs.weights})
    for (const ArraySpec& spec : *list)
      if (const auto found = problem.arrays.find(spec.id);
          spec.fill == Fill::alias && spec.alias_of == id && found != problem.arrays.end() && found->second == old)
        put(problem, spec.id, values);
}

// The arrays that it stands in for show the same numbers and the same edit.
void mark_aliases_edited(Problem& problem, const std::string& id, const std::shared_ptr<const EditedCells>& cells) {
  for (const ArraySpec& spec : problem.specs.inputs)
    if (spec.id != id && problem.find(spec.id) && problem.find(spec.id) == problem.find(id))
      problem.edited[spec.id].cells = cells;
}

}  // namespace

Status apply_edits(const std::vector<Edit>& edits, Problem& problem) {
  problem.edits = edits;
  if (std::ranges::none_of(edits, &Edit::on)) return {};
  const auto outline = outline_of(problem);
  HL_CHECK(check(edits, outline));
  std::ranges::fill(problem.heads, HeadInfo{});  // what heads were made to do is no longer sure
  for (const auto* list : {&problem.specs.inputs, &problem.specs.weights})
    for (const ArraySpec& spec : *list) {
      const std::string& id = spec.recorded_as.empty() ? spec.id : spec.recorded_as;
      const auto named = [&](const Edit& edit) { return edit.on && edit.array == id; };
      if (!problem.find(spec.id) || std::ranges::none_of(edits, named)) continue;
      auto values = std::make_shared<Tensor>(*problem.find(spec.id));
      auto done = carry_out(edits, *std::ranges::find(outline, id, &StepInfo::id), *values, nullptr);
      put(problem, spec.id, values);
      mark_aliases_edited(problem, spec.id, done.cells);
      problem.edited[id] = std::move(done);
    }
  return {};
}

std::vector<std::string> notes_on_edits(const Trace& trace) {
  auto edits = trace.edits;
  std::ranges::sort(edits, {}, &AppliedEdit::number);
  std::vector<std::string> notes;
  for (const AppliedEdit& edit : edits) notes.push_back(fmt::format("edit {}: {}", edit.number, edit.words));
  return notes;
}

}  // namespace headlight
