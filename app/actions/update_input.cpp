// What is computed of: text, pictures, signals, where their positions stand.
#include <algorithm>

#include "app/actions/tokens.h"
#include "app/actions/updating.h"
#include "app/reading/edits_offered.h"
#include "app/reading/inputs.h"
#include "app/reading/step_words.h"
#include "engine/core/system/paths.h"
#include "engine/inputs/text.h"
#include "engine/io/experiment_edits.h"
#include "engine/run/inputs.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

// The text that an input is, null where it is none.
auto* text_input(auto& experiment, const std::string& id) {
  const auto found = experiment.inputs.find(id);
  return found == experiment.inputs.end() ? nullptr : std::get_if<TextInput>(&found->second);
}

// The edit of that number, null where there is none.
auto* edit_numbered(auto& experiment, Index number) {
  const auto count = static_cast<Index>(experiment.edits.size());
  return number >= 1 && number <= count ? &experiment.edits[static_cast<std::size_t>(number - 1)] : nullptr;
}

// The words of a text from the last to the first: another text in which each of them can be found.
std::string reversed_words(const std::string& text) {
  std::string reversed;
  std::size_t end = text.size();
  while (end > 0) {
    const std::size_t space = text.find_last_of(" \t\r\n", end - 1);
    const std::size_t begin = space == std::string::npos ? 0 : space + 1;
    if (begin < end) reversed += (reversed.empty() ? "" : " ") + text.substr(begin, end - begin);
    end = space == std::string::npos ? 0 : space;
  }
  return reversed;
}

}  // namespace

void Updating::operator()(const SetText& a) {
  const TextInput* before = text_input(experiment(), a.input);
  if ((before && before->text == a.text) || !is_input(a.input)) return;
  edit(a, "text." + a.input, a.continues);
  leave_file(a.input);
  if (TextInput* text = text_input(edit_experiment(), a.input)) {
    text->text = a.text;
    return;
  }
  TextInput fresh;
  fresh.text = a.text;
  replace_input(a.input, std::move(fresh));
}

// Whether the mechanism has an input of that name.
bool Updating::is_input(const std::string& id) {
  const Variant* variant = find_variant(experiment().variant);
  return variant && std::ranges::count(variant->arrays(experiment().params, {}).inputs, id, &ArraySpec::id) > 0;
}

// The inputs that the run took from the file of arrays.
std::vector<std::string> Updating::inputs_from_file() {
  return model.shown.problem && model.shown.problem->variant->info().id == experiment().variant
             ? inputs_of_file(*model.shown.problem, experiment())
             : std::vector<std::string>{};
}

// Those of the experiment, and those of its file of arrays by name, so that the file can be left.
InputMap Updating::inputs_by_name() {
  InputMap inputs = experiment().inputs;
  for (const std::string& id : inputs_from_file()) inputs[id] = FileInput{experiment().arrays, id};
  return inputs;
}

// An input that is chosen counts: a file of arrays that holds one of its name would win over it.
void Updating::leave_file(const std::string& id) {
  if (std::ranges::count(inputs_from_file(), id) == 0) return;
  note(fmt::format("{} holds {} itself, so nothing is taken from it any more. Ctrl Z takes it back.",
                   utf8(path_of_utf8(experiment().arrays).filename()), id));
  edit_experiment().arrays.clear();
}

// The mask and the positions of a sentence mean nothing to another kind of input, nor those of a picture to a sentence.
// What else a person has set stays.
void Updating::forget_order(const Variant& variant) {
  for (const ParamSpec& param : variant.params())
    if (param.id == "mask" || param.id == "positions") edit_experiment().params.reset(param);
}

void Updating::select_nothing() {
  look().selection = {};
  look().pinned = false;
}

