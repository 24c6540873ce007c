// Bahdanau, Cho and Bengio 2015, Neural Machine Translation by Jointly Learning to Align and Translate, appendix A.1.2
// and A.2.2: the decoding loop, in which each word looks back at the source; teacher forced.
#include <algorithm>

#include "engine/ops/recurrent_ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

Array record_states(Recorder& r, const Array& y, const Array& s_0, const Array& x, const Array& k, const Array& mask);
Array shown_step(Recorder& r, const char* id, Operation operation);
MaskRules mask_of(const Problem& problem);

// W, U and C of one unit: "z" the update gate, "r" the reset gate, "h" the candidate.
ops::UnitWeights unit(Recorder& r, const std::string& of);

// From the state s_i before each word y_i: attention over the source x, and the state after it.
//   e_ij = wᵀ tanh(W_q s_i + W_k x_j)    α_ij = softmax_j(e_ij)    c_i = Σ_j α_ij x_j
//   z_i = σ(W_z y_i + U_z s_i + C_z c_i)    r_i = σ(W_r y_i + U_r s_i + C_r c_i)
//   s̃_i = tanh(W_h y_i + U_h (r_i ⊙ s_i) + C_h c_i)    s_{i+1} = (1 − z_i) ⊙ s_i + z_i ⊙ s̃_i
// i counts from 0: s_i and E y_i are theirs, and what is made of them here is that of their i + 1. x_j is their h_j; w,
// W_q and W_k are v_a, W_a and U_a, and W_h, U_h, C_h are W, U, C. Their s_0 = tanh(W_s ←h_1) is given, or 0; their
// output layer is not here. Each s needs the one before, so one step, "states", runs the whole loop (Unrolling in
// ops/recurrent_ops.cpp). The steps after it compute each line once more, for all words at once; s'_i is s_{i+1}.
void record_attention(Recorder& r) {
  r.stage("input", "Input", "y x");
  const Array y = r.array("y"), s_0 = r.array("s_0"), x = r.array("x_k");
  r.stage("project", "Project", "k");
  const Array k = r.step("k", ops::project(x, r.array("w_k")));  // (B, 1, n_k, h)
  r.stage("loop", "Loop", "s → s");
  const MaskRules rules = mask_of(r.problem());
  const std::vector<Axis> pairs{k.axis_at(0), k.axis_at(1), y.axis_at(1), k.axis_at(2)};  // (B, 1, n_q, n_k)
  const Array mask = record::mask(r, "mask", rules, pairs);
  const Array s = record_states(r, y, s_0, x, k, mask);  // (B, n_q + 1, d_s), the whole loop

  r.stage("ask", "Ask", "q");
  // Row i of s is the state before word i.
  const Array q = shown_step(r, "q", ops::project_states(s, r.array("w_q"), y.axis_at(1)));  // (B, 1, n_q, h)
  r.stage("features", "Features", "tanh");
  const Array f = shown_step(r, "features", ops::tanh_of_sums(q, k));  // (B, 1, n_q, n_k, h)
  r.stage("scores", "Scores", "· w");
  Array e = shown_step(r, "scores", ops::dot_with_vector(f, r.array("w_score")));  // (B, 1, n_q, n_k)
  if (mask) {
    r.stage("mask", "Mask", "mask");
    e = shown_step(r, "masked_scores", ops::add_mask(e, mask, rules));
  }
  r.stage("softmax", "Softmax", "softmax");
  const Array a = shown_step(r, "weights", ops::masked_softmax({e, mask, rules}));  // rows sum to 1, or are 0
  r.stage("context", "Context", "weights · x");
  const Array c = shown_step(r, "context", ops::weighted_sum(a, x));  // (B, n_q, d_k)
  r.stage("gates", "Gates", "z r");
  const Array update = shown_step(r, "update", ops::gate(y, s, c, unit(r, "z")));  // z (B, n_q, d_s)
  const Array reset = shown_step(r, "reset", ops::gate(y, s, c, unit(r, "r")));    // r (B, n_q, d_s)
  r.stage("candidate", "Candidate", "tanh");
  const Array candidate = shown_step(r, "candidate", ops::candidate(y, s, c, reset, unit(r, "h")));  // s̃ (B, n_q, d_s)
  r.stage("output", "Output", "output");
  r.step("output", ops::state_after(s, update, candidate));  // (B, n_q, d_s), states 1 to n_q
}

