#include "app/cli/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/cli/messages.h"
#include "app/cli/progress.h"
#include "app/cli/standard_streams.h"
#include "app/model/network_run.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/npz.h"
#include "engine/run/logit_gradients.h"
#include "engine/tokens/tokenizer.h"
#include "engine/variants/mechanism/mechanism.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_named = 5;  // positions that the table ends with

// By what it is shown as, which of a model without a tokenizer is its number; else by what the tokenizer makes of it.
Result<Index> token_named(const char* option, const std::string& text, const ModelPlan& plan, const Tokenizer* known) {
  for (Index id = 0; id < plan.logit_count(); ++id)
    if (word_of_id(id, plan, known) == text) return id;
  if (!known)
    return fail("{} {}: it must be the number of a token, 0 to {}", option, one_line(text), plan.logit_count() - 1);
  const auto tokens = known->encode(text, {}, false);
  if (!tokens) return fail("{} {}: {}", option, one_line(text), tokens.error().message);
  if (tokens->ids.size() == 1) return tokens->ids.front();
  return fail("{} {}: it is {} tokens ({}), and must be one", option, one_line(text), tokens->ids.size(),
              brief_list(tokens->tokens));
}

// What was asked, and what came of it.
struct Answer {
  LogitAsked asked;
  LogitGradients made;
  std::vector<std::string> words;  // of positions
  std::string token, other;
  bool predicts_next = false;  // else tokens are said in place of those that are read
};

// A head: what its weights count for the number and against it, and the cell that counts most.
struct HeadCounts {
  double pro = 0, contra = 0;
  Index query = 0, key = 0;
  double weight = 0, gradient = 0;
};

HeadCounts counts_of(const Tensor& weights, const Tensor& gradients, Index head) {
  HeadCounts counts;
  const Index n = weights.dim(1), first = head * n * n;
  double most = -1;
  for (Index at = first; at < first + n * n; ++at) {
    const double product = static_cast<double>(weights[at]) * gradients[at];
    (product > 0 ? counts.pro : counts.contra) += product;
    if (std::abs(product) <= most) continue;
    most = std::abs(product);
    counts.query = (at - first) / n;
    counts.key = at % n;
    counts.weight = weights[at];
    counts.gradient = gradients[at];
  }
  return counts;
}

template <typename Write>
void for_each_head(const LogitGradients& made, Write write) {
  for (std::size_t l = 0; l < made.weights.size(); ++l)
    for (Index m = 0; m < made.weights[l].dim(0); ++m) write(l, m, counts_of(made.weights[l], made.gradients[l], m));
}

std::string as_fields(const Answer& answer) {
  std::string text = "layer,head,for,against,query,key,weight,gradient\n";
  for_each_head(answer.made, [&](std::size_t layer, Index head, const HeadCounts& of) {
    text += fmt::format("{},{},{:.9g},{:.9g},{},{},{:.9g},{:.9g}\n", layer, head, of.pro, of.contra, of.query, of.key,
                        of.weight, of.gradient);
  });
  return text;
}

// "0 “the” 0.31, 3 “cat” 0.12": of the positions that reached the one that is asked for, itself left out of its own
// sum.
std::string most_relevant(const Answer& answer) {
  const Tensor& relevance = answer.made.relevance;
  const Index n = relevance.dim(1), place = answer.asked.place;
  const float* row = relevance.data() + (relevance.dim(0) - 1) * n * n + place * n;
  const auto of = [&](Index at) { return row[at] - (at == place ? 1.0F : 0.0F); };
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater<>(), of);
  order.resize(std::min(order.size(), most_named));
  std::string text;
  for (const Index at : order)
    if (of(at) > 0)
      text += fmt::format("{}{} “{}” {:.4g}", text.empty() ? "" : ", ", at, answer.words[static_cast<std::size_t>(at)],
                          of(at));
  return text.empty() ? "none" : text;
}

