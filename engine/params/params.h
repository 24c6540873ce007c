// Parameters of a variant, declared once as data. Sliders, the command line, JSON, hashing and tests all read the same
// list.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/tensor.h"

namespace headlight {

enum class ParamType { integer, real, choice, flag };

struct Choice {
  std::string id;     // "post_norm", as in an experiment file
  std::string title;  // "Post-norm", as in the window
  std::string help;
};

// Ids of parameters or arrays.
using IdSet = std::set<std::string, std::less<>>;

// No value is "automatic": the variant's own rule decides (scale: 1/√d').
using ParamValue = std::variant<std::monostate, Index, double, std::string, bool>;

// What a parameter is an answer to: where there are many, they stand under their questions, in this order.
enum class ParamQuestion { size, positions, visible, keys, weights, layer };

// A number that is a choice by itself, off at its default: under its question it stands beside others.
struct ParamOffer {
  std::string title;  // "Sinks"
  std::string help;   // one sentence, with its paper
  ParamValue on;      // what it is first when it is taken
};

struct ParamSpec {
  std::string id = {};
  std::string title = {};  // one to three words
  std::string help = {};   // one sentence
  ParamType type = ParamType::integer;
  ParamValue fallback = {};  // the default
  double least = 0;          // integer and real: the range allowed
  double most = 0;
  bool automatic = false;    // may be left to the variant's rule (JSON null)
  bool advanced = false;     // hidden until asked for
  bool logarithmic = false;  // a slider moves by ratios
  Index step = 1;            // whole numbers go up by it from `least`, where others make no sense
  std::vector<Choice> choices = {};
  std::string symbol = {};  // an extent that this sets ("M"); arrays set it where the parameter is left alone
  // Takes no part while that parameter is at its default, or, with a choice named, at any other; empty: always does.
  std::string part_of = {};
  std::string part_of_choice = {};
  bool breaks_named_heads = false;  // away from its default, hand-made heads no longer do what their names say
  ParamQuestion question = ParamQuestion::size;
  std::optional<ParamOffer> offer = {};
  bool titles_suffice = false;  // their titles alone say what they are: "ALiBi", not "Half"
};

// A parameter of each type; `rest`: what only some parameters say.
namespace param {

inline constexpr std::monostate automatic{};  // as a fallback: left to the variant's rule

ParamSpec integer(std::string id, std::string title, std::string help, ParamValue fallback, double least, double most,
                  ParamSpec rest = {});
ParamSpec real(std::string id, std::string title, std::string help, ParamValue fallback, double least, double most,
               ParamSpec rest = {});
ParamSpec flag(std::string id, std::string title, std::string help, bool fallback, ParamSpec rest = {});
// The first choice is the fallback.
ParamSpec choice(std::string id, std::string title, std::string help, std::vector<Choice> choices, ParamSpec rest = {});

}  // namespace param

// "Who may look?"
std::string_view in_words(ParamQuestion question);

class ParamValues {
 public:
  // Every parameter at its default.
  static ParamValues defaults(const std::vector<ParamSpec>& specs);

  // The id must be one that the variant declares, of that type.
  Index integer(std::string_view id) const;
  double real(std::string_view id) const;
  const std::string& choice(std::string_view id) const;
  bool flag(std::string_view id) const;
  bool is_automatic(std::string_view id) const;

  const ParamValue& get(std::string_view id) const;
  // Gives a parameter its value: sizes of arrays no longer decide it. False for a name that is none of the declared
  // ones: nothing changes but that prepare() refuses it, whether anybody looked or not. Values are held to the declared
  // range by prepare().
  bool set(std::string_view id, ParamValue value);
  // The same for a value that nobody gave: it follows from arrays or from another parameter.
  bool infer(std::string_view id, ParamValue value);
  // The default again, as if nobody had given it.
  void reset(const ParamSpec& spec);
  // Those that were set rather than left.
  const IdSet& given() const { return given_; }
  bool is_given(std::string_view id) const { return given_.contains(id); }
  // The first name that was refused; empty: none.
  const std::string& refused() const { return refused_; }

  // Whether the values are the same, whoever gave them.
  bool operator==(const ParamValues& other) const { return values_ == other.values_ && refused_ == other.refused_; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  // The value as that type, or the end of the program, in words.
  template <class T>
  const T& as(std::string_view id, const char* type) const;

  std::map<std::string, ParamValue, std::less<>> values_;  // one for each that is declared
  IdSet given_;
  std::string refused_;
};

// Null where there is none of that id.
const ParamSpec* find_param(const std::vector<ParamSpec>& specs, std::string_view id);

// Whether a parameter counts as the others are set. One that does not may be set all the same.
bool is_active(const std::vector<ParamSpec>& specs, const ParamSpec& spec, const ParamValues& values);

// The value as the spec's type, or an error that names the parameter, what was found and what is allowed.
// An integer is taken for a real; nothing else is converted.
Result<ParamValue> check_param(const ParamSpec& spec, const ParamValue& value);

// "8", "0.5", "causal", "true", "automatic".
std::string to_string(const ParamValue& value);

// The closest of `known` to a misspelt word, or empty when none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

// "did you mean heads?", or where none is near "it takes heads, d_head, …".
std::string nearest_or_all(std::string_view word, const std::vector<std::string>& known);

}  // namespace headlight
