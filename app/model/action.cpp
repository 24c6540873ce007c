#include "app/model/action.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "app/model/figure_jobs.h"
#include "engine/io/experiment_inputs.h"
#include "engine/io/json_fields.h"

namespace headlight::app {

namespace {

constexpr std::array themes{"light", "dark", "high-contrast"};
constexpr std::array dialogs{"none", "open", "save", "keys", "leave", "appearance", "replace", "arrays"};
constexpr std::array decisions{"save", "discard", "replace", "other-name", "cancel"};
constexpr std::array kinds{"text", "image", "frames", "signal", "array"};
constexpr std::array sides{"setup", "inspector", "drawer"};
constexpr std::array screens{"explore", "figure", "worksheet"};
constexpr std::array scalings{"auto", "linear", "log", "auto-each", "linear-each", "log-each"};  // scaling_choices()
constexpr std::array modes{"map", "matrix", "lines", "numbers"};
// The names of an enum's values, as many as it has up to `last`.
template <std::size_t size, class Enum>
consteval bool names_all(const std::array<const char*, size>&, Enum last) {
  return size == static_cast<std::size_t>(last) + 1;
}
static_assert(names_all(themes, ThemeName::high_contrast) && names_all(dialogs, Dialog::arrays) &&
              names_all(decisions, Decision::cancel) && names_all(kinds, InputKind::array) &&
              names_all(sides, Side::drawer) && names_all(screens, Screen::worksheet) &&
              names_all(modes, ViewMode::numbers));

std::string text_of(const ParamValue& value) {
  return headlight::to_string(value);
}

// "9", or "-" where there is none.
std::string text_of(const std::optional<Index>& index) {
  return index ? fmt::format("{}", *index) : "-";
}

// "9 3": what is missing at the end is left out.
std::string text_of(const Selection& selection) {
  std::vector<std::string> words;
  for (const auto& part : {selection.query, selection.key, selection.channel, selection.side_query, selection.side_key})
    words.push_back(text_of(part));
  while (words.size() > 2 && words.back() == "-") words.pop_back();
  return fmt::format("{}", fmt::join(words, " "));
}

// A path alone, for those that are nothing else; else its JSON, as an experiment file has it.
std::string text_of(const InputSpec& spec) {
  const auto alone = [&](const char* kind, const std::string& path, const InputSpec& plain) {
    return spec == plain ? fmt::format("{} {}", kind, path) : "";
  };
  std::string text;
  if (const auto* image = std::get_if<ImageInput>(&spec))
    text = alone("image", image->path, ImageInput{image->path, {}});
  if (const auto* frames = std::get_if<FramesInput>(&spec); frames && frames->paths.size() == 1)
    text = alone("frames", frames->paths[0], FramesInput{{frames->paths[0]}, {}});
  if (const auto* signal = std::get_if<SignalInput>(&spec))
    text = alone("signal", signal->path, SignalInput{signal->path});
  if (const auto* file = std::get_if<FileInput>(&spec)) text = alone("npy", file->path, FileInput{file->path});
  return text.empty() ? json_of_input(spec, Json(), {}, {}).dump(-1, ' ', false, Json::error_handler_t::replace) : text;
}

// The text form of each action; the parser below reads the same words. An edit that is going on reads as one that is
// done.
struct ToText {
  std::string operator()(const SetText& a) const { return fmt::format("text {} {}", a.input, a.text); }
  std::string operator()(const SetInput& a) const { return fmt::format("input {} {}", a.input, text_of(a.spec)); }
  std::string operator()(const UseExample& a) const {
    return fmt::format("example {}", kinds[static_cast<std::size_t>(a.kind)]);
  }
  std::string operator()(const SetGrid& a) const {
    return fmt::format("grid {} {} {}", a.input, a.size.rows, a.size.columns);
  }
  std::string operator()(const SetTokenizer& a) const { return fmt::format("tokenizer {} {}", a.input, a.tokenizer); }
  std::string operator()(const SetStartToken& a) const {
    return fmt::format("start-token {} {}", a.input, a.on ? "on" : "off");
  }
  std::string operator()(const SetModelWidth& a) const { return fmt::format("d-model {}", a.d_model); }
  std::string operator()(const SetParam& a) const { return fmt::format("param {} {}", a.id, text_of(a.value)); }
  std::string operator()(const SetVariant& a) const { return fmt::format("variant {}", a.id); }
  std::string operator()(const SetCross& a) const { return fmt::format("cross {}", a.on ? "on" : "off"); }
  std::string operator()(const SetWeights& a) const { return fmt::format("weights {} {}", a.init, a.seed); }
  std::string operator()(const SetArrays& a) const { return fmt::format("arrays {}", a.path); }
  std::string operator()(const Arrange& a) const {
    if (!a.arrangement) return "arrange off";
    if (const auto* shuffle = std::get_if<Shuffle>(&*a.arrangement))
      return fmt::format("arrange shuffle {}", shuffle->seed);
    const Shift shift = std::get<Shift>(*a.arrangement);
    return fmt::format("arrange shift {} {}", shift.rows, shift.columns);
  }
  std::string operator()(const EndEdit&) const { return "end-edit"; }
  std::string operator()(const ShowStep& a) const { return fmt::format("step {}", a.id); }
  std::string operator()(const GoStage& a) const { return fmt::format("stage {}", a.index); }
  std::string operator()(const MoveStage& a) const { return fmt::format("move-stage {}", a.by); }
  std::string operator()(const SetHead& a) const { return fmt::format("head {}", a.head); }
  std::string operator()(const MoveHead& a) const { return fmt::format("move-head {}", a.by); }
  std::string operator()(const SetBatch& a) const { return fmt::format("batch {}", a.batch); }
  std::string operator()(const SetFrame& a) const { return fmt::format("frame {}", a.frame); }
  std::string operator()(const SetMode& a) const {
    return fmt::format("mode {}", modes[static_cast<std::size_t>(a.mode)]);
  }
  std::string operator()(const SetScaling& a) const {
    const auto found = std::ranges::find(scaling_choices(), a.scaling, &ScalingChoice::scaling);
    return fmt::format("scaling {}", scalings[static_cast<std::size_t>(found - scaling_choices().begin())]);
  }
  std::string operator()(const SetThreshold& a) const { return fmt::format("threshold {}", a.value); }
  std::string operator()(const Select& a) const {
    return fmt::format("{} {}", a.pin ? "pin" : "select", text_of(a.selection));
  }
  std::string operator()(const MoveSelection& a) const {
    return fmt::format("move-selection {} {}", a.rows, a.columns);
  }
  std::string operator()(const Release&) const { return "release"; }
  std::string operator()(const SetHover& a) const {
    if (!a.hover) return "hover";
    const std::string& step = a.hover->step;
    return fmt::format("hover {} {} {}", step.empty() ? "-" : step, a.hover->head, text_of(a.hover->selection));
  }
  std::string operator()(const Light& a) const { return fmt::format("light {}", a.id); }
  std::string operator()(const Play& a) const { return a.on ? "play" : "pause"; }
  std::string operator()(const SetTheme& a) const {
    return fmt::format("theme {}", themes[static_cast<std::size_t>(a.theme)]);
  }
  std::string operator()(const SetScale& a) const { return fmt::format("scale {}", a.scale); }
  std::string operator()(const SetExpert& a) const { return fmt::format("expert {}", a.on ? "on" : "off"); }
  std::string operator()(const SetReduceMotion& a) const {
    return fmt::format("reduce-motion {}", a.on ? "on" : "off");
  }
  std::string operator()(const Fold& a) const {
    return fmt::format("{} {}", a.away ? "fold" : "unfold", sides[static_cast<std::size_t>(a.side)]);
  }
  std::string operator()(const ShowDialog& a) const {
    return fmt::format("dialog {}", dialogs[static_cast<std::size_t>(a.dialog)]);
  }
  std::string operator()(const Dismiss& a) const { return fmt::format("dismiss {}", a.notice); }
  std::string operator()(const Undo&) const { return "undo"; }
  std::string operator()(const Redo&) const { return "redo"; }
  std::string operator()(const Decide& a) const {
    return fmt::format("decide {}", decisions[static_cast<std::size_t>(a.decision)]);
  }
  std::string operator()(const Recover& a) const { return fmt::format("recover {}", a.index); }
  std::string operator()(const DiscardRecovered& a) const { return fmt::format("discard-recovered {}", a.index); }
  std::string operator()(const Browse& a) const { return fmt::format("browse {}", a.folder.string()); }
  std::string operator()(const Peek& a) const { return fmt::format("peek {}", a.path.string()); }
  std::string operator()(const New&) const { return "new"; }
  std::string operator()(const Open& a) const { return fmt::format("open {}", a.path.string()); }
  std::string operator()(const Save& a) const { return fmt::format("save {}", a.path.string()); }
  std::string operator()(const ShowScreen& a) const {
    return fmt::format("screen {}", screens[static_cast<std::size_t>(a.screen)]);
  }
  std::string operator()(const SetFigure& a) const { return fmt::format("figure {} {}", a.key, a.text); }
  std::string operator()(const SetFigurePath& a) const { return fmt::format("figure-path {}", a.path); }
  std::string operator()(const SetFigureFormat& a) const {
    return fmt::format("figure-format {}", extension_of(a.format).substr(1));
  }
  std::string operator()(const SetFigureEach& a) const {
    return fmt::format("figure-each {}", a.each.empty() ? "one" : fmt::format("{}", fmt::join(a.each, ",")));
  }
  std::string operator()(const SetFigureExtra& a) const {
    return fmt::format("figure-extra {} {}", a.extra, a.on ? "on" : "off");
  }
  std::string operator()(const SaveFigure& a) const { return fmt::format("save-figure {}", a.path.string()); }
  std::string operator()(const SetSheet& a) const { return fmt::format("sheet {} {}", a.key, a.text); }
  std::string operator()(const SaveSheet& a) const { return fmt::format("save-sheet {}", a.path.string()); }
  std::string operator()(const CancelExport&) const { return "cancel-export"; }
  std::string operator()(const CopyCommand&) const { return "copy-command"; }
  std::string operator()(const CopyTrace&) const { return "copy-trace"; }
  std::string operator()(const SaveArrays&) const { return "save-arrays"; }
  std::string operator()(const CopyCode& a) const { return fmt::format("copy-code {}", id_of(a.language)); }
  std::string operator()(const Cancel&) const { return "cancel"; }
  std::string operator()(const RunBeside& a) const { return fmt::format("beside {}", a.param); }
  std::string operator()(const Run&) const { return "run"; }
  std::string operator()(const RunWhole&) const { return "run whole"; }
  std::string operator()(const Quit&) const { return "quit"; }
};

// Words of one line, taken from the front.
struct Words {
  std::string_view rest;

