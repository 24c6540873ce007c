// Which array of a file each array of a layer is, where its names are of no layout: guessed, and mended by hand.

#include "app/panels/dialogs/parts.h"
#include "app/platform/input.h"
#include "app/session/opening.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace {

// What is chosen so far, while it is asked.
struct NamesChoice {
  OwnNames names;
  Index layer = 0;  // among those that there are
  Index heads = 0;  // 0: not said yet
  bool keeps = false;
  bool is_input = false;  // the file is no layer
};

// The arrays that a layer may have, in the mechanism's order. Those that hold several others are named in parts.
std::vector<ArraySpec> arrays_of_layer() {
  const Variant& variant = *find_variant("multi_head");
  ParamValues params = ParamValues::defaults(variant.params());
  params.set("block", std::string("pre_norm"));
  params.set("ffn", true);
  params.set("ffn_gated", true);
  params.set("bias", true);
  std::vector<ArraySpec> specs = variant.arrays(params, {}).weights;
  std::erase_if(specs, [](const ArraySpec& spec) {
    return spec.id == "w_qkv" || spec.id == "b_qkv" || spec.id == "logit_scale";
  });
  return specs;
}

// The part of three that queries, keys or values are; nothing for other arrays.
std::optional<Index> third_of(const std::string& id) {
  const auto at = std::string_view("qkv").find(id.back());
  return id.size() == 3 && id[1] == '_' && at != std::string_view::npos ? std::optional(static_cast<Index>(at))
                                                                        : std::nullopt;
}

struct NameOffer {
  std::string title;
  std::optional<OwnName> own;  // none: the layer has no such array
};

// What an array may be: families of its rank, and thirds of those that hold queries, keys and values in one.
std::vector<NameOffer> offers_for(const ArraySpec& spec, const NamesProposed& proposed, const std::string& held) {
  std::vector<NameOffer> offers;
  if (!is_required(spec.id)) offers.push_back({"none", {}});
  const std::size_t rank = spec.id.starts_with("w_") ? 2 : 1;
  for (const NamedFamily& family : proposed.families) {
    if (family.shape.size() != rank) continue;
    const std::string title = fmt::format("{} {}", one_line(family.name), to_string(family.shape));
    const std::string how = rank == 2 ? held : "out_in";
    offers.push_back({title, OwnName{family.name, how, 0, 1}});
    const Index outputs = how == "out_in" ? family.shape.front() : family.shape.back();
    if (const auto third = third_of(spec.id); third && outputs % 3 == 0)
      offers.push_back({fmt::format("{}, part {} of 3", title, *third), OwnName{family.name, how, *third, 3}});
  }
  return offers;
}

void set_layout(OwnNames& names, const std::string& held) {
  for (auto& [id, own] : names.arrays)
    if (id.starts_with("w_")) own.held = held;
}

void draw_name(Ui& ui, Rect line, const ArraySpec& spec, const NamesProposed& proposed, OwnNames& names) {
  ui.text_in(Type::label, line.take_left(ui.px(200)), ui.theme().text_muted, spec.title);
  const auto offers = offers_for(spec, proposed, matrix_order(names));
  const auto now = names.arrays.find(spec.id);
  const auto is_now = [&](const NameOffer& offer) {
    return now == names.arrays.end() ? !offer.own : offer.own == now->second;
  };
  const int picked =
      drop_down_of(ui, "dialog/name/" + spec.id, line.inset(0, ui.px(2)), offers, &NameOffer::title, is_now);
  if (picked < 0) return;
  const auto& own = offers[static_cast<std::size_t>(picked)].own;
  if (own)
    names.arrays.insert_or_assign(spec.id, *own);
  else
    names.arrays.erase(spec.id);
}

std::string names_question(const OpenedArrays& opened) {
  return fmt::format(
      "{} holds {} arrays, and their names are those of no model that is known here. Say which array is which: what "
      "stands here is guessed by shapes and words.{}{}",
      one_line(utf8(opened.path.filename())), opened.arrays.size(), opened.names_beside.empty() ? "" : " ",
      opened.names_beside);
}

