#include "tests/gui/wander.h"

#include <cmath>

#include "app/reading/inputs.h"
#include "engine/core/utf8.h"
#include "engine/io/npy.h"
#include "engine/run/arrange.h"
#include "engine/variants/variant.h"
#include "tests/scratch.h"

namespace headlight::app {

namespace {

const std::filesystem::path examples = HEADLIGHT_SOURCE_DIR "/assets/examples";

Index heads_in(const Model& model) {
  return model.step() && has_heads(*model.step()) ? heads_of(*model.step()) : 1;
}

Index extent_of_axis(const Model& model, Role role) {
  if (!model.step()) return 1;
  for (const Axis& axis : model.step()->info.axes)
    if (axis.role == role) return std::max<Index>(1, axis.size);
  return 1;
}

// A widget that reaches outside, or that would leave for good.
bool leads_outside(const std::string& path) {
  for (const char* part : {"save", "Save", "export", "leave", "copy", "quit", "files/", "open/", "again"})
    if (path.find(part) != std::string::npos) return true;
  return false;
}

ParamValue any_value(Wanderer& of, const ParamSpec& spec) {
  if (spec.automatic && of.below(4) == 0) return std::monostate{};
  switch (spec.type) {
    case ParamType::integer:
      return static_cast<std::int64_t>(spec.least) +
             spec.step * of.below(std::min<Index>(6, (static_cast<Index>(spec.most - spec.least)) / spec.step + 1));
    case ParamType::real:
      return spec.least + (std::min(spec.most, spec.least + 2) - spec.least) * static_cast<double>(of.below(9)) / 8;
    case ParamType::flag:
      return of.below(2) == 0;
    case ParamType::choice:
      return spec.choices[static_cast<std::size_t>(of.below(static_cast<Index>(spec.choices.size())))].id;
  }
  return std::monostate{};
}

LiteralInput array(Shape shape, Wanderer& of) {
  Tensor numbers(std::move(shape));
  for (float& number : numbers.values()) number = static_cast<float>(of.below(2001)) / 1000.0F - 1.0F;
  return literal_input(numbers);
}

// As an .npy, whose axes are named.
FileInput array_file(Shape shape, const char* axes, Wanderer& of) {
  const LiteralInput numbers = array(std::move(shape), of);
  static const Scratch folder;  // as long as the tests run
  const auto path = folder / fmt::format("{}.npy", axes);
  if (!write_npy(path, Tensor::from(numbers.shape, *numbers.values))) throw std::runtime_error(path.string());
  return {path.string(), "", axes};
}

// Of a result that has several layers.
Action any_look_at_layers(Wanderer& of, const Model& model) {
  switch (of.below(7)) {
    case 0:
      return SetMode{ViewMode::layers};
    case 1:
      return ViewLayers{static_cast<LayersView>(of.below(6))};
    case 2:
      return MarkBy{all_measures()[of.below(all_measures().size())]};
    case 3:
      return of.below(2) == 0 ? Action(MarkHeads{static_cast<HeadMarks>(of.below(3))}) : Action(RingFrom{0.1});
    case 4:
      return ChoosePair{{of.below(extent_of_axis(model, Role::query)), of.below(extent_of_axis(model, Role::key))}};
    case 5:
      return of.below(3) == 0 ? Action(OpenLayer{of.below(model.layers_of_result())}) : Action(MoveAmongHeads{1, 1});
    default:
      return ChooseHead{of.below(model.layers_of_result()), of.below(heads_in(model))};
  }
}

}  // namespace

Action Wanderer::any_look(const Model& model) {
  if (model.has_layers() && below(2) == 0) return any_look_at_layers(*this, model);
  const auto& stages = model.trace()->stages;
  const Index queries = extent_of_axis(model, Role::query), keys = extent_of_axis(model, Role::key);
  switch (below(11)) {
    case 0:
    case 1:
      return GoStage{static_cast<int>(below(static_cast<Index>(stages.size())))};
    case 2:
      return MoveStage{below(2) == 0 ? 1 : -1};
    case 3:
    case 4:
      return SetHead{below(heads_in(model))};
    case 5: {
      Selection selection = model.document.look.selection;
      selection.query = below(queries);
      if (below(2) == 0) selection.key = below(keys);
      return Select{selection, below(3) > 0};
    }
    case 6:
      return SetMode{static_cast<ViewMode>(below(7))};
    case 7:
      return MoveSelection{static_cast<int>(below(3)) - 1, static_cast<int>(below(3)) - 1};
    case 8:
      return ShowStep{model.trace()
                          ->steps[static_cast<std::size_t>(below(static_cast<Index>(model.trace()->steps.size())))]
                          .info.id};
    case 9:
      return SetFrame{below(3)};
    default:
      return below(2) == 0 ? Action(Release{}) : Action(SetBatch{below(2)});
  }
}

Action Wanderer::any_change(const Model& model) {
  const Variant* variant = find_variant(model.document.experiment->variant);
  switch (below(9)) {
    case 0:
    case 1:
    case 2: {
      const auto& specs = variant->params();
      if (specs.empty()) return EndEdit{};
      const ParamSpec& spec = specs[static_cast<std::size_t>(below(static_cast<Index>(specs.size())))];
      return SetParam{spec.id, any_value(*this, spec), below(2) == 0};
    }
    case 3: {
      const char* inits[] = {"textbook", "xavier_normal", "trained"};
      return SetWeights{inits[below(3)], static_cast<std::uint64_t>(below(4))};
    }
    case 4: {
      if (below(8) == 0)  // the same numbers as a picture's channels and as saved attention
        return SetInput{model.primary_input(), array_file({2, 2, 5, 5}, below(2) == 0 ? "lhqk" : "bchw", *this)};
      const char* texts[] = {"the cat sat on the mat", "a b a b a c", "one", "",
                             "to be or not to be that is the question"};
      return SetText{model.primary_input(), texts[below(5)], below(2) == 0};
    }
    case 5:
      return Undo{};
    case 6:
      return below(2) == 0 ? Action(Redo{}) : Action(Undo{});
    case 7: {
      const auto& all = all_variants();
      if (below(3) > 0) return EndEdit{};
      return SetVariant{all[static_cast<std::size_t>(below(static_cast<Index>(all.size())))]->info().id};
    }
    default:
      if (below(2) == 0) return Arrange{};
      if (below(3) == 0) return SwitchEdits{below(2) == 0};
      return Arrange{Shuffle{static_cast<std::uint64_t>(below(3))}};
  }
}

Action Wanderer::any_setting() {
  switch (below(6)) {
    case 0:
      return SetTheme{static_cast<ThemeName>(below(3))};
    case 1: {
      constexpr float scales[] = {1, 1, 1.25F, 1.5F, 2};
      return SetScale{scales[below(5)]};
    }
    case 2:
      return SetExpert{below(2) == 0};
    case 3:
      return ShowScreen{below(3) == 0   ? Screen::figure
                        : below(2) == 0 ? (below(2) == 0 ? Screen::compare : Screen::masks)
                                        : Screen::explore};
    case 4:
      return ShowScreen{Screen::explore};
    default:
      return ShowDialog{Dialog::none};
  }
}

Point Wanderer::any_place(Driver& driver, bool everywhere) {
  std::vector<std::string> paths;
  for (const auto& [path, widget] : driver.log())
    if ((everywhere || !leads_outside(path)) && widget.rect.w > 0) paths.push_back(path);
  if (paths.empty()) return {};
  const std::string& path = paths[static_cast<std::size_t>(below(static_cast<Index>(paths.size())))];
  const Rect rect = driver.widget(path).rect;
  const auto part = [&] { return (static_cast<float>(below(9)) + 0.5F) / 9; };
  log_.push_back(path);
  return {rect.x + rect.w * part(), rect.y + rect.h * part()};
}

void Wanderer::click(Driver& driver, bool everywhere) {
  const Point at = any_place(driver, everywhere);
  const bool only_point = below(3) == 0;
  log_.push_back(only_point ? "point" : "click");
  driver.move_to(at);
  if (only_point) return;
  send_mouse_button(0, true);
  driver.frame();
  send_mouse_button(0, false);
  driver.frame();
}

void Wanderer::key(Driver& driver) {
  constexpr Key keys[] = {Key::left,      Key::right, Key::up,           Key::down,         Key::page_up,
                          Key::page_down, Key::home,  Key::end,          Key::tab,          Key::enter,
                          Key::escape,    Key::space, Key::one,          Key::two,          Key::h,
                          Key::l,         Key::n,     Key::left_bracket, Key::right_bracket};
  const Key key = keys[below(static_cast<Index>(std::size(keys)))];
  log_.push_back(fmt::format("key {}", static_cast<int>(key)));
  send_key(key, true);
  driver.frame();
  send_key(key, false);
  driver.frame();
}

// Any key there is with any of the modifiers, held for as long as two frames or for none.
void Wanderer::chord(Driver& driver) {
  const Key key = static_cast<Key>(below(key_count));
  const Modifiers held{below(3) == 0, below(3) == 0, below(6) == 0};
  log_.push_back(fmt::format("chord {} {}{}{}", static_cast<int>(key), held.ctrl, held.shift, held.alt));
  send_modifiers(held);
  send_key(key, true);
  for (Index i = below(3); i > 0; --i) driver.frame();
  send_key(key, false);
  send_modifiers({});
  driver.frame();
}

void Wanderer::drag(Driver& driver) {
  const Point from = any_place(driver, true), to = any_place(driver, true);
  log_.push_back("drag");
  driver.move_to(from);
  send_mouse_button(0, true);
  driver.frame();
  for (int i = 1; i <= 3; ++i) {
    const float part = static_cast<float>(i) / 3;
    driver.move_to({from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part});
  }
  send_mouse_button(0, false);
  driver.frame();
}

// Letters, signs of any script, emoji with what joins them, control characters, and bytes that are no character.
void Wanderer::type(Driver& driver) {
  std::string text;
  for (Index i = below(6); i >= 0; --i) {
    switch (below(6)) {
      case 0:
        if (const auto c = static_cast<char32_t>(below(0x110000)); c < 0xD800 || c > 0xDFFF) append_utf8(text, c);
        break;
      case 1:
        append_utf8(text, static_cast<char32_t>(0x1F300 + below(0x300)));
        break;
      case 2:
        append_utf8(text, below(2) == 0 ? 0x200D : 0xFE0F);
        break;
      case 3:
        text += static_cast<char>(below(256));
        break;
      default:
        text += static_cast<char>(' ' + below(95));
    }
  }
  log_.push_back(fmt::format("type {} bytes", text.size()));
  send_text(text);
  driver.frame();
}

Action Wanderer::any_file() {
  constexpr const char* names[] = {"scene.png",
                                   "signal.csv",
                                   "trained-blur.headlight",
                                   "window.headlight",
                                   "README.md",
                                   "cross-attention.headlight",
                                   "",
                                   "none.npz",
                                   "scene_0.png"};
  const auto path = examples / names[below(static_cast<Index>(std::size(names)))];
  switch (below(7)) {
    case 0:
      return Browse{path};
    case 1:
      return Peek{path};
    case 2:
      return Save{std::filesystem::path(fmt::format("saved-{}.headlight", below(3)))};
    case 3:
      return Decide{static_cast<Decision>(below(5))};
    case 4:
      return New{};
    case 5:
      return ShowDialog{static_cast<Dialog>(below(9))};
    default:
      return Open{path};
  }
}

void Wanderer::act(Driver& driver, Mood mood) {
  const bool reckless = mood == Mood::reckless;
  const Index kind = mood == Mood::looking ? 4 : below(reckless ? 15 : 10);
  if (kind < 2) return click(driver, reckless);
  if (kind == 10) return drag(driver);
  if (kind == 11 || kind == 12) return chord(driver);
  if (kind == 13) return type(driver);
  if (kind == 2) return key(driver);
  if (kind == 3) {
    log_.push_back("wheel");
    send_wheel(static_cast<float>(below(7)) - 3);
    return driver.frame();
  }
  const Model& model = driver.model();
  const Index which = mood == Mood::looking ? 0 : below(20);
  const Action action = kind == 14                    ? any_file()
                        : which < 12 && model.trace() ? any_look(model)
                        : which < 17                  ? any_change(model)
                                                      : any_setting();
  log_.push_back(to_text(action));
  driver.session().act(action);
  driver.frame();
}

void Wanderer::resize(Driver& driver) {
  constexpr int sizes[][2] = {{1280, 800}, {1024, 700}, {1366, 768}, {900, 640}};
  const auto& size = sizes[below(4)];
  log_.push_back(fmt::format("size {} {}", size[0], size[1]));
  driver.resize(size[0], size[1]);
  driver.frame();
}

std::vector<Start> starts() {
  Wanderer of(1);
  std::vector<Start> all{{"multi_head, text", example_experiment()}};
  const auto add = [&](const char* variant, const char* name, InputSpec input, auto&& change) {
    Experiment experiment = default_experiment(variant);
    const Variant& found = *find_variant(variant);
    experiment.inputs[found.arrays(experiment.params, {}).inputs.front().id] = std::move(input);
    change(experiment);
    all.push_back({fmt::format("{}, {}", variant, name), std::move(experiment)});
  };
  const auto as_it_is = [](Experiment&) {};
  const auto set = [](const char* id, ParamValue value) {
    return [=](Experiment& experiment) { experiment.params.set(id, value); };
  };
  const TextInput text{.text = "the cat sat on the mat", .d_model = 16};
  const ImageInput picture{(examples / "scene.png").string(), GridSize{9, 12}};
  const InputSpec frames = example_input(InputKind::frames, examples);
  const InputSpec signal = example_input(InputKind::signal, examples);
  add("additive", "text", text, as_it_is);
  add("key_content_only", "text", text, as_it_is);
  add("multi_head", "picture", picture, as_it_is);
  add("multi_head", "signal", signal, as_it_is);
  add("multi_head", "array", array({2, 6, 8}, of), as_it_is);
  add("multi_head", "rows of a feature map", array_file({5, 7, 6}, "hwc", of), as_it_is);
  add("multi_head", "rows of frames of features", array_file({2, 3, 4, 6}, "thwc", of), as_it_is);
  add("additive", "picture", picture, as_it_is);
  add("stand_alone_2d", "picture", picture, as_it_is);
  add("stand_alone_2d", "window on a picture", picture, set("extent", Index{3}));
  add("stand_alone_2d", "feature map", array({1, 6, 7, 9}, of), as_it_is);
  add("stand_alone_2d", "window on a feature map", array({1, 6, 7, 9}, of), set("extent", Index{5}));
  add("memory_block", "picture", picture, as_it_is);
  add("memory_block", "feature map", array({1, 6, 7, 9}, of), as_it_is);
  add("non_local", "picture", picture, as_it_is);
  add("non_local", "frames", frames, set("dimension", Index{3}));
  add("non_local", "signal", signal, set("dimension", Index{1}));
  add("non_local", "frames of features", array({1, 4, 3, 5, 6}, of), set("dimension", Index{3}));
  add("given", "layers", array({3, 2, 2, 5, 5}, of), [&](Experiment& experiment) {
    set("normalize", std::string("softmax"))(experiment);
    experiment.view.mode = "layers";
  });
  return all;
}

}  // namespace headlight::app
