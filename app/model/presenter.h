// What the presenter shows: which experiments in which order, who asks, what was answered, what is hidden. Plain data
// that lasts from F5 to Esc; the document is not touched by it.
//
// Not for how a question is put together: app/reading/questions/question.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/reading/questions/question.h"
#include "app/reading/slice.h"
#include "engine/run/outcome.h"

namespace headlight::app {

struct Look;
struct Model;
enum class ThemeName;

// What is hidden until it is asked for: the numbers in the cells, the rows below the one that is asked about, what the
// head is called.
enum class Covered { numbers, rows, head };
inline constexpr std::array covered_names{"numbers", "rows", "head"};

// One experiment of those that are presented, and what was done with it.
struct Slide {
  std::filesystem::path path;       // of its file; empty: the open experiment has none
  std::string name;                 // "cat-sat"
  bool open = false;                // the experiment that is open, as it is: not its file
  std::optional<Index> query = {};  // that asks; none: the pinned one, else the one whose row tells most
  std::optional<Index> head = {};   // none: the one that is looked at
  std::string asks = {};            // as slide_question_id() says; empty: not chosen
  int answer = 0;                   // from 1; 0: none was given
  std::vector<int> hands = {};      // the answer of each hand that was counted, from 1, in their order
  bool revealed = false;
  std::shared_ptr<const Trace> of_run = {};  // that `query` and `head` were chosen for

  Index hand_count(std::size_t choice) const { return std::ranges::count(hands, static_cast<int>(choice) + 1); }
};

// The run of a slide with something changed, of which a class is asked what it did.
struct ChangedRun {
  std::string change;                   // id of the change
  Index head = 0;                       // of which it is, where it is of one
  std::shared_ptr<const Trace> of_run;  // which run was changed: it is not kept
  Outcome outcome;
};

struct Presenter {
  bool on = false;
  std::vector<Slide> slides;  // never empty while it is on
  std::size_t at = 0;
  Outcome other;                     // of the slide that is shown, where that is not the open experiment
  std::filesystem::path other_from;  // the file that `other` is of; empty: none
  ChangedRun changed;                // of the slide that is shown, as far as it was asked for
  ThemeName theme{};                 // light, whatever the window has
  bool blank = false;                // the screen is black
  bool keys = false;                 // what they do lies over it
  bool frozen = false;               // the picture stays as it is, whatever is pressed
  std::array<bool, covered_names.size()> covered{false, true, true};
  Selection spotlight;     // a query: its row; a query and a key: their cell; nothing: no spotlight
  double zoom = 1;         // of the map, from 1
  double timer = 0;        // seconds to count down from; 0: there is none
  double timer_since = 0;  // on the window's clock
  double frozen_since = 0;

  bool covers(Covered what) const { return covered[static_cast<std::size_t>(what)]; }
};

inline constexpr double most_present_zoom = 8, most_timer = 3600;

// Whether the presenter is what the window shows: a question of the window itself comes before it.
bool shows_presenter(const Model& model);
// The slide that is shown; one must be.
const Slide& slide_of(const Model& model);
// Its run: of the open experiment what the window shows. Its trace is null while there is none.
const Outcome& presented(const Model& model);
// What its experiment says to who presents it.
const std::string& notes_of_slide(const Model& model);
// How it is looked at: the first map, its batch and head, the query that asks.
Look look_of_slide(const Model& model);
// What is asked of it; without choices where nothing can be.
Question question_of_slide(const Model& model);
// The id of the slide's question, as in actions/slide_questions.h: as it was chosen, else the first question of its
// notes, else which key wins.
std::string slide_question_id(const Model& model);
// The slide's run and look as the panels of the window take them.
std::shared_ptr<Model> scene_of_slide(const Model& model);
// The last query that a map has a row of.
Index last_query(const Step& map);
// Chooses who asks of a slide whose run is new. Does nothing where that is known.
void choose_slide_query(Model& model);

}  // namespace headlight::app