  std::string_view next() {
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    const auto end = rest.find(' ');
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end);
    return word;
  }
  std::string remaining() {
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    return std::string(std::exchange(rest, {}));
  }
  // With its spaces, but for the one that parts it from the word before.
  std::string exactly() {
    if (!rest.empty()) rest.remove_prefix(1);
    return std::string(std::exchange(rest, {}));
  }
  bool at_end() const { return rest.find_first_not_of(' ') == std::string_view::npos; }
};

template <class T>
Result<T> number(Words& words, std::string_view verb) {
  const auto word = words.next();
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size())
    return fail("{}: \"{}\" is not a number", verb, word);
  return value;
}

Result<bool> on_off(Words& words, std::string_view verb) {
  const auto word = words.next();
  if (word == "on") return true;
  if (word == "off") return false;
  return fail("{}: \"{}\" must be on or off", verb, word);
}

template <class Enum, std::size_t N>
Result<Enum> one_of(Words& words, std::string_view verb, const std::array<const char*, N>& names) {
  const auto word = words.next();
  for (std::size_t i = 0; i < N; ++i)
    if (word == names[i]) return static_cast<Enum>(i);
  return fail("{}: \"{}\" must be one of {}", verb, word, fmt::join(names, ", "));
}

ParamValue param_value_of(const std::string& word) {
  if (word == "true" || word == "on") return true;
  if (word == "false" || word == "off") return false;
  if (word == "automatic") return std::monostate{};
  Index whole = 0;
  const char* end = word.data() + word.size();
  if (const auto r = std::from_chars(word.data(), end, whole); r.ec == std::errc() && r.ptr == end) return whole;
  double real = 0;
  if (const auto r = std::from_chars(word.data(), end, real); r.ec == std::errc() && r.ptr == end) return real;
  return word;
}

