// A character model of a few kilobytes of one's own text, the last tenth held out.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/utf8.h"
#include "engine/learn/drawing.h"
#include "engine/learn/tasks/sequence.h"

namespace headlight::learn {

namespace {

constexpr Index most_training_rows = 16;  // that "loss" is measured on

// What Unicode takes for white space, as Python parts words by it.
bool is_blank(char32_t c) {
  constexpr std::array<char32_t, 9> others{0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F) || (c >= 0x2000 && c <= 0x200A) ||
         std::ranges::find(others, c) != others.end();
}

// The first `most` characters, of runs of white space one blank each.
std::u32string first_characters(std::string_view text, std::size_t most) {
  std::u32string characters;
  bool blank = false;
  while (!text.empty() && characters.size() < most) {
    const Utf8Step step = utf8_step(text);
    text.remove_prefix(step.size);
    if (is_blank(step.character)) {
      blank = !characters.empty();
      continue;
    }
    if (blank) characters.push_back(U' ');
    blank = false;
    if (characters.size() < most) characters.push_back(step.character);
  }
  return characters;
}

// What is learned, what is held out, and the letters of both by their numbers.
struct Corpus {
  std::u32string train, held;
  std::u32string letters;

  Index number(char32_t letter) const { return std::ranges::lower_bound(letters, letter) - letters.begin(); }
};

Corpus corpus_of(const TaskOptions& options) {
  const auto found = options.texts.find("text");
  if (found == options.texts.end()) return {};
  const auto most = static_cast<std::size_t>(options.values.real("kilobytes") * 1000);
  const std::u32string all = first_characters(found->second, most);
  const std::size_t cut = all.size() * 9 / 10;
  Corpus corpus{.train = all.substr(0, cut), .held = all.substr(cut), .letters = {}};
  if (all.empty()) return corpus;
  const auto count = static_cast<std::size_t>(*std::ranges::max_element(all)) + 1;
  std::vector<bool> stands(count);
  for (const char32_t letter : all) stands[letter] = true;
  for (std::size_t letter = 0; letter < count; ++letter)
    if (stands[letter]) corpus.letters.push_back(static_cast<char32_t>(letter));
  return corpus;
}

// Of each row the letters from there on, and the one after each.
Numbers rows_from(const Corpus& corpus, const std::u32string& text, const std::vector<Index>& starts, Index n) {
  const Shape shape{static_cast<Index>(starts.size()), n};
  const auto letter = [&](Index cell, Index further) {
    const Index place = starts[static_cast<std::size_t>(cell / n)] + cell % n + further;
    return corpus.number(text[static_cast<std::size_t>(place)]);
  };
  return {{"tokens", tensor_of(shape, [&](Index cell) { return letter(cell, 0); })},
          {"answers", tensor_of(shape, [&](Index cell) { return letter(cell, 1); })},
          {"places", places(n)}};
}

// One row after the other, as far as the text goes.
std::vector<Index> starts_of_rows(const std::u32string& text, Index n) {
  std::vector<Index> starts;
  for (Index start = 0; start < static_cast<Index>(text.size()) - n - 1; start += n) starts.push_back(start);
  return starts;
}

// The same as options of any sequence.
TaskOptions as_sequence(const TaskOptions& options) {
  const ParamValues& o = options.values;
  TaskOptions sequence{.values = ParamValues::defaults(sequence_options({.block = "pre_norm", .residual = true})),
                       .params = options.params};
  for (const char* id : {"layers", "heads", "d", "batch", "lr", "positions"}) sequence.values.set(id, o.get(id));
  if (o.flag("ffn")) sequence.params.emplace("ffn", true);
  return sequence;
}

// The largest weight that a head of any layer has so many places back, averaged over queries.
double weight_on_offset(const Network& network, const TaskOptions& sequence, Index back) {
  double most = 0;
  for (Index layer = 0; layer < sequence.values.integer("layers"); ++layer) {
    const Tensor& map = map_of_layer(network, layer, sequence);
    const Index rows = map.dim(0), heads = map.dim(1), n = map.dim(2);
    for (Index head = 0; head < heads; ++head) {
      double sum = 0;
      for (Index row = 0; row < rows; ++row)
        for (Index i = 2; i < n; ++i) sum += map[((row * heads + head) * n + i) * n + i - back];
      most = std::max(most, sum / static_cast<double>(rows * (n - 2)));
    }
  }
  return most;
}

// Feed-forward parts have biases, and nothing else has: arrays that are there take part.
void start_biases(NetworkPlan& plan, const TaskOptions& options) {
  const Index width = options.values.integer("d");
  const auto given = options.params.find("d_ff");
  const auto* hidden = given == options.params.end() ? nullptr : std::get_if<Index>(&given->second);
  for (Index layer = 0; layer < options.values.integer("layers"); ++layer) {
    plan.starts[fmt::format("layer{}/b_1", layer)] = {.rule = Start::Rule::zeros,
                                                      .shape = {hidden ? *hidden : 4 * width}};
    plan.starts[fmt::format("layer{}/b_2", layer)] = {.rule = Start::Rule::zeros, .shape = {width}};
  }
}

std::vector<ParamSpec> text_options() {
  ParamSpec positions = param::choice("positions", "Positions", "How the layers know where a letter stands.",
                                      {{"rotary", "Rotary", "Queries and keys are turned by where they stand."},
                                       {"alibi", "ALiBi", "Scores fall with the distance."},
                                       {"none", "None", "They do not, but for what the mask tells."}});
  return {
      real_option("kilobytes", "Kilobytes", "How many thousand letters of the text are used.", 4, 0.1, 1000),
      count_option("layers", "Layers", "How many layers of attention stand on each other.", 2, 1, 4),
      count_option("heads", "Heads", "How many heads each layer has.", 4, 1, 64),
      count_option("d", "Width", "How many channels a letter has.", 64, 1, 1024),
      count_option("length", "Length", "How many letters an example has.", 48, 3, 512),
      batch_option(16),
      rate_option(3e-3),
      std::move(positions),
      param::flag("ffn", "Feed-forward", "Whether each layer has a feed-forward part behind its attention.", false),
  };
}

TaskSpec text_spec() {
  return {
      .info = {.id = "text",
               .title = "Your text",
               .lesson =
                   "Which letter comes next? Soon the text is known by heart, and what was held out is foretold worse "
                   "again.",
               .learned = "held_out",
               .threshold = 2.7,  // what counting pairs of letters alone comes to, of four kilobytes of English
               .falls = true,
               .usual_steps = 600},
      .options = text_options(),
      .figures =
          {{"loss", "Loss", "In nats, on text that it has learned from."},
           {"held_out", "Loss, held out",
            "In nats, on the last tenth. Counting letters comes to about 3.2, counting pairs of letters to about 2.7."},
           {"one_back", "Weight one back", "What the best head of any layer gives to the letter before.", true},
           {"two_back", "Weight two back", "And to the one before that.", true},
           {"itself", "Weight on itself", "And to the letter itself.", true}},
      .counter_tests = {{"With feed-forward",
                         {{"ffn", true}},
                         "looks back more clearly: about 0.4 on the letter before and 0.25 on the one before that"},
                        {"20 kilobytes", {{"kilobytes", 20.0}}, "takes longer to be known by heart than four do"}},
  };
}

class Text final : public Task {
 public:
  Text() : Task(text_spec()) {}

