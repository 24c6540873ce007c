// A rule of which keys a query may look at, as a mechanism offers it: its choice of the parameter "mask" or parameters
// of its own, its arrays, and the rule that a problem makes of them. Each is a file in variants/mask_options/ and its
// name in the list there.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/ops/attention_mask.h"
#include "engine/variants/recorder.h"

namespace headlight {

// What it is called where rules are laid over each other.
struct MaskLayer {
  std::string id;     // "window"
  std::string title;  // "Window"
  std::string about;  // what it does, in one line: "keys near a query's own place"
  MaskRule::By by = MaskRule::By::order;
};

class MaskOption {
 public:
  using Values = std::vector<std::pair<std::string, ParamValue>>;
  explicit MaskOption(MaskLayer layer, Values samples = {}, std::optional<Choice> choice = {})
      : layer_(std::move(layer)), samples_(std::move(samples)), choice_(std::move(choice)) {}
  virtual ~MaskOption() = default;
  const MaskLayer& layer() const { return layer_; }
  // What it is called as a choice of "mask"; null where parameters or arrays of its own switch it on.
  const Choice* choice() const { return choice_ ? &*choice_ : nullptr; }
  virtual std::vector<ParamSpec> params() const { return {}; }
  // Symbols as in multi_head.
  virtual std::vector<ArraySpec> inputs(const ParamValues&, const IdSet&) const { return {}; }
  // What values alone can say: one line that names the place and the value.
  virtual Status check(const Problem&) const { return {}; }
  // Nothing where it is switched off.
  virtual std::optional<MaskRule> rule(const Problem& problem) const = 0;
  // Parameters that switch it on, with values that show what it does; empty where an array does.
  virtual Values sample_values(const Problem&) const { return samples_; }
  // The same for the arrays that it goes by.
  virtual std::vector<std::pair<std::string, Tensor>> sample_arrays(const Problem&) const { return {}; }
  // What is said of it beside the masked scores, where it is switched on.
  virtual std::string note(const Recorder&) const { return {}; }

 protected:
  // Whether it is the choice of "mask".
  bool is_chosen(const ParamValues& params) const { return params.choice("mask") == choice_->id; }

 private:
  MaskLayer layer_;
  Values samples_;
  std::optional<Choice> choice_;
};

// In the order in which the window offers them and reasons are told.
std::span<const MaskOption* const> mask_options();

// Those that some mechanisms take one by one, each in the file of its name.
const MaskOption& causal();
const MaskOption& padding_mask();
const MaskOption& valid_lengths();
const MaskOption& picture_edge();  // of mechanisms whose keys are windows round the query
const MaskOption& across_cut();    // of those whose windows cut a rolled picture

namespace mask {

// Of all options together, for a mechanism that takes them all: the parameter "mask", the parameters of their own,
// their arrays and attn_mask, and what is said of the masked scores.
ParamSpec choice();
std::vector<ParamSpec> params();
std::vector<ArraySpec> inputs(const ParamValues& params, const IdSet& given);
// The arrays of some.
std::vector<ArraySpec> inputs(std::span<const MaskOption* const> options, const ParamValues& params,
                              const IdSet& given);
std::string note(const Recorder& r);

// Where query 0 stands among the keys: by "query_offset", where that is declared, and as the one query that is
// computed.
Index first_query(const Problem& problem);
// The count of heads of a mask that is the same for all of them.
inline constexpr Index same_for_all_heads = 1;
// What the options switch on.
MaskRules rules(const Problem& problem, std::span<const MaskOption* const> options, Index heads);
Status check(const Problem& problem, std::span<const MaskOption* const> options);
// The array that all rules make together and that edits may paint on.
inline constexpr std::string_view array_id = "mask";
// Whether an edit is of certain queries in all batch items and heads: the array then has a row for each query, though
// no rule needs it.
bool paints_pairs(const Edit& edit);
// The array of that id, null where there is none.
std::shared_ptr<const Tensor> given(const Problem& problem, std::string_view id);
// Every number must be whole and from 0 to the number of keys.
Status check_whole(const Problem& problem, std::string_view id, const std::string& of_what);
// An array that says something of pairs of queries and keys, absent unless given.
ArraySpec array(std::string id, std::string title, std::string help, std::vector<std::vector<std::string>> shapes);
// A count of keys or positions among all parameters; without a number of its own, automatic.
ParamSpec count(std::string id, std::string title, std::string help, ParamValue fallback = std::monostate{},
                Index least = 0);
// "3rd".
std::string ordinal(Index n);
// MaskRule::next_change of a rule that says one thing of the keys before each of `borders`, which rise, and another
// from it on.
Index next_border(const MaskCell& cell, std::initializer_list<Index> borders);

}  // namespace mask

}  // namespace headlight