// "9 3", with "-" for what is not selected, and further parts where there are any.
Result<Selection> selection_in(Words& words, std::string_view verb) {
  Selection selection;
  int parts = 0;
  for (auto* part :
       {&selection.query, &selection.key, &selection.channel, &selection.side_query, &selection.side_key}) {
    if (parts++ >= 2 && words.at_end()) break;
    Words ahead = words;
    if (ahead.next() == "-") {
      words = ahead;
      continue;
    }
    HL_TRY(*part, number<Index>(words, verb));
  }
  return selection;
}

// "input x image cat.png": also frames (a GIF or a folder), signal and npy; or as an experiment file has it.
Result<Action> parse_input(Words& words) {
  const std::string input(words.next());
  Words ahead = words;
  if (const auto start = ahead.next(); start.starts_with('{') || start.starts_with('[')) {
    const std::string text = words.remaining();
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) return fail("input: {} is not JSON", text);
    std::vector<std::string> ignored;
    HL_TRY(InputSpec spec, input_in(json, input, ignored));
    return Action(SetInput{input, std::move(spec)});
  }
  const std::string kind(words.next()), path = words.remaining();
  if (kind == "image") return Action(SetInput{input, ImageInput{path, {}}});
  if (kind == "frames") return Action(SetInput{input, FramesInput{{path}, {}}});
  if (kind == "signal") return Action(SetInput{input, SignalInput{path}});
  if (kind == "npy") return Action(SetInput{input, FileInput{path}});
  return fail("input: \"{}\" must be one of image, frames, signal, npy", kind);
}

