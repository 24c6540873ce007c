#include "engine/learn/tasks/sequence.h"

#include <algorithm>
#include <utility>

#include "engine/core/mistake.h"
#include "engine/learn/drawing.h"
#include "engine/learn/pieces.h"

namespace headlight::learn {

ParamSpec count_option(std::string id, std::string title, std::string help, Index fallback, Index least, Index most) {
  return param::integer(std::move(id), std::move(title), std::move(help), fallback, static_cast<double>(least),
                        static_cast<double>(most));
}

ParamSpec real_option(std::string id, std::string title, std::string help, double fallback, double least, double most) {
  return param::real(std::move(id), std::move(title), std::move(help), fallback, least, most);
}

ParamSpec batch_option(Index fallback) {
  ParamSpec batch = count_option("batch", "Batch", "How many examples a step learns from.", fallback, 1, 4096);
  batch.advanced = true;
  return batch;
}

ParamSpec rate_option(double fallback) {
  ParamSpec rate = real_option("lr", "Learning rate", "How far a step goes.", fallback, 1e-9, 1e30);
  rate.logarithmic = true;
  return rate;
}

ParamSpec scale_option() {
  ParamSpec scale = real_option("scale", "Scale", "What scores are multiplied by; automatic is 1/√d'.", 1, -1e6, 1e6);
  scale.automatic = true;
  scale.fallback = param::automatic;
  return scale;
}

std::vector<ParamSpec> sequence_options(const SequenceDefaults& defaults) {
  ParamSpec positions = param::choice("positions", "Positions", "How the layers know where a symbol stands.",
                                      {{"none", "None", "They do not, but for what the mask tells."},
                                       {"learned", "Learned", "A vector for each place, added to queries and keys."},
                                       {"sinusoidal", "Sinusoidal", "Sines and cosines, added likewise."},
                                       {"rotary", "Rotary", "Queries and keys are turned by where they stand."},
                                       {"alibi", "ALiBi", "Scores fall with the distance."}});
  positions.fallback = defaults.positions;
  ParamSpec block =
      param::choice("block", "Block", "What stands round the attention.",
                    {{"bare", "Bare", "The attention alone."}, {"pre_norm", "Pre-norm", "A norm before it."}});
  block.fallback = defaults.block;
  std::vector<ParamSpec> all{
      count_option("layers", "Layers", "How many layers of attention stand on each other.", defaults.layers, 1, 4),
      count_option("heads", "Heads", "How many heads each layer has.", defaults.heads, 1, 64),
      count_option("d", "Width", "How many channels a token has.", defaults.width, 1, 1024),
      batch_option(defaults.batch),
      rate_option(defaults.rate),
      positions,
      real_option("pos_std", "Positions, spread", "How large learned positions are at the start.",
                  defaults.position_deviation, 0, 1e6),
      scale_option(),
      param::flag("residual", "Residual", "Whether what attention finds is added to what it read.", defaults.residual),
      block,
  };
  mark_advanced(all, {"pos_std", "block"});
  return all;
}

Status refuse_own(const ParamValues& own, const TaskOptions& options) {
  for (const auto& [id, value] : options.params)
    if (own.is_given(id)) return fail("train.params.{} is set by the task's own options: leave it out", id);
  return {};
}

ParamValues plain_layer(Index heads, Index width) {
  ParamValues params = ParamValues::defaults(find_variant("multi_head")->params());
  params.set("heads", heads);
  params.set("d_head", width / heads);
  return params;
}

void set_others(ParamValues& params, const TaskOptions& options) {
  for (const auto& [id, value] : options.params) params.set(id, value);
}

Status refuse_others(const TaskOptions& options) {
  if (options.params.empty()) return {};
  return fail("params.{} is of multi_head, and this network has none: leave params out", options.params.begin()->first);
}

namespace {

bool is_pre_norm(const ParamValues& o) {
  return o.choice("block") == "pre_norm";
}

// Whether a part of its own adds what attention found.
bool adds_after(const ParamValues& o) {
  return o.flag("residual") && !is_pre_norm(o);
}

// What the task's options make of a layer; what is set here a file does not set.
ParamValues own_params(const ParamValues& o, bool causal) {
  ParamValues params = plain_layer(o.integer("heads"), o.integer("d"));
  if (causal) params.set("mask", std::string("causal"));
  const std::string& positions = o.choice("positions");
  if (positions == "sinusoidal") params.set("positions", positions);
  if (positions == "rotary") params.set("rotary", std::string("interleaved"));
  if (positions == "alibi") params.set("relative", positions);
  if (!o.is_automatic("scale")) params.set("scale", o.real("scale"));
  params.set("block", std::string(is_pre_norm(o) && o.flag("residual") ? "pre_norm" : "bare"));
  return params;
}

// From "x0" on; gives the name of what the layers end with.
std::string add_layers(NetworkPlan& plan, bool causal, const TaskOptions& options) {
  const ParamValues& o = options.values;
  const bool norm = is_pre_norm(o) && !o.flag("residual");  // by a part of its own
  ParamValues params = own_params(o, causal);
  set_others(params, options);
  std::string in = "x0";
  for (Index l = 0; l < o.integer("layers"); ++l) {
    const std::string prefix = fmt::format("layer{}/", l), out = fmt::format("x{}", l + 1);
    std::string read = in, found = adds_after(o) ? fmt::format("found{}", l) : out;
    if (norm) {
      read = fmt::format("norm{}", l);
      plan.parts.push_back({.variant = &norm_piece(), .reads = {{"x", in}}, .gives = read, .prefix = prefix});
    }
    Part layer{.variant = find_variant("multi_head"),
               .params = params,
               .reads = {{"x_q", read}},
               .gives = found,
               .prefix = prefix};
    if (o.choice("positions") == "learned") layer.reads["p_q"] = "p";
    plan.parts.push_back(std::move(layer));
    if (found != out) plan.parts.push_back({.variant = &sum_piece(), .reads = {{"x", in}, {"y", found}}, .gives = out});
    in = out;
  }
  return in;
}

}  // namespace

Status check_layers(const TaskOptions& options) {
  const Index width = options.values.integer("d"), heads = options.values.integer("heads");
  if (width % heads != 0) return fail("options.heads {} does not divide options.d {}", heads, width);
  if (options.values.choice("positions") == "rotary" && width / heads < 2)
    return fail("options.positions rotary turns pairs of channels: {} heads of d {} have one channel each", heads,
                width);
  return refuse_own(own_params(options.values, true), options);
}

NetworkPlan sequence_plan(const Sequence& sequence, const TaskOptions& options) {
  const ParamValues& o = options.values;
  const Index width = o.integer("d");
  NetworkPlan plan;
  plan.starts["embedding"] = {
      .rule = Start::Rule::normal, .by = sequence.symbol_deviation, .shape = {sequence.symbols, width}};
  plan.parts.push_back({.variant = &table_piece(),
                        .reads = {{"at", "tokens"}, {"table", "embedding"}},
                        .gives = "x0",
                        .result = "rows"});
  if (o.choice("positions") == "learned") {
    plan.starts["positions"] = {
        .rule = Start::Rule::normal, .by = o.real("pos_std"), .shape = {sequence.places, width}};
    plan.parts.push_back({.variant = &table_piece(),
                          .reads = {{"at", "places"}, {"table", "positions"}},
                          .gives = "p",
                          .result = "rows"});
  }
  std::string x = add_layers(plan, sequence.causal, options);
  if (sequence.final_norm) {
    plan.parts.push_back({.variant = &norm_piece(), .reads = {{"x", x}}, .gives = "normed"});
    x = "normed";
  }
  plan.starts["w_out"] = {.shape = {width, sequence.answers}};
  plan.parts.push_back({.variant = &read_out_piece(), .reads = {{"x", x}, {"w", "w_out"}}, .gives = "logits"});
  plan.parts.push_back({.variant = &cross_entropy_piece(),
                        .reads = {{"logits", "logits"}, {"answers", "answers"}},
                        .gives = "loss",
                        .result = "loss"});
  return plan;
}

std::shared_ptr<Tensor> places(Index n) {
  return tensor_of({1, n}, [](Index place) { return place; });
}

Index predicted_at(const Tensor& logits, Index place) {
  const Index count = logits.dim(-1);
  const auto row = logits.values().subspan(static_cast<std::size_t>(place * count), static_cast<std::size_t>(count));
  return std::ranges::max_element(row) - row.begin();
}

double answer_accuracy(const Tensor& logits, const Tensor& answers) {
  Index right = 0, asked = 0;
  for (Index place = 0; place < answers.size(); ++place) {
    if (answers[place] < 0) continue;
    right += predicted_at(logits, place) == static_cast<Index>(answers[place]);
    ++asked;
  }
  return static_cast<double>(right) / static_cast<double>(asked);
}

std::vector<double> weight_on(const Tensor& map, const Tensor& keys, const Tensor& counts) {
  const Index heads = map.dim(1), queries = map.dim(2), n = map.dim(3);
  std::vector<double> sums(static_cast<std::size_t>(heads));
  double all = 0;
  for (Index query = 0; query < counts.size(); ++query) {
    if (counts[query] == 0) continue;
    all += counts[query];
    for (Index head = 0; head < heads; ++head) {
      const Index row = (query / queries * heads + head) * queries + query % queries;
      for (Index key = 0; key < n; ++key)
        sums[static_cast<std::size_t>(head)] +=
            static_cast<double>(counts[query]) * map[row * n + key] * keys[query * n + key];
    }
  }
  for (double& sum : sums) sum /= all;
  return sums;
}

Tensor asked_places(const Tensor& answers) {
  Tensor asked(answers.shape());
  for (Index place = 0; place < answers.size(); ++place) asked[place] = answers[place] >= 0 ? 1.0F : 0.0F;
  return asked;
}

double largest(const std::vector<double>& numbers) {
  return *std::ranges::max_element(numbers);
}

const Tensor& map_of(const Network& network, const std::string& given) {
  const Step* map = network.trace_of(given).find("weights");
  if (!map) mistake("the part that gives {} has no attention weights", given);
  return map->tensor();
}

namespace {

// What the part of a layer gives that has its attention.
std::string part_of_layer(Index layer, const TaskOptions& options) {
  return adds_after(options.values) ? fmt::format("found{}", layer) : fmt::format("x{}", layer + 1);
}

}  // namespace

const Tensor& map_of_layer(const Network& network, Index layer, const TaskOptions& options) {
  return map_of(network, part_of_layer(layer, options));
}

void mark_advanced(std::vector<ParamSpec>& options, std::initializer_list<std::string_view> ids) {
  for (ParamSpec& option : options)
    if (std::ranges::find(ids, option.id) != ids.end()) option.advanced = true;
}

std::string symbol_name(Index symbol) {
  static const std::vector<std::string> greek{"π", "φ", "σ", "ψ", "ω", "λ", "δ", "θ", "ξ", "Γ", "Δ", "Λ", "Σ", "Ω"};
  constexpr Index letters = 26;
  if (symbol < letters) return std::string(1, static_cast<char>('A' + symbol));
  if (symbol - letters < std::ssize(greek)) return greek[static_cast<std::size_t>(symbol - letters)];
  return fmt::format("{}", symbol);
}

std::vector<std::string> symbol_names(Index count) {
  std::vector<std::string> names;
  for (Index symbol = 0; symbol < count; ++symbol) names.push_back(symbol_name(symbol));
  return names;
}

ExampleWords words_of_symbols(const Numbers& examples, std::vector<std::string> names) {
  const Tensor& tokens = *examples.find("tokens")->second;
  ExampleWords words{.read = {}};
  for (Index place = 0; place < tokens.dim(1); ++place)
    words.read.push_back(names[static_cast<std::size_t>(tokens[place])]);
  words.answers = std::move(names);
  return words;
}

std::vector<ShownMap> maps_of_layers(const TaskOptions& options) {
  std::vector<ShownMap> maps;
  for (Index layer = 0; layer < options.values.integer("layers"); ++layer)
    maps.push_back({part_of_layer(layer, options), fmt::format("layer {}", layer)});
  return maps;
}

}  // namespace headlight::learn
