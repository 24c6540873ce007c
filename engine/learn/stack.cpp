#include "engine/learn/stack.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/io/param_fields.h"
#include "engine/learn/pieces.h"

namespace headlight::learn {

namespace {

// Takes the parts one after the other.
class Parts {
 public:
  explicit Parts(const std::vector<Part>& parts) : parts_(parts) {}

  bool has_next() const { return at_ < parts_.size(); }
  // The next one, where it is that mechanism and reads that array by an id of its own; else null.
  const Part* take(const Variant& variant, const std::string& id, const std::string& name) {
    if (!has_next() || parts_[at_].variant != &variant) return nullptr;
    const auto reads = parts_[at_].reads.find(id);
    return reads == parts_[at_].reads.end() || reads->second != name ? nullptr : &parts_[at_++];
  }

 private:
  const std::vector<Part>& parts_;
  std::size_t at_ = 0;
};

// A layer that reads `x`, which becomes what it gives; false where none is next.
bool take_layer(Parts& parts, std::string& x, Stack& stack) {
  const Part* norm = parts.take(norm_piece(), "x", x);
  const Part* layer = parts.take(*find_variant("multi_head"), "x_q", norm ? norm->gives : x);
  if (!layer) {
    stack.last_norm = norm != nullptr;
    if (norm) x = norm->gives;
    return false;
  }
  const Part* sum = parts.take(sum_piece(), "y", layer->gives);
  stack.norm_before = norm != nullptr;
  stack.adds_input = sum != nullptr;
  stack.params = layer->params;
  ++stack.layers;
  x = sum ? sum->gives : layer->gives;
  return true;
}

Index rows_of(const NetworkPlan& plan, const std::string& table) {
  return plan.starts.at(table).shape.front();
}

}  // namespace

std::optional<Stack> stack_of(const NetworkPlan& plan) {
  Parts parts(plan.parts);
  const Part* words = parts.take(table_piece(), "at", "tokens");
  if (!words) return std::nullopt;
  Stack stack;
  const Shape& table = plan.starts.at("embedding").shape;
  stack.symbols = table.front();
  stack.width = table.back();
  if (parts.take(table_piece(), "at", "places")) stack.places = rows_of(plan, "positions");
  std::string x = words->gives;
  while (take_layer(parts, x, stack)) {
  }
  const Part* read_out = parts.take(read_out_piece(), "x", x);
  if (stack.layers == 0 || !read_out || read_out->reads.contains("b")) return std::nullopt;
  if (!parts.take(cross_entropy_piece(), "logits", read_out->gives) || parts.has_next()) return std::nullopt;
  stack.answers = plan.starts.at("w_out").shape.back();
  return stack;
}

namespace {

// By the names of symbols: those that begin alike are read as the longest. Letters of a text stand side by side, with
// one blank between words; other symbols may have blanks between them.
Json tokenizer_of(const std::vector<std::string>& names, bool letters) {
  Json vocabulary = Json::array();
  for (const std::string& name : names) vocabulary.push_back(Json::array({name, -1.0}));
  const Json one_blank{{"type", "Replace"}, {"pattern", {{"Regex", "\\s+"}}}, {"content", " "}};
  return {{"version", "1.0"},
          {"added_tokens", Json::array()},
          {"normalizer", letters ? one_blank : Json()},
          {"pre_tokenizer", letters ? Json() : Json{{"type", "WhitespaceSplit"}}},
          {"post_processor", nullptr},
          {"decoder", letters ? Json{{"type", "Fuse"}} : Json()},
          {"model", {{"type", "Unigram"}, {"unk_id", nullptr}, {"vocab", std::move(vocabulary)}}}};
}

}  // namespace

StackFiles stack_files(const TrainingPlan& plan, const Stack& stack) {
  const Task& task = *plan.task;
  const ExampleWords words = task.words(task.held_out(plan.seed, plan.options).front(), plan.options);
  const bool named = std::set(words.answers.begin(), words.answers.end()).size() == words.answers.size();
  Json params = Json::object();
  for (const ParamSpec& spec : find_variant("multi_head")->params())
    if (stack.params.is_given(spec.id)) params[spec.id] = json_of(stack.params.get(spec.id));
  Json network{{"layers", stack.layers},         {"width", stack.width},         {"symbols", stack.symbols},
               {"answers", stack.answers},       {"places", stack.places},       {"norm_before", stack.norm_before},
               {"adds_input", stack.adds_input}, {"last_norm", stack.last_norm}, {"params", std::move(params)}};
  StackFiles files;
  if (named) {
    network["example"] = fmt::format("{}", fmt::join(words.read, task.reads_text() ? "" : " "));
    files.tokenizer = tokenizer_of(words.answers, task.reads_text()).dump() + "\n";
  }
  files.network = network.dump();
  return files;
}

}  // namespace headlight::learn
