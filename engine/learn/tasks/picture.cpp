// What a convolution does, learned by attention: which pixel is looked at is told by tables of offsets alone.
// Cordonnier, Loukas and Jaggi 2020, On the Relationship between Self-Attention and Convolutional Layers.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/learn/drawing.h"
#include "engine/learn/pieces.h"
#include "engine/learn/tasks/sequence.h"

namespace headlight::learn {

namespace {

struct Offset {
  Index down = 0, right = 0;
  auto operator<=>(const Offset&) const = default;
};

bool asks(const ParamValues& o, const char* task) {
  return o.choice("task") == task;
}

// As many as there are pixels to look at, where nobody says.
Index heads_of(const ParamValues& o) {
  if (!o.is_automatic("heads")) return o.integer("heads");
  if (asks(o, "conv")) return 9;
  return asks(o, "edge") ? 2 : 1;
}

std::vector<Offset> neighbours() {
  std::vector<Offset> all;
  for (Index down = -1; down <= 1; ++down)
    for (Index right = -1; right <= 1; ++right) all.push_back({down, right});
  return all;
}

// Where the pixels lie that an answer is made of.
std::vector<Offset> source_offsets(const ParamValues& o) {
  if (asks(o, "shift")) return {{o.integer("down"), o.integer("right")}};
  if (asks(o, "edge")) return {{0, -1}, {0, 1}};
  return neighbours();
}

// What is asked of each pixel, looked up once.
struct Question {
  bool shift, edge, conv;
  Offset by;  // of a shift
  Index size, outputs;

  explicit Question(const ParamValues& o)
      : shift(asks(o, "shift")),
        edge(asks(o, "edge")),
        conv(asks(o, "conv")),
        by{o.integer("down"), o.integer("right")},
        size(o.integer("size")),
        outputs(o.integer("out")) {}

  // Whether the answer can be known there: not where it would lie beyond the border.
  bool is_known(Index row, Index column) const {
    const auto inside = [this](Index place) { return place >= 0 && place < size; };
    if (shift) return inside(row + by.down) && inside(column + by.right);
    return row > 0 && column > 0 && row + 1 < size && column + 1 < size;
  }
};

// ---- Examples

// The pixels of one example, and the filter of a convolution.
class Answer {
 public:
  Answer(const Tensor& x, const Question& question, std::uint64_t seed) : x_(x), question_(question) {
    if (!question.conv) return;
    const double size = std::sqrt(9 * static_cast<double>(x.dim(1)));
    for (const double number : Draws(seed, "filter").normal(9 * x.dim(1) * question.outputs))
      filter_.push_back(static_cast<float>(number / size));
  }

  // What is asked of output `out`, where that is known.
  float at(Index example, Index out, Index row, Index column) const {
    const auto pixel = [&](Offset offset) { return value(example, out, row + offset.down, column + offset.right); };
    if (question_.shift) return pixel(question_.by);
    if (question_.edge) return pixel({0, 1}) - pixel({0, -1});
    if (question_.conv) return filtered(example, out, row, column);
    float sum = 0;
    for (const Offset offset : near_) sum += pixel(offset);
    return sum / 9;
  }

 private:
  float value(Index example, Index channel, Index row, Index column) const {
    return x_[((example * x_.dim(1) + channel) * x_.dim(2) + row) * x_.dim(3) + column];
  }

  float filtered(Index example, Index out, Index row, Index column) const {
    const Index channels = x_.dim(1), outputs = question_.outputs;
    double sum = 0;
    Index place = 0;
    for (const Offset offset : near_)
      for (Index channel = 0; channel < channels; ++channel, ++place)
        sum += static_cast<double>(filter_[static_cast<std::size_t>(place * outputs + out)]) *
               value(example, channel, row + offset.down, column + offset.right);
    return static_cast<float>(sum);
  }

