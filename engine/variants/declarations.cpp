#include "engine/variants/declarations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "engine/variants/mask_option.h"

namespace headlight::declare {

ParamSpec heads(Index fallback, std::string each_has) {
  return param::integer("heads", "Heads", fmt::format("How many heads attend side by side, each with {}.", each_has),
                        fallback, 1, 512, {.symbol = "M"});
}

ParamSpec width(std::string id, Index fallback, std::string symbol, std::string what) {
  std::string help = fmt::format("How many numbers make up {} in one head ({}).", what, symbol);
  return param::integer(std::move(id), "Width per head", std::move(help), fallback, 1, 4096,
                        {.symbol = std::move(symbol)});
}

ParamSpec extent(ParamValue fallback, std::string help) {
  return param::integer("extent", "Window", std::move(help), std::move(fallback), 1, 255, {.step = 2});
}

ParamSpec hidden(std::string help) {
  return param::integer("hidden", "Hidden width", std::move(help), 16, 1, 4096, {.symbol = "h"});
}

ParamSpec padding(bool masked_first) {
  std::vector<Choice> choices{{"masked", "Masked", "Nothing: what lies outside takes no part."},
                              {"zero", "Zeros", "Keys and values of zeros, which take part as any others."}};
  if (!masked_first) std::swap(choices[0], choices[1]);
  return param::choice("padding", "Padding", "What a window finds outside the picture.", std::move(choices));
}

ParamSpec out_channels() {
  return param::integer("out_channels", "Output channels",
                        "How many channels the result has; automatic is as many as the input.", param::automatic, 1,
                        65536, {.symbol = "out"});
}

ParamSpec output_projection() {
  return param::flag("output_projection", "Project output",
                     "Whether w_o mixes the heads; without it the output is the heads side by side.", true,
                     {.advanced = true});
}

ParamSpec bias() {
  return param::flag("bias", "Biases", "Whether biases are generated; those given as arrays always take part.", false,
                     {.advanced = true});
}

ParamSpec only_query() {
  return param::integer(
      "only_query", "One query",
      "Only the row of this query is computed, which takes memory for one row; automatic is all of them.",
      param::automatic, 0, 1e9, {.advanced = true});
}

ParamSpec causal_mask() {
  return param::choice("mask", "Mask", "Which keys a query may look at, besides padding.",
                       {{"none", "None", "Every query reads all keys."}, *causal().choice()});
}

std::string divisors_text(Index n) {
  std::vector<std::string> all;
  for (Index each = 1; each < n; ++each)
    if (n % each == 0) all.push_back(fmt::format("{}", each));
  return all.empty() ? "1" : fmt::format("{} or {}", fmt::join(all, ", "), n);
}

ArraySpec weight(std::string id, std::string symbol, std::string title, std::string help,
                 std::vector<std::string> shape, Fill fill, Role role) {
  return {.id = std::move(id),
          .title = std::move(title),
          .help = std::move(help),
          .shapes = {std::move(shape)},
          .fill = fill,
          .kind = Kind::weight,
          .role = role,
          .symbol = std::move(symbol)};
}

ArraySpec with_letter(std::string letter, ArraySpec spec) {
  spec.letter = std::move(letter);
  return spec;
}

std::vector<ArraySpec> norm(const std::string& which, const std::string& title, const std::string& channels) {
  const std::string scale = title.empty() ? "Norm scale" : title + " norm scale",
                    shift = title.empty() ? "Norm shift" : title + " norm shift";
  return {weight(which + "_gamma", "\\gamma", scale, "Stretches each normalised channel.", {channels}, Fill::ones),
          weight(which + "_beta", "\\beta", shift, "Shifts each normalised channel.", {channels}, Fill::zeros)};
}

std::vector<ArraySpec> sequences(std::string title_of_values, std::string help_of_values) {
  return {{.id = "x_q",
           .title = "Query input",
           .help = "The tokens that ask, one row each.",
           .shapes = {{"B", "n_q", "d_q"}},
           .role = Role::query,
           .layout = Layout::rows,
           .symbol = "x^q"},
          {.id = "x_k",
           .title = "Key input",
           .help = "The tokens that are asked; the query input itself where nothing else is given.",
           .shapes = {{"B", "n_k", "d_k"}},
           .fill = Fill::alias,
           .alias_of = "x_q",
           .role = Role::key,
           .layout = Layout::rows,
           .symbol = "x^k"},
          {.id = "x_v",
           .title = std::move(title_of_values),
           .help = std::move(help_of_values),
           .shapes = {{"B", "n_k", "d_v"}},
           .fill = Fill::alias,
           .alias_of = "x_k",
           .role = Role::value,
           .layout = Layout::rows,
           .symbol = "x^v"}};
}

ArraySpec sequence(Role role) {
  return {.id = "x",
          .title = "Input",
          .help = "The positions that are looked at, one row each; all of them look.",
          .shapes = {{"B", "n_q", "d"}},
          .role = role,
          .layout = Layout::rows,
          .symbol = "x"};
}

ArraySpec picture() {
  return {.id = "x",
          .title = "Picture",
          .help = "A picture, channels first.",
          .shapes = {{"B", "C", "H", "W"}},
          .layout = Layout::grid,
          .symbol = "x"};
}

// ---- Arrays that most mechanisms have

namespace {

struct Projected {
  char letter;
  const char *title, *word, *many;
  Role role;
  const std::vector<std::string>& shape;
};

std::vector<Projected> projected(const Projections& all) {
  std::vector<Projected> list;
  for (const Projected& each : {Projected{'q', "Query", "query", "queries", Role::query, all.q},
                                Projected{'k', "Key", "key", "keys", Role::key, all.k},
                                Projected{'v', "Value", "value", "values", Role::value, all.v}})
    if (!each.shape.empty()) list.push_back(each);
  return list;
}

Fill bias_fill(const ParamValues& params) {
  return params.flag("bias") ? Fill::init : Fill::absent;
}

}  // namespace

std::vector<ArraySpec> projections(const Projections& all) {
  std::vector<ArraySpec> list;
  for (const Projected& each : projected(all))
    list.push_back(weight(
        fmt::format("w_{}", each.letter), fmt::format("W_{}", each.letter), fmt::format("{} weights", each.title),
        fmt::format("Turn {} into {} {}.", all.from, all.whose, each.word), each.shape, Fill::init, each.role));
  return list;
}

std::vector<ArraySpec> projection_biases(const Projections& all, const ParamValues& params) {
  std::vector<ArraySpec> list;
  for (const Projected& each : projected(all)) {
    std::vector<std::string> shape = each.shape;
    shape.erase(shape.end() - 2);
    const bool heads = shape.size() > 1;
    list.push_back(weight(fmt::format("b_{}", each.letter), fmt::format("b_{}", each.letter),
                          fmt::format("{} bias", each.title),
                          fmt::format("Added to {} {}.", heads ? "each head's" : "the", each.many), std::move(shape),
                          bias_fill(params), each.role));
  }
  return list;
}

std::vector<ArraySpec> output_weights(const ParamValues& params, const std::string& from, const std::string& to,
                                      const std::string& what) {
  return {weight("w_o", "W_o", "Output weights", fmt::format("Mix the {} into the output.", what), {from, to},
                 Fill::init, Role::output),
          weight("b_o", "b_o", "Output bias", "Added to the output.", {to}, bias_fill(params), Role::output)};
}

ArraySpec score_weights() {
  return with_letter(
      "w", weight("w_score", "w", "Score weights", "How much each feature counts.", {"h"}, Fill::init, Role::score));
}

// ---- Symbols

void bind_heads(const ParamValues& params, Symbols& symbols) {
  symbols["M"] = params.integer("heads");
  symbols["d'"] = params.integer("d_head");
  symbols["Md'"] = params.integer("heads") * params.integer("d_head");
}

void bind_heads_with_values(const ParamValues& params, Symbols& symbols, Index maps) {
  const Index heads = params.integer("heads"), d_head = params.integer("d_head"),
              d_value = params.is_automatic("d_value") ? maps * d_head : params.integer("d_value");
  symbols["M"] = heads;
  symbols["d'"] = d_head;
  symbols["d_v'"] = d_value;
  symbols["Md_v'"] = heads * d_value;
  if (!params.flag("output_projection")) symbols["d_out"] = heads * d_value;
}

void bind_sequences(Symbols& symbols) {
  symbols.emplace("n_k", symbols.at("n_q"));
  symbols.emplace("d_k", symbols.at("d_q"));
  symbols.emplace("d_v", symbols.at("d_k"));
  symbols.emplace("d_out", symbols.at("d_q"));
}

void bind_pixels(Symbols& symbols) {
  symbols["N"] = symbols["n_q"] = symbols.at("H") * symbols.at("W");
  symbols.emplace("out", symbols.at("C"));
}

Status check_extent(const ParamValues& params) {
  const Index extent = params.is_automatic("extent") ? 1 : params.integer("extent");
  if (extent % 2 != 0) return {};
  return fail("extent is {}: it must be odd, so that the window has a middle: try {} or {}", extent, extent - 1,
              extent + 1);
}

}  // namespace headlight::declare
