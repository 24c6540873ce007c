// A network that learns, on one page: what it is to learn, the maps of its heads at a step, its curves with one
// scrubber under them, and one weight over all steps.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "app/panels/common/form.h"
#include "app/panels/common/shown.h"

namespace headlight::app {

// Lasts between frames.
struct TrainMemory {
  std::shared_ptr<const learn::FilmFrame> frame;  // that was drawn last
  std::uint64_t stamp = 0;                        // of its maps
  bool slopes = false;                            // that were drawn of it, not weights
  bool all_options = false;                       // those behind the fold are shown
  bool counter_tests_folded = false;

  // A task's own example, for its card.
  struct Card {
    std::string read, said;      // in two lines; empty: it is a picture
    learn::FilmExample example;  // that it is of
  };
  std::map<const learn::Task*, Card> cards;
};

// The middle, and the bar below everything, whose scrubber stands under the curves.
void draw_train_view(Ui& ui, Rect box, Rect bar, const Model& model, PanelMemory& memory, Actions& actions);
// The left: tasks, what may be turned, what is kept. Returns its height.
float draw_train_side(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The right: the pinned weight at this step and over all. Returns its height.
float draw_train_cell(Ui& ui, Rect box, const Model& model, Actions& actions);

// What a task is, by an example of its own: what is read and what is to be said, or both pictures.
void draw_task_example(Ui& ui, Rect box, const learn::Task& task, PanelMemory& memory);

// ---- What the files of this room share.

// The film and the frame that is shown; both are there.
struct FilmView {
  const TrainingShown& shown;
  const learn::Film& film;
  const learn::FilmExample& example;
  const learn::FilmFrame& frame;
  const learn::Task& task;
};
std::optional<FilmView> film_view(const Model& model);

// Where steps stand along an axis from the first to the last.
struct StepAxis {
  float left = 0, width = 0;
  Index last = 1;
  float x(Index step) const { return left + width * static_cast<float>(step) / static_cast<float>(last); }
  Index step(float at) const {
    return std::clamp<Index>(std::llround((at - left) / width * static_cast<float>(last)), 0, last);
  }
};
// At round numbers, as many as there is room for, below y.
void draw_step_ticks(Ui& ui, const StepAxis& axis, float y);

// The maps of all layers and heads; a click pins.
void draw_train_maps(Ui& ui, Rect box, const FilmView& now, PanelMemory& memory, Actions& actions);
// At the left: the text that is learned, where the task learns one.
void draw_own_text(Form& form, const Model& model, Actions& actions);
// At the left: what should fail, a press away.
void draw_counter_tests(Form& form, const Model& model, PanelMemory& memory, Actions& actions);
// What the example is, what is said of it and what figures come to.
void draw_train_example(Ui& ui, Rect box, const FilmView& now);
// Loss and figures over steps, with the playhead through them.
void draw_train_curves(Ui& ui, Rect box, const StepAxis& axis, const FilmView& now, const Model& model,
                       Actions& actions);
// Why the cell's weight is pushed where it is. The frame has slopes.
void draw_train_slopes(Form& form, const FilmView& now, const TrainCell& cell);
// Below the pinned weight: its head is switched off or drawn anew.
void draw_head_commands(Form& form, const FilmView& now, const TrainCell& cell, const Model& model, Actions& actions);
// What the task counts without each head.
void draw_train_heads(Form& form, const FilmView& now, const Model& model, Actions& actions);
// Pixels of a picture, a square each, its numbers from −1 to 1 as colours; one channel is grey.
struct PixelsShown {
  const Tensor* numbers = nullptr;  // (C, …)
  const Tensor* asked = nullptr;    // those that are not are hatched; null: all are
  Index rows = 0, columns = 0, frame = 0, frames = 1;
};
void draw_pixels(Ui& ui, Rect box, const PixelsShown& pixels);
// Whether what is right is a picture too, as large as what goes in.
bool answers_with_picture(const learn::FilmExample& example);

// "16 σ", "3, 4", "t1 3, 4": a place that asks or answers in a map.
std::string query_name(const FilmView& now, Index map, Index place);
std::string key_name(const FilmView& now, Index place);
// "Layer 1 · head 0", "What says it".
std::string map_title(const FilmView& now, Index map, Index head);

}  // namespace headlight::app
