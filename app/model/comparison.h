// Two experiments beside each other: B is the document that is open, A one that is held. And the run before the newest
// change, to tell what that changed.
//
// Not for the arithmetic of differences: that is app/reading/difference.h.
#pragma once

#include <memory>
#include <string_view>

#include "engine/run/outcome.h"

namespace headlight::app {

// Another experiment than the one that is open, and its run as far as there is one.
struct HeldRun {
  std::shared_ptr<const Experiment> experiment;  // null: none
  Outcome outcome;                               // of that experiment; neither trace nor error until it ran
};

// What is said where a result is held and Compare is not the screen that is shown.
inline constexpr std::string_view held_words =
    "This is held as A. What you change now is B, and Compare shows both with their difference.";

// What stands beside A and B: B − A, B / A; or both in one place, in turn.
enum class ContrastView { difference, ratio, blink };

// How a comparison is looked at.
struct ContrastLook {
  ContrastView view = ContrastView::difference;
  bool by_size = false;  // heads by how much they changed, not by their numbers
  bool operator==(const ContrastLook&) const = default;
};

struct Comparison {
  HeldRun a;                  // of what the document holds
  HeldRun before;             // what was shown before the newest change of what is asked
  bool change_shown = false;  // in place of the result's maps, what that change did to them
};

// A run that is larger is made again when it is asked for rather than kept.
inline constexpr double most_bytes_kept_before = 256e6;

}  // namespace headlight::app
