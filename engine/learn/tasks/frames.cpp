// Dots that move at random between two frames: a non-local block learns "the same colour in the frame before". Wang et
// al. 2018, Non-local Neural Networks.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "engine/learn/drawing.h"
#include "engine/learn/pieces.h"
#include "engine/learn/tasks/sequence.h"

namespace headlight::learn {

namespace {

// Of every pixel: three of colour, then these.
constexpr Index channels = 7, mark_channel = 3, row_channel = 4, column_channel = 5, time_channel = 6;

bool asks_place(const ParamValues& o) {
  return o.choice("ask") == "place";
}

Index answers_of(const ParamValues& o) {
  return asks_place(o) ? 2 : 1;
}

// ---- Examples

// Two frames, and the dots in them.
struct Scenes {
  std::shared_ptr<Tensor> x;                 // (B, 7, 2, S, S)
  std::vector<Index> first = {}, last = {};  // (B, dots): their pixels in the first frame and in the last
  Index dots = 0, pixels = 0;                // of a frame

  float& at(Index scene, Index channel, Index frame, Index pixel) const {
    return (*x)[((scene * channels + channel) * 2 + frame) * pixels + pixel];
  }
};

// A hue for each dot, from 0 to 1 round the circle: evenly spaced and turned by chance, or each by chance.
std::vector<double> draw_hues(Draws& draws, const ParamValues& o, Index rows) {
  const Index dots = o.integer("dots");
  const std::vector<double> turned = draws.uniform(rows);
  if (o.choice("hues") == "free") return draws.uniform(rows * dots);
  std::vector<double> hues;
  for (const double turn : turned)
    for (Index dot = 0; dot < dots; ++dot)
      hues.push_back((static_cast<double>(dot) + turn) / static_cast<double>(dots));
  return hues;
}

void put_dots(const Scenes& scenes, const std::vector<double>& hues) {
  for (std::size_t i = 0; i < hues.size(); ++i)
    for (Index colour = 0; colour < 3; ++colour) {
      const Index scene = static_cast<Index>(i) / scenes.dots;
      const double angle = 2 * std::numbers::pi * (hues[i] - static_cast<double>(colour) / 3);
      const auto value = static_cast<float>(std::cos(angle));
      scenes.at(scene, colour, 0, scenes.first[i]) = scenes.at(scene, colour, 1, scenes.last[i]) = value;
    }
}

// Every pixel carries some mark: who looks beside the dot reads a wrong one.
void put_marks(const Scenes& scenes, const std::vector<double>& marks, bool faint) {
  const Index each = 2 * scenes.pixels;
  const auto mark = [&](Index scene, Index place) { return marks[static_cast<std::size_t>(scene * each + place)]; };
  for (Index cell = 0; cell < static_cast<Index>(marks.size()); ++cell) {
    const Index scene = cell / each, place = cell % each;
    const double value = mark(scene, place) * (faint ? 0.3 : 1);
    scenes.at(scene, mark_channel, place / scenes.pixels, place % scenes.pixels) = static_cast<float>(value);
  }
  for (std::size_t i = 0; i < scenes.first.size(); ++i) {
    const Index scene = static_cast<Index>(i) / scenes.dots;
    scenes.at(scene, mark_channel, 0, scenes.first[i]) = static_cast<float>(mark(scene, scenes.first[i]));
  }
}

// From −1 to 1.
float place_in(Index size, Index place) {
  return static_cast<float>(static_cast<double>(place) / static_cast<double>(size - 1) * 2 - 1);
}

void put_places(const Scenes& scenes, const ParamValues& o) {
  const Index size = o.integer("size");
  const bool place = asks_place(o), time = o.flag("time");
  for (Index scene = 0; scene < scenes.x->dim(0); ++scene)
    for (Index frame = 0; frame < 2; ++frame)
      for (Index pixel = 0; pixel < scenes.pixels; ++pixel) {
        if (place) {
          scenes.at(scene, row_channel, frame, pixel) = place_in(size, pixel / size);
          scenes.at(scene, column_channel, frame, pixel) = place_in(size, pixel % size);
        }
        if (time) scenes.at(scene, time_channel, frame, pixel) = frame == 0 ? -1.0F : 1.0F;
      }
}

Scenes draw_scenes(std::uint64_t seed, Index step, const ParamValues& o, Index rows) {
  const Index size = o.integer("size"), pixels = size * size, dots = o.integer("dots");
  Draws draws(seed, fmt::format("batch/{}", step));
  Scenes scenes{.x = std::make_shared<Tensor>(Shape{rows, channels, 2, size, size}),
                .first = draws.shuffled(rows, pixels, dots),
                .dots = dots,
                .pixels = pixels};
  scenes.last = draws.shuffled(rows, pixels, dots);
  put_dots(scenes, draw_hues(draws, o, rows));
  std::vector<double> marks = draws.uniform(rows * 2 * pixels);
  for (double& mark : marks) mark = mark * 2 - 1;
  put_marks(scenes, marks, o.flag("faint"));
  put_places(scenes, o);
  return scenes;
}

// Asked at every dot of the last frame.
Numbers batch_of_scenes(const Scenes& scenes, const ParamValues& o) {
  const Index rows = scenes.x->dim(0), n = 2 * scenes.pixels, count = answers_of(o);
  const bool place = asks_place(o);
  auto answers = std::make_shared<Tensor>(Shape{rows, 1, n, count});
  auto asked = std::make_shared<Tensor>(Shape{rows, 1, n, count});
  for (std::size_t i = 0; i < scenes.last.size(); ++i)
    for (Index each = 0; each < count; ++each) {
      const Index scene = static_cast<Index>(i) / scenes.dots;
      const Index cell = (scene * n + scenes.pixels + scenes.last[i]) * count + each;
      const Index channel = place ? row_channel + each : mark_channel;
      (*answers)[cell] = scenes.at(scene, channel, 0, scenes.first[i]);
      (*asked)[cell] = 1;
    }
  return {{"x", scenes.x}, {"answers", std::move(answers)}, {"asked", std::move(asked)}};
}

// ---- The network

ParamValues block_params(const ParamValues& o) {
  ParamValues params = ParamValues::defaults(find_variant("non_local")->params());
  params.set("dimension", Index{3});
  params.set("mode", o.choice("mode"));
  params.set("inter_channels", o.integer("inter"));
  params.set("batch_norm", false);
  params.set("bias", true);
  params.set("scale", o.real("scale"));
  return params;
}

// The block's own way back to its input is not used: an answer has other channels.
NetworkPlan plan_of_frames(const ParamValues& o) {
  const Index inner = o.integer("inter"), count = answers_of(o);
  NetworkPlan plan;
  for (const char* weight : {"w_theta", "w_phi", "w_g"})
    plan.starts[weight] = {.rule = Start::Rule::xavier,
                           .by = weight == std::string_view("w_g") ? 1 : o.real("std"),
                           .shape = {inner, channels},
                           .transposed = true};
  plan.starts["unused/w_z"] = {.rule = Start::Rule::zeros, .shape = {channels, inner}};
  plan.starts["unused/b_z"] = {.rule = Start::Rule::zeros, .shape = {channels}};
  plan.parts.push_back({.variant = find_variant("non_local"),
                        .params = block_params(o),
                        .reads = {{"x", "x"}, {"w_z", "unused/w_z"}, {"b_z", "unused/b_z"}},
                        .gives = "found",
                        .result = "head_outputs"});
  plan.starts["w_z"] = {.shape = {inner, count}};
  plan.starts["b_z"] = {.rule = Start::Rule::zeros, .shape = {count}};
  plan.parts.push_back(
      {.variant = &read_out_piece(), .reads = {{"x", "found"}, {"w", "w_z"}, {"b", "b_z"}}, .gives = "said"});
  plan.parts.push_back({.variant = &mean_square_piece(),
                        .reads = {{"output", "said"}, {"answers", "answers"}, {"asked", "asked"}},
                        .gives = "loss",
                        .result = "loss"});
  return plan;
}

// ---- Figures

// How far what is said of the dots is off: its mean square over that of the answers, and the share that is near.
Figures figures_of_answers(const Network& network, const ParamValues& o) {
  const Tensor &said = network.array("said"), &answers = network.array("answers"), &asked = network.array("asked");
  const Index count = answers_of(o);
  const double close = asks_place(o) ? 1 / static_cast<double>(o.integer("size") - 1) : 0.1;
  double off = 0, all = 0, dots = 0, near = 0;
  for (Index place = 0; place < answers.size(); place += count) {
    if (asked[place] == 0) continue;
    bool is_near = true;
    for (Index cell = place; cell < place + count; ++cell) {
      const double difference = static_cast<double>(said[cell]) - answers[cell];
      off += difference * difference;
      all += static_cast<double>(answers[cell]) * answers[cell];
      is_near = is_near && std::abs(difference) < close;
    }
    ++dots;
    near += is_near;
  }
  return {{"error", off / all}, {"near", near / dots}};
}

// Where the dots of the last frame look.
Figures figures_of_map(const Tensor& map, const Scenes& scenes) {
  const Index n = 2 * scenes.pixels;
  double on = 0, itself = 0, same_frame = 0;
  for (std::size_t i = 0; i < scenes.last.size(); ++i) {
    const Index query = scenes.pixels + scenes.last[i];
    const Index row = static_cast<Index>(i) / scenes.dots * n + query;
    on += map[row * n + scenes.first[i]];
    itself += map[row * n + query];
    for (Index key = scenes.pixels; key < n; ++key) same_frame += map[row * n + key];
  }
  const auto dots = static_cast<double>(scenes.last.size());
  return {{"looked_at", on / dots}, {"itself", itself / dots}, {"same_frame", same_frame / dots}};
}

// ---- What it is

std::vector<ParamSpec> frame_options() {
  ParamSpec scale = real_option("scale", "Scale",
                                "What scores are multiplied by: 1 is the paper, 1/√C' keeps a wide start from being "
                                "stuck.",
                                1, 1e-6, 1e6);
  scale.logarithmic = true;
  std::vector<ParamSpec> all{
      param::choice("ask", "Asked", "What is to be said of each dot of the last frame.",
                    {{"mark", "Mark", "The mark that it bore in the first frame."},
                     {"place", "Place", "Its row and column in the first frame: harder."}}),
      count_option("size", "Side", "How many pixels a frame has on each side.", 6, 2, 16),
      count_option("dots", "Dots", "How many dots move.", 3, 1, 256),
      param::flag("time", "Time", "Whether a channel says which frame a pixel is of.", true),
      count_option("inter", "Inner channels", "How many channels queries, keys and values have (C').", 16, 1, 256),
      batch_option(32),
      rate_option(2e-2),
      param::choice("mode", "Similarity", "How scores become weights.",
                    {{"embedded_gaussian", "Embedded Gaussian", "Softmax: attention as elsewhere."},
                     {"dot_product", "Dot product", "Scores are divided by the count of keys: no row can select."}}),
      std::move(scale),
      real_option("std", "Start, spread", "How large the weights of queries and keys are at the start.", 0.35, 0, 1e6),
      param::choice("hues", "Hues", "How the dots' colours are chosen.",
                    {{"fixed", "Evenly", "Evenly round the circle, turned by chance."},
                     {"free", "By chance", "Each by chance: two may be alike."}}),
      param::flag("faint", "Faint marks", "Whether pixels that are no dot bear marks of less size.", false),
  };
  mark_advanced(all, {"inter", "std", "hues", "faint"});
  return all;
}

TaskSpec frames_spec() {
  return {
      .info = {.id = "frames",
               .title = "Frames",
               .lesson =
                   "Dots jump between two frames: which mark did the one of this colour bear in the frame before?",
               .source = "Wang et al. 2018, Non-local Neural Networks",
               .learned = "looked_at",
               .threshold = 0.9},
      .options = frame_options(),
      .figures = {{"error", "Error", "The mean square of what is off over that of the answers: 1 explains nothing."},
                  {"near", "Near answers",
                   "The share of dots whose answer is off by less than 0.1, or by less than a pixel."},
                  {"looked_at", "Weight on the same dot", "What a dot of the last frame gives to itself in the first.",
                   true},
                  {"itself", "Weight on itself", "What it gives to its own pixel of the last frame.", true},
                  {"same_frame", "Weight on its own frame", "What it gives to all pixels of the last frame.", true}},
      .counter_tests =
          {{"No time",
            {{"time", false}},
            "comes to an error of 0.07: the weight is split over both frames (0.70 and 0.30)"},
           {"No softmax", {{"mode", std::string("dot_product")}}, "stays at an error of 0.4 to 0.6: no row can select"},
           {"Large start", {{"std", 1.0}}, "some seeds are stuck, at an error of 0.44, for ever"},
           {"Large start, scaled",
            {{"std", 1.0}, {"scale", 0.25}},
            "mends that: 1/√C' is 0.25, and all of ten seeds learn"},
           {"Rate 0.2", {{"lr", 0.2}}, "two seeds of five are stuck"},
           {"One inner channel", {{"inter", Index{1}}}, "stays at an error of 0.7 to 0.8: colour has two dimensions"},
           {"Ask where", {{"ask", std::string("place")}}, "two or three seeds of five are stuck"}},
  };
}

class Frames final : public Task {
 public:
  Frames() : Task(frames_spec()) {}

