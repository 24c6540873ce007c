#include <cmath>

#include "app/panels/common/picture.h"
#include "app/panels/common/token_list.h"
#include "app/panels/setup/parts.h"
#include "app/reading/inputs.h"
#include "app/reading/step_words.h"
#include "engine/picture/resize.h"
#include "engine/run/inputs.h"

namespace headlight::app {

namespace {

const TextInput* text_input(const Model& model, const std::string& id) {
  const InputSpec* input = model.input(id);
  return input ? std::get_if<TextInput>(input) : nullptr;
}

void draw_tokenizer(Ui& ui, Rect line, const TextInput& text, const std::string& input, Actions& actions) {
  std::vector<std::string> options;
  int selected = -1;
  for (const auto& name : tokenizers())
    for (const bool start : {true, false}) {
      if (text.tokenizer == name && text.start_token == start) selected = static_cast<int>(options.size());
      options.push_back(capitalized(name) + (start ? " + start token" : ""));
    }
  const int chosen = drop_down(ui, "input/" + input + "/tokenizer", line, options, selected, true);
  if (chosen < 0) return;
  const auto& name = tokenizers()[static_cast<std::size_t>(chosen) / 2];
  if (name != text.tokenizer) actions.push_back(SetTokenizer{input, name});
  if ((chosen % 2 == 0) != text.start_token) actions.push_back(SetStartToken{input, chosen % 2 == 0});
}

void draw_text(Form& form, const Model& model, PanelMemory& memory, const std::string& id, AxisRole along,
               const std::string& title, Actions& actions) {
  const TextInput* text = text_input(model, id);
  if (!text) return;
  Ui& ui = form.ui;
  app::draw_text(form, "input/" + id, text->text, "Type a sentence", shows_busy(model), actions,
                 [&](const std::string& now) {
                   return SetText{id, now, true};
                 });
  Rect line = form.line(24, 6);
  draw_tokenizer(ui, line.take_right(ui.px(160)), *text, id, actions);
  const bool of_other = is_of_other_input(model, model.input(id));
  const auto* tokens = of_other ? nullptr : labels_along(model, along);
  std::string counted;  // known with the first result
  if (tokens) counted = fmt::format("{} {}{}", tokens->size(), title, tokens->size() == 1 ? "" : "s");
  const float width = ui.width_of(Type::heading, counted);
  ui.text_in(Type::heading, line, ui.theme().text_muted, counted);
  line.take_left(width + ui.px(4));
  if (tokens && along != AxisRole::sample && line.w >= ui.px(24))
    draw_add_token(ui, line.take_left(ui.px(24)), model, memory, id);
  if (!of_other) draw_tokens(form, model, memory, id, along, actions);
}

// Words of two languages have numbers of their own, and nothing aligns, until somebody says which mean the same.
void draw_meanings(Form& form, const Model& model, const std::string& id, Actions& actions) {
  form.y += form.ui.px(8);
  form.ui.text_in(Type::heading, form.line(20, 6), form.ui.theme().text_muted, "Words that mean the same");
  app::draw_text(form, "input/" + id + "/means", text_input(model, id)->means, "die = the, Katze = cat",
                 shows_busy(model), actions, [&](const std::string& now) {
                   return SetMeanings{id, now, true};
                 });
}

// ---- Pictures and videos ------------------------------------------------------------------------------------------

std::string name_of(const InputSpec& input) {
  if (const auto* image = std::get_if<ImageInput>(&input)) return file_name(image->path);
  const auto* frames = std::get_if<FramesInput>(&input);
  if (!frames || frames->paths.empty()) return "";
  return frames->paths.size() == 1
             ? file_name(frames->paths.front())
             : fmt::format("{} and {} more", file_name(frames->paths.front()), frames->paths.size() - 1);
}

// The query's pixel can be picked on the picture itself.
void draw_pixels(Form& form, const Model& model, PanelMemory& memory, const InputPicture& picture, Actions& actions) {
  Ui& ui = form.ui;
  const Index rows = picture.cells->height, columns = picture.cells->width, plane = rows * columns;
  const Rect box = fitted({form.column.x, form.y, form.column.w, std::min(form.column.w, ui.px(272))}, rows, columns);
  const Index frame = std::max<Index>(0, model.document.look.frame);
  draw_picture(ui, memory, "input", box, picture);
  ui.frame(box.inset(-1), ui.theme().line_strong);
  const auto hit = ui.hit("input/picture", box, false, fmt::format("{}×{}", rows, columns));
  const Selection selection = effective_selection(model);
  const Step* opening = model.trace() ? model.trace()->default_step() : nullptr;
  const bool in_time = opening && frames_of(*opening) > 1;
  if (selection.query && (!in_time || *selection.query / plane == frame))
    mark_pixel(ui, pixel_rect(box, rows, columns, *selection.query % plane / columns, *selection.query % columns),
               ui.theme().query.main);
  form.y += box.h + ui.px(8);
  if (!hit.hovered) return;
  const CellAt at = pixel_at(box, rows, columns, ui.mouse());
  Selection under = model.document.look.selection;
  under.query = (in_time ? frame * plane : 0) + at.row * columns + at.column;
  memory.hover = Hover{"", model.document.look.head, under};
  if (hit.clicked) actions.push_back(Select{under, under.key.has_value()});
}

// The file of a picture, of the first frame, of a signal or of an array.
std::string path_of(const InputSpec& input) {
  if (const auto* image = std::get_if<ImageInput>(&input)) return image->path;
  if (const auto* signal = std::get_if<SignalInput>(&input)) return signal->path;
  if (const auto* array = std::get_if<FileInput>(&input)) return array->path;
  const auto* frames = std::get_if<FramesInput>(&input);
  return frames && !frames->paths.empty() ? frames->paths.front() : "";
}

// Whether both are made of the same file, or are the same text.
bool have_one_source(const InputSpec& a, const InputSpec& b) {
  const bool texts = std::holds_alternative<TextInput>(a) || std::holds_alternative<TextInput>(b);
  return texts ? a == b : path_of(a) == path_of(b);
}

// A look at a picture that no run has read, and how its grid would be.
std::optional<GridSize> draw_unread(Form& form, const Model& model, PanelMemory& memory, const InputSpec& input,
                                    Actions& actions) {
  const Preview* file = file_preview(model, memory, path_of(input), actions);
  if (!file || !file->picture) return std::nullopt;
  const Image& picture = *file->picture;
  const Rect box = fitted({form.column.x, form.y, form.column.w, std::min(form.column.w, form.ui.px(272))},
                          picture.height, picture.width);
  draw_picture(form.ui, memory, "input", box,
               {&picture, &picture, {0, std::hash<std::string>{}(path_of(input)), 0}, nullptr});
  form.ui.frame(box.inset(-1), form.ui.theme().line_strong);
  form.ui.log("input/unread", box, path_of(input));
  form.y += box.h + form.ui.px(8);
  const bool video = std::holds_alternative<FramesInput>(input);
  const PictureSize size =
      size_within(picture.width, picture.height, video ? default_frame_side : default_longest_side);
  return GridSize{size.height, size.width};
}

// The grid's longer side from a list, or both sides by themselves.
void draw_grid_size(Form& form, const std::string& id, GridSize picture, GridSize now, Actions& actions) {
  constexpr Index sides[] = {4, 7, 8, 12, 14, 16, 24, 28, 32, 48, 56, 64, 96, 128};
  const double aspect = static_cast<double>(picture.columns) / static_cast<double>(picture.rows);
  const auto size_of = [&](Index side) {
    const auto other = [&](double ratio) {
      return std::max<Index>(1, static_cast<Index>(std::lround(static_cast<double>(side) * ratio)));
    };
    return aspect >= 1 ? GridSize{other(1 / aspect), side} : GridSize{side, other(aspect)};
  };
  const auto words_of = [](GridSize size) { return fmt::format("{} × {}", size.rows, size.columns); };
  const int chosen = drop_down_of(
      form.ui, "input/grid", form.row("Grid"), sides, [&](Index side) { return words_of(size_of(side)); },
      [&](Index side) { return size_of(side) == now; }, -1, words_of(now));
  if (chosen >= 0) actions.push_back(SetGrid{id, size_of(sides[chosen])});
  const auto side = [&](const char* path, Rect place, Index length) {
    const auto typed = number_stepper(form.ui, path, place, length, 1, longest_grid_side);
    return typed ? static_cast<Index>(*typed) : length;
  };
  const bool beside = form.column.w >= form.ui.px(262);
  Rect line = form.row(beside ? "Rows, columns" : "Rows");
  GridSize next = now;
  next.rows = side("input/grid/rows", beside ? line.take_left(line.w / 2 - form.ui.px(4)) : line, now.rows);
  line.take_left(form.ui.px(8));
  next.columns = side("input/grid/columns", beside ? line : form.row("Columns"), now.columns);
  if (next != now) actions.push_back(SetGrid{id, next});
}

// Of which the frames that are shown were chosen; 0: not known.
Index frame_count(const Model& model, const std::string& id) {
  if (!model.shown.problem) return 0;
  const auto found = model.shown.problem->pictures.find(id);
  return found == model.shown.problem->pictures.end() ? 0 : found->second->of;
}

// Which frames of a video are read: from where on, every how many-th, and how many.
void draw_frame_range(Form& form, const std::string& id, const FramesInput& frames, Index of, Actions& actions) {
  Ui& ui = form.ui;
  FramesInput next = frames;
  const Index first = std::min(frames.start, of - 1), rest = (of - first + frames.every - 1) / frames.every;
  if (const auto start = number_stepper(ui, "input/frames/start", form.row("From frame"), first, 0, of - 1))
    next.start = static_cast<Index>(*start);
  if (const auto every = number_stepper(ui, "input/frames/every", form.row("Every"), frames.every, 1, of))
    next.every = static_cast<Index>(*every);
  const WholeNumber many{.value = std::min(rest, frames.length.value_or(rest)),
                         .least = 1,
                         .most = rest,
                         .automatic = "all",
                         .is_automatic = !frames.length,
                         .known = true};
  if (const auto chosen = whole_stepper(ui, "input/frames/length", form.row("Frames"), many))
    next.length = chosen->automatic ? std::nullopt : std::optional<Index>(chosen->value);
  if (next == frames) return;
  const Index left = (of - next.start + next.every - 1) / next.every;
  if (next.length) next.length = std::min(*next.length, left);
  actions.push_back(SetInput{id, next});
}

void draw_picture_input(Form& form, const Model& model, PanelMemory& memory, const std::string& id, Actions& actions) {
  Ui& ui = form.ui;
  const InputSpec& asked = *model.input(id);
  const InputPicture picture =
      is_of_other_input(model, &asked) ? InputPicture{} : base_picture(model, model.document.look.frame);
  std::optional<GridSize> grid;
  if (picture) {
    draw_pixels(form, model, memory, picture, actions);
    grid = GridSize{picture.cells->height, picture.cells->width};
  } else {
    grid = draw_unread(form, model, memory, asked, actions);
  }
  Rect line = form.line(28, 4);
  if (button(ui, "input/open", line.take_right(ui.px(92)), "Open …")) actions.push_back(ShowDialog{Dialog::open});
  ui.text_in(Type::label_strong, line, ui.theme().text, ui.fonts().display_text(name_of(asked)));
  if (grid) draw_grid_size(form, id, *grid, size_asked(asked).value_or(*grid), actions);
  const Step* opening = model.trace() ? model.trace()->default_step() : nullptr;
  const Index frames = opening ? frames_of(*opening) : 1;
  const auto* video = std::get_if<FramesInput>(&asked);
  constexpr Index few = 16;  // are all read, unless somebody has chosen
  const bool chosen = video && (video->start > 0 || video->every > 1 || video->length);
  if (const Index of = picture ? frame_count(model, id) : 0; video && of > 1 && (of > few || chosen))
    draw_frame_range(form, id, *video, of, actions);
  if (frames <= 1 || !picture) return;
  Rect frame = form.row("Frame");
  const Index shown = std::max<Index>(0, model.document.look.frame);
  if (const auto next = number_stepper(ui, "input/frame", frame.take_left(ui.px(96)), shown, 0, frames - 1))
    actions.push_back(SetFrame{static_cast<Index>(*next)});
  const std::string range =
      chosen ? fmt::format("video {}", video->start + shown * video->every) : fmt::format("0 to {}", frames - 1);
  if (ui.width_of(Type::number_note, range) <= frame.w)
    ui.text_in(Type::number_note, frame, ui.theme().text_faint, range, Ui::Align::right);
}

}  // namespace

bool is_of_other_input(const Model& model, const InputSpec* asked) {
  if (!model.shows_older() || !model.shown.experiment) return false;
  if (!asked) return model.shown.experiment->arrays != model.document.experiment->arrays;
  return std::ranges::none_of(model.shown.experiment->inputs,
                              [&](const auto& input) { return have_one_source(input.second, *asked); });
}

void draw_input(Form& form, const Model& model, PanelMemory& memory, Actions& actions) {
  Ui& ui = form.ui;
  const std::string first = model.primary_input();
  const InputSpec* input = model.input(first);
  const InputKind kind = input ? kind_of(*input) : InputKind::array;
  const int chosen = segments(ui, "input/kind", form.line(32, 12),
                              {{"text", "Text", ""},
                               {"image", "Image", ""},
                               {"video", "Video", ""},
                               {"signal", "Signal", ""},
                               {"tensors", "Array", ""}},
                              static_cast<int>(kind));
  // There is no array that everybody would have use for: their own is opened.
  if (chosen == static_cast<int>(InputKind::array))
    actions.push_back(ShowDialog{Dialog::open});
  else if (chosen >= 0)
    actions.push_back(UseExample{static_cast<InputKind>(chosen)});
  switch (kind) {
    case InputKind::text: {
      const bool cross = model.has_second_input();
      const std::string second = cross ? model.second_input() : "";
      const bool asks = labels_along(model, AxisRole::query);
      draw_text(form, model, memory, first, asks ? AxisRole::query : AxisRole::sample, cross ? "query token" : "token",
                actions);
      if (cross && text_input(model, second)) {
        form.y += ui.px(8);
        draw_text(form, model, memory, second, AxisRole::key, "key token", actions);
        draw_meanings(form, model, second, actions);
        // Elsewhere that is a mechanism of its own, Cross-attention.
        if (const Variant* variant = find_variant(model.document.experiment->variant);
            variant && variant->info().cross_title.empty()) {
          form.y += ui.px(8);
          if (button(ui, fmt::format("input/{}/remove", second), form.line(32), "Remove the second text"))
            actions.push_back(SetCross{false});
        }
      }
      return;
    }
    case InputKind::image:
    case InputKind::frames:
      return draw_picture_input(form, model, memory, first, actions);
    case InputKind::signal:
      return draw_signal_input(form, model, memory, first, actions);
    case InputKind::array:
      return draw_array_input(form, model, memory, first, actions);
  }
}

}  // namespace headlight::app