// Another input: where the mechanism cannot take it, one that can comes with it.
void Updating::replace_input(const std::string& id, InputSpec spec) {
  const Variant* variant = find_variant(experiment().variant);
  const bool first = id == model.primary_input();
  if (first) edit_experiment().arrange.reset();
  leave_file(id);
  if (variant && first && !takes(*variant, experiment().params, spec)) {
    const Variant& other = variant_for(*variant, experiment().params, spec);
    const std::string kind = kind_in_words(spec);
    note(fmt::format("{} takes no {}, so the mechanism is now {}. Ctrl Z takes it back.", variant->info().title,
                     takes_maps(other) ? "attention that was saved" : kind.substr(kind.find(' ') + 1),
                     other.info().title));
    change_variant(other, {});
    edit_experiment().inputs[model.primary_input()] = std::move(spec);
    return;
  }
  const InputSpec* before = model.input(id);
  if (variant && first && before && kind_of(*before) != kind_of(spec)) forget_order(*variant);
  if (first) look().frame = -1;
  const bool alone = first && kind_of(spec) != InputKind::text;
  edit_experiment().inputs[id] = std::move(spec);
  if (alone) edit_experiment().inputs.erase(model.second_input());
}

void Updating::operator()(const SetInput& a) {
  if (!is_input(a.input)) return;
  edit(a, "input." + a.input);
  forget_notes();
  ask_all_queries();
  replace_input(a.input, a.spec);
  select_nothing();
}

void Updating::operator()(const UseExample& a) {
  const InputSpec* now = model.input(model.primary_input());
  if (now && kind_of(*now) == a.value) return;
  (*this)(SetInput{model.primary_input(), example_input(a.value, model.examples)});
}

void Updating::operator()(const SetGrid& a) {
  const auto found = experiment().inputs.find(a.input);
  if (found == experiment().inputs.end() || std::min(a.size.rows, a.size.columns) < 1 ||
      std::max(a.size.rows, a.size.columns) > longest_grid_side)
    return;
  if (!std::holds_alternative<ImageInput>(found->second) && !std::holds_alternative<FramesInput>(found->second)) return;
  edit(a, "grid." + a.input);
  ask_all_queries();
  InputSpec& input = edit_experiment().inputs[a.input];
  auto* image = std::get_if<ImageInput>(&input);
  (image ? image->size : std::get<FramesInput>(input).size) = a.size;
  select_nothing();
}

void Updating::operator()(const SetMeanings& a) {
  const TextInput* before = text_input(experiment(), a.input);
  if (!before || before->means == a.text) return;
  edit(a, "means." + a.input, a.continues);
  text_input(edit_experiment(), a.input)->means = a.text;
}

void Updating::operator()(const SetTokenizer& a) {
  if (!text_input(experiment(), a.input) || std::ranges::count(tokenizers(), a.tokenizer) == 0) return;
  edit(a, "tokenizer");
  text_input(edit_experiment(), a.input)->tokenizer = a.tokenizer;
}

void Updating::operator()(const SetStartToken& a) {
  if (!text_input(experiment(), a.input)) return;
  edit(a, "start_token");
  text_input(edit_experiment(), a.input)->start_token = a.on;
}

void Updating::operator()(const SetModelWidth& a) {
  if (a.value < 1 || a.value > widest_embedding) return;
  edit(a, "d_model");
  for (auto& [id, input] : edit_experiment().inputs)
    if (auto* text = std::get_if<TextInput>(&input)) text->d_model = a.value;
}

void Updating::operator()(const SetCross& a) {
  const std::string second = model.second_input();
  if (second.empty() || model.has_second_input() == a.value) return;
  edit(a, "cross");
  if (!a.value) {
    edit_experiment().inputs.erase(second);
    return;
  }
  const TextInput* queries = text_input(experiment(), model.primary_input());
  TextInput text = queries ? *queries : TextInput{};
  const Experiment example = example_experiment();
  // The pair of assets/examples/cross-attention.headlight.
  if (queries && queries->text == std::get<TextInput>(example.inputs.begin()->second).text) {
    text_input(edit_experiment(), model.primary_input())->text = "the river was cold";
    text.text = "cold was the water of the river in spring";
    look().head = 1;
    look().selection = {.query = 2, .key = 7};  // river finds river
  } else {
    text.text = reversed_words(text.text);
  }
  edit_experiment().inputs[second] = std::move(text);
  const auto is_mask = [](const auto& param) { return param.first == "mask"; };
  if (std::ranges::any_of(experiment().params, is_mask)) edit_experiment().params.infer("mask", std::string("none"));
}