  Status check(const TaskOptions& options) const override {
    const ParamValues& o = options.values;
    HL_CHECK(refuse_others(options));
    const Index size = o.integer("size"), dots = o.integer("dots");
    if (dots <= size * size) return {};
    return fail("options.dots {} is more than the {} pixels of a frame of size {}", dots, size * size, size);
  }

  Numbers batch(std::uint64_t seed, Index step, const TaskOptions& options) const override {
    const ParamValues& o = options.values;
    return batch_of_scenes(draw_scenes(seed, step, o, o.integer("batch")), o);
  }

  NetworkPlan plan(const TaskOptions& options) const override { return plan_of_frames(options.values); }

  std::vector<Numbers> held_out(std::uint64_t seed, const TaskOptions& options) const override {
    return {batch_of_scenes(draw_scenes(seed + 1000, 0, options.values, 64), options.values)};
  }

  Figures measure(std::uint64_t seed, const TaskOptions& options,
                  std::span<const Network* const> networks) const override {
    const Network& network = *networks.front();
    const ParamValues& o = options.values;
    Figures figures = figures_of_answers(network, o);
    figures.merge(figures_of_map(map_of(network, "found"), draw_scenes(seed + 1000, 0, o, network.array("x").dim(0))));
    return figures;
  }

  std::vector<ShownMap> maps(const TaskOptions&) const override { return {{"found", "attention"}}; }
  ExampleWords words(const Numbers&, const TaskOptions&) const override { return {}; }
};

}  // namespace

const Task& frames_task() {
  static const Frames task;
  return task;
}

}  // namespace headlight::learn
