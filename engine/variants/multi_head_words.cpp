#include "engine/variants/multi_head_words.h"

#include <utility>

#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/head_option.h"
#include "engine/variants/mask_option.h"
#include "engine/variants/score_term.h"

namespace headlight::multi_head_words {

VariantInfo info() {
  return {.id = "multi_head",
          .title = "Scaled dot-product",
          .summary =
              "Every query scores every key by a dot product, and takes the average of the values by those weights; "
              "several heads do so side by side.",
          .shorthand = "softmax(qkᵀ)v",
          .source = "Vaswani et al. 2017, Attention Is All You Need, section 3.2, equation 1",
          .cross_title = "Cross-attention",
          .cross_shorthand = "q from x, kv from y",
          .first_choice_for = {InputKind::text, InputKind::signal, InputKind::array}};
}

namespace {

// ---- Parameters ---------------------------------------------------------------------------------------------------

std::vector<ParamSpec> head_params() {
  return {
      declare::heads(8),
      declare::width("d_head", 8, "d'"),
      param::integer("kv_heads", "Key heads",
                     "How many heads keys and values have, each read by a group of query heads (Shazeer 2019, Ainslie "
                     "et al. 2023); automatic is one for each.",
                     param::automatic, 1, 512, {.advanced = true, .symbol = "G", .question = ParamQuestion::keys}),
      param::integer("d_value", "Width per value",
                     "How many numbers make up a value in one head (d_v'); automatic is as many as a key's.",
                     param::automatic, 1, 4096, {.advanced = true, .symbol = "d_v'"}),
      mask::choice(),
      param::choice("positions", "Positions", "What is added to the query and key inputs to tell positions apart.",
                    {{"none", "None", "Attention does not know the order, unless the tokens carry it themselves."},
                     {"sinusoidal", "Sinusoidal", "Sines and cosines of many wavelengths (Vaswani et al. 2017, 3.5)."},
                     {"sinusoidal_2d", "Sinusoidal, 2-D",
                      "Those of a place's row beside those of its column (Carion et al. 2020)."},
                     {"learned", "Learned", "A vector for each position, drawn like the weights."}},
                    {.question = ParamQuestion::positions, .titles_suffice = true}),
      param::integer("grid_columns", "Columns",
                     "How many columns the grid of positions has, counted row by row; automatic is the picture's.",
                     param::automatic, 1, 1e6,
                     {.advanced = true,
                      .part_of = "positions",
                      .part_of_choice = "sinusoidal_2d",
                      .question = ParamQuestion::positions}),
      param::choice(
          "positions_to", "Positions to",
          "Whether positions help to decide where to look alone, or belong to the tokens.",
          {{"queries_keys", "Queries, keys", "Values and residual path never see them, as in DETR."},
           {"inputs", "Inputs", "Added to the tokens themselves, as in BERT, GPT-2 and ViT."}},
          {.advanced = true, .part_of = "positions", .breaks_named_heads = true, .question = ParamQuestion::positions}),
  };
}

std::vector<ParamSpec> position_params() {
  ParamSpec relative = param::choice(
      "relative", "Relative", "A term by which scores know how far a key lies from the query.",
      {{"none", "None", "Scores do not know distances."}}, {.breaks_named_heads = true, .titles_suffice = true});
  std::vector<ParamSpec> list;
  for (const ScoreTerm* term : score_terms()) {
    relative.choices.push_back(term->choice());
    for (ParamSpec& spec : term->params()) list.push_back(std::move(spec));
  }
  list.insert(list.begin(), std::move(relative));
  list.push_back(param::integer("query_offset", "Query offset",
                                "Where query 0 stands among the keys: how many came before, in a memory.", 0, -1e6, 1e6,
                                {.advanced = true}));
  return list;
}

std::vector<ParamSpec> merge_params() {
  return {
      declare::output_projection(),
      declare::bias(),
      param::choice("mistake", "Mistake", "Runs a classic bug, to see what it does.",
                    {{"none", "None", "The heads are merged as they should be."},
                     {"merge_without_transpose", "Merge without transpose",
                      "(B, M, n, d') is read as (B, n, M·d') without swapping the axes first."},
                     {"mask_after_softmax", "Mask after softmax",
                      "Rows are divided by sums that hidden keys are part of; their weights are set to 0 only then."}},
                    {.advanced = true}),
  };
}

// ---- Arrays -------------------------------------------------------------------------------------------------------

Fill positions_fill(const std::string& positions) {
  if (positions == "sinusoidal") return Fill::sinusoidal;
  if (positions == "sinusoidal_2d") return Fill::sinusoidal_2d;
  return positions == "learned" ? Fill::init : Fill::absent;
}

// Self attention adds the same positions to queries and keys; across two sequences each has its own.
std::vector<ArraySpec> position_arrays(const ParamValues& params, const IdSet& given) {
  const Fill fill = positions_fill(params.choice("positions"));
  const bool shared = !given.contains("x_k") && (fill != Fill::absent || given.contains("p_q"));
  return {{.id = "p_q",
           .title = "Query positions",
           .help = "Added to the query input, never to the values.",
           .shapes = {{"1", "n_q", "d_q"}, {"B", "n_q", "d_q"}, {"n_q", "d_q"}},
           .fill = fill,
           .role = Role::position,
           .symbol = "p^q"},
          {.id = "p_k",
           .title = "Key positions",
           .help = "Added to the key input, never to the values.",
           .shapes = {{"1", "n_k", "d_k"}, {"B", "n_k", "d_k"}, {"n_k", "d_k"}},
           .fill = shared ? Fill::alias : fill,
           .alias_of = shared ? "p_q" : "",
           .role = Role::position,
           .symbol = "p^k"}};
}

std::vector<ArraySpec> weight_arrays(const ParamValues& params) {
  const declare::Projections made{.q = {options::maps_symbol(params), "d_q", "d'"},
                                  .k = {options::key_maps_symbol(params), "d_k", "d'"},
                                  .v = {"G", "d_v", "d_v'"}};
  std::vector<ArraySpec> list = declare::projections(made);
  declare::append(list, declare::projection_biases(made, params));
  if (params.flag("output_projection")) declare::append(list, declare::output_weights(params, "Md_v'"));
  declare::append(list, layer().weights(params));
  return list;
}

}  // namespace

const std::vector<ParamSpec>& params() {
  static const std::vector<ParamSpec> specs = [] {
    std::vector<ParamSpec> list;
    const auto add = [&](ParamQuestion question, std::vector<ParamSpec> part) {
      for (auto& spec : part) {
        if (spec.question == ParamQuestion::size) spec.question = question;
        list.push_back(std::move(spec));
      }
    };
    add(ParamQuestion::size, head_params());
    add(ParamQuestion::positions, position_params());
    add(ParamQuestion::visible, mask::params());
    for (const HeadOption* option : head_options()) add(option->question, option->params);
    add(ParamQuestion::layer, layer().params);
    add(ParamQuestion::layer, merge_params());
    list.push_back(declare::only_query());
    return list;
  }();
  return specs;
}

namespace {

// Whether a rule may hide keys, so far as parameters and names say.
bool hides_anything(const ParamValues& params, const IdSet& given) {
  for (const MaskOption* option : mask_options())
    for (const ArraySpec& spec : option->inputs(params, given))
      if (given.contains(spec.id)) return true;
  const bool window = !params.is_automatic("window_left") || !params.is_automatic("window_right") ||
                      params.integer("window_dilation") > 1;
  return params.choice("mask") != "none" || window || !params.is_automatic("chunk") || given.contains("attn_mask");
}

}  // namespace

ArraySpecs arrays(const ParamValues& params, const IdSet& given) {
  ArraySpecs specs{.inputs = declare::sequences(), .weights = weight_arrays(params)};
  declare::append(specs.inputs, position_arrays(params, given));
  declare::append(specs.inputs, mask::inputs(params, given));
  if (const ScoreTerm* term = score_term(params)) {
    declare::append(specs.inputs, term->inputs());
    declare::append(specs.weights, term->weights());
  }
  for (const HeadOption* option : head_options())
    if (option->weights) declare::append(specs.weights, option->weights(params));
  // Beside a mask it would be refused, so nobody makes one there.
  if (hides_anything(params, given))
    for (ArraySpec& spec : specs.weights)
      if (spec.id == "b_post") spec.fill = Fill::absent;
  return specs;
}

// ---- Steps --------------------------------------------------------------------------------------------------------

namespace {

std::string order_note(const char* of) {
  return fmt::format(
      "Attention alone does not know the order, so a vector for each position is added to what {} are made from. The "
      "{{value:values}} never see it: positions help to decide where to look, not what is passed on.",
      of);
}

std::string embedded_note(const Recorder&) {
  return "A vector for each position is added to the tokens themselves, before anything reads them: {query:queries}, "
         "{key:keys} and {value:values} are all made of the sum, and the residual path carries it on.";
}

std::string concat_note(const Recorder& r) {
  if (r.params().choice("mistake") == "merge_without_transpose")
    return "A classic bug, run on purpose: (B, M, n, d') is read as (B, n, M·d') without swapping the axes first. The "
           "shapes fit and nothing fails, but a row now mixes {output:outputs} of different {query:queries} instead of "
           "the heads of one.";
  return fmt::format(
      "The {{output:outputs}} of the heads are laid side by side, {} channels each, head 0 first. Nothing is computed; "
      "until here the heads have not seen each other.",
      r.dim("d_v'"));
}

// Which heads read which keys, and what sharing them saves.
std::string shared_note(const Recorder& r) {
  const Index heads = r.dim("M"), key_heads = r.dim("G"), group = heads / key_heads;
  if (group == 1) return "";
  const Index each = r.dim("d'") + r.dim("d_v'");
  const std::string who =
      key_heads == 1 ? fmt::format("All {} heads read the same {{key:keys}} and {{value:values}}", heads)
                     : fmt::format("Heads 1 to {} read the first of {} key heads, the next {} the second, and so on",
                                   group, key_heads, group);
  return fmt::format(" {}: of each token {} numbers are kept for later queries, not {}.", who, key_heads * each,
                     heads * each);
}

std::vector<StepWords> own_steps() {
  return {
      {"x_embedded", "\\tilde x", "Input with positions", embedded_note, "x + p"},
      {"x_k_embedded", "\\tilde x^k", "Key input with positions", embedded_note, "x + p"},
      {"q_input", "\\tilde x^q", "Query input with positions",
       [](const Recorder&) { return order_note("the {query:queries}"); }, "x + p"},
      {"k_input", "\\tilde x^k", "Key input with positions",
       [](const Recorder&) { return order_note("the {key:keys}"); }, "x + p"},
      {"q", "q", "Queries",
       "A {query:query} is what a token asks with. Each head has a matrix of its own that turns the same {d_q} input "
       "numbers into {d'}, so each head can ask for something else."},
      {"k", "k", "Keys",
       [](const Recorder& r) {
         return fmt::format(
             "A {{key:key}} is what a token is found by. {{query:Queries}} and {{key:keys}} meet only in their dot "
             "product, so both have the same width, {}.{}",
             r.dim("d'"), shared_note(r));
       }},
      {"v", "v", "Values",
       [](const Recorder& r) {
         return fmt::format(
             "A {{value:value}} is what a token passes on to those who look at it. It has no say in who looks at "
             "whom.{}",
             r.has("k_input") ? " Positions are not in it, only in {query:queries} and {key:keys}." : "");
       }},
      {"scores",
       "s",
       "Scores",
       "The {score:score} of a {query:query} and a {key:key} is their dot product: large where they point the same "
       "way, negative where they point apart. Every query meets every key, {n_q} × {n_k} numbers in each head.",
       {},
       {"scores", "Scores", "q kᵀ"}},
      {"relative_index", "I", "Row of the table",
       [](const Recorder& r) { return score_term(r.params())->note(r, "relative_index"); }, "row"},
      {"position_scores", "s^r", "Position scores",
       [](const Recorder& r) { return score_term(r.params())->note(r, "position_scores"); }, "pos."},
      {"position_bias", "p", "Position bias",
       [](const Recorder& r) { return score_term(r.params())->note(r, "position_bias"); }},
      declare::mask_words(", else what is added to the {score:score}"),
      declare::masked_scores_words(mask::note),
      declare::head_output_words(
          " A row with one large weight copies that key's value; a flat row gives their average.",
          {"weighted_sum", "Weighted sum", "weights · v"}),
      {"concat", "c", "Concatenated heads", concat_note, "concat"},
  };
}

}  // namespace

std::vector<StepWords> steps() {
  std::vector<StepWords> all = own_steps();
  for (const ScoreTerm* term : score_terms()) all.insert(all.end(), term->words().begin(), term->words().end());
  for (const HeadOption* option : head_options()) declare::append(all, option->words);
  declare::append(all, layer().words);
  return all;
}

}  // namespace headlight::multi_head_words
