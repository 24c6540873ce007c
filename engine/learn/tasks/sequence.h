// What tasks on sequences of symbols share: their options, and a stack of layers of multi_head between a table of
// symbols and a read-out.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "engine/learn/task.h"

namespace headlight::learn {

// Defaults, where they are not those of most tasks.
struct SequenceDefaults {
  Index layers = 1, heads = 1, width = 64, batch = 32;
  double rate = 3e-3, position_deviation = 1;
  std::string positions = "learned", block = "bare";
  bool residual = false;
};
// layers, heads, d, batch, lr, positions, pos_std, scale, residual, block.
std::vector<ParamSpec> sequence_options(const SequenceDefaults& defaults);

// A whole number, a real one, a choice, a flag, said shortly.
ParamSpec count_option(std::string id, std::string title, std::string help, Index fallback, Index least, Index most);
ParamSpec real_option(std::string id, std::string title, std::string help, double fallback, double least, double most);
// "batch", "lr", and "scale" of scores, automatic 1/√d'.
ParamSpec batch_option(Index fallback);
ParamSpec rate_option(double fallback);
ParamSpec scale_option();

// Errors: heads do not divide the width; an odd width that pairs of channels turn in.
Status check_layers(const TaskOptions& options);

// Symbols "tokens" (B, n) and, where positions are learned, "places" (1, n).
struct Sequence {
  Index symbols = 0;  // rows of the table "embedding"
  Index answers = 0;  // that there are logits of
  double symbol_deviation = 1;
  Index places = 0;  // rows of the table "positions"
  bool causal = true;
  bool final_norm = false;  // before the read-out
};
// The table, the layers and the norm, logits "logits" (B, n, V) by "w_out", and the loss "loss" over "answers". Layer l
// gives "x{l + 1}".
NetworkPlan sequence_plan(const Sequence& sequence, const TaskOptions& options);

// multi_head of so many heads that share that width, and nothing else.
ParamValues plain_layer(Index heads, Index width);
// What a file sets besides: of multi_head.
void set_others(ParamValues& params, const TaskOptions& options);
// Errors: some of that is set by the task's own options already.
Status refuse_own(const ParamValues& own, const TaskOptions& options);
// Errors: there is something, and the network has no multi_head.
Status refuse_others(const TaskOptions& options);

// "places": 0 … n − 1.
std::shared_ptr<Tensor> places(Index n);

// ---- Figures

// Of logits (B, n, V): the answer that is held most likely at a place.
Index predicted_at(const Tensor& logits, Index place);
// The share of right answers among those that are asked.
double answer_accuracy(const Tensor& logits, const Tensor& answers);
// The mean over queries that count (B, n_q) of the weight that a map (B, M, n_q, n_k) has on keys (B, n_q, n_k), for
// each head. `keys`: 1 where a key counts.
std::vector<double> weight_on(const Tensor& map, const Tensor& keys, const Tensor& counts);
// 1 where an answer is asked.
Tensor asked_places(const Tensor& answers);
double largest(const std::vector<double>& numbers);

// ---- What is looked at

// Those options stand behind the others, until they are asked for.
void mark_advanced(std::vector<ParamSpec>& options, std::initializer_list<std::string_view> ids);
// "A" … "Z", then Greek letters that look like none of those, then numbers.
std::string symbol_name(Index symbol);
// The symbols of the first example by their names; `names` are those of all answers.
ExampleWords words_of_symbols(const Numbers& examples, std::vector<std::string> names);
std::vector<std::string> symbol_names(Index count);
// A map for each layer of sequence_plan().
std::vector<ShownMap> maps_of_layers(const TaskOptions& options);
// The attention weights of the part that gives that array.
const Tensor& map_of(const Network& network, const std::string& given);
// Those of a layer of sequence_plan(), whatever stands round it.
const Tensor& map_of_layer(const Network& network, Index layer, const TaskOptions& options);

}  // namespace headlight::learn