  const Tensor& x_;
  const Question& question_;
  const std::vector<Offset> near_ = neighbours();
  std::vector<float> filter_;  // (9, channels, outputs)
};

// The filter is the training's, whoever draws.
Numbers draw_pictures(std::uint64_t seed, Index step, const ParamValues& o, std::uint64_t seed_of_filter) {
  const Question question(o);
  const Index rows = o.integer("batch"), size = question.size, outputs = question.outputs;
  Draws draws(seed, fmt::format("batch/{}", step));
  const auto x = tensor_of({rows, o.integer("channels"), size, size}, [&](Index) { return draws.uniform() * 2 - 1; });
  const Answer answer(*x, question, seed_of_filter);
  auto answers = std::make_shared<Tensor>(Shape{rows, outputs, size, size});
  auto asked = std::make_shared<Tensor>(Shape{rows, outputs, size, size});
  for (Index cell = 0; cell < answers->size(); ++cell) {
    const Index row = cell / size % size, column = cell % size;
    if (!question.is_known(row, column)) continue;
    const Index picture = cell / (size * size);
    (*answers)[cell] = answer.at(picture / outputs, picture % outputs, row, column);
    (*asked)[cell] = 1;
  }
  return {{"x", x}, {"answers", std::move(answers)}, {"asked", std::move(asked)}};
}

// ---- Figures

// A number for each offset between two pixels.
class OffsetTable {
 public:
  explicit OffsetTable(Index size) : size_(size), numbers_(static_cast<std::size_t>((2 * size - 1) * (2 * size - 1))) {}
  double& at(Offset offset) {
    return numbers_[static_cast<std::size_t>((offset.down + size_ - 1) * (2 * size_ - 1) + offset.right + size_ - 1)];
  }
  // Where the largest is.
  Offset peak() const {
    const Index place = std::ranges::max_element(numbers_) - numbers_.begin(), side = 2 * size_ - 1;
    return {place / side - size_ + 1, place % side - size_ + 1};
  }

