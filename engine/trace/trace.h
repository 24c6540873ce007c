// The ordered record of one run. Immutable once made: the window, exporter, command line and tests share it by
// shared_ptr<const Trace>, and none of them computes attention by itself.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/meanings.h"
#include "engine/trace/step.h"

namespace headlight {

// A stop of the stepper and a tile of the pipeline strip: one or more steps that belong together.
struct Stage {
  std::string id;                  // "softmax"
  std::string title;               // "Softmax", under the stepper's node
  std::string tile;                // "softmax", above the pipeline's thumbnail
  std::vector<std::string> steps;  // ids of steps or sources; the first is the one shown
};

// The keys that a head needs to have something to look at: places of the query's word, or what comes after them.
enum class KeyNeed { anything, same_word, after_same_word };

// What a head is known to do, where its weights were made by hand or have learned it.
struct HeadInfo {
  std::string name;      // "Induction"; empty: "Head 3"
  std::string sentence;  // one sentence on what it looks for; empty where nothing is claimed
  KeyNeed need = KeyNeed::anything;
  Meanings meanings = {};  // of words, where it looks for them
};

// Where the first NaN or infinity of the run began.
struct Origin {
  std::string step;
  Index cell = -1;  // flat
  float value = 0;
};

class Trace {
 public:
  std::string variant;
  std::vector<Step> sources;  // inputs, positions, masks and weights, as they were used
  std::vector<Step> steps;    // in the order they ran
  std::vector<Stage> stages;
  std::vector<HeadInfo> heads;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // what was read and what was assumed
  std::vector<AppliedEdit> edits;  // in the order they were carried out

  // A step or a source by id; null when there is none.
  const Step* find(std::string_view id) const;
  // The maps: what of the weights lies over pairs of query and key, in the order it ran. Differential attention has
  // two, dropout makes another, and attention without weights has none.
  std::vector<const Step*> maps() const;
  // The first of them, which the view opens on; null where there is none.
  const Step* map() const;
  // The map, else the last step; null where nothing ran.
  const Step* default_step() const;
  // The scores from which a map, or other scores, were computed; null where there are none of that shape.
  const Step* scores_before(const Step& pairs) const;
  // What the run was for: the last step that plays the output's part; null when there is none.
  const Step* output() const;
  // The arrays that a step was computed from, in the order in which its code, else its explanation, names them.
  std::vector<const Step*> inputs_of(const Step& step) const;

  // The edits that the numbers of a step depend on: those of the step itself, and of what it was computed from.
  std::vector<AppliedEdit> edits_affecting(const Step& step) const;

  // The stage that shows a step, or null.
  const Stage* stage_of(std::string_view step_id) const;
  // The earliest array, sources first, that holds a NaN or an infinity that no mask put there.
  std::optional<Origin> origin_of_non_finite() const;
  // All tensors together.
  Index bytes() const;
};

}  // namespace headlight
