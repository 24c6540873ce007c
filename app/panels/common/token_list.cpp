#include "app/panels/common/token_list.h"

#include "app/panels/common/map_parts.h"
#include "app/platform/input.h"

namespace headlight::app {

namespace {

constexpr std::size_t most = 200;    // chips; the map's labels show the rest
constexpr float typing_width = 104;  // px of the design

struct List {
  const std::string& input;
  std::string path;
  bool asking, keys, changes;  // they ask; they are asked; the text can be changed by them
  Index count = 0;             // that are drawn
  Index chosen = -1;
  std::vector<Chip> chips = {};
};

List list_of(Ui& ui, const Model& model, const std::string& input, AxisRole along,
             const std::vector<std::string>& labels) {
  const bool asking = along == AxisRole::query;
  const auto* others = labels_along(model, asking ? AxisRole::key : AxisRole::query);
  const bool self = !model.has_second_input() && (!others || *others == labels);
  const Selection selection = effective_selection(model);
  List list{input, "tokens/" + input, asking, self || along == AxisRole::key,
            along != AxisRole::sample && why_not_tokens(model, input).empty()};
  list.count = static_cast<Index>(std::min(most, labels.size()));
  const Selection& looked = model.document.look.selection;
  list.chosen = (asking ? looked.query : looked.key).value_or(-1);
  if (model.token && model.token->input == input) list.chosen = model.token->at;
  const std::set<Index> masked = masked_tokens(model, input);
  const TextInput* text = text_at(model, input);
  for (Index i = 0; i < list.count; ++i) {
    ChipRole as = list.keys && selection.key == i ? ChipRole::key : ChipRole::none;
    if (asking && selection.query == i) as = ChipRole::query;
    list.chips.push_back({ui.fonts().display_text(labels[static_cast<std::size_t>(i)]), as, masked.contains(i),
                          text && i < start_tokens(*text)});
  }
  return list;
}

// What keys do while the list has the keyboard.
void take_keys(Ui& ui, const List& list, bool entered, const Model& model, PanelMemory& memory, Actions& actions) {
  const Index at = std::clamp<Index>(list.chosen, 0, std::max<Index>(0, list.count - 1));
  const int by = (take_key(Key::right) ? 1 : 0) - (take_key(Key::left) ? 1 : 0);
  if (by != 0) actions.push_back(PickToken{{list.input, std::clamp<Index>(at + by, 0, list.count - 1)}});
  if (take_key(Key::erase) || take_key(Key::backspace)) actions.push_back(RemoveToken{{list.input, at}});
  if (take_key(Key::m, {}, false)) actions.push_back(mask_or_show(model, {list.input, at}));
  if (take_key(Key::menu, {}, false) || take_key(Key::f10, {.shift = true}, false)) {
    actions.push_back(PickToken{{list.input, at}});
    actions.push_back(ShowMenu{MenuTarget::token});
  }
  if (!list.changes || !entered) return;
  memory.get<TokenListMemory>().typing = TokenTyping{{list.input, list.count == 0 ? 0 : at + 1}, {}};
  focus_text_field(ui, list.path + "/new");
}

// The field that a token is typed into.
void draw_gap(Ui& ui, Rect place, const List& list, PanelMemory& memory, Actions& actions) {
  const std::string path = list.path + "/new";
  TokenTyping& typing = *memory.get<TokenListMemory>().typing;
  const bool before = ui.memory().focus == path;
  const FieldResult typed =
      text_field(ui, path, place, typing.typed, false, "a token", {.own_undo = true, .padding = 8});
  if (typed.entered && !typing.typed.empty()) actions.push_back(InsertToken{typing.token, typing.typed});
  if (before && !typed.entered && !typed.given_up) return;
  memory.get<TokenListMemory>().typing.reset();
  if (typed.entered || typed.given_up) ui.memory().focus = list.path;
}

void act_on(Ui& ui, const ChipsResult& result, const List& list, const Model& model, PanelMemory& memory,
            Actions& actions) {
  if (result.hovered >= 0) {
    Selection under = model.document.look.selection;
    (list.asking ? under.query : under.key) = result.hovered;
    memory.hover = Hover{"", model.document.look.head, under};
  }
  if (result.current) set_menu_anchor(memory, MenuTarget::token, *result.current);
  if (result.moved) actions.push_back(MoveToken{{list.input, result.moved->from}, result.moved->to});
  const int chosen = result.menu >= 0 ? result.menu : result.clicked;
  if (chosen >= 0) actions.push_back(PickToken{{list.input, chosen}});
  if (result.menu >= 0) open_menu(ui, memory, MenuTarget::token, actions);
  if (result.doubled >= 0 && list.keys) actions.push_back(mask_or_show(model, {list.input, result.doubled}));
}

}  // namespace

void draw_add_token(Ui& ui, Rect place, const Model& model, PanelMemory& memory, const std::string& input) {
  const std::string path = "tokens/" + input;
  const Index count = token_count(model, input);
  if (!why_not_tokens(model, input).empty() || count > static_cast<Index>(most)) return;
  if (!icon_button(ui, path + "/+", place, Icon::plus, "Put a token in (Enter, in the list of tokens)")) return;
  memory.get<TokenListMemory>().typing = TokenTyping{{input, count}, {}};
  focus_text_field(ui, path + "/new");
}

void draw_tokens(Form& form, const Model& model, PanelMemory& memory, const std::string& input, AxisRole along,
                 Actions& actions) {
  Ui& ui = form.ui;
  if (!model.shown.problem) return;
  // Where one query alone is computed, the keys of self attention still name all tokens.
  const bool all = model.shown.problem->only_query && !model.has_second_input();
  const auto* labels = labels_along(model, all ? AxisRole::key : along);
  if (!labels) return;
  const List list = list_of(ui, model, input, along, *labels);
  TokenListMemory& own = memory.get<TokenListMemory>();
  // A long text's chips scroll in a box of their own.
  const float tallest = ui.px(196);
  float& known = ui.memory().scroll[list.path + "/height"];
  if (known > tallest && list.chosen >= 0 && own.scrolled_to[list.path] != list.chosen) {  // it comes into view once
    float& scroll = ui.memory().scroll[list.path];
    const float y = known * static_cast<float>(list.chosen) / static_cast<float>(std::max<Index>(1, list.count));
    if (y < scroll || y > scroll + tallest - ui.px(34)) scroll = std::clamp(y - tallest / 2, 0.0F, known - tallest);
  }
  own.scrolled_to[list.path] = list.chosen;
  const Rect box{form.column.x, form.y, form.column.w, std::min(known, tallest)};
  // For keys alone: the pointer is the chips'.
  const auto hit = ui.hit(list.path, {box.x, box.y, 0, box.h}, true, fmt::format("{}", list.count));
  if (hit.focused) take_keys(ui, list, hit.clicked, model, memory, actions);
  const bool typing = own.typing && own.typing->token.input == input;
  ChipsOptions options{
      .moves = list.changes, .gap = {}, .gap_width = ui.px(typing_width), .current = static_cast<int>(list.chosen)};
  if (typing) options.gap = static_cast<int>(std::clamp<Index>(own.typing->token.at, 0, list.count));
  ChipsResult result;
  const auto draw = [&](Rect area) {
    result = chips(ui, list.path, {area.x, area.y, form.column.w, 0}, list.chips, options);
    if (hit.focused && result.current) ui.focus_ring(*result.current, ui.px(control_radius));
    if (result.gap) draw_gap(ui, *result.gap, list, memory, actions);
    return result.height;
  };
  if (known > tallest)
    scroll_area(ui, list.path, {box.x, box.y, box.w + ui.px(8), tallest}, draw);
  else
    draw(box);
  known = result.height;
  act_on(ui, result, list, model, memory, actions);
  form.y += std::min(result.height, tallest) + ui.px(4);
  if (labels->size() <= most) return;
  ui.text(Type::note, {form.column.x, form.y}, ui.theme().text_faint,
          fmt::format("and {} more", labels->size() - most));
  form.y += ui.px(20);
}

}  // namespace headlight::app