// All states (B, n_q + 1, d_s): the loop itself.
Array record_states(Recorder& r, const Array& y, const Array& s_0, const Array& x, const Array& k, const Array& mask) {
  const ops::Decoder decoder{.word = y,
                             .start = s_0,
                             .keys = k,
                             .annotations = x,
                             .mask = mask,
                             .w_q = r.array("w_q"),
                             .w_score = r.array("w_score"),
                             .update = unit(r, "z"),
                             .reset = unit(r, "r"),
                             .candidate = unit(r, "h")};
  Axis rows{.symbol = "n_q+1", .name = "state", .size = y.dim(1) + 1};
  const Axis& words = y.axis_at(1);
  rows.labels = words.labels;
  rows.given_labels = words.given_labels;
  if (!rows.labels.empty()) rows.labels.insert(rows.labels.begin(), "start");
  for (auto& list : rows.given_labels) list.insert(list.begin(), "start");
  return r.step("states", ops::decoder_states(decoder, rows, r.axis("d_s", "channel")));
}

// What the loop did, as a step that shows it. The loop has made all states before, so an edit of the step does not
// reach them.
Array shown_step(Recorder& r, const char* id, Operation operation) {
  const bool is_edited =
      std::ranges::any_of(r.problem().edits, [&](const Edit& edit) { return edit.on && edit.array == id; });
  if (is_edited && operation.warning.empty())
    operation.warning = "The edit changes what follows in its own rows: the states of later words stay as they were.";
  return r.step(id, std::move(operation));
}

ops::UnitWeights unit(Recorder& r, const std::string& of) {
  return {r.array("w_" + of), r.array("u_" + of), r.array("c_" + of)};
}

const MaskOption* const mask_option[] = {&valid_lengths(), &padding_mask()};

MaskRules mask_of(const Problem& problem) {
  return mask::rules(problem, mask_option, mask::same_for_all_heads);
}

// ---- Words ---------------------------------------------------------------------------------------------------------

VariantInfo variant_info() {
  return {
      .id = "bahdanau_decoder",
      .title = "Additive, in a loop",
      .summary =
          "A recurrent decoder looks back at the source before each word: its state asks, what is found goes into the "
          "next state, and that asks again.",
      .shorthand = "s → weights → s",
      .source =
          "Bahdanau, Cho and Bengio 2015, Neural Machine Translation by Jointly Learning to Align and Translate, "
          "appendix A.1.2 and A.2.2"};
}

std::vector<StepWords> step_words() {
  return {
      {"k", "k", "Keys",
       "Each token of the source becomes {h} numbers, once for the whole loop: they do not depend on the state."},
      {"states", "s", "States",
       "The decoder's memory, {d_s} numbers: the first row before any word, and one after each of {n_q} words. The "
       "update gate says, number by number, how much of the candidate takes the place of what was there. A state can "
       "only be made once the one before it has asked, so this loop cannot run side by side. The steps after show each "
       "row of it; an edit of one changes what follows in that row, not the states of later ones.",
       "s"},
      {"q", "q", "Queries", "What the state before each word asks the source: {d_s} numbers become {h}."},
      {"features", "f", "Features",
       "Every {query:query} is added to every {key:key}, and tanh bends each sum to between −1 and 1.", "f"},
      {"scores", "s^a", "Scores",
       "One weighted sum over the features gives the {score:score} of the pair: how well a word of the source goes "
       "with "
       "what is to be said next."},
      declare::mask_words(),
      declare::masked_scores_words(),
      {"weights", "\\alpha", "Alignment weights",
       "Each row of {score:scores} becomes {weight:weights} that add up to 1: where in the source the decoder looks "
       "before it says its next word.",
       "α"},
      {"context", "c", "Context",
       "The source's tokens in the shares that the row of {weight:weights} says: all that this step learns of the "
       "source.",
       "c"},
      {"update", "z", "Update gate",
       "Between 0 and 1 for each number of the state: 0 keeps what was there, 1 takes the candidate. It is made of the "
       "word before, the state and the context.",
       "z"},
      {"reset", "r", "Reset gate",
       "Between 0 and 1 for each number of the state: how much of it the candidate gets to see. It acts before the "
       "product with U; torch's GRUCell has it after.",
       "r"},
      {"candidate", "\\tilde s", "Candidate",
       "What the state would become if nothing were kept: made of the word before, of what the reset gate lets through "
       "of the state, and of the context.",
       "s̃"},
      {"output", "s'", "Output",
       "The state after each word: what the update gate leaves of the one before, and the candidate. The next word is "
       "predicted from it."},
  };
}

