// What can be answered to one of a mechanism's questions, as choices that are on or off.
#pragma once

#include <string>
#include <vector>

#include "engine/params/params.h"

namespace headlight::app {

struct OfferedChoice {
  std::string id;  // the parameter's, and after a "/" what it is set to, where it has several: "relative/alibi"
  std::string param;
  ParamValue on, off;
  std::string title;    // "ALiBi": says without the parameter's title what it is
  std::string help;     // one sentence, with its paper
  bool chosen = false;  // it is on, whatever its number
  bool plain = false;   // it is what the parameter is unless another is chosen, and a choice of its own: softmax
};

// In the order of the parameters. Choices of one parameter exclude each other; those of different ones combine.
std::vector<OfferedChoice> choices_offered(const std::vector<ParamSpec>& specs, ParamQuestion question,
                                           const ParamValues& params);

// The label for no choice on: "All" where keys are seen; empty where one is always on, and for how many keys are kept.
std::string all_off_label(ParamQuestion question, const std::vector<OfferedChoice>& offered);

// The same parameters with none of what answers the question chosen.
ParamValues without_choices(const std::vector<ParamSpec>& specs, ParamQuestion question, ParamValues params);

// Whether such choices say all that the parameter can be.
bool is_fully_offered(const ParamSpec& spec);
// Whether a choice takes a number, which is asked for once the choice is on.
bool takes_number(const ParamSpec& spec);

}  // namespace headlight::app
