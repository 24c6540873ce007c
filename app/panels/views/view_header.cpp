#include <cctype>
#include <cmath>

#include "app/panels/mechanism/parts.h"
#include "app/panels/views/parts.h"
#include "app/reading/pixel_partners.h"
#include "app/reading/step_words.h"

namespace headlight::app {

void draw_batch(Ui& ui, Rect& header, const Model& model, Actions& actions) {
  const auto [now, all] = item_looked_at(model);
  const Index batches = model.shows_network() ? all : batches_of(*model.step());
  if (batches <= 1) return;
  Rect box = header.take_right(ui.px(150)).inset(0, (header.h - ui.px(32)) / 2);
  const Rect control = box.take_right(ui.px(86));
  ui.text_in(Type::note, box, ui.theme().text_faint, "Batch");
  if (const auto next = number_stepper(ui, "batch", control, now, 0, batches - 1)) actions.push_back(SetBatch{*next});
  header.take_right(ui.px(16));
}

void draw_channel(Ui& ui, Rect& header, const Model& model, Actions& actions) {
  const Axis* axis = chosen_channel_axis(*model.step(), focus_of(model.document.look));
  if (!axis || axis->size <= 1 || header.w < ui.px(330)) return;
  Rect box = header.take_right(ui.px(152)).inset(0, (header.h - ui.px(32)) / 2);
  const Rect control = box.take_right(ui.px(86));
  ui.text_in(Type::note, box, ui.theme().text_faint, capitalized(axis->name));
  Selection next = model.document.look.selection;
  const Index now = std::min(next.channel.value_or(0), axis->size - 1);
  if (const auto to = number_stepper(ui, "channel", control, now, 0, axis->size - 1)) {
    next.channel = static_cast<Index>(*to);
    actions.push_back(Select{next, model.document.look.pinned});
  }
  header.take_right(ui.px(16));
}

void draw_stage_steps(Ui& ui, Rect& controls, const Model& model, Actions& actions) {
  const Stage* stage = model.trace()->stage_of(model.step()->info.id);
  if (!stage || stage->steps.size() <= 1) return;
  // q, k and v as in the formulas, all else by its title; a list where those have no room.
  const auto is_letter = [](const std::string& id) { return id.size() == 1; };
  std::vector<Segment> list;
  std::vector<std::string> titles;
  int current = -1;
  float width = 0, widest = ui.px(136);
  for (const auto& id : stage->steps) {
    if (id == model.step()->info.id) current = static_cast<int>(list.size());
    titles.push_back(is_letter(id) ? id : model.trace()->find(id)->info.title);
    list.push_back({id, titles.back(), ""});
    widest = std::max(widest, std::ceil(ui.width_of(Type::control, titles.back())));
    width = std::max({width, ui.px(48), ui.width_of(Type::control, titles.back()) + ui.px(20)});
  }
  width *= static_cast<float>(list.size());  // all are as wide as the widest
  const float title = ui.width_of(Type::label_strong, model.step()->info.title) + ui.px(24);  // stays beside them
  const bool fits = width <= controls.w * 0.5F && width + title <= controls.w;
  const Rect which = controls.take_right(fits ? width : std::min(widest + ui.px(44), controls.w * 0.75F))
                         .inset(0, (controls.h - ui.px(32)) / 2);
  const int chosen =
      fits ? segments(ui, "stage_steps", which, list, current) : drop_down(ui, "stage_steps", which, titles, current);
  if (chosen >= 0) actions.push_back(ShowStep{list[static_cast<std::size_t>(chosen)].id});
  controls.take_right(ui.px(12));
}

namespace {

void draw_modes(Ui& ui, Rect& controls, const Model& model, bool title, Actions& actions) {
  // Where positions lie on a picture, that is the map, and the matrix of all pairs a view of its own.
  const bool picture = is_seen_on_picture(*model.step());
  std::vector<ViewMode> modes;
  std::vector<Segment> list;
  const auto add = [&](ViewMode mode, const char* id, const char* label) {
    modes.push_back(mode);
    list.push_back({id, label, ""});
  };
  const bool mechanism = has_mechanism_view(model) || model.document.look.mode == ViewMode::mechanism;
  if (mechanism) add(ViewMode::mechanism, "mechanism", "Mechanism");
  if (model.has_layers()) add(ViewMode::layers, "layers", "Layers");
  add(ViewMode::map, "map", picture ? "Picture" : "Heatmap");
  if (picture) add(ViewMode::matrix, "matrix", "Matrix");
  // Lines join words; between pixels they are a solid mass.
  const Step* map = model.trace()->map();
  const bool lines = map && !is_seen_on_picture(*map);
  if (lines) add(ViewMode::lines, "lines", "Lines");
  if (has_word_arrows(*model.trace(), *model.step()) || model.document.look.mode == ViewMode::arrows)
    add(ViewMode::arrows, "arrows", "Arrows");
  add(ViewMode::numbers, "numbers", "Numbers");
  if (map) add(ViewMode::heads, "heads", "Heads");
  const auto at = std::ranges::find(modes, model.document.look.mode);
  // What has no view of that name is shown as its map.
  const int now = static_cast<int>((at == modes.end() ? std::ranges::find(modes, ViewMode::map) : at) - modes.begin());
  const float each = mechanism ? 86 : 76;  // all are as wide as the widest
  const Stage* stage = model.trace()->stage_of(model.step()->info.id);
  const bool alone = model.document.look.mode == ViewMode::mechanism && (!stage || stage->steps.size() <= 1);
  const float before = alone ? 40 : 290;  // of what else stands in the line
  const bool wide = controls.w > ui.px((title ? 380 : before) + each * static_cast<float>(list.size()));
  const float width = ui.px(wide ? each * static_cast<float>(list.size()) : 112);
  const Rect box = controls.take_right(width).inset(0, (controls.h - ui.px(32)) / 2);
  std::vector<std::string> titles;
  for (const auto& segment : list) titles.push_back(segment.label);
  const int chosen = wide ? segments(ui, "view", box, list, now) : drop_down(ui, "view", box, titles, now);
  if (chosen >= 0) actions.push_back(SetMode{modes[static_cast<std::size_t>(chosen)]});
  controls.take_right(ui.px(16));
}

// How colours are scaled, where heads or powers of ten leave a choice, in the room that the title leaves.
// `title` stands at the left, and `ask` beside it where there is room for both.
void draw_scaling(Ui& ui, Rect& controls, float title, float ask, const Model& model, Actions& actions) {
  const Look& look = model.document.look;
  if (look.mode != ViewMode::map && look.mode != ViewMode::matrix) return;
  const bool powers = can_be_logarithmic(*model.step(), look.batch);
  const bool heads = has_heads(*model.step()) && heads_of(*model.step()) > 1;
  std::vector<ScalingChoice> list(scaling_choices().begin(), scaling_choices().end());
  std::erase_if(list, [&](const ScalingChoice& choice) {
    return (choice.scaling.per_head && !heads) || (choice.scaling.space == Scaling::Space::logarithmic && !powers);
  });
  const float left = controls.w - title - ui.px(16), least = ui.px(150);
  const float room = std::min(ui.px(190), left - ask >= least ? left - ask : left);
  if (list.size() < 2 || room < least) return;
  const Rect box = controls.take_right(room).inset(0, (controls.h - ui.px(32)) / 2);
  const auto is_now = [&](const ScalingChoice& choice) { return choice.scaling == look.scaling; };
  const int chosen = drop_down_of(ui, "scaling", box, list, &ScalingChoice::title, is_now, 0);
  if (chosen >= 0) actions.push_back(SetScaling{list[static_cast<std::size_t>(chosen)].scaling});
  controls.take_right(ui.px(16));
}

}  // namespace

void draw_head_choice(Ui& ui, Rect& header, const Model& model, Actions& actions) {
  const Step& step = *model.step();
  if (!has_heads(step) || heads_of(step) < 2) return;
  std::vector<std::string> titles;
  float widest = 0;
  for (Index place = 0; place < heads_of(step); ++place) {
    const Index m = first_head_at(step, place);
    const std::string name = head_name(*model.trace(), step, m), number = head_number(*model.trace(), step, m);
    titles.push_back(number.empty() ? name : fmt::format("{} {}", number, name));
    widest = std::max(widest, ui.width_of(Type::control, titles.back()));
  }
  const float width = std::clamp(widest + ui.px(44), ui.px(110), header.w * 0.45F);
  const int chosen = drop_down(ui, "heads/list", header.take_left(width).inset(0, (header.h - ui.px(32)) / 2), titles,
                               static_cast<int>(place_of_head(step, model.document.look.head)));
  if (chosen >= 0) actions.push_back(SetHead{first_head_at(step, chosen)});
  header.take_left(ui.px(12));
}

std::string title_of_view(const Model& model) {
  const Step& step = *model.step();
  const Index head = model.document.look.head;
  const std::string name = head_name(*model.trace(), step, head);
  if (!has_heads(step)) return step.info.title;
  return head_number(*model.trace(), step, head).empty() ? name : fmt::format("Head {} · {}", head, name);
}

// Takes its place at the left.
void draw_subtitle(Ui& ui, Rect& controls, Color32 color, const std::string& words) {
  const Rect place = controls.take_left(ui.width_of(Type::label, words));
  ui.text_in(Type::label, place, color, words);
  controls.take_left(ui.px(24));
}

// That the result is an older run's, in as many words as there is room for.
void draw_older(Ui& ui, Rect& controls) {
  for (const char* words : {older_words, "run before", "older"}) {
    if (ui.width_of(Type::label, words) > controls.w) continue;
    ui.log("view/older", controls, words);
    return draw_subtitle(ui, controls, ui.theme().warning, words);
  }
}

std::string subtitle_of_view(const Model& model) {
  return has_heads(*model.step()) ? lower_first(model.step()->info.title) : "";
}

Rect draw_view_header(Ui& ui, Rect header, const Model& model, const std::string& title, const std::string& what,
                      Actions& actions, bool choose_head) {
  Rect controls = header;
  if (choose_head) draw_head_choice(ui, controls, model, actions);
  draw_modes(ui, controls, model, !choose_head, actions);
  draw_batch(ui, controls, model, actions);
  if (!model.shows_layers()) {
    draw_channel(ui, controls, model, actions);
    draw_stage_steps(ui, controls, model, actions);
  }
  const bool older = model.shows_older();
  const float older_room = older ? ui.width_of(Type::label, older_words) + ui.px(11) : 0;
  if (choose_head && title.empty()) {
    draw_scaling(ui, controls, older_room, 0, model, actions);
    if (older) draw_older(ui, controls);
    return controls;
  }
  const std::string shown_title = title.empty() ? title_of_view(model) : title;
  // After a change, the way to what it changed comes before what is known already.
  const float ask = title.empty() && what.empty() && !choose_head ? change_button_width(ui, model) : 0;
  const float needed = ui.width_of(Type::title, shown_title) + older_room;
  draw_scaling(ui, controls, needed, ask > 0 ? ask + ui.px(10) : 0, model, actions);
  const Type type = needed <= controls.w ? Type::title : Type::label_strong;
  const float width = std::min(ui.width_of(type, shown_title), controls.w);
  ui.text_in(type, controls.take_left(width), ui.theme().text, shown_title);
  controls.take_left(ui.px(10));
  if (older) {
    draw_older(ui, controls);
    return controls;
  }
  const std::string shown_what = title.empty() && what.empty() ? subtitle_of_view(model) : what;
  const float words = ui.width_of(Type::label, shown_what);
  const bool gives_way = ask > 0 && ask <= controls.w && words + ui.px(24) + ask > controls.w;
  if (words <= controls.w && !gives_way) draw_subtitle(ui, controls, ui.theme().text_faint, shown_what);
  return controls;
}

}  // namespace headlight::app