// ---- The variant ---------------------------------------------------------------------------------------------------

class BahdanauDecoder final : public Variant {
 public:
  BahdanauDecoder()
      : Variant(variant_info(), {declare::hidden("How many features each pair of state and key has (h).")},
                step_words()) {}

  ArraySpecs arrays(const ParamValues& params, const IdSet& given) const override {
    using declare::weight;
    ArraySpecs specs{
        .inputs = {{.id = "y",
                    .title = "Words before",
                    .help = "The word before each step of the decoder, one row each.",
                    .shapes = {{"B", "n_q", "d_y"}},
                    .role = Role::query,
                    .layout = Layout::rows,
                    .symbol = "y"},
                   {.id = "x_k",
                    .title = "Source",
                    .help = "The encoder's annotations of the source, which the decoder looks back at; the "
                            "words themselves where nothing else is given.",
                    .shapes = {{"B", "n_k", "d_k"}},
                    .fill = Fill::alias,
                    .alias_of = "y",
                    .role = Role::key,
                    .layout = Layout::rows,
                    .symbol = "x"}},
        .weights = {weight("w_q", "W_q", "Query weights", "Turn a state into what it asks.", {"d_s", "h"}, Fill::init,
                           Role::query),
                    weight("w_k", "W_k", "Key weights", "Turn a token of the source into a key.", {"d_k", "h"},
                           Fill::init, Role::key),
                    declare::score_weights()}};
    // A weight, for its width is theirs: an input comes before it is known.
    specs.weights.push_back(weight("s_0", "s_0", "First state",
                                   "The decoder's state before its first step; zeros where nobody gives it.",
                                   {"B", "d_s"}, Fill::zeros));
    const auto add_unit = [&](const std::string& of, const std::string& title, const std::string& what) {
      const auto add = [&](const char* kind, const std::string& letter, const char* from, const char* rows) {
        specs.weights.push_back(weight(kind + of, fmt::format("{}_{}", letter, of), title + ", from the " + from,
                                       fmt::format("What the {} has to say about {}.", from, what), {rows, "d_s"},
                                       Fill::init));
      };
      add("w_", "W", "word", "d_y");
      add("u_", "U", "state", "d_s");
      add("c_", "C", "context", "d_k");
    };
    add_unit("z", "Update", "how much of the state is replaced");
    add_unit("r", "Reset", "how much of the state the candidate sees");
    add_unit("h", "Candidate", "what the state becomes");
    declare::append(specs.inputs, mask::inputs(mask_option, params, given));
    return specs;
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    symbols["M"] = 1;
    symbols["h"] = params.integer("hidden");
  }
  void bind_rest(const ParamValues&, Symbols& symbols) const override {
    symbols.emplace("n_k", symbols.at("n_q"));
    symbols.emplace("d_k", symbols.at("d_y"));
    symbols.emplace("d_s", symbols.at("d_y"));
  }
  std::span<const MaskOption* const> masks() const override { return mask_option; }
  Status check_gradients() const override {
    return fail(
        "this decoder reads its own state again and again, and gradients through such time are not there yet: additive "
        "attention has the same scores without the loop");
  }
  std::vector<std::string> samples() const override {
    return {R"({"variant": "bahdanau_decoder", "params": {"hidden": 6},
                "inputs": {"y": {"text": "we see what", "d_model": 8}, "x_k": {"text": "see what attention does"},
                           "valid_lens": [4]},
                "weights": {"init": "normal"}})"};
  }
  void record(Recorder& r) const override { record_attention(r); }
};

}  // namespace

const Variant& bahdanau_decoder() {
  static const BahdanauDecoder variant;
  return variant;
}

}  // namespace headlight