 private:
  Index size_;
  std::vector<double> numbers_;
};

// For each head the mean weight at each offset, over the queries that are asked.
std::vector<OffsetTable> shares_of_offsets(const Tensor& map, const ParamValues& o) {
  const Question question(o);
  const Index size = question.size, n = size * size, heads = map.dim(1);
  std::vector<OffsetTable> shares(static_cast<std::size_t>(heads), OffsetTable(size));
  Index known = 0;
  for (Index query = 0; query < n; ++query) known += question.is_known(query / size, query % size);
  const double each = 1 / static_cast<double>(known * map.dim(0));
  for (Index row = 0; row < map.size() / n; ++row) {
    const Index query = row % n;
    if (!question.is_known(query / size, query % size)) continue;
    OffsetTable& share = shares[static_cast<std::size_t>(row / n % heads)];
    for (Index key = 0; key < n; ++key)
      share.at({key / size - query / size, key % size - query % size}) += each * map[row * n + key];
  }
  return shares;
}

// For each head what the query's bias alone scores at each offset: the picture of the learned tables.
std::vector<OffsetTable> scores_of_tables(const Network& network, const ParamValues& o) {
  const Tensor &bias = network.array("b_q"), &rows = network.array("row_embedding"),
               &columns = network.array("col_embedding");
  const Index size = o.integer("size"), half = rows.dim(1), heads = bias.dim(0);
  const auto product = [&](Index head, Index from, const Tensor& table, Index row) {
    double sum = 0;
    for (Index c = 0; c < half; ++c)
      sum += static_cast<double>(bias[head * 2 * half + from + c]) * table[row * half + c];
    return sum;
  };
  std::vector<OffsetTable> scores(static_cast<std::size_t>(heads), OffsetTable(size));
  for (Index head = 0; head < heads; ++head)
    for (Index i = 0; i < 2 * size - 1; ++i)
      for (Index j = 0; j < 2 * size - 1; ++j)
        scores[static_cast<std::size_t>(head)].at({i - size + 1, j - size + 1}) =
            product(head, 0, rows, i) + product(head, half, columns, j);
  return scores;
}

// The share of the wanted offsets at which some head is largest.
double found_by_peaks(const std::vector<OffsetTable>& tables, const std::vector<Offset>& offsets) {
  std::set<Offset> peaks;
  for (const OffsetTable& table : tables) peaks.insert(table.peak());
  const auto found = std::ranges::count_if(offsets, [&](Offset offset) { return peaks.contains(offset); });
  return static_cast<double>(found) / static_cast<double>(offsets.size());
}

// What the best head gives to all of them together, or the best for each of them on the average.
double weight_at(std::vector<OffsetTable>& shares, const std::vector<Offset>& offsets, bool together) {
  double most = 0, sum = 0;
  for (OffsetTable& share : shares) {
    double all = 0;
    for (const Offset offset : offsets) all += share.at(offset);
    most = std::max(most, all);
  }
  for (const Offset offset : offsets) {
    double best = 0;
    for (OffsetTable& share : shares) best = std::max(best, share.at(offset));
    sum += best;
  }
  return together ? most : sum / static_cast<double>(offsets.size());
}

// Of the answers' mean square: 1 explains nothing.
double error_of(const Tensor& output, const Tensor& answers, const Tensor& asked) {
  double off = 0, all = 0;
  for (Index cell = 0; cell < answers.size(); ++cell) {
    if (asked[cell] == 0) continue;
    const double difference = static_cast<double>(output[cell]) - answers[cell];
    off += difference * difference;
    all += static_cast<double>(answers[cell]) * answers[cell];
  }
  return off / all;
}

// ---- What it is

std::vector<ParamSpec> picture_options() {
  std::vector<ParamSpec> all{
      param::choice("task", "Task", "What is asked of each pixel.",
                    {{"shift", "Shift", "The pixel so far down and to the right."},
                     {"blur", "Blur", "The mean of 3 × 3 pixels round it."},
                     {"edge", "Edge", "The right neighbour minus the left one: two heads are needed."},
                     {"conv", "Convolution", "A random filter of 3 × 3 pixels: a head for each of them."}}),
      param::integer("heads", "Heads",
                     "How many attend side by side; automatic is what the task needs: 1, for an edge 2, for a "
                     "convolution 9.",
                     param::automatic, 1, 16),
      count_option("size", "Side", "How many pixels the picture has on each side.", 8, 2, 32),
      count_option("channels", "Channels", "How many numbers a pixel has.", 3, 1, 64),
      count_option("mid", "Width per head", "How many numbers make up a query: even, half for rows.", 16, 2, 256),
      count_option("out", "Outputs", "How many numbers are asked of a pixel.", 3, 1, 64),
      batch_option(16),
      rate_option(1e-2),
      count_option("down", "Down", "How far down the pixel lies that a shift asks for.", 0, -31, 31),
      count_option("right", "To the right", "How far to the right it lies.", 2, -31, 31),
      param::choice("normalizer", "Scale", "What scores are divided by.",
                    {{"sqrt_in_channels", "√ input channels", "The root of the count of the picture's channels."},
                     {"sqrt_d_head", "√ width per head", "The root of the count of products in a score."},
                     {"none", "Nothing", "Scores are as they are."}}),
      param::flag("content", "Content", "Whether what a pixel holds has a say in who looks at it.", true),
      real_option("embed_std", "Tables, spread", "How large the vectors of offsets are at the start.", 0.1, 0, 1e6),
      real_option("bias_std", "Query bias, spread", "How large the queries' biases are at the start.", 0.3, 0, 1e6),
  };
  mark_advanced(all, {"channels", "mid", "out", "normalizer", "content", "embed_std", "bias_std"});
  return all;
}

Status check_picture(const ParamValues& o) {
  const Index size = o.integer("size");
  if (o.integer("mid") % 2 != 0)
    return fail("options.mid {} is odd: half of a query is for rows and half for columns", o.integer("mid"));
  for (const char* shift : {"down", "right"})
    if (asks(o, "shift") && std::abs(o.integer(shift)) >= size)
      return fail("options.{} {} lies beyond a picture of size {}", shift, o.integer(shift), size);
  if (!asks(o, "shift") && size < 3)
    return fail("options.size {} has no pixel with neighbours on all sides: give 3 or more", size);
  if (!asks(o, "conv") && o.integer("out") != o.integer("channels"))
    return fail("options.out {} is not options.channels {}: only conv has outputs of its own", o.integer("out"),
                o.integer("channels"));
  return {};
}

TaskSpec picture_spec() {
  return {
      .info = {.id = "picture",
               .title = "Picture",
               .lesson = "Each pixel is to say what lies a little further on: how far and where to must be found out.",
               .source =
                   "Cordonnier, Loukas and Jaggi 2020, On the Relationship between Self-Attention and Convolutional "
                   "Layers",
               .learned = "error",
               .threshold = 0.05,
               .falls = true},
      .options = picture_options(),
      .figures = {{"error", "Error", "The mean square of what is off over that of the answers: 1 explains nothing."},
                  {"looked_at", "Weight at the offset", "What the best head gives to the pixels that are asked for.",
                   true},
                  {"offsets_found", "Offsets found", "The share of those pixels at which some head looks most."},
                  {"told_by_tables", "Told by the tables",
                   "The same by the learned tables and the queries' biases alone."}},
      .counter_tests = {{"Edge",
                         {{"task", std::string("edge")}, {"heads", Index{2}}},
                         "falls to 0.000: one head takes each side"},
                        {"Edge, one head",
                         {{"task", std::string("edge")}, {"heads", Index{1}}},
                         "stays at 0.500: one head explains one of two equal terms"},
                        {"Convolution, 4 heads",
                         {{"task", std::string("conv")}, {"heads", Index{4}}, {"embed_std", 1.0}, {"bias_std", 1.0}},
                         "stays near 0.29: four heads look at four of nine pixels"},
                        {"Rate 0.001", {{"lr", 1e-3}}, "is far from done: an error of 0.1 to 0.3"},
                        {"Rate 0.1", {{"lr", 1e-1}}, "falls to 0.000 by step 50: this task loves large steps"}},
  };
}

class Picture final : public Task {
 public:
  Picture() : Task(picture_spec()) {}