  bool reads_text() const override { return true; }
  void trim(TaskOptions& options) const override {
    const Corpus corpus = corpus_of(options);
    std::string& text = options.texts["text"];
    text.clear();
    for (const auto* half : {&corpus.train, &corpus.held})
      for (const char32_t letter : *half) append_utf8(text, letter);
  }
  Status check(const TaskOptions& options) const override {
    const auto found = options.texts.find("text");
    if (found == options.texts.end() || found->second.empty())
      return fail("options.text is empty: give a text, or \"file\" with the path of one");
    if (!is_utf8(found->second)) return fail("options.text is not UTF-8");
    HL_CHECK(check_layers(as_sequence(options)));
    const Corpus corpus = corpus_of(options);
    const Index n = options.values.integer("length");
    if (corpus.letters.size() < 2) return fail("options.text has fewer than two different letters");
    if (starts_of_rows(corpus.held, n).empty())
      return fail("options.text has {} letters, cut after options.kilobytes: options.length {} needs {} of them",
                  corpus.train.size() + corpus.held.size(), n, 10 * (n + 1) + 1);
    return {};
  }

  Numbers batch(std::uint64_t seed, Index step, const TaskOptions& options) const override {
    const Corpus corpus = corpus_of(options);
    const Index n = options.values.integer("length");
    Draws draws(seed, fmt::format("batch/{}", step));
    const auto starts =
        draws.integers(static_cast<Index>(corpus.train.size()) - n - 1, options.values.integer("batch"));
    return rows_from(corpus, corpus.train, starts, n);
  }

  NetworkPlan plan(const TaskOptions& options) const override {
    const auto symbols = static_cast<Index>(corpus_of(options).letters.size());
    NetworkPlan plan =
        sequence_plan({.symbols = symbols, .answers = symbols, .final_norm = true}, as_sequence(options));
    if (options.values.flag("ffn")) start_biases(plan, options);
    return plan;
  }

  // What it does not learn from, and what it does.
  std::vector<Numbers> held_out(std::uint64_t, const TaskOptions& options) const override {
    const Corpus corpus = corpus_of(options);
    const Index n = options.values.integer("length");
    std::vector<Index> learned = starts_of_rows(corpus.train, n);
    learned.resize(std::min(learned.size(), static_cast<std::size_t>(most_training_rows)));
    return {rows_from(corpus, corpus.held, starts_of_rows(corpus.held, n), n),
            rows_from(corpus, corpus.train, learned, n)};
  }

  Figures measure(std::uint64_t, const TaskOptions& options, std::span<const Network* const> networks) const override {
    const TaskOptions sequence = as_sequence(options);
    const Network &held = *networks.front(), &learned = *networks.back();
    return {{"loss", learned.array("loss")[0]},
            {"held_out", held.array("loss")[0]},
            {"one_back", weight_on_offset(held, sequence, 1)},
            {"two_back", weight_on_offset(held, sequence, 2)},
            {"itself", weight_on_offset(held, sequence, 0)}};
  }

  std::vector<ShownMap> maps(const TaskOptions& options) const override { return maps_of_layers(as_sequence(options)); }
  ExampleWords words(const Numbers& examples, const TaskOptions& options) const override {
    std::vector<std::string> names;
    for (const char32_t letter : corpus_of(options).letters)
      append_utf8(names.emplace_back(), letter == U' ' ? U'\u2423' : letter);  // a blank that is seen
    return words_of_symbols(examples, std::move(names));
  }
};

}  // namespace

const Task& text_task() {
  static const Text task;
  return task;
}

}  // namespace headlight::learn