std::string settings_in_words(const OwnNames& names) {
  std::string list;
  for (const auto& [id, value] : params_for(names))
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", id, to_string(value));
  return fmt::format(
      "{}What the file does not say, such as a mask, activation or rotary turns, is set at the left once "
      "it is open.",
      list.empty() ? "" : fmt::format("It opens with {}. ", list));
}

}  // namespace

bool asks_for_names(const Model& model, PanelMemory& memory) {
  return model.arrays_opened->proposed && !memory.get<NamesChoice>().is_input;
}

void begin_names_dialog(const Model& model, PanelMemory& memory) {
  NamesChoice& choice = memory.get<NamesChoice>();
  choice = {};
  if (model.arrays_opened->proposed) choice.names = model.arrays_opened->proposed->names;
  choice.heads = model.arrays_opened->heads.value_or(0);
}

void draw_names_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  const OpenedArrays& opened = *model.arrays_opened;
  const NamesProposed& proposed = *opened.proposed;
  NamesChoice& choice = memory.get<NamesChoice>();
  Rect inside = draw_question_card(ui, window, 620, "A layer by its own names", names_question(opened), actions);
  inside.take_top(ui.px(12));
  Rect buttons = inside.take_bottom(ui.px(32));
  Rect below = inside.take_bottom(ui.px(proposed.layers.size() > 1 ? 246 : 202));
  const std::vector<ArraySpec> arrays = arrays_of_layer();
  scroll_rows(ui, "dialog/names", inside, arrays.size(), ui.px(36),
              [&](std::size_t i, Rect line) { draw_name(ui, line, arrays[i], proposed, choice.names); });

  below.take_top(ui.px(8));
  const std::string held = matrix_order(choice.names);
  const int way =
      segments(ui, "dialog/held", take_labelled_row(ui, below, "Matrices", 8),
               {{"out_in", "(out, in), as nn.Linear", ""}, {"in_out", "(in, out)", ""}}, held == "in_out" ? 1 : 0);
  if (way >= 0) set_layout(choice.names, way == 1 ? "in_out" : "out_in");
  if (proposed.layers.size() > 1) draw_layer_row(ui, below, proposed.layers, choice.layer);
  const Index width = width_of_heads(choice.names, proposed.families);
  const bool said = opened.heads && *opened.heads == choice.heads;
  draw_heads_row(ui, below, choice.heads, heads_in_words(width, choice.heads, said));
  const std::string settings = settings_in_words(choice.names);
  ui.log("dialog/settings", below, settings);
  paragraph(ui, {below.x, below.y}, below.w, ui.theme().text_faint, settings, true, Type::note);
  below.take_top(ui.px(44));
  Rect line = take_labelled_row(ui, below, "Keep names", 0);
  if (const auto on = toggle(ui, "dialog/keeps", line.take_left(ui.px(48)), choice.keeps)) choice.keeps = *on;
  ui.text_in(Type::note, line.inset(ui.px(8), 0), ui.theme().text_faint,
             fmt::format("in {} beside the file, for the next time", names_file));

  if (button(ui, "dialog/is-input", buttons.take_left(ui.px(150)), "It is an input …")) {
    choice.is_input = true;
    begin_array_dialog(model, memory);
  }
  const bool possible = choice.heads > 0 && width % choice.heads == 0;
  const bool entered = possible && ui.memory().focus == "dialog/take" && take_enter();
  const bool pressed = draw_open_or_cancel(ui, buttons, possible, actions);
  if (!possible || !(pressed || entered)) return;
  SetStateDict layer{.heads = choice.heads, .path = utf8(opened.path)};
  if (!proposed.layers.empty()) layer.layer = proposed.layers[static_cast<std::size_t>(choice.layer)];
  layer.width = input_width(choice.names, proposed.families);
  layer.names = choice.names;
  layer.params = params_for(choice.names);
  layer.keeps_names = choice.keeps;
  actions.push_back(std::move(layer));
  actions.push_back(ShowDialog{Dialog::none});
}

}  // namespace headlight::app