  Status check(const TaskOptions& options) const override {
    HL_CHECK(refuse_others(options));
    return check_picture(options.values);
  }

  Numbers batch(std::uint64_t seed, Index step, const TaskOptions& options) const override {
    return draw_pictures(seed, step, options.values, seed);
  }

  NetworkPlan plan(const TaskOptions& options) const override {
    const ParamValues& o = options.values;
    const Variant& variant = *find_variant("stand_alone_2d");
    ParamValues params = ParamValues::defaults(variant.params());
    params.set("heads", heads_of(o));
    params.set("mid_channels", o.integer("mid"));
    params.set("out_channels", o.integer("out"));
    params.set("normalizer", o.choice("normalizer"));
    params.set("content", o.flag("content") ? 1.0 : 0.0);
    params.set("bias", true);
    params.set("max_position", o.integer("size"));
    NetworkPlan plan;
    plan.starts["b_q"] = {.rule = Start::Rule::normal, .by = o.real("bias_std")};
    for (const char* table : {"row_embedding", "col_embedding"})
      plan.starts[table] = {.rule = Start::Rule::normal, .by = o.real("embed_std")};
    plan.parts.push_back({.variant = &variant, .params = std::move(params), .reads = {{"x", "x"}}, .gives = "said"});
    plan.parts.push_back({.variant = &mean_square_piece(),
                          .reads = {{"output", "said"}, {"answers", "answers"}, {"asked", "asked"}},
                          .gives = "loss",
                          .result = "loss"});
    return plan;
  }

  std::vector<Numbers> held_out(std::uint64_t seed, const TaskOptions& options) const override {
    return {draw_pictures(seed + 1000, 0, options.values, seed)};
  }

  Figures measure(std::uint64_t, const TaskOptions& options, std::span<const Network* const> networks) const override {
    const Network& network = *networks.front();
    const ParamValues& o = options.values;
    const std::vector<Offset> offsets = source_offsets(o);
    const bool blur = asks(o, "blur");
    std::vector<OffsetTable> shares = shares_of_offsets(map_of(network, "said"), o);
    return {{"error", error_of(network.array("said"), network.array("answers"), network.array("asked"))},
            {"looked_at", weight_at(shares, offsets, blur)},
            {"offsets_found", blur ? 1.0 : found_by_peaks(shares, offsets)},
            {"told_by_tables", found_by_peaks(scores_of_tables(network, o), offsets)}};
  }

  std::vector<ShownMap> maps(const TaskOptions&) const override { return {{"said", "attention"}}; }
  ExampleWords words(const Numbers&, const TaskOptions&) const override { return {}; }
};

}  // namespace

const Task& picture_task() {
  static const Picture task;
  return task;
}

}  // namespace headlight::learn
