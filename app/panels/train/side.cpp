// The left of the page: what is to be learned, what may be changed while it runs and what begins it again, and what is
// kept of it.
#include <cmath>

#include "app/actions/action_table.h"
#include "app/model/other_seeds.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/train/parts.h"
#include "engine/base/words.h"
#include "engine/core/memory.h"

namespace headlight::app {

namespace {

constexpr double slowest_rate = 1e-5, fastest_rate = 1;  // of the slider; more may be typed

// ---- Tasks

std::string joined(const std::vector<std::string>& names, const char* between) {
  std::string words;
  for (const std::string& name : names) words += (words.empty() ? "" : between) + name;
  while (words.ends_with(' ')) words.pop_back();
  return words;
}

// The task's own example that is held out, with the options that it has first: of a row the part where answers begin.
TrainMemory::Card make_card(const learn::Task& task) {
  TrainMemory::Card card{{}, {}, learn::example_of(default_plan(task))};
  const learn::ExampleWords& words = card.example.words;
  if (words.read.empty()) return card;
  if (!words.answered.empty()) {
    card.read = joined(words.read, "");
    card.said = joined(words.answered, "");
    return card;
  }
  const Tensor& right = *card.example.right;
  constexpr Index shown = 8, before = 3;
  Index asked = 0;
  while (asked + 1 < right.size() && right[asked] < 0) ++asked;
  const Index first = std::max<Index>(0, asked - before), last = std::min(first + shown, right.size());
  std::vector<std::string> read, said;
  for (Index place = first; place < last; ++place) {
    read.push_back(words.read[static_cast<std::size_t>(place)]);
    said.push_back(right[place] < 0 ? "·" : words.answers[static_cast<std::size_t>(right[place])]);
  }
  card.read = joined(read, " ");
  card.said = joined(said, " ");
  return card;
}

}  // namespace

void draw_task_example(Ui& ui, Rect inside, const learn::Task& task, PanelMemory& memory) {
  const Theme& t = ui.theme();
  auto& cards = memory.get<TrainMemory>().cards;
  auto found = cards.find(&task);
  if (found == cards.end()) found = cards.emplace(&task, make_card(task)).first;
  const TrainMemory::Card& card = found->second;
  if (const learn::FilmExample& example = card.example; example.picture) {
    const float side = std::min(inside.h, ui.px(36));
    const auto picture = [&](Index place, const PixelsShown& pixels) {
      draw_pixels(ui, {inside.x + static_cast<float>(place) * (side + ui.px(20)), inside.y + ui.px(1), side, side},
                  pixels);
    };
    for (Index frame = 0; frame < example.frames; ++frame)
      picture(frame, {example.picture.get(), nullptr, example.rows, example.columns, frame, example.frames});
    if (answers_with_picture(example)) {
      draw_icon(ui, Icon::arrow_right, {inside.x + side + ui.px(10), inside.y + ui.px(1) + side / 2}, t.text_muted);
      picture(1, {example.right.get(), example.asked.get(), example.rows, example.columns});
    }
  } else {
    ui.text_in(Type::number_small, inside.take_top(ui.px(18)), t.text_muted, card.read);
    ui.text_in(Type::number_small, inside.take_top(ui.px(18)), t.text, card.said);
  }
}

namespace {

void draw_task(Ui& ui, Rect box, const learn::Task& task, bool chosen, PanelMemory& memory, Actions& actions) {
  const Theme& t = ui.theme();
  const learn::TaskInfo& info = task.info();
  const auto hit = ui.hit("train/task/" + info.id, box, true, info.title, chosen ? "selected" : "");
  ui.fill(box, control_ground(ui, hit, t.canvas), ui.px(8));
  ui.frame(box, chosen ? t.ink : t.line_strong, ui.px(8), chosen ? ui.px(2) : 1);
  Rect inside = box.inset(ui.px(10), ui.px(7));
  ui.text_in(Type::label_strong, inside.take_bottom(ui.px(18)), t.text, info.title);
  draw_task_example(ui, inside, task, memory);
  if (hit.focused) ui.focus_ring(box, ui.px(8));
  ui.tooltip("train/task/" + info.id, box, info.lesson, Ui::Side::right);
  if (hit.clicked && !chosen) actions.push_back(ChooseTask{info.id});
}

void draw_tasks(Form& form, const Model& model, PanelMemory& memory, Actions& actions) {
  form.heading("Task");
  const auto tasks = learn::all_tasks();
  const learn::Task* now = training_asked(model).task;
  const float gap = form.ui.px(8), width = (form.column.w - gap) / 2;
  for (std::size_t i = 0; i < tasks.size(); i += 2) {
    const Rect line = form.line(72, 8);
    const std::size_t end = std::min(i + 2, tasks.size());
    for (std::size_t j = i; j < end; ++j)
      draw_task(form.ui,
                {line.x + static_cast<float>(j - i) * (width + gap), line.y, end == i + 1 ? line.w : width, line.h},
                *tasks[j], tasks[j] == now, memory, actions);
  }
  form.log_words("train/lesson", form.ui.theme().text, now->info().lesson, Type::label);
  draw_own_text(form, model, actions);
}

// ---- Options

// A label and its control; in a narrow panel the control keeps its room.
Rect option_row(Form& form, std::string_view label) {
  return form.row(label, 36, form.column.w >= form.ui.px(264) ? 108 : 84);
}

// A whole number of which the task takes not all, one up or down from here: the next that it takes.
ParamValue next_allowed(const learn::TrainingPlan& plan, const ParamSpec& spec, Index wanted) {
  const ParamValue& now = plan.options.values.get(spec.id);
  const auto* from = std::get_if<Index>(&now);
  if (!from || std::abs(wanted - *from) != 1) return wanted;
  learn::TaskOptions options = plan.options;
  for (Index value = wanted; value >= static_cast<Index>(spec.least) && value <= static_cast<Index>(spec.most);
       value += wanted - *from) {
    options.values.set(spec.id, value);
    if (plan.task->check(options)) return value;
    if (std::abs(value - wanted) > 64) break;
  }
  return wanted;
}

void draw_whole(Ui& ui, Rect line, const ParamSpec& spec, const learn::TrainingPlan& plan, Actions& actions) {
  WholeNumber whole;
  whole.least = static_cast<Index>(spec.least);
  whole.most = static_cast<Index>(spec.most);
  if (spec.automatic) whole.automatic = "auto";
  whole.is_automatic = plan.options.values.is_automatic(spec.id);
  if (!whole.is_automatic) whole.value = plan.options.values.integer(spec.id);
  const auto next = whole_stepper(ui, "train/option/" + spec.id, line.take_left(ui.px(96)), whole);
  if (!next) return;
  actions.push_back(
      SetTraining{spec.id, next->automatic ? ParamValue(std::monostate{}) : next_allowed(plan, spec, next->value)});
}

// Left to the mechanism, or 1.
void draw_scale(Ui& ui, Rect line, const ParamSpec& spec, const learn::TrainingPlan& plan, Actions& actions) {
  const bool automatic = plan.options.values.is_automatic(spec.id);
  if (const auto on = toggle(ui, "train/option/" + spec.id, line, automatic))
    actions.push_back(SetTraining{spec.id, *on ? ParamValue(std::monostate{}) : ParamValue(1.0)});
  if (!automatic)
    ui.text_in(Type::number_note, line, ui.theme().text_faint,
               fmt::format("× {:.3g}", plan.options.values.real(spec.id)), Ui::Align::right);
}

void draw_option(Form& form, const ParamSpec& spec, const learn::TrainingPlan& plan, Actions& actions) {
  Ui& ui = form.ui;
  const std::string path = "train/option/" + spec.id;
  const bool scale = spec.type == ParamType::real && spec.automatic;
  Rect line = option_row(form, scale ? "Scale 1/√d" : spec.title);
  ui.tooltip(path, line, spec.help, Ui::Side::right);
  const ParamValues& values = plan.options.values;
  if (scale) return draw_scale(ui, line, spec, plan, actions);
  switch (spec.type) {
    case ParamType::integer:
      return draw_whole(ui, line, spec, plan, actions);
    case ParamType::real:
      if (const auto typed =
              number_field(ui, path, line.take_left(ui.px(96)), values.real(spec.id), spec.least, spec.most))
        actions.push_back(SetTraining{spec.id, *typed});
      return;
    case ParamType::flag:
      if (const auto on = toggle(ui, path, line, values.flag(spec.id))) actions.push_back(SetTraining{spec.id, *on});
      return;
    case ParamType::choice:
      const std::string now = values.choice(spec.id);
      const int chosen = drop_down_of(ui, path, line, spec.choices, &Choice::title,
                                      [&](const Choice& choice) { return choice.id == now; });
      if (chosen >= 0) actions.push_back(SetTraining{spec.id, spec.choices[static_cast<std::size_t>(chosen)].id});
  }
}

void draw_steps(Form& form, const learn::TrainingPlan& plan, Actions& actions) {
  Rect line = option_row(form, "Steps");
  if (const auto next = number_stepper(form.ui, "train/steps", line.take_left(form.ui.px(110)), plan.steps, 1, 100000))
    actions.push_back(SetTrainSteps{static_cast<Index>(*next)});
}

const ParamSpec& option_of(const learn::TrainingPlan& plan, std::string_view id) {
  return *find_param(plan.task->options(), id);
}

void draw_live_options(Form& form, const learn::TrainingPlan& plan, Actions& actions) {
  Ui& ui = form.ui;
  form.heading("Turn while it runs");
  const ParamSpec* spec = &option_of(plan, rate_option);
  Rect line = option_row(form, spec->title);
  ui.tooltip("train/rate/help", line, spec->help, Ui::Side::right);
  const double value = plan.options.values.real(spec->id), usual = std::get<double>(spec->fallback);
  const Rect number = line.take_right(ui.px(64)).inset(0, ui.px(2));
  line.take_right(ui.px(6));
  const SliderChange slid = slider(ui, "train/rate", line, value, slowest_rate, fastest_rate, usual, true);
  if (slid.value) actions.push_back(SetTraining{spec->id, *slid.value, !slid.ended});
  if (slid.ended) actions.push_back(EndEdit{});
  if (const auto typed = number_field(ui, "train/rate/number", number, value, spec->least, spec->most))
    actions.push_back(SetTraining{spec->id, *typed});
  draw_option(form, option_of(plan, batch_option), plan, actions);
  if (can_change_steps(plan)) draw_steps(form, plan, actions);
}

void draw_seed(Form& form, const Model& model, const learn::TrainingPlan& plan, Actions& actions) {
  Ui& ui = form.ui;
  Rect line = option_row(form, "Seed");
  if (const auto next =
          number_stepper(ui, "train/seed", line.take_left(ui.px(96)), static_cast<long long>(plan.seed), 0, INT64_MAX))
    actions.push_back(SetTrainSeed{static_cast<std::uint64_t>(*next)});
  line.take_left(ui.px(8));
  draw_command(ui, "train/new-seed", line.take_left(ui.px(60)), "train-new-seed", "New", model, actions,
               ButtonLook::ghost);
}

// Trained while the one that is shown rests, and when they learned it.
void draw_other_seeds(Form& form, const Model& model, Actions& actions) {
  const OtherSeeds& seeds = model.training.seeds;
  form.y += form.ui.px(4);
  const std::string label = seeds.running ? "Stop the other seeds" : fmt::format("{} other seeds", other_seeds);
  draw_command(form.ui, "train/seeds", form.line(32, 4), seeds.running ? "train-seeds-stop" : "train-seeds", label,
               model, actions);
  if (!seeds.of || !model.training.film) return;
  form.log_words("train/seeds/learned", form.ui.theme().text, seeds_in_words(model.training), Type::note);
  const bool waits = seeds.running && model.training.playing;
  form.words(form.ui.theme().text_muted,
             waits ? "The others wait while this one plays." : "Their curves are thin and grey.", Type::note, 4);
}

void draw_options(Form& form, const Model& model, PanelMemory& memory, Actions& actions) {
  Ui& ui = form.ui;
  const learn::TrainingPlan& plan = training_asked(model);
  bool& all = memory.get<TrainMemory>().all_options;
  const Rect more{form.column.right() - ui.px(52), form.y - ui.px(6), ui.px(60), ui.px(28)};
  if (button(ui, "train/more", more, all ? "Fewer" : "All ›", ButtonLook::ghost)) all = !all;
  form.heading("Begins again when turned");
  const auto draw = [&](bool advanced) {
    for (const ParamSpec& spec : plan.task->options())
      if (spec.id != rate_option && spec.id != batch_option && spec.advanced == advanced)
        draw_option(form, spec, plan, actions);
  };
  draw(false);
  draw_seed(form, model, plan, actions);
  draw_other_seeds(form, model, actions);
  if (!all) return;
  draw(true);
  if (!can_change_steps(plan)) draw_steps(form, plan, actions);
}

// ---- What is kept

// "37 248".
std::string grouped(Index number) {
  std::string digits = fmt::format("{}", number);
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), " ");
  return digits;
}

