// What can be asked for of a network that learns. Part of action.h, for which these stand here by subject.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/actions/action_form.h"
#include "app/model/training.h"

namespace headlight::app {

using ChooseTask = OneValue<"task", std::string>;  // with its options as they are offered first
// The rate counts from the next step on; with any other option it begins again.
struct SetTraining {
  std::string id;
  ParamValue value;
  bool continues = false;
  static constexpr auto form(auto as) { return as("train-option", &SetTraining::id, &SetTraining::value); }
};
// The text that is learned, and with it the task that learns one.
struct SetTrainText {
  std::string text;
  bool continues = false;
  static constexpr auto form(auto as) { return as("train-text", Exact{&SetTrainText::text}); }
};
using SetTrainSeed = OneValue<"train-seed", std::uint64_t>;
using SetTrainSteps = OneValue<"train-steps", Index>;
using TryCounterTest = OneValue<"train-counter", std::string>;  // by its title: begins again, and plays
struct LeaveCounterTest : Plain<"train-usual"> {};              // its options as they are offered first
using PlayTraining = OnOff<"train", "train-pause">;
struct TrainUntilLearned : Plain<"train-until-learned"> {};
using TrainTo = OneValue<"train-to", Index>;         // as fast as it goes
using MoveInTraining = OneValue<"train-move", int>;  // steps; beyond the newest one more is taken
using LookAtTrainStep = OneValue<"train-at", Index>;
struct FollowTraining : Plain<"train-follow"> {};             // the newest step is looked at
struct TrainAgain : Plain<"train-again"> {};                  // from step 0, with the same seed
using SetPace = OneValue<"train-pace", double>;               // steps a second; 0: as fast as it goes
using TrainSeeds = OnOff<"train-seeds", "train-seeds-stop">;  // the same with other seeds, while this one rests
struct PinTrainCell {
  Index map = 0, head = 0, query = 0, key = 0;
  static constexpr auto form(auto as) {
    return as("train-pin", &PinTrainCell::map, &PinTrainCell::head, &PinTrainCell::query, &PinTrainCell::key);
  }
};
using ShowTrainGradient = OnOff<"train-gradient", "train-weights">;  // what maps are of
struct ReleaseTrainCell : Plain<"train-release"> {};
// From the newest step on.
struct SwitchTrainHead {
  Index map = 0, head = 0;
  bool on = false;
  static constexpr auto form(auto as) {
    return as("train-head", &SwitchTrainHead::map, &SwitchTrainHead::head, &SwitchTrainHead::on);
  }
};
struct RedrawTrainHead {  // it begins anew with other random numbers, and learns on
  Index map = 0, head = 0;
  static constexpr auto form(auto as) { return as("train-redraw", &RedrawTrainHead::map, &RedrawTrainHead::head); }
};
struct MeasureTrainHeads : Plain<"train-heads"> {};  // what it comes to without each
struct PruneTraining : Plain<"train-prune"> {};      // the head that was missed least goes off, and it learns on
struct ExploreTraining : Plain<"train-explore"> {};  // where the pinned weight comes from, step by step
// Of what is compared: where A stands, or B. Marked once more, the step is free again.
using MarkTraining = OnOff<"train-mark-a", "train-mark-b">;
using SaveTraining = OneValue<"train-save", std::filesystem::path>;         // into a folder; empty: it is asked for
using SaveTrainingFigure = Set<"train-figure", &Effects::training_figure>;  // empty: beside the experiment
using TrainOn = OneValue<"train-from", std::filesystem::path>;  // the folder of a training, taken once more and gone on
struct CompareTraining : Plain<"train-compare"> {};             // the layer of the pinned weight, at A and at B

}  // namespace headlight::app