// "arrange shuffle 1", "arrange shift 1 0", "arrange off".
Result<Action> parse_arrange(Words& words) {
  const auto how = words.next();
  if (how == "off") return Action(Arrange{});
  if (how == "shuffle") {
    HL_TRY(const std::uint64_t seed, number<std::uint64_t>(words, "arrange shuffle"));
    if (seed > INT64_MAX) return fail("arrange shuffle: {} must be at most {}", seed, INT64_MAX);
    return Action(Arrange{Shuffle{seed}});
  }
  if (how != "shift") return fail("arrange: \"{}\" must be one of shuffle, shift, off", how);
  Shift shift;
  for (Index* by : {&shift.rows, &shift.columns}) {
    HL_TRY(*by, number<Index>(words, "arrange shift"));
    if (*by < -farthest_shift || *by > farthest_shift)
      return fail("arrange shift: {} is more than {}", *by, farthest_shift);
  }
  return Action(Arrange{shift});
}

Result<Action> parse_edit(std::string_view verb, Words& words) {
  if (verb == "text") {
    const std::string input(words.next());
    return Action(SetText{input, words.exactly(), false});
  }
  if (verb == "input") return parse_input(words);
  if (verb == "example") {
    HL_TRY(const InputKind kind, one_of<InputKind>(words, verb, kinds));
    return Action(UseExample{kind});
  }
  if (verb == "grid") {
    const std::string input(words.next());
    HL_TRY(const Index rows, number<Index>(words, verb));
    HL_TRY(const Index columns, number<Index>(words, verb));
    return Action(SetGrid{input, {rows, columns}});
  }
  if (verb == "tokenizer") {
    const std::string input(words.next());
    return Action(SetTokenizer{input, words.remaining()});
  }
  if (verb == "start-token") {
    const std::string input(words.next());
    HL_TRY(const bool on, on_off(words, verb));
    return Action(SetStartToken{input, on});
  }
  if (verb == "d-model") {
    HL_TRY(const Index d_model, number<Index>(words, verb));
    return Action(SetModelWidth{d_model});
  }
  if (verb == "param") {
    const std::string id(words.next());
    return Action(SetParam{id, param_value_of(words.remaining()), false});
  }
  if (verb == "variant") return Action(SetVariant{words.remaining()});
  if (verb == "cross") {
    HL_TRY(const bool on, on_off(words, verb));
    return Action(SetCross{on});
  }
  if (verb == "weights") {
    const std::string init(words.next());
    HL_TRY(const std::uint64_t seed, number<std::uint64_t>(words, verb));
    return Action(SetWeights{init, seed});
  }
  if (verb == "arrange") return parse_arrange(words);
  if (verb == "arrays") return Action(SetArrays{words.remaining()});
  if (verb == "undo") return Action(Undo{});
  if (verb == "redo") return Action(Redo{});
  return fail("\"{}\" is not an action", verb);
}