void Updating::operator()(const SwitchEdits& a) {
  if (std::ranges::none_of(experiment().edits, [&](const Edit& one) { return one.on != a.value; })) return;
  edit(a, "edits");
  for (Edit& one : edit_experiment().edits) one.on = a.value;
}

void Updating::operator()(const AddEdit& a) {
  std::vector<Edit> edits = experiment().edits;
  const auto same_cells = [&](const Edit& one) { return one.array == a.value.array && one.at == a.value.at; };
  const auto found = std::ranges::find_if(edits, same_cells);
  if (found != edits.end() && *found == a.value) return;
  if (found == edits.end() && edits.size() >= most_edits)
    return note(fmt::format("There are {} edits already, which is the most: remove some", edits.size()));
  edit(a, a.continues ? "edit dragged" : "edits", a.continues);
  if (found != edits.end()) edits.erase(found);  // the new one is the last to be done
  edits.push_back(a.value);
  edit_experiment().edits = std::move(edits);
}

void Updating::operator()(const SwitchEdit& a) {
  const Edit* one = edit_numbered(experiment(), a.number);
  if (!one || one->on == a.on) return;
  edit(a, "edits");
  edit_numbered(edit_experiment(), a.number)->on = a.on;
}

void Updating::operator()(const MoveEdit& a) {
  const Edit* one = edit_numbered(experiment(), a.number);
  const Step* step = model.step();
  if (!one || !step || (a.rows == 0 && a.columns == 0)) return;
  const Focus focus = focus_of(look());
  auto moved = edit_moved(*step, focus, *one, a.rows, a.columns);
  if (!moved) return note(fmt::format("Edit {} was not moved: {}.", a.number, moved.error().message));
  // Who looked at one of its cells goes along.
  const bool follows = edit_to_move(*step, focus, experiment().edits) == a.number;
  edit(a, "edits");
  *edit_numbered(edit_experiment(), a.number) = std::move(*moved);
  if (!follows) return;
  if (look().second) look().second = moved_selection(*step, focus, *look().second, a.rows, a.columns);
  look().selection = moved_selection(*step, focus, look().selection, a.rows, a.columns);
}

void Updating::operator()(const RemoveEdit& a) {
  if (!edit_numbered(experiment(), a.number)) return;
  edit(a, "edits");
  edit_experiment().edits.erase(edit_experiment().edits.begin() + static_cast<std::ptrdiff_t>(a.number - 1));
}

void Updating::operator()(const RemoveEdits& a) {
  if (experiment().edits.empty()) return;
  edit(a, "edits");
  edit_experiment().edits.clear();
}

void Updating::operator()(const AskGradient& a) {
  if (!a.on) {
    if (!experiment().gradient) return;
    edit(a, "gradient");
    edit_experiment().gradient.reset();
    look().step = forward_id(look().step);
    return;
  }
  const Step& step = *model.step();
  const auto cell = cell_looked_at(step, focus_of(look()));
  GradientAsked asked{step.info.id, index_at_flat(step.tensor().shape(), *cell)};
  if (experiment().gradient == asked) return;
  edit(a, "gradient");
  edit_experiment().gradient = std::move(asked);
  // Where attention is before it, what attention has to do with it is what people ask.
  const Step* map = model.trace()->map();
  const Step* shown = map && map <= &step && map >= model.trace()->steps.data() ? map : &step;
  look().step = gradient_id(shown->info.id);
}

void Updating::operator()(const ShowGradient&) {
  const std::string id = model.step()->info.id, forward = forward_id(id);
  look().step = forward == id ? gradient_id(id) : forward;
}

void Updating::operator()(const Arrange& a) {
  if (experiment().arrange == a.value) return;
  edit(a, "arrange");
  edit_experiment().arrange = a.value;
}

