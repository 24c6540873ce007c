// Inputs that are signals or arrays of a file: which part of it is read, and what it means.
#include "app/panels/setup/parts.h"

#include <fmt/ranges.h>

#include <cmath>

#include "app/model/browse.h"
#include "app/panels/common/token_list.h"
#include "app/panels/dialogs/parts.h"
#include "app/reading/inputs.h"
#include "engine/core/system/paths.h"
#include "engine/io/axes.h"
#include "engine/run/given_maps.h"
#include "engine/run/sparse_maps.h"

namespace headlight::app {

std::string file_name(const std::string& path) {
  return utf8(path_of_utf8(path).filename());
}

const Preview* file_preview(const Model& model, PanelMemory& memory, const std::string& path, Actions& actions) {
  const std::string whole = utf8((model.document.experiment->folder / path).lexically_normal());
  if (model.preview && model.preview->path == whole) return model.preview.get();
  if (model.dialog == Dialog::none && std::exchange(memory.get<FileDialog>().peeked, whole) != whole)
    actions.push_back(Peek{whole});
  return nullptr;
}

namespace {

// A hundredth of the signal or less, in steps of 1, 10, 100 ….
Index step_through(Index samples) {
  Index step = 1;
  while (step * 1000 <= samples) step *= 10;
  return step;
}

std::string signal_words(const SignalInfo& info, Index first, Index length, Index positions) {
  const auto seconds = [&](Index samples) { return static_cast<double>(samples) / info.rate; };
  std::string words = fmt::format("Samples {} to {} of {}", first, first + length - 1, info.samples);
  if (info.rate > 0)
    words +=
        fmt::format(" ({:.4g} s to {:.4g} s, {:.0f} a second)", seconds(first), seconds(first + length), info.rate);
  return words + (length > positions ? fmt::format(": each position is the mean of {:.4g}.",
                                                   static_cast<double>(length) / static_cast<double>(positions))
                                     : ": each is a position.");
}

// Which column and stretch is read, and as how many positions.
void draw_signal_choices(Form& form, const std::string& id, const SignalInput& signal, const SignalInfo& info,
                         Actions& actions) {
  Ui& ui = form.ui;
  SignalInput next = signal;
  int selected = static_cast<int>(info.columns.size()) - 1;  // the last, unless one is named
  for (std::size_t i = 0; i < info.columns.size(); ++i)
    if (signal.column == info.columns[i] || signal.column == fmt::format("{}", i)) selected = static_cast<int>(i);
  if (info.columns.size() > 1) {
    const int chosen = drop_down(ui, "input/column", form.row("Column"), info.columns, selected);
    if (chosen >= 0) next.column = info.columns[static_cast<std::size_t>(chosen)];
  }
  const Index first = std::min(signal.start, info.samples - 1), rest = info.samples - first;
  const Index length = std::min(rest, signal.length.value_or(rest));
  const Index step = step_through(info.samples);
  if (const auto start = number_stepper(ui, "input/start", form.row("From sample"), first, 0, info.samples - 1, step)) {
    next.start = static_cast<Index>(*start);
    if (next.length) next.length = std::min(*next.length, info.samples - next.start);
  }
  const WholeNumber many{.value = length,
                         .least = 1,
                         .most = rest,
                         .step = step,
                         .first = std::min(step, rest),
                         .automatic = "all",
                         .is_automatic = !signal.length,
                         .known = true};
  if (const auto chosen = whole_stepper(ui, "input/length", form.row("Samples"), many))
    next.length = chosen->automatic ? std::nullopt : std::optional<Index>(chosen->value);
  constexpr Index finest = 512;  // positions: every pair of them is a cell
  const Index most = std::min(length, std::max(finest, signal.samples.value_or(default_samples)));
  const Index positions = std::min(most, signal.samples.value_or(default_samples));
  if (const auto count = number_stepper(ui, "input/samples", form.row("Positions"), positions, 1, most, 8))
    next.samples = static_cast<Index>(*count);
  form.log_words("input/samples/words", ui.theme().text_faint, signal_words(info, first, length, positions), Type::note,
                 4);
  if (!(next == signal)) actions.push_back(SetInput{id, next});
}

// What its axes may mean, and what they do: as positions and channels, or as those of maps.
struct AxesChoice {
  std::vector<std::string> choices;
  std::string now;  // among them, or empty: as the mechanism takes them
  std::string words;
};

AxesChoice axes_of(const FileInput& input, const Shape& shape, bool maps, bool several) {
  if (!maps)
    return {axes_of_rank(shape.size()), input.axes,
            input.axes.empty() ? "As the mechanism takes them." : axes_in_words(input.axes, shape) + "."};
  AxesChoice choice{
      map_axes_of_rank(shape.size()), input.axes.empty() ? usual_map_axes(shape, several) : input.axes, {}};
  // Where each array is a layer, none of them has an axis of layers.
  if (several)
    std::erase_if(choice.choices, [](const std::string& axes) { return axes.find('l') != std::string::npos; });
  // A window reaches as far to both sides.
  std::erase_if(choice.choices, [&](const std::string& axes) { return axes.ends_with('w') && shape.back() % 2 == 0; });
  if (std::ranges::find(choice.choices, choice.now) == choice.choices.end()) choice.choices.push_back(choice.now);
  std::vector<std::string> counted;
  for (const Index extent : shape) counted.push_back(fmt::format("{}", extent));
  choice.words = fmt::format("{}: {}.", fmt::join(counted, " × "), map_axes_in_words(choice.now));
  return choice;
}

void draw_axes(Form& form, const std::string& id, const FileInput& input, const AxesChoice& choice, Actions& actions) {
  const auto is_now = [&](const std::string& axes) { return axes == choice.now; };
  const int chosen =
      drop_down_of(form.ui, "input/axes", form.row("Axes"), choice.choices, axes_in_letters, is_now, -1, "as they lie");
  form.log_words("input/axes/words", form.ui.theme().text_faint, choice.words);
  if (chosen < 0) return;
  FileInput next = input;  // what positions are called stays
  next.axes = choice.choices[static_cast<std::size_t>(chosen)];
  actions.push_back(SetInput{id, std::move(next)});
}

// Which positions of attention are kept: others may be padding.
void draw_positions(Form& form, const std::string& id, const FileInput& input, Actions& actions) {
  std::string kept = input.labels.positions;
  const FieldResult typed =
      text_field(form.ui, "input/positions", form.row("Positions"), kept, false, "all, or 0-8,12");
  push_typed(actions, typed, input.labels.positions, kept, [&](const std::string& now) {
    FileInput next = input;
    next.labels.positions = now;
    return SetInput{id, std::move(next)};
  });
}

// Which of a file's arrays is the input.
void draw_member(Form& form, const Model& model, PanelMemory& memory, const std::string& id, const FileInput& input,
                 Actions& actions) {
  const Preview* file = file_preview(model, memory, input.path, actions);
  if (!file || file->arrays.empty()) return;
  const Variant& variant = *find_variant(model.document.experiment->variant);
  const bool maps = takes_maps(variant), several = maps && file->arrays.size() > 1;
  const bool all = several && (input.member.empty() || input.member.find('*') != std::string::npos);
  const bool edges = all && input.member.empty() && edges_by_shapes(file->arrays),
             steps = all && input.member.empty() && !edges && generated_steps(file->arrays);
  std::vector<std::string> titles;
  int selected = input.member.empty() ? 0 : -1;
  for (std::size_t i = 0; i < file->arrays.size(); ++i) {
    const auto& [name, shape] = file->arrays[i];
    titles.push_back(fmt::format("{} ({})", name, fmt::join(shape, ", ")));
    if (name == input.member) selected = static_cast<int>(i);
  }
  if (all) {  // which stays a choice until one of them is taken
    selected = static_cast<int>(titles.size());
    std::string& title = titles.emplace_back((input.member.empty() ? "all" : input.member) + ", a layer each");
    if (steps) title = "all, a step each";
    if (edges) title = "edges and weights";
  }
  const int chosen = drop_down(form.ui, "input/member", form.row("Array"), titles, selected);
  if (chosen >= 0 && chosen != selected) {
    const auto& [name, shape] = file->arrays[static_cast<std::size_t>(chosen)];
    const bool same_rank =
        selected >= 0 && !all && shape.size() == file->arrays[static_cast<std::size_t>(selected)].second.size();
    FileInput next = input;
    next.member = name;
    if (!same_rank) next.axes = maps ? "" : likely_axes(shape, variant);
    actions.push_back(SetInput{id, std::move(next)});
  }
  if (selected < 0 || (all && (edges || steps))) return;  // their axes are what makes them such
  const Shape& shape = file->arrays[all ? 0 : static_cast<std::size_t>(selected)].second;
  draw_axes(form, id, input, axes_of(input, shape, maps, all), actions);
}

// Words that somebody gave for positions of numbers; where those lie on a picture it names them.
void draw_given_tokens(Form& form, const Model& model, PanelMemory& memory, const std::string& id, Actions& actions) {
  if (!model.shown.problem || is_of_other_input(model, model.input(id))) return;
  const Problem& problem = *model.shown.problem;
  const auto given = [&](AxisRole along) -> const std::vector<std::string>* {
    const std::string symbol(symbol_of(along));
    const bool on_picture = problem.grids.contains(symbol) || problem.placed.contains(symbol);
    return problem.given_labels.contains(symbol) && !on_picture ? labels_along(model, along) : nullptr;
  };
  const auto *queries = given(AxisRole::query), *keys = given(AxisRole::key);
  const auto draw = [&](const std::vector<std::string>& words, const char* what, const std::string& name,
                        AxisRole along) {
    form.y += form.ui.px(10);
    form.ui.text_in(Type::heading, form.line(24, 6), form.ui.theme().text_muted,
                    fmt::format("{} {}{}", words.size(), what, words.size() == 1 ? "" : "s"));
    draw_tokens(form, model, memory, name, along, actions);
  };
  const bool alike = queries && keys && *queries == *keys;
  if (queries) draw(*queries, keys && !alike ? "query token" : "token", id, AxisRole::query);
  if (keys && !alike) draw(*keys, "key token", id + "/keys", AxisRole::key);
}

}  // namespace

void draw_signal_input(Form& form, const Model& model, PanelMemory& memory, const std::string& id, Actions& actions) {
  Ui& ui = form.ui;
  const auto* signal = std::get_if<SignalInput>(model.input(id));
  const bool drawn = model.trace() && !is_of_other_input(model, model.input(id));
  const Step* source = drawn ? model.trace()->find(id) : nullptr;
  const Rect box = form.line(110, 8);
  draw_sheet(ui, box, 6);
  if (source && source->tensor().rank() == 3) {
    const Tensor& x = source->tensor();
    const bool rows = role_along(source->info.axes[1]) != AxisRole::channel;  // (B, n, d) or (B, C, L)
    const Index n = rows ? x.dim(1) : x.dim(2), stride = rows ? x.dim(2) : 1;
    const Index start = std::min(model.document.look.batch, x.dim(0) - 1) * x.dim(1) * x.dim(2);
    float least = 0, most = 0;
    for (Index i = 0; i < n; ++i) {
      least = std::min(least, x[start + i * stride]);
      most = std::max(most, x[start + i * stride]);
    }
    const Rect plot = box.inset(ui.px(8), ui.px(10));
    const auto at = [&](Index i) {
      const float t = n > 1 ? static_cast<float>(i) / static_cast<float>(n - 1) : 0.5F;
      const float v = most > least ? (x[start + i * stride] - least) / (most - least) : 0.5F;
      return Point{plot.x + plot.w * t, plot.bottom() - plot.h * v};
    };
    for (Index i = 1; i < n; ++i) ui.line(at(i - 1), at(i), ui.theme().text_muted, ui.px(1.5F));
    const Selection selection = effective_selection(model);
    const auto dot = [&](std::optional<Index> which, Color32 color) {
      if (!which || *which >= n) return;
      const Point p = at(*which);
      ui.fill({p.x - ui.px(4), p.y - ui.px(4), ui.px(8), ui.px(8)}, color, ui.px(4));
    };
    dot(selection.key, ui.theme().key.main);
    dot(selection.query, ui.theme().query.main);
    if (ui.hit("input/signal", box, false, fmt::format("{}", n)).clicked) {
      Selection next = model.document.look.selection;
      const float t = (ui.mouse().x - plot.x) / plot.w;
      next.query = std::clamp<Index>(static_cast<Index>(std::lround(t * static_cast<float>(n - 1))), 0, n - 1);
      actions.push_back(Select{next, next.key.has_value()});
    }
  }
  Rect line = form.line(28);
  if (button(ui, "input/open", line.take_right(ui.px(92)), "Open …")) actions.push_back(ShowDialog{Dialog::open});
  ui.text_in(Type::label_strong, line, ui.theme().text, signal ? file_name(signal->path) : "");
  if (!signal) return;
  const Preview* file = file_preview(model, memory, signal->path, actions);
  if (file && file->signal) draw_signal_choices(form, id, *signal, *file->signal, actions);
}

void draw_array_input(Form& form, const Model& model, PanelMemory& memory, const std::string& id, Actions& actions) {
  const Experiment& experiment = *model.document.experiment;
  const auto* file = model.input(id) ? std::get_if<FileInput>(model.input(id)) : nullptr;
  Rect line = form.line(28, 6);
  if (button(form.ui, "input/open", line.take_right(form.ui.px(92)), "Open …"))
    actions.push_back(ShowDialog{Dialog::open});
  form.ui.text_in(Type::label_strong, line, form.ui.theme().text,
                  file ? form.ui.fonts().display_text(file_name(file->path)) : "Numbers");
  if (file) {
    draw_member(form, model, memory, id, *file, actions);
    if (takes_maps(*find_variant(experiment.variant))) draw_positions(form, id, *file, actions);
    return draw_given_tokens(form, model, memory, id, actions);
  }
  const auto* step = model.input(id) ? std::get_if<StepInput>(model.input(id)) : nullptr;
  std::string words = "Numbers that the experiment holds itself. Open or drop an .npy or .npz to use others.";
  if (!experiment.arrays.empty()) words = fmt::format("Inputs come from {}.", file_name(experiment.arrays));
  if (step)
    words = fmt::format("The residual stream of a model: {}.{}", step->step,
                        model.document.layer_open ? " B goes back to the model." : "");
  form.log_words("input/tensors/words", form.ui.theme().text_muted, form.ui.fonts().display_text(words), Type::body);
  draw_given_tokens(form, model, memory, id, actions);
}

}  // namespace headlight::app
