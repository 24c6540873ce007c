#include "engine/learn/pieces.h"

#include <utility>

#include "engine/ops/loss_ops.h"
#include "engine/variants/recorder.h"

namespace headlight::learn {

namespace {

// A mechanism without parameters, said in one go.
class Piece final : public Variant {
 public:
  using Record = void (*)(Recorder& r);
  Piece(VariantInfo info, ArraySpecs specs, std::vector<StepWords> words, Record record)
      : Variant(std::move(info), {}, std::move(words)), specs_(std::move(specs)), record_(record) {}

  ArraySpecs arrays(const ParamValues&, const IdSet&) const override { return specs_; }
  void bind(const ParamValues&, Symbols&) const override {}
  void bind_rest(const ParamValues&, Symbols&) const override {}
  std::vector<std::string> samples() const override { return {}; }
  void record(Recorder& r) const override { record_(r); }

 private:
  ArraySpecs specs_;
  Record record_;
};

using Shapes = std::vector<std::vector<std::string>>;

ArraySpec input(std::string id, std::string symbol, std::string title, std::string help, Shapes shapes) {
  return {.id = std::move(id),
          .title = std::move(title),
          .help = std::move(help),
          .shapes = std::move(shapes),
          .symbol = std::move(symbol)};
}

ArraySpec weight(std::string id, std::string symbol, std::string title, std::string help, Shapes shapes,
                 Fill fill = Fill::init) {
  ArraySpec spec = input(std::move(id), std::move(symbol), std::move(title), std::move(help), std::move(shapes));
  spec.fill = fill;
  spec.kind = Kind::weight;
  return spec;
}

const Shapes rows_of_channels = {{"B", "n_q", "d"}};

void record_rows(Recorder& r) {
  r.stage("input", "Input", "x");
  const Array at = r.array("at");
  r.stage("rows", "Rows", "table");
  r.step("rows", ops::lookup_rows(r.array("table"), at));
}

void record_norm(Recorder& r) {
  r.stage("output", "Norm", "norm");
  const Array x = r.array("x");
  r.step("output", ops::layer_norm(x, r.array("ln_gamma"), r.array("ln_beta")));
}

void record_sum(Recorder& r) {
  r.stage("output", "Add", "+ x");
  const Array x = r.array("x"), y = r.array("y");
  r.step("output", ops::sum(x, y));
}

void record_read_out(Recorder& r) {
  r.stage("output", "Read-out", "· w");
  const Array x = r.array("x"), w = r.array("w"), b = r.array("b");
  if (!b || b.axes.size() == 1) {
    r.step("output", ops::linear(x, w, b));
    return;
  }
  const Array product = r.step("product", ops::linear(x, w));
  r.step("output", ops::sum(product, b));
}

void record_cross_entropy(Recorder& r) {
  r.stage("probabilities", "Softmax", "softmax");
  const Array logits = r.array("logits"), answers = r.array("answers");
  const Array p = r.step("probabilities", ops::softmax(logits));
  r.stage("loss", "Loss", "−ln p", "loss");
  const Array surprise = r.step("surprise", ops::cross_entropy(logits, p, answers));
  r.step("loss", ops::mean_of_asked(surprise, answers));
}

void record_mean_square(Recorder& r) {
  r.stage("loss", "Loss", "(o − t)²", "loss");
  const Array output = r.array("output"), answers = r.array("answers"), asked = r.array("asked");
  const Array off = r.step("difference", ops::difference(output, answers));
  r.step("loss", ops::mean_square(off, asked));
}

}  // namespace

const Variant& table_piece() {
  static const Piece piece{
      {.id = "table", .title = "Rows of a table", .summary = "Each number takes its row.", .shorthand = "E[x]"},
      {.inputs = {input("at", "x", "Numbers of rows", "Which row each position takes.", {{"B", "n_q"}})},
       .weights = {weight("table", "E", "Table", "A vector for each symbol or place.", {{"V", "d"}})}},
      {{"rows", "e", "Rows", "Each position takes the row of the table that its number names."}},
      record_rows};
  return piece;
}

const Variant& norm_piece() {
  static const Piece piece{
      {.id = "norm", .title = "Norm", .summary = "Tokens are brought to one size.", .shorthand = "norm x"},
      {.inputs = {input("x", "x", "Input", "What is normalised.", rows_of_channels)},
       .weights = {weight("ln_gamma", "\\gamma", "Norm scale", "Stretches each channel.", {{"d"}}, Fill::ones),
                   weight("ln_beta", "\\beta", "Norm shift", "Shifts each channel.", {{"d"}}, Fill::zeros)}},
      {{"output", "\\bar x", "Normalised", "Each token is brought to mean 0 and variance 1 over its channels."}},
      record_norm};
  return piece;
}

const Variant& sum_piece() {
  static const Piece piece{
      {.id = "sum", .title = "Sum", .summary = "What attention found is added.", .shorthand = "x + y"},
      {.inputs = {input("x", "x", "Input", "What it is added to.", rows_of_channels),
                  input("y", "y", "Change", "What is added.", rows_of_channels)}},
      {{"output", "o", "Sum", "The input goes on beside what attention found."}},
      record_sum};
  return piece;
}

const Variant& read_out_piece() {
  static const Piece piece{
      {.id = "read_out", .title = "Read-out", .summary = "What is said of each position.", .shorthand = "x W"},
      {.inputs = {input("x", "x", "Input", "What is read.", {{"B", "n_q", "d"}, {"B", "1", "n_q", "d"}})},
       .weights = {weight("w", "W", "Read-out weights", "From a token to what is said of it.", {{"d", "V"}}),
                   weight("b", "b", "Read-out bias", "Added to each.", {{"V"}, {"n_q", "V"}}, Fill::absent)}},
      {{"product", "\\tilde o", "Product", "Before the bias is added."},
       {"output", "o", "Read-out", "A weighted sum of a token's channels for each answer that it may give."}},
      record_read_out};
  return piece;
}

const Variant& cross_entropy_piece() {
  static const Piece piece{
      {.id = "cross_entropy",
       .title = "Cross-entropy",
       .summary = "How surprised the network is by the answers.",
       .shorthand = "−ln p"},
      {.inputs = {input("logits", "z", "Logits", "What is said of each answer.", {{"B", "n_q", "V"}}),
                  input("answers", "t", "Answers", "Which is right; −1 where nothing is asked.", {{"B", "n_q"}})}},
      {{"probabilities", "p", "Probabilities", "Each row of logits becomes shares that add up to 1."},
       {"surprise", "h", "Surprise", "The less likely the right answer was held to be, the larger."},
       {"loss", "L", "Loss", "The mean surprise, in nats, over all positions that are asked."}},
      record_cross_entropy};
  return piece;
}

const Variant& mean_square_piece() {
  const Shapes any{{"B", "n_q", "V"}, {"B", "1", "n_q", "V"}, {"B", "V", "H", "W"}};
  static const Piece piece{
      {.id = "mean_square",
       .title = "Mean square",
       .summary = "How far the output is from the answers.",
       .shorthand = "(o − t)²"},
      {.inputs = {input("output", "o", "Output", "What the network says.", any),
                  input("answers", "t", "Answers", "What is right.", any),
                  input("asked", "m", "Asked", "1 where the answer counts, 0 where nothing is asked.", any)}},
      {{"difference", "\\delta", "Difference", "By how much the output is above the answer."},
       {"loss", "L", "Loss", "The mean of the squares of what is asked."}},
      record_mean_square};
  return piece;
}

}  // namespace headlight::learn