std::string kept_in_words(std::size_t count, const char* what, std::size_t bytes) {
  return fmt::format("{} {}{} kept, {}", count, what, count == 1 ? "" : "s", bytes_text(static_cast<double>(bytes)));
}

void draw_kept(Form& form, const Model& model, Actions& actions) {
  const Theme& t = form.ui.theme();
  const learn::Film& film = *model.training.film;
  form.log_words("train/weights", t.text_muted, fmt::format("{} weights to learn", grouped(film.weights)), Type::note,
                 4);
  form.log_words("train/kept", t.text_muted, kept_in_words(film.frames.size(), "step", film.frame_bytes), Type::note,
                 4);
  form.log_words("train/snapshots", t.text_muted, kept_in_words(film.snapshots, "snapshot", film.snapshot_bytes),
                 Type::note, 4);
  form.y += form.ui.px(8);
  draw_command(form.ui, "train/save", form.line(32), "train-save", "Save as a folder …", model, actions);
  form.y += form.ui.px(8);
  draw_command(form.ui, "train/figure", form.line(32), "train-figure", "Save maps and curves", model, actions);
}

}  // namespace

float draw_train_side(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  Form form{ui, box.inset(ui.px(16), 0), box.y + ui.px(16)};
  draw_tasks(form, model, memory, actions);
  form.divider(box.x, box.w);
  draw_live_options(form, training_asked(model), actions);
  form.divider(box.x, box.w);
  draw_options(form, model, memory, actions);
  form.divider(box.x, box.w);
  draw_counter_tests(form, model, memory, actions);
  if (model.training.film) {
    form.divider(box.x, box.w);
    draw_kept(form, model, actions);
  }
  return form.y + ui.px(16) - box.y;
}

}  // namespace headlight::app
