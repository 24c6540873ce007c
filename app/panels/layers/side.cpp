// What stands at the left of a model of many layers: what it reads, its folder, what of the files was read.
#include <fmt/ranges.h>

#include <cmath>

#include "app/model/browse.h"
#include "app/panels/common/form.h"
#include "app/panels/common/picture.h"
#include "app/panels/layers/parts.h"
#include "app/reading/costs.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"

namespace headlight::app {

namespace {

// ---- What it reads

std::string ids_as_text(const TokensInput& tokens, Index item) {
  if (tokens.ids.empty()) return {};
  return fmt::format(
      "{}", fmt::join(tokens.ids[static_cast<std::size_t>(std::min<Index>(item, std::ssize(tokens.ids) - 1))], ", "));
}

// A field of the text, of the second one, or of the numbers.
void draw_field(Form& form, const std::string& path, ModelReads what, const std::string& given, const char* hint,
                const Model& model, Actions& actions) {
  draw_text(form, path, given, hint, shows_busy(model), actions, [&](const std::string& now) {
    return SetModelInput{what, now, true};
  });
}

// Whether texts are read, or the numbers of tokens.
void draw_ways(Form& form, const Model& model, const TokensInput& tokens, Actions& actions) {
  const NetworkRun* run = model.net.run.get();
  const bool reads_text = !run || run->tokenizer.has_value();
  const int chosen = segments(
      form.ui, "layers/reads", form.line(32, 8),
      {{"text", "Text", reads_text ? "" : "The folder has no tokenizer: give token ids"}, {"ids", "Token ids", ""}},
      tokens.text ? 0 : 1);
  const std::optional<TokenIds>* read = run ? &run->input.tower(ModelPart::text).tokens : nullptr;
  const auto first = [&] { return (*read)->ids.begin() + run->of(ModelPart::text).item * (*read)->count; };
  if (chosen == 1 && read && *read) {
    std::vector<Index> ids(first(), first() + (*read)->count);
    actions.push_back(SetModelInput{ModelReads::ids, fmt::format("{}", fmt::join(ids, ", ")), false});
  }
  if (chosen == 0 && run) {
    std::string text = run->tokenizer && *read
                           ? run->tokenizer->decode(std::vector<std::int32_t>(first(), first() + (*read)->count))
                           : std::string();
    actions.push_back(SetModelInput{ModelReads::text, std::move(text), false});
  }
}

// Whether the tokens of a stack ask, and are asked, in the part that is shown.
bool holds_queries(ModelPart stack, ModelPart shown) {
  return in_first_stack(stack) == in_first_stack(shown);
}
bool holds_keys(ModelPart stack, ModelPart shown) {
  return stack == (shown == ModelPart::cross ? ModelPart::first : shown);
}

// A token asks, or where it asks already or does nothing else, it answers.
void choose_token(const NetworkLook& look, ModelPart stack, Index at, Actions& actions) {
  Selection pair{look.query, look.key};
  if (!holds_queries(stack, look.part) && !holds_keys(stack, look.part)) {
    actions.push_back(ChoosePart{stack});
    pair = {};
    pair.query = at;
  } else if (holds_queries(stack, look.part) && (pair.query != at || !holds_keys(stack, look.part))) {
    pair.query = at;
  } else {
    pair.key = at;
  }
  actions.push_back(ChoosePair{pair});
}

// The tokens of a stack: click and one asks, where it asks already it answers.
void draw_chips(Form& form, const Model& model, ModelPart stack, Actions& actions) {
  const NetworkLook& look = model.document.network->look;
  constexpr std::size_t most = 200;
  const PartRun& part = model.net.run->of(stack);
  const std::vector<std::string> words =
      shown_words(form.ui, part.staged ? part.query_words_of(look.layer) : part.query_words);
  std::vector<Chip> list;
  for (std::size_t i = 0; i < std::min(most, words.size()); ++i) {
    const auto at = static_cast<Index>(i);
    ChipRole as = holds_keys(stack, look.part) && look.key == at ? ChipRole::key : ChipRole::none;
    if (holds_queries(stack, look.part) && look.query == at) as = ChipRole::query;
    list.push_back({words[i], as});
  }
  const std::string path = stack == ModelPart::decoder ? "layers/decoder-tokens" : "layers/tokens";
  const float tallest = form.ui.px(220);
  float& known = form.ui.memory().scroll[path + "/height"];
  ChipsResult result;
  if (known > tallest) {
    scroll_area(form.ui, path, {form.column.x, form.y, form.column.w + form.ui.px(8), tallest}, [&](Rect area) {
      result = chips(form.ui, path, {area.x, area.y, form.column.w, 0}, list);
      return result.height;
    });
  } else {
    result = chips(form.ui, path, {form.column.x, form.y, form.column.w, 0}, list);
  }
  known = result.height;
  form.y += std::min(result.height, tallest) + form.ui.px(4);
  if (result.clicked >= 0) choose_token(look, stack, result.clicked, actions);
}

// "12 tokens", and what made them.
void draw_count(Form& form, Index n, const char* of, const std::string& more, const std::string& beside) {
  Rect line = form.line(22, 6);
  const Theme& t = form.ui.theme();
  form.ui.text_in(Type::note, line.take_right(form.ui.px(140)), t.text_muted, beside, Ui::Align::right);
  form.ui.text_in(Type::heading, line, t.text_muted, fmt::format("{} {}{}{}", n, of, n == 1 ? "" : "s", more));
}

// What the decoder has said so far, which may be nothing.
void draw_decoder(Form& form, const Model& model, Actions& actions) {
  const ModelExperiment& asked = model.document.network->asked;
  const auto& said = asked.decoder_tokens;
  const bool text = asked.tokens ? asked.tokens->text.has_value() : !said || said->text;
  form.y += form.ui.px(6);
  form.heading("The decoder has said");
  std::string words;
  if (said) words = text ? said->text.value_or("") : ids_as_text(*said, model.document.network->look.item);
  draw_field(form, "layers/decoder", ModelReads::decoder, words,
             text ? "Nothing but its start token" : "1, 2, 3; nothing: its start token", model, actions);
  draw_count(form, model.net.run->of(ModelPart::decoder).queries(), "token", "", "its start token first");
  draw_chips(form, model, ModelPart::decoder, actions);
}

// Rows and columns of the places that the looked at layer asks from.
PatchGrid patch_grid(const NetworkRun& run, const PartRun& part, Index layer) {
  if (!part.staged) return patches_of(run.plan().of(part.part), *run.input.of(part.part).pixels);
  const Index side = std::lround(std::sqrt(static_cast<double>(part.queries_of(layer))));
  return {side, side, 0};
}

// The picture as the model takes it, and where on it the query lies; a click asks from there.
void draw_photograph(Form& form, const Model& model, PanelMemory& memory, Actions& actions) {
  const auto shown = layers_shown(model);
  const InputPicture picture = shown ? photograph_of(model, *shown) : InputPicture{};
  if (!picture) return;
  Ui& ui = form.ui;
  const Rect box =
      fitted({form.column.x, form.y, form.column.w, ui.px(160)}, picture.seen->height, picture.seen->width);
  draw_picture(ui, memory, "layers/photograph", box, picture);
  ui.frame(box.inset(-1), ui.theme().line_strong);
  form.y += box.h + ui.px(10);
  const NetworkLook& look = model.document.network->look;
  const PartRun& part = shown_part(model);
  if (!model.net.run->input.of(part.part).pixels) return;
  const PatchGrid grid = patch_grid(*model.net.run, part, look.layer);
  if (const Index place = look.query.value_or(-1) - grid.before; place >= 0)
    mark_pixel(ui, pixel_rect(box, grid.rows, grid.columns, place / grid.columns, place % grid.columns),
               ui.theme().query.main);
  if (!ui.hit("layers/photograph", box, false, "").clicked) return;
  const CellAt at = pixel_at(box, grid.rows, grid.columns, ui.mouse());
  actions.push_back(ChoosePair{{grid.before + at.row * grid.columns + at.column, look.key}});
}

void draw_reads(Form& form, const Model& model, PanelMemory& memory, Actions& actions) {
  Ui& ui = form.ui;
  const ModelExperiment& asked = model.document.network->asked;
  if (asked.pixels) {
    form.heading("Picture");
    const std::string name = utf8(path_of_utf8(asked.pixels->image + asked.pixels->numbers).filename());
    ui.text_in(Type::label, form.line(20, 2), ui.theme().text, name);
    form.words(ui.theme().text_muted, "Drop another picture on the window.", Type::note, 8);
    draw_photograph(form, model, memory, actions);
  }
  if (asked.tokens) {
    draw_ways(form, model, *asked.tokens, actions);
    const bool pairs = model.net.run && !model.net.run->plan().types.empty();
    if (asked.tokens->text) {
      draw_field(form, "layers/text", ModelReads::text, *asked.tokens->text, "Type a text", model, actions);
      if (pairs)
        draw_field(form, "layers/pair", ModelReads::pair, asked.tokens->pair.value_or(""), "A second text, or none",
                   model, actions);
    } else {
      draw_field(form, "layers/ids", ModelReads::ids, ids_as_text(*asked.tokens, model.document.network->look.item),
                 "1, 2, 3", model, actions);
    }
  }
  if (!model.net.run) return;
  const NetworkRun& run = *model.net.run;
  const ModelPart stack = run.plan().towers.empty() ? run.parts.front().part : shown_part(model).part;
  const StackInput& read = run.input.of(stack);
  const Index items = read.items();
  draw_count(form,
             shown_part(model).staged ? shown_part(model).queries_of(model.document.network->look.layer)
                                      : run.of(stack).queries(),
             read.tokens ? "token" : "place",
             items > 1 ? fmt::format(", item {} of 0–{}", run.of(stack).item, items - 1) : "",
             read.tokens ? run.report.tokenizer : "");
  draw_chips(form, model, stack, actions);
  if (run.plan().has_decoder()) draw_decoder(form, model, actions);
}

// ---- Its folder

void draw_fact(Form& form, std::string_view name, const std::string& value, const std::string& beside) {
  Ui& ui = form.ui;
  Rect line = form.line(24);
  ui.text_in(Type::label, line.take_left(ui.px(112)), ui.theme().text_muted, name);
  if (!beside.empty()) words_at_right(ui, Type::note, line, ui.theme().text_faint, beside, 2);
  ui.text_in(Type::number, line, ui.theme().text, value);
}

void draw_files(Form& form, const Model& model, const ModelReport& report, Actions& actions) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const float row = ui.px(22);
  const Rect card{form.column.x, form.y, form.column.w, ui.px(46) + row * static_cast<float>(report.files.size())};
  draw_sheet(ui, card);
  Rect inside = card.inset(ui.px(12), ui.px(4));
  Rect head = inside.take_top(ui.px(30));
  if (button(ui, "layers/replace", head.take_right(ui.px(74)).inset(0, ui.px(1)), "Replace", ButtonLook::ghost))
    actions.push_back(ShowDialog{Dialog::open});
  std::string named = utf8(model.net.run->model->folder().lexically_normal().filename());
  if (named.empty()) named = ".";
  if (!named.ends_with(".gguf")) named += "/";
  ui.text_in(Type::control, head, t.text, ui.fitted(Type::control, named, head.w));
  ui.line({card.x, inside.y}, {card.right(), inside.y}, t.line);
  inside.take_top(ui.px(4));
  for (const auto& [file, words] : report.files) {
    Rect line = inside.take_top(row);
    words_at_right(ui, Type::number_note, line, t.text, words, 2);
    ui.text_in(Type::number_note, line, t.text_muted, ui.fitted(Type::number_note, file, line.w));
  }
  form.y = card.bottom() + ui.px(8);
  if (!trained_folder(model).empty())
    draw_command(ui, "layers/train-on", form.line(32, 8), "train-on", "Go on training", model, actions);
}

std::string positions_in_words(const ModelPlan& plan) {
  if (plan.has_decoder() && plan.decoder_positions > 0)
    return fmt::format("{} + {}", plan.positions, plan.decoder_positions);
  if (!plan.added_places.empty() || (!plan.places.empty() && plan.positions > 0))
    return fmt::format("{} learned", plan.positions);
  if (!plan.places.empty()) return "any number";
  if (!plan.position_scheme.empty()) return plan.position_scheme;
  return plan.names_stacks ? "relative" : "rotary";
}

void draw_facts(Form& form, const ModelPlan& plan, bool is_causal) {
  const char* seen = is_causal ? "causal" : "both ways";
  draw_fact(form, "Layers × heads",
            plan.has_decoder() ? fmt::format("{} + {} × {}", plan.layers, plan.decoder_layers, plan.heads)
                               : fmt::format("{} × {}", plan.layers, plan.heads_in_words()),
            plan.key_heads > 0 && plan.key_heads != plan.heads ? fmt::format("{} of keys", plan.key_heads) : "");
  draw_fact(form, "Width", fmt::format("{}", plan.width), fmt::format("{} a head", plan.head_width));
  if (plan.pixels)
    draw_fact(form, "Picture", fmt::format("{0} × {0}", plan.image_size), fmt::format("patches of {}", plan.patch));
  else
    draw_fact(form, "Positions", positions_in_words(plan), plan.has_decoder() ? "decoder causal" : seen);
}

std::string with_commas(Index number) {
  std::string digits = fmt::format("{}", number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

// What generation elsewhere keeps of these tokens: a part of a bar for each, the last one's new.
void draw_cache(Form& form, const NetworkRun& run) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const Index asked = run.plan().has_decoder() ? run.of(ModelPart::first).queries() : 0;
  const KeyValueCache cache = key_value_cache(run.plan(), run.output_part().queries(), asked);
  form.heading("Key/value cache");
  const auto bytes = [](Index numbers) { return size_in_words(static_cast<std::uint64_t>(numbers) * sizeof(float)); };
  draw_fact(form, "Numbers kept", with_commas(cache.numbers()), bytes(cache.numbers()));
  draw_fact(form, "of them new", with_commas(cache.of_a_token()), bytes(cache.of_a_token()));
  if (cache.asked > 0) draw_fact(form, "of the encoder", with_commas(cache.once()), bytes(cache.once()));
  Rect bar = form.line(14, 6);
  bar.take_top(ui.px(2));
  const float part = bar.w / static_cast<float>(cache.tokens), gap = part > ui.px(4) ? ui.px(1) : 0;
  ui.fill({bar.x, bar.y, bar.w - part, bar.h}, t.weight.soft);
  ui.fill({bar.right() - std::max(ui.px(2), part), bar.y, std::max(ui.px(2), part), bar.h}, t.weight.main);
  for (Index i = 1; gap > 0 && i < cache.tokens; ++i)
    ui.fill({std::round(bar.x + part * static_cast<float>(i)), bar.y, gap, bar.h}, t.panel);
  const std::string also = cache.asked > 0
                               ? fmt::format(", and as many for each of the encoder's {}, made once", cache.asked)
                               : std::string();
  const std::string words = fmt::format(
      "Of {} token{}: 2 (a key and a value) × {} layer{} × {} head{} × {} numbers each{}, as float32. Programs that "
      "generate keep them and compute the last row alone. Headlight computes the whole pass again, so that every step "
      "can be looked at.",
      cache.tokens, cache.tokens == 1 ? "" : "s", cache.layers, cache.layers == 1 ? "" : "s", cache.heads,
      cache.heads == 1 ? "" : "s", cache.width, also);
  ui.log("layers/cache", bar, words);
  form.words(t.text_faint, words);
}

void draw_remark(Form& form, Icon icon, Color32 color, const std::string& words, const std::string& below) {
  Ui& ui = form.ui;
  draw_icon(ui, icon, {form.column.x + ui.px(8), form.y + ui.px(10)}, color);
  const Rect place{form.column.x + ui.px(26), form.y, form.column.w - ui.px(26), ui.px(20)};
  ui.text_in(Type::label, place, ui.theme().text, words);
  form.y += ui.px(20);
  if (!below.empty())
    form.y += paragraph(ui, {place.x, form.y}, place.w, ui.theme().text_faint, below, true, Type::note);
  ui.log("layers/said/" + words, place, below);
  form.y += ui.px(8);
}

std::string first_names(const std::vector<std::string>& list, std::size_t most) {
  std::string words = fmt::format(
      "{}", fmt::join(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(std::min(most, list.size())), ", "));
  return list.size() > most ? fmt::format("{} and {} more", words, list.size() - most) : words;
}

void draw_report(Form& form, const ModelReport& report) {
  const Theme& t = form.ui.theme();
  draw_remark(form, Icon::check, t.ok, fmt::format("{} of {} arrays used", report.used, report.arrays), "");
  if (report.used < report.arrays)
    draw_remark(form, Icon::minus, t.text_muted, fmt::format("{} passed over", report.arrays - report.used),
                first_names(report.passed, 4));
  if (!report.assumed.empty())
    draw_remark(form, Icon::minus, t.text_muted, fmt::format("{} assumed", report.assumed.size()),
                first_names(report.assumed, 5));
}

// ---- What is asked besides

void draw_asked(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const ModelExperiment& asked = model.document.network->asked;
  if (model.net.run->logits) {
    Rect line = form.line(36).inset(0, ui.px(2));
    ui.text_in(Type::label, line.take_left(ui.px(112)), ui.theme().text_muted, "Likeliest");
    ui.text_in(Type::note, line.take_right(ui.px(70)), ui.theme().text_faint,
               fmt::format("of {}", model.net.run->logits->dim(-1)), Ui::Align::right);
    if (const auto top = number_stepper(ui, "layers/top", line.take_left(ui.px(96)), asked.top, 1, 100))
      actions.push_back(ListLikeliest{*top});
  }
  ui.text_in(Type::label, {form.column.x, form.y, form.column.w, ui.px(28)}, ui.theme().text_muted, "Heads off");
  const ModelPart part = model.document.network->look.part;
  const auto here = std::ranges::count(asked.ablate, part, &ModelHead::part);
  const auto elsewhere = static_cast<std::ptrdiff_t>(asked.ablate.size()) - here;
  if (here == 0)
    ui.text_in(Type::label, {form.column.x + ui.px(112), form.y, form.column.w - ui.px(112), ui.px(28)},
               ui.theme().text, elsewhere == 0 ? "none" : fmt::format("none here, {} elsewhere", elsewhere));
  Rect beside = form.line(0);
  beside.take_left(ui.px(112));
  Flow flow{.box = beside, .height = ui.px(28), .gap = ui.px(6), .between = ui.px(6)};
  for (const ModelHead& head : asked.ablate) {
    if (head.part != part) continue;
    const std::string name = short_name(head);
    if (button(ui, fmt::format("layers/on/{}/{}", head.layer, head.head),
               flow.next(ui.width_of(Type::control, name) + ui.px(44)), name, ButtonLook::secondary, Icon::close))
      actions.push_back(SwitchHead{head.layer, head.head, true});
  }
  form.y = flow.bottom() + ui.px(6);
}

// A folder of which nothing is known: not what it reads either.
void draw_unread(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  form.heading("Model");
  const ModelExperiment& asked = model.document.network->asked;
  form.words(ui.theme().text, utf8(resolve_path(asked.folder, asked.model).lexically_normal()), Type::label, 8);
  if (button(ui, "layers/replace", form.line(32, 8).take_left(ui.px(120)), "Replace"))
    actions.push_back(ShowDialog{Dialog::open});
}

}  // namespace

float draw_network_side(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  Form form{ui, box.inset(ui.px(16), 0), box.y + ui.px(14)};
  if (model.net.unread) {
    draw_unread(form, model, actions);
    return form.y + ui.px(16) - box.y;
  }
  draw_reads(form, model, memory, actions);
  if (!model.net.run) return form.y + ui.px(16) - box.y;
  const NetworkRun& run = *model.net.run;
  form.divider(box.x, box.w);
  Rect line{form.column.x, form.y, form.column.w, ui.px(16)};
  ui.text_in(Type::note, line.take_right(ui.px(140)), ui.theme().text_faint, "no file is executed", Ui::Align::right);
  form.heading("Model");
  draw_files(form, model, run.report, actions);
  const PartRun& part = shown_part(model);
  draw_facts(form, run.plan().of(part.part), (run.plan().has_decoder() ? run.output_part() : part).is_causal());
  form.divider(box.x, box.w);
  const bool goes_on = run.output_part().is_causal() && run.plan().towers.empty() && run.plan().embeds.empty();
  if (goes_on || run.plan().has_decoder()) {
    draw_cache(form, run);
    form.divider(box.x, box.w);
  }
  draw_report(form, run.report);
  form.divider(box.x, box.w);
  draw_asked(form, model, actions);
  return form.y + ui.px(16) - box.y;
}

}  // namespace headlight::app
