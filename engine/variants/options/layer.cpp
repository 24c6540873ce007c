// A transformer layer's norms, residual sums and feed-forward part. Vaswani et al. 2017, sections
// 3.1 and 3.3; Xiong et al. 2020 (pre-norm); Wang and Komatsuzaki 2021, GPT-J-6B (parallel); Gemma 2 (sandwich).
#include <algorithm>

#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/head_option.h"

namespace headlight {

namespace {

struct Activation {
  const char* id;
  Combine rule;
  const char* in_words;  // what it does to a hidden number
};
constexpr Activation activations[] = {
    {"relu", Combine::relu, "negative ones are set to 0 (ReLU)"},
    {"gelu", Combine::gelu, "each is multiplied by how large it is among normal numbers (GELU): small ones fade out"},
    {"gelu_tanh", Combine::gelu_tanh, "each passes GELU in the form of GPT-2, which puts a tanh in place of erf"},
    {"silu", Combine::silu, "each is multiplied by its own sigmoid (SiLU): small ones fade out"},
    {"quick_gelu", Combine::quick_gelu, "each is multiplied by the sigmoid of 1.702 times itself, which is near GELU"},
};

const Activation& activation_of(const Recorder& r) {
  const std::string& chosen = r.params().choice("ffn_activation");
  return *std::ranges::find(activations, chosen, [](const Activation& a) { return std::string(a.id); });
}

const std::string& block_of(const Recorder& r) {
  return r.params().choice("block");
}

bool is_parallel(const std::string& block) {
  return block == "parallel" || block == "parallel_two_norms";
}

// The feed-forward part reads a norm of its own before, and the sum goes on as it is.
bool norms_before_ffn(const std::string& block) {
  return block == "pre_norm" || block == "sandwich_norm" || block == "parallel_two_norms";
}

// a + b + c, cell by cell.
Operation sum_of_three(const Array& a, const Array& b, const Array& c) {
  Operation op = ops::sum(a, b);
  op.backward = {};
  op.run = [a = a.values, b = b.values, c = c.values](Compute&, float* to) {
    for (Index i = 0; i < a->size(); ++i) to[i] = (*a)[i] + (*b)[i] + (*c)[i];
  };
  op.explain = [a = a.id, b = b.id, c = c.id](Index cell) {
    return Explanation{.terms = {{{Operand::of(a, cell)}}, {{Operand::of(b, cell)}}, {{Operand::of(c, cell)}}}};
  };
  op.code = both(fmt::format("{} + {} + {}", a.id, b.id, c.id));
  op.formula.right += " + " + notation::written(c);
  op.operations = 3;
  return op;
}

Operation mix_heads(Recorder& r, const Array& c) {
  if (r.params().flag("output_projection")) return ops::linear(c, r.array("w_o"), r.array("b_o"));
  Operation side_by_side = ops::copy(c);
  side_by_side.axes.back() = r.axis("d_out", "channel");
  return side_by_side;
}

// Vaswani et al. 2017, section 3.3, equation 2: two linear maps with an activation between, at each position alone.
// Gated, the activated numbers multiply those of a third map: Shazeer 2020, GLU Variants Improve Transformer.
Array record_feed_forward(Recorder& r, const Array& read) {
  const Combine rule = activation_of(r).rule;
  r.stage("ffn", "FFN", "ffn", "ffn_output");
  const auto activated = [&] { return ops::linear_with_activation(read, r.array("w_1"), r.array("b_1"), rule); };
  Array hidden;  // (B, n_q, d_ff)
  if (r.params().flag("ffn_gated")) {
    const Array gate = r.step("ffn_gate", activated());
    const Array up = r.step("ffn_up", ops::linear(read, r.array("w_3"), r.array("b_3")));
    hidden = r.step("ffn_hidden", ops::product(gate, up));
  } else {
    hidden = r.step("ffn_hidden", activated());
  }
  return r.step("ffn_output", ops::linear(hidden, r.array("w_2"), r.array("b_2")).as(Role::output));
}

void record_end(Recorder& r, bool normed, const Array& sum, const char* norm) {
  r.stage("output", normed ? "Norm" : "Output", "output");
  r.step("output", normed ? options::norm(r, sum, norm) : ops::copy(sum).as(Role::output));
}

// Attention and feed-forward part read the same tokens, and both are added at once.
void record_parallel(Recorder& r, const Array& x, const Array& x_norm, const Array& c) {
  r.stage("project_out", "Project out", "· w_o");
  const Array a = r.step("projected", mix_heads(r, c));
  Array f;
  if (r.params().flag("ffn")) {
    Array read = x_norm;
    if (norms_before_ffn(block_of(r))) {
      r.stage("ffn_norm", "Norm", "norm");
      read = r.step("ffn_norm", options::norm(r, x, "ln2").as(Role::none));
    }
    f = record_feed_forward(r, read.with_axes_of(a));
  }
  r.stage("add", "Add", "+ x");
  const Array from = x.with_axes_of(a);
  const Array sum = r.step("residual", (f ? sum_of_three(from, a, f) : ops::sum(from, a)).as(Role::output));
  record_end(r, false, sum, "");
}

// Attention's own part, under "attention_output" where a feed-forward part follows, else under "output".
Array record_attention_part(Recorder& r, const Array& x, const Array& c) {
  const std::string& block = block_of(r);
  const bool post_norm = block == "post_norm", ffn = r.params().flag("ffn");
  const std::string result = ffn ? "attention_output" : "output";
  const auto end_attention = [&] {
    if (ffn)
      r.stage("attention_output", post_norm ? "Norm" : "Attention output", "attention");
    else
      r.stage("output", post_norm ? "Norm" : "Output", "output");
  };
  if (block == "bare") {
    end_attention();
    return r.step(result, mix_heads(r, c));
  }
  r.stage("project_out", "Project out", "· w_o");
  Array a = r.step("projected", mix_heads(r, c));
  if (block == "sandwich_norm") {
    r.stage("projected_norm", "Norm", "norm");
    a = r.step("projected_norm", options::norm(r, a, "ln_post"));
  }
  r.stage("add", "Add", "+ x");
  const Array sum = r.step("residual", ops::sum(x.with_axes_of(a), a).as(Role::output));
  end_attention();
  return r.step(result, post_norm ? options::norm(r, sum, "ln") : ops::copy(sum));
}

void add_norm(std::vector<ArraySpec>& list, const ParamValues& params, const char* which, const char* title,
              const char* channels) {
  for (ArraySpec& spec : declare::norm(which, title, channels))
    if (params.choice("norm") == "layer_norm" || !spec.id.ends_with("beta")) list.push_back(std::move(spec));
}

std::vector<ArraySpec> arrays_of(const ParamValues& params) {
  using declare::weight;
  const std::string& block = params.choice("block");
  const bool sandwich = block == "sandwich_norm";
  const Fill bias = params.flag("bias") ? Fill::init : Fill::absent;
  std::vector<ArraySpec> list;
  if (block != "bare") add_norm(list, params, "ln", "", "d_q");
  if (sandwich) add_norm(list, params, "ln_post", "Attention's", "d_q");
  if (!params.flag("ffn")) return list;
  const auto add = [&](ArraySpec spec) { list.push_back(std::move(spec)); };
  add(weight("w_1", "W_1", "Feed-forward in", "From a token to the hidden numbers.", {"d_out", "d_ff"}, Fill::init));
  add(weight("b_1", "b_1", "Feed-forward in, bias", "Added before the activation.", {"d_ff"}, bias));
  if (params.flag("ffn_gated")) {
    add(weight("w_3", "W_3", "Feed-forward up", "From a token to what the gate multiplies.", {"d_out", "d_ff"},
               Fill::init));
    add(weight("b_3", "b_3", "Feed-forward up, bias", "Added to what the gate multiplies.", {"d_ff"}, bias));
  }
  add(weight("w_2", "W_2", "Feed-forward out", "From the hidden numbers back to a token.", {"d_ff", "d_out"},
             Fill::init));
  add(weight("b_2", "b_2", "Feed-forward out, bias", "Added to the feed-forward output.", {"d_out"}, bias));
  if (block != "parallel") add_norm(list, params, "ln2", "Second", "d_out");
  if (sandwich) add_norm(list, params, "ln2_post", "Feed-forward's", "d_out");
  return list;
}

// ---- Words ---------------------------------------------------------------------------------------------------------

std::string norm_sentence(const Recorder& r, const char* what) {
  return r.params().choice("norm") == "rms_norm"
             ? fmt::format("{} is brought to a mean square of 1 over its channels, then stretched by γ.", what)
             : fmt::format(
                   "{} is brought to mean 0 and variance 1 over its channels, then stretched by γ and shifted by β.",
                   what);
}

std::string x_norm_note(const Recorder& r) {
  const bool across = r.problem().find("x_k") != r.problem().find("x_q");
  return fmt::format("{} That is what attention reads; the residual path keeps the token as it was.{}",
                     norm_sentence(r, "Each token"),
                     across ? " {key:Keys} and {value:values} read their own input as it is: the memory is not "
                              "normalised here, as in PyTorch's decoder layer."
                            : "");
}

std::string projected_note(const Recorder& r) {
  return r.params().flag("output_projection")
             ? "The output matrix mixes the heads: every number of the {output:output} is a weighted sum of all "
               "channels of all heads at the same {query:query}. It does not mix positions."
             : "There is no output matrix here, so the {output:output} is the heads side by side. Each channel still "
               "belongs to one head.";
}

std::string residual_note(const Recorder& r) {
  std::string note =
      "The block's input is added back to what attention found. Attention thus writes a change onto each token instead "
      "of replacing it, and gradients pass unhindered.";
  if (is_parallel(block_of(r)) && r.params().flag("ffn"))
    note +=
        " The feed-forward part is added in the same sum: it did not wait for attention, so both can be computed at "
        "once.";
  return note;
}

// What the attention part of a layer ends with.
std::string attention_output_note(const Recorder& r) {
  const std::string& block = block_of(r);
  if (block == "bare") return projected_note(r);
  if (block == "post_norm")
    return "Post-norm: " + norm_sentence(r, "each token of the sum") +
           " The residual path itself is normalised here, as in the first transformer.";
  return "What attention reads was normalised, not what it gives back to the residual path. The sum goes on as it is.";
}

std::string ffn_norm_note(const Recorder& r) {
  return "The feed-forward part, too, reads a normalised copy: " + norm_sentence(r, "each token") +
         " The residual path keeps the token as it was.";
}

std::string hidden_note(const Recorder& r) {
  if (r.params().flag("ffn_gated"))
    return "Gate times up, number by number: what a token asks for decides how much of each hidden number passes.";
  return fmt::format(
      "Each token by itself is turned into {} numbers, and {}. Tokens do not meet here: only attention moves "
      "information between positions.",
      r.dim("d_ff"), activation_of(r).in_words);
}

std::string gate_note(const Recorder& r) {
  return fmt::format(
      "Each token by itself is turned into {} numbers, and {}. They decide how much of the other numbers passes.",
      r.dim("d_ff"), activation_of(r).in_words);
}

std::string ffn_output_note(const Recorder& r) {
  const bool zeros = activation_of(r).rule == Combine::relu;
  return fmt::format("The {} hidden numbers are brought back to a token's width.{}", r.dim("d_ff"),
                     zeros ? " A hidden number that ReLU set to 0 adds nothing." : "");
}

std::string output_note(const Recorder& r) {
  const std::string& block = block_of(r);
  if (!r.params().flag("ffn") || is_parallel(block)) return attention_output_note(r);
  return norms_before_ffn(block) ? "The sum goes on as it is. The next layer normalises what it reads."
                                 : norm_sentence(r, "Each token of the sum") + " This is what the layer hands on.";
}

std::string output_symbol(const Recorder& r) {
  if (r.params().flag("ffn")) return "y'";
  return block_of(r) == "bare" ? "a" : "y";
}

std::vector<StepWords> words() {
  return {
      {"x_norm", "\\bar x", "Normalised input", x_norm_note, "norm"},
      {"projected", "a", "Projected output", projected_note},
      {"projected_norm", "\\bar a", "Normalised projected output",
       [](const Recorder& r) {
         return norm_sentence(r, "What attention found for each token") + " Only then is it added.";
       },
       "norm"},
      {"residual", "r", "Residual sum", residual_note},
      {"attention_output", "y", "Attention output", attention_output_note, "a"},
      {"ffn_norm", "\\bar y", "Normalised for feed-forward", ffn_norm_note, "norm"},
      {"ffn_gate", "g", "Feed-forward gate", gate_note, "gate"},
      {"ffn_up", "u", "Feed-forward up",
       "The numbers that the gate lets through or holds back: another linear map of the same token.", "up"},
      {"ffn_hidden", "h", "Feed-forward hidden", hidden_note, "hidden"},
      {"ffn_output", "f", "Feed-forward output", ffn_output_note},
      {"ffn_output_norm", "\\bar f", "Normalised feed-forward output",
       [](const Recorder& r) {
         return norm_sentence(r, "What the feed-forward part found for each token") + " Only then is it added.";
       },
       "norm"},
      {"ffn_residual", "r'", "Feed-forward residual sum",
       "What the feed-forward part found is added to the attention {output:output}. It is a change to each token, as "
       "attention's was."},
      {"output", output_symbol, "Output", output_note},
  };
}

// ---- Parameters ----------------------------------------------------------------------------------------------------

std::vector<ParamSpec> params() {
  return {
      param::choice("block", "Block", "What stands round the attention: nothing, or a residual connection and norms.",
                    {{"bare", "Bare", "The attention alone."},
                     {"post_norm", "Post-norm", "norm(x + attention(x)), as in the first transformer."},
                     {"pre_norm", "Pre-norm", "x + attention(norm(x)), as in most transformers since."},
                     {"parallel", "Parallel", "x + attention(norm(x)) + ffn(norm(x)), as in GPT-J."},
                     {"parallel_two_norms", "Parallel, two", "The same with a norm for each part, as in GPT-NeoX."},
                     {"sandwich_norm", "Sandwich", "x + norm(attention(norm(x))), as in Gemma 2."}},
                    {.advanced = true}),
      param::flag("ffn", "Feed-forward", "Adds the feed-forward part of a transformer layer after the attention.",
                  false, {.advanced = true}),
      param::choice("ffn_activation", "Activation", "What bends the hidden numbers of the feed-forward part.",
                    {{"relu", "ReLU", "Negative numbers become 0."},
                     {"gelu", "GELU", "x · Φ(x), as in BERT (Hendrycks and Gimpel 2016)."},
                     {"gelu_tanh", "GELU by tanh", "The same by a tanh, as in GPT-2."},
                     {"silu", "SiLU", "x · sigmoid(x), as in Llama."},
                     {"quick_gelu", "Quick GELU", "x · sigmoid(1.702 x), as in CLIP."}},
                    {.advanced = true, .part_of = "ffn"}),
      param::flag("ffn_gated", "Gated",
                  "Whether the activated numbers multiply others: SwiGLU with SiLU, GEGLU with GELU (Shazeer 2020).",
                  false, {.advanced = true, .part_of = "ffn"}),
      param::integer("d_ff", "Hidden width",
                     "How many hidden numbers the feed-forward part has; automatic is 4 times the output's.",
                     param::automatic, 1, 65536, {.advanced = true, .part_of = "ffn"}),
      param::choice("norm", "Norm", "How a block and its feed-forward part bring tokens to one size.",
                    {{"layer_norm", "Layer norm", "Mean 0 and variance 1 (Ba et al. 2016)."},
                     {"rms_norm", "RMS norm", "A mean square of 1 (Zhang and Sennrich 2019)."}},
                    {.advanced = true}),
      param::real("norm_epsilon", "Epsilon of norms",
                  "What norms add to a variance before its root, so that nothing is divided by 0.", ops::norm_epsilon,
                  1e-12, 1, {.advanced = true, .logarithmic = true}),
  };
}

}  // namespace

const HeadOption& layer() {
  static const HeadOption option{.params = params(), .weights = arrays_of, .words = words()};
  return option;
}

Operation options::norm(Recorder& r, const Array& x, const std::string& which) {
  const double epsilon = r.params().real("norm_epsilon");
  const Array gamma = r.array(which + "_gamma");
  return r.params().choice("norm") == "rms_norm" ? ops::rms_norm(x, gamma, epsilon)
                                                 : ops::layer_norm(x, gamma, r.array(which + "_beta"), epsilon);
}

bool options::norms_before(const ParamValues& params) {
  return is_parallel(params.choice("block")) || norms_before_ffn(params.choice("block"));
}

void options::record_layer(Recorder& r, const Array& x, const Array& x_norm, const Array& concat) {
  const std::string& block = block_of(r);
  if (is_parallel(block)) return record_parallel(r, x, x_norm, concat);
  const Array y = record_attention_part(r, x, concat);  // (B, n_q, d_out)
  if (!r.params().flag("ffn")) return;
  Array read = y;
  if (norms_before_ffn(block)) {
    r.stage("ffn_norm", "Norm", "norm");
    read = r.step("ffn_norm", norm(r, y, "ln2"));
  }
  Array f = record_feed_forward(r, read);
  if (block == "sandwich_norm") {
    r.stage("ffn_output_norm", "Norm", "norm");
    f = r.step("ffn_output_norm", norm(r, f, "ln2_post"));
  }
  r.stage("ffn_add", "Add", "+ attention");
  const Array sum = r.step("ffn_residual", ops::sum(y, f));
  record_end(r, !norms_before_ffn(block), sum, "ln2");
}

}  // namespace headlight