std::string as_text(const Answer& answer) {
  const auto word = [&](Index at) { return fmt::format("{} “{}”", at, answer.words[static_cast<std::size_t>(at)]); };
  std::string text = fmt::format(
      "{} {}: the logit of “{}”{} is {:.6g}\n", after_or_in_place_of(answer.predicts_next), word(answer.asked.place),
      answer.token, answer.asked.other ? fmt::format(" less that of “{}”", answer.other) : "", answer.made.value);
  text += fmt::format("{:>5}  {:>4}  {:>10}  {:>10}  {:>10}  {:>10}  {}\n", "layer", "head", "for", "against", "weight",
                      "gradient", "of query → key");
  for_each_head(answer.made, [&](std::size_t layer, Index head, const HeadCounts& of) {
    text += fmt::format("{:>5}  {:>4}  {:>10.4g}  {:>10.4g}  {:>10.4g}  {:>10.4g}  {} → {}\n", layer, head, of.pro,
                        of.contra, of.weight, of.gradient, word(of.query), word(of.key));
  });
  text += fmt::format("most relevant to it after the last layer: {}\n", most_relevant(answer));
  return text +
         "for and against: the sums of gradient × weight above and below 0; beside them the weight that counts most,\n"
         "and by how much the number grows for each 1 that it grows. A gradient says what a small change would do.\n";
}

// Of all layers (L, M, n, n).
Tensor stacked(const std::vector<Tensor>& layers) {
  Shape shape = layers.front().shape();
  shape.insert(shape.begin(), static_cast<Index>(layers.size()));
  Tensor all = Tensor::uninitialized(shape);
  float* to = all.data();
  for (const Tensor& layer : layers) to = std::ranges::copy(layer.values(), to).out;
  return all;
}

Status write_answer(const HeadsOptions& options, const Answer& answer) {
  if (options.output.extension() == ".npz") {
    if (options.csv) return fail("--csv: an .npz file holds arrays, not rows: leave it out");
    HL_TRY(FileWriter writer, open_writer(options.output));
    return write_npz(std::move(writer), {{"maps", stacked(answer.made.weights)},
                                         {"gradients", stacked(answer.made.gradients)},
                                         {"relevance", answer.made.relevance}});
  }
  return write_text(options.output, options.csv ? as_fields(answer) : as_text(answer));
}

}  // namespace

Status explain_logit(const HeadsOptions& options, const std::string& given) {
  HL_TRY(const OpenedModel opened,
         open_model_input(options.experiment, options.given, options.dump, given, options.output));
  const auto named = [&](const Error& error) { return fail_at(opened.experiment.name, error); };
  const ModelPlan& plan = opened.model->plan();
  std::optional<Tokenizer> tokenizer;
  if (has_tokenizer(opened.model->folder())) {
    HL_TRY(tokenizer, Tokenizer::open(opened.model->folder()));
  }
  const Tokenizer* known = tokenizer ? &*tokenizer : nullptr;
  Answer answer;
  HL_TRY(answer.asked.token, token_named("--why", *options.why.token, plan, known));
  answer.token = word_of_id(answer.asked.token, plan, known);
  if (options.why.other) {
    HL_TRY(answer.asked.other, token_named("--not", *options.why.other, plan, known));
    answer.other = word_of_id(*answer.asked.other, plan, known);
  }
  const StackInput& read = opened.input.of(plan.only);
  answer.asked.item = opened.experiment.view.batch.value_or(0);
  if (read.tokens) answer.asked.place = options.why.after.value_or(read.tokens->count - 1);
  const Progress progress(options.quiet);
  ThreadPool pool;
  ModelRunner runner(*opened.model, opened.input, pool, progress.stop_token(), progress.fraction());
  LayerRecording seen;
  seen.look = [&](LayerOfModel, const Problem& layer, const Trace&) -> Status {
    answer.predicts_next = answer.predicts_next || mechanism::hides_later_keys(layer);
    return {};
  };
  const auto trace = runner.run(opened.experiment, seen);
  if (!trace) return named(trace.error());
  auto made = logit_gradients(runner, *trace, answer.asked, opened.experiment.ablate, progress.fraction());
  if (!made) return named(made.error());
  answer.made = std::move(*made);
  answer.words = read.shown.empty() ? read.words[static_cast<std::size_t>(answer.asked.item)] : read.shown;
  if (!options.quiet)
    for (const std::string& notice : opened.experiment.notices) print_note(notice);
  return write_answer(options, answer);
}

}  // namespace headlight::app