template <class T, class Field>
Result<Action> numbered(Words& words, std::string_view verb, Field T::*field) {
  HL_TRY(const Field value, number<Field>(words, verb));
  T action;
  action.*field = value;
  return Action(action);
}

// "hover weights 2 9 3", or "hover" where nothing is.
Result<Action> parse_hover(Words& words) {
  if (words.at_end()) return Action(SetHover{});
  const std::string step(words.next());
  HL_TRY(const Index head, number<Index>(words, "hover"));
  HL_TRY(const Selection selection, selection_in(words, "hover"));
  return Action(SetHover{Hover{step == "-" ? "" : step, head, selection}});
}

Result<Action> parse_view(std::string_view verb, Words& words) {
  if (verb == "step") return Action(ShowStep{words.remaining()});
  if (verb == "stage") return numbered(words, verb, &GoStage::index);
  if (verb == "move-stage") return numbered(words, verb, &MoveStage::by);
  if (verb == "head") return numbered(words, verb, &SetHead::head);
  if (verb == "move-head") return numbered(words, verb, &MoveHead::by);
  if (verb == "batch") return numbered(words, verb, &SetBatch::batch);
  if (verb == "scale") return numbered(words, verb, &SetScale::scale);
  if (verb == "pin" || verb == "select") {
    HL_TRY(const Selection selection, selection_in(words, verb));
    return Action(Select{selection, verb == "pin"});
  }
  if (verb == "release") return Action(Release{});
  if (verb == "move-selection") {
    HL_TRY(const int rows, number<int>(words, verb));
    HL_TRY(const int columns, number<int>(words, verb));
    return Action(MoveSelection{rows, columns});
  }
  if (verb == "hover") return parse_hover(words);
  if (verb == "light") return Action(Light{words.remaining()});
  if (verb == "end-edit") return Action(EndEdit{});
  if (verb == "dismiss") return numbered(words, verb, &Dismiss::notice);
  if (verb == "play") return Action(Play{true});
  if (verb == "pause") return Action(Play{false});
  if (verb == "expert") {
    HL_TRY(const bool on, on_off(words, verb));
    return Action(SetExpert{on});
  }
  if (verb == "reduce-motion") {
    HL_TRY(const bool on, on_off(words, verb));
    return Action(SetReduceMotion{on});
  }
  if (verb == "fold" || verb == "unfold") {
    HL_TRY(const Side side, one_of<Side>(words, verb, sides));
    return Action(Fold{side, verb == "fold"});
  }
  if (verb == "mode") {
    HL_TRY(const ViewMode mode, one_of<ViewMode>(words, verb, modes));
    return Action(SetMode{mode});
  }
  if (verb == "frame") return numbered(words, verb, &SetFrame::frame);
  if (verb == "scaling") {
    HL_TRY(const auto place, one_of<std::size_t>(words, verb, scalings));
    return Action(SetScaling{scaling_choices()[place].scaling});
  }
  if (verb == "threshold") return numbered(words, verb, &SetThreshold::value);
  if (verb == "theme") {
    HL_TRY(const ThemeName theme, one_of<ThemeName>(words, verb, themes));
    return Action(SetTheme{theme});
  }
  if (verb == "dialog") {
    HL_TRY(const Dialog dialog, one_of<Dialog>(words, verb, dialogs));
    return Action(ShowDialog{dialog});
  }
  return parse_edit(verb, words);
}

