// Rows of the table of actions: a network that learns. For action_table.cpp alone.
#pragma once

#include "app/actions/action_rows.h"
#include "app/model/counter_tests.h"
#include "app/model/other_seeds.h"

namespace headlight::app::rows {

inline constexpr Place in_learn{Section::learn, Screen::train};

inline constexpr Need a_film{[](const Model& model) { return model.training.film != nullptr; },
                             "Nothing has begun to learn yet"};
inline constexpr Need more_steps{[](const Model& model) -> std::string {
  if (!model.training.film) return "Nothing has begun to learn yet";
  if (!model.training.error.empty()) return "What is asked for cannot be learned: undo it";
  if (model.training.film->broken) return "A loss is no number: begin again";
  return model.training.film->is_at_end() ? "It has taken all its steps: begin again" : "";
}};

inline std::string why_no_task(const ChooseTask& a, const Model& model) {
  const learn::Task* task = learn::find_task(a.value);
  if (!task) return "There is no task of that name";
  return task == training_asked(model).task ? "It is chosen" : "";
}

inline std::string why_no_option(const SetTraining& a, const Model& model) {
  const ParamSpec* spec = find_param(training_asked(model).task->options(), a.id);
  if (!spec) return "The task has no such option";
  const auto value = check_param(*spec, a.value);
  return value ? "" : value.error().message;
}

inline std::string undo_of_option(const SetTraining& a, const Model& model) {
  const ParamSpec* spec = find_param(training_asked(model).task->options(), a.id);
  return spec ? lower_first(spec->title) : std::string();
}

inline std::string undo_of_counter_test(const TryCounterTest& a, const Model&) {
  return "counter-test: " + lower_first(a.value);
}

inline std::string why_no_counter_test(const TryCounterTest& a, const Model& model) {
  const learn::TrainingPlan& plan = training_asked(model);
  const learn::CounterTest* test = counter_test_named(*plan.task, a.value);
  if (!test) return "The task has no counter-test of that name";
  return test == counter_test_in(plan) ? "It is tried" : why_no_change(plan, *test);
}

inline std::vector<Offer> offer_counter_tests(const Model& model) {
  std::vector<Offer> offers;
  if (model.screen != Screen::train) return offers;
  const learn::TrainingPlan& plan = training_asked(model);
  for (const learn::CounterTest& test : plan.task->counter_tests())
    offers.push_back({.label = "Counter-test: " + test.title,
                      .action = TryCounterTest{test.title},
                      .now = &test == counter_test_in(plan),
                      .finds = test.expected});
  return offers;
}

// The values of switches and choices, where something learns.
inline std::vector<Offer> offer_options(const Model& model) {
  std::vector<Offer> offers;
  if (model.screen != Screen::train) return offers;
  const learn::TrainingPlan& plan = training_asked(model);
  for (const ParamSpec& spec : plan.task->options()) {
    const ParamValue& now = plan.options.values.get(spec.id);
    const auto offer = [&](const ParamValue& value) {
      offers.push_back({fmt::format("Learn with {}: {}", lower_first(spec.title), value_in_words(spec, value)),
                        SetTraining{spec.id, value}, now == value});
    };
    if (spec.type == ParamType::flag)
      for (const bool on : {false, true}) offer(on);
    for (const Choice& choice : spec.choices) offer(choice.id);
  }
  return offers;
}

inline std::vector<NumberOffer> option_numbers(const Model& model) {
  std::vector<NumberOffer> offers;
  if (model.screen != Screen::train) return offers;
  const learn::TrainingPlan& plan = training_asked(model);
  for (const ParamSpec& spec : plan.task->options()) {
    if (spec.type != ParamType::integer && spec.type != ParamType::real) continue;
    offers.push_back({fmt::format("Learn with {}", lower_first(spec.title)),
                      value_in_words(spec, plan.options.values.get(spec.id)),
                      [spec](double number) -> std::optional<Action> {
                        ParamValue value = number;
                        if (spec.type == ParamType::integer) value = static_cast<Index>(number);
                        if (spec.type == ParamType::integer && number != std::floor(number)) return std::nullopt;
                        if (!check_param(spec, value)) return std::nullopt;
                        return SetTraining{spec.id, value};
                      }});
  }
  return offers;
}

// The pace so many places faster in their list; where it is in none, the one that is usual.
inline Action shifted_pace(const Model& model, int places) {
  const auto now = std::ranges::find(paces, model.training.pace);
  if (now == std::end(paces)) return SetPace{20};
  const auto at = std::clamp<std::ptrdiff_t>(now - std::begin(paces) + places, 0, std::ssize(paces) - 1);
  return SetPace{paces[at]};
}

inline Command move_in_training(std::string_view id, std::string_view label, Chords chords, int by) {
  return command(id, label, std::move(chords), MoveInTraining{by}, {.repeats = true});
}

inline std::string why_no_move(const MoveInTraining& a, const Model& model) {
  const TrainingShown& shown = model.training;
  if (a.value < 0) return shown.at == 0 ? "It is the first step" : "";
  return shown.at < last_viewable_step(*shown.film) ? "" : more_steps.missing(model);
}

inline std::string why_no_seeds(const TrainSeeds& a, const Model& model) {
  const OtherSeeds& seeds = model.training.seeds;
  if (!a.on) return seeds.running ? "" : "No other seeds are trained";
  if (seeds.running) return "They are trained";
  const bool there = seeds.of && same_plan(*seeds.of, training_asked(model)) && has_all(seeds);
  return there ? "They have been trained" : "";
}

inline constexpr Need heads_to_change{[](const Model& model) -> std::string {
  const auto& film = model.training.film;
  if (!film || film->step == 0) return "Nothing has been learned yet";
  if (film->broken) return "A loss is no number: begin again";
  return film->heads.empty() ? "This network has no heads that can be switched off" : "";
}};

inline std::string why_no_head(learn::TrainedHead head, const Model& model) {
  if (head.map < 0) return "No cell is pinned";
  return model.training.film->heads.contains(head) ? "" : "There is no such head";
}

inline bool is_head_off(const Model& model, learn::TrainedHead head) {
  const auto& film = model.training.film;
  return film && learn::heads_off_at(film->plan->changes, film->step).contains(head);
}

// The head of the pinned weight; where none is, one that is not there.
inline learn::TrainedHead pinned_head(const Model& model) {
  const auto& pinned = model.training.pinned;
  return pinned ? learn::TrainedHead{pinned->map, pinned->head} : learn::TrainedHead{-1, -1};
}

inline bool is_weight_pinned(const Model& model) {
  return model.training.pinned.has_value();
}
inline constexpr Need a_pinned_weight{is_weight_pinned, "No cell is pinned"};

inline auto training_rows() {
  return std::tuple{
      Row<TryCounterTest>{.basics = {in_learn},
                          .undo_of = undo_of_counter_test,
                          .why_not = why_no_counter_test,
                          .offers = offer_counter_tests},
      one_command<LeaveCounterTest>(
          {in_learn,
           {{[](const Model& model) { return counter_test_in(training_asked(model)) != nullptr; },
             "No counter-test is tried"}},
           "leaving the counter-test"},
          "Leave the counter-test: back to the usual"),
      Row<PlayTraining>{.basics = {in_learn, {a_film}},
                        .why_not = [](const PlayTraining& a, const Model& model) -> std::string {
                          if (a.on != model.training.playing) return a.on ? more_steps.missing(model) : "";
                          return a.on ? "It learns" : "It rests";
                        },
                        .commands = {command(PlayTraining{true}, "Train", {"Space"}, {.icon = "play"}),
                                     command(PlayTraining{false}, "Pause training", {"Space"}, {.icon = "pause"})}},
      one_command<TrainUntilLearned>(
          {in_learn,
           {more_steps,
            {[](const Model& model) { return !model.training.film->has_learned(*model.training.film->newest); },
             "It has learned it"}}},
          "Train until it clicks", {"C"}, {.icon = "play"}),
      Row<TrainTo>{.basics = {in_learn, {more_steps}},
                   .numbers =
                       [](const Model& model) {
                         const Index now = model.training.film ? model.training.film->step : 0;
                         return offer_number_from_1<TrainTo>("Train up to step", now, 1000000);
                       }},
      Row<MoveInTraining>{.basics = {in_learn, {a_film}},
                          .why_not = why_no_move,
                          .commands = {move_in_training("train-next", "Next step of training", {"→", "PgDn"}, 1),
                                       move_in_training("train-back", "Previous step of training", {"←", "PgUp"}, -1)}},
      Row<LookAtTrainStep>{.basics = {in_learn, {a_film}},
                           .commands = {command("train-first", "Look at step 0", {"Home"}, LookAtTrainStep{0})},
                           .numbers =
                               [](const Model& model) {
                                 return offer_number_from_1<LookAtTrainStep>("Look at step of training",
                                                                             model.training.at, 1000000);
                               }},
      one_command<FollowTraining>(
          {in_learn,
           {a_film, {[](const Model& model) { return !model.training.follows; }, "The newest step is looked at"}}},
          "Follow the newest step", {"End"}),
      one_command<TrainAgain>({in_learn, {a_film}, "training begun again"}, "Begin training again with the same seed",
                              {"R"}),
      Row<SetPace>{.basics = {in_learn},
                   .commands = {command("train-faster", "Train faster", {"+"},
                                        [](const Model& model) { return shifted_pace(model, 1); }),
                                command("train-slower", "Train slower", {"−"},
                                        [](const Model& model) { return shifted_pace(model, -1); })}},
      Row<TrainSeeds>{.basics = {in_learn, {a_film}},
                      .why_not = why_no_seeds,
                      .commands = {command(TrainSeeds{true}, "Train the same with other seeds"),
                                   command(TrainSeeds{false}, "Stop training other seeds", {"Esc"})}},
      Row<PinTrainCell>{.basics = {nowhere, {a_film}},
                        .why_not = [](const PinTrainCell& a, const Model& model) -> std::string {
                          const bool there =
                              weight_in(*model.training.film->newest, {a.map, a.head, a.query, a.key}).has_value();
                          return there ? "" : "There is no such cell";
                        }},
      one_command<ReleaseTrainCell>({in_learn, {a_pinned_weight}}, "Release the pinned weight", {"Esc"}),
      Row<ShowTrainGradient>{.basics = {in_learn, {a_film}},
                             .why_not = [](const ShowTrainGradient& a, const Model& model) -> std::string {
                               if (a.on != model.training.gradient) return "";
                               return a.on ? "They are shown" : "Weights are shown";
                             },
                             .commands = {command(ShowTrainGradient{true},
                                                  "Maps of slopes: how the loss grows with each score", {"G"}),
                                          command(ShowTrainGradient{false}, "Maps of weights", {"G"})}},
      Row<SwitchTrainHead>{.basics = {in_learn, {heads_to_change}, "head off or on"},
                           .why_not = [](const SwitchTrainHead& a, const Model& model) -> std::string {
                             const std::string why = why_no_head({a.map, a.head}, model);
                             if (!why.empty() || a.on == is_head_off(model, {a.map, a.head})) return why;
                             return a.on ? "The head is on" : "The head is off";
                           },
                           .commands = {command("train-head-off", "Switch the pinned head off or on", {"O"},
                                                [](const Model& model) -> Action {
                                                  const learn::TrainedHead head = pinned_head(model);
                                                  return SwitchTrainHead{head.map, head.head, is_head_off(model, head)};
                                                },
                                                {.key_if = is_weight_pinned})}},
      Row<RedrawTrainHead>{
          .basics = {in_learn, {heads_to_change}, "head drawn anew"},
          .why_not =
              [](const RedrawTrainHead& a, const Model& model) {
                return why_no_head({a.map, a.head}, model);
              },
          .commands = {command("train-redraw-head", "Draw the pinned head anew, and see it heal", {"Shift O"},
                               [](const Model& model) -> Action {
                                 const learn::TrainedHead head = pinned_head(model);
                                 return RedrawTrainHead{head.map, head.head};
                               },
                               {.key_if = is_weight_pinned})}},
      one_command<MeasureTrainHeads>({in_learn, {heads_to_change}}, "Measure which heads matter", {}),
      one_command<PruneTraining>(
          {in_learn,
           {heads_to_change,
            {[](const Model& model) { return model.training.heads != nullptr; },
             "Which heads matter was not measured yet"},
            {[](const Model& model) { return least_important(model.training).has_value(); }, "One head is left"}},
           "head off"},
          "Switch off the head that is missed least, and train on", {}),
      one_command<ExploreTraining>({in_learn, {a_pinned_weight}}, "Explore where the pinned weight comes from",
                                   {"Enter"}),
      Row<MarkTraining>{.basics = {in_learn, {a_film}},
                        .commands = {command(MarkTraining{true}, "Mark this step of training as A", {"A"}),
                                     command(MarkTraining{false}, "Mark this step of training as B", {"B"})}},
      one_command<CompareTraining>({in_learn,
                                    {{[](const Model& model) { return compared_steps(model.training).has_value(); },
                                      "Both would be one step: mark another with A or B"}}},
                                   "Compare two steps of training", {"D"}),
      one_command<SaveTraining>({{Section::file, Screen::train}, {a_film}}, "Save the trained network as a folder", {},
                                {.useful = true}),
      one_command<SaveTrainingFigure>({{Section::file, Screen::train}, {a_film}},
                                      "Save the maps over the steps and the curves as a figure", {}, {.useful = true}),
      Row<TrainOn>{.basics = {{Section::file}},
                   .why_not = [](const TrainOn& a, const Model&)
                       -> std::string { return a.value.empty() ? "This is no network that was trained here" : ""; },
                   .commands = {command("train-on", "Go on training this network", {},
                                        [](const Model& model) -> Action { return TrainOn{trained_folder(model)}; })}},
      Row<ChooseTask>{.basics = {in_learn, {}, "task"},
                      .why_not = why_no_task,
                      .offers =
                          [](const Model& model) {
                            return offer_each(learn::all_tasks(), [&](const learn::Task* task) {
                              return Offer{fmt::format("Learn: {}", task->info().title), ChooseTask{task->info().id},
                                           task == training_asked(model).task};
                            });
                          }},
      Row<SetTraining>{.basics = {in_learn},
                       .undo_of = undo_of_option,
                       .why_not = why_no_option,
                       .offers = offer_options,
                       .numbers = option_numbers},
      Row<SetTrainText>{.basics = {nowhere, {}, "text to learn"}},
      Row<SetTrainSeed>{.basics = {in_learn, {}, "seed of training"},
                        .commands = {command("train-new-seed", "Begin training again with a new seed", {"Shift R"},
                                             [](const Model& model) -> Action {
                                               return SetTrainSeed{training_asked(model).seed + 1};
                                             })}},
      Row<SetTrainSteps>{.basics = {in_learn, {}, "steps of training"}, .numbers = [](const Model& model) {
                           return offer_number_from_1<SetTrainSteps>("Steps of training", training_asked(model).steps,
                                                                     100000);
                         }}};
}

}  // namespace headlight::app::rows