// ---- Tokens of a text: chosen, moved about, doubled, taken out and put in by changing the text.

namespace {

// Who is selected stays selected at the place where it stands now.
void follow(std::optional<Index>& at, const PositionMap& moved) {
  if (at) at = moved(*at);
}

Index clamped(const Model& model, const TokenAt& token, Index at) {
  return std::clamp<Index>(at, 0, std::max<Index>(0, token_count(model, token.input) - 1));
}

}  // namespace

// The text of the token's input becomes another, and what is looked at goes along with it.
void Updating::change_tokens(const Action& action, const TokenAt& token, Result<std::string> text,
                             const PositionMap& moved) {
  if (!text) return note(capitalized(text.error().message));
  if (*text == text_at(model, token.input)->text) return;
  edit(action, "tokens");
  forget_notes();
  leave_file(token.input);
  std::get<TextInput>(edit_experiment().inputs[token.input]).text = *std::move(text);
  const bool cross = model.has_second_input(), keys = axis_of_tokens(model, token.input) == AxisRole::key;
  if (!keys) follow(look().selection.query, moved);
  if (keys || !cross) follow(look().selection.key, moved);
  look().second.reset();
  model.token.reset();
  if (const auto now = moved(token.at)) model.token = TokenAt{token.input, *now};
}

void Updating::operator()(const PickToken& a) {
  if (a.value.at < 0 || a.value.at >= token_count(model, a.value.input)) return;
  model.token = a.value;
  Selection next = look().selection;
  (axis_of_tokens(model, a.value.input) == AxisRole::key ? next.key : next.query) = a.value.at;
  (*this)(Select{next, next.query && next.key});
}

void Updating::operator()(const MoveToken& a) {
  if (!why_not_token(model, a.token).empty()) return;
  const TextInput& text = *text_at(model, a.token.input);
  const Index first = start_tokens(text), from = a.token.at, to = std::max(first, clamped(model, a.token, a.to));
  if (from == to) return;
  change_tokens(a, a.token, with_token_moved(text.text, *tokenizer_by_name(text.tokenizer), from - first, to - first),
                [=](Index at) -> std::optional<Index> {
                  if (at == from) return to;
                  if (from < at && at <= to) return at - 1;
                  return to <= at && at < from ? at + 1 : at;
                });
}

void Updating::operator()(const DuplicateToken& a) {
  if (!why_not_token(model, a.value).empty()) return;
  const TextInput& text = *text_at(model, a.value.input);
  const Index from = a.value.at;
  change_tokens(a, a.value,
                with_token_doubled(text.text, *tokenizer_by_name(text.tokenizer), from - start_tokens(text)),
                [=](Index at) { return std::optional(at > from ? at + 1 : at); });
}

void Updating::operator()(const RemoveToken& a) {
  if (!why_not_token(model, a.value).empty()) return;
  const TextInput& text = *text_at(model, a.value.input);
  const Index from = a.value.at, last = token_count(model, a.value.input) - 2;
  change_tokens(a, a.value, without_token(text.text, *tokenizer_by_name(text.tokenizer), from - start_tokens(text)),
                [=](Index at) -> std::optional<Index> {
                  const Index now = std::min(at > from ? at - 1 : at, last);
                  return now < 0 ? std::nullopt : std::optional(now);
                });
}

void Updating::operator()(const InsertToken& a) {
  if (!why_not_tokens(model, a.token.input).empty()) return;
  const TextInput& text = *text_at(model, a.token.input);
  const TextSplit split = *tokenizer_by_name(text.tokenizer);
  const Index first = start_tokens(text), before = std::max(first, a.token.at);
  const auto put = static_cast<Index>(tokenize(a.text, split, false).tokens.size());
  change_tokens(a, {a.token.input, before}, with_tokens_inserted(text.text, split, before - first, a.text),
                [=](Index at) { return std::optional(at >= before ? at + put : at); });
  // What was put in is what is meant from here on.
  if (model.token && model.token->at == before + put) model.token->at = before;
}

}  // namespace headlight::app