// "one", or places with commas: "step,head".
Result<Action> parse_each(std::string_view text) {
  SetFigureEach action;
  while (!text.empty() && text != "one") {
    const auto end = std::min(text.find(','), text.size());
    action.each.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (std::ranges::find(figure_places, action.each.back()) == figure_places.end())
      return fail("figure-each: \"{}\" must be one, or of {} with commas", action.each.back(),
                  fmt::join(figure_places, ", "));
  }
  return Action(std::move(action));
}

// Actions on figures and worksheets; nothing for other verbs.
std::optional<Result<Action>> parse_figure(std::string_view verb, Words& words) {
  if (verb == "screen") {
    HL_TRY(const Screen screen, one_of<Screen>(words, verb, screens));
    return Action(ShowScreen{screen});
  }
  if (verb == "figure") {
    const std::string key(words.next());
    return Action(SetFigure{key, words.remaining(), false});
  }
  if (verb == "figure-path") return Action(SetFigurePath{words.remaining()});
  if (verb == "figure-format") {
    const auto format = figure_format_of("figure." + words.remaining());
    if (!format) return Result<Action>(tl::unexpected<Error>(format.error()));
    return Action(SetFigureFormat{*format});
  }
  if (verb == "figure-each") return parse_each(words.remaining());
  if (verb == "figure-extra") {
    const std::string extra(words.next());
    return Action(SetFigureExtra{extra, words.remaining() == "on"});
  }
  if (verb == "save-figure") return Action(SaveFigure{words.remaining()});
  if (verb == "sheet") {
    const std::string key(words.next());
    return Action(SetSheet{key, words.remaining()});
  }
  if (verb == "save-sheet") return Action(SaveSheet{words.remaining()});
  if (verb == "cancel-export") return Action(CancelExport{});
  if (verb == "copy-command") return Action(CopyCommand{});
  return std::nullopt;
}

}  // namespace

std::string to_text(const Action& action) {
  return std::visit(ToText{}, action);
}

Result<Action> parse_action(std::string_view line) {
  Words words{line};
  const auto verb = words.next();
  if (verb == "open") return Action(Open{words.remaining()});
  if (verb == "save") return Action(Save{words.remaining()});
  if (auto figure = parse_figure(verb, words)) return *figure;
  if (verb == "decide") {
    HL_TRY(const Decision decision, one_of<Decision>(words, verb, decisions));
    return Action(Decide{decision});
  }
  if (verb == "recover") return numbered(words, verb, &Recover::index);
  if (verb == "discard-recovered") return numbered(words, verb, &DiscardRecovered::index);
  if (verb == "browse") return Action(Browse{words.remaining()});
  if (verb == "peek") return Action(Peek{words.remaining()});
  if (verb == "new") return Action(New{});
  if (verb == "save-arrays") return Action(SaveArrays{});
  if (verb == "copy-trace") return Action(CopyTrace{});
  if (verb == "copy-code") {
    const auto language = language_of(words.remaining());
    if (!language) return fail("copy-code: it must be numpy or pytorch");
    return Action(CopyCode{*language});
  }
  if (verb == "cancel") return Action(Cancel{});
  if (verb == "beside") return Action(RunBeside{words.remaining()});
  if (verb == "run") return words.remaining() == "whole" ? Action(RunWhole{}) : Action(Run{});
  if (verb == "quit") return Action(Quit{});
  return parse_view(verb, words);
}

}  // namespace headlight::app
