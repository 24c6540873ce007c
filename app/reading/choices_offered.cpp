#include "app/reading/choices_offered.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace headlight::app {

namespace {

// A number that is a choice: off as it begins, and with this value when it is turned on.
struct NumberChoice {
  std::string_view param, title, help;
  double on;
};

constexpr std::array number_choices{
    NumberChoice{
        "window_left", "Window",
        "A query sees so many keys before its own place and none before those (Beltagy et al. 2020, Longformer; "
        "Jiang et al. 2023, Mistral).",
        3},
    NumberChoice{"chunk", "Chunks",
                 "Positions are cut into blocks, and a query sees the keys of its own (Llama 4's local layers).", 4},
    NumberChoice{"sink_tokens", "Sinks",
                 "The first keys, which windows and chunks never hide (Xiao et al. 2023, StreamingLLM).", 1},
    NumberChoice{
        "global_tokens", "Global",
        "The first positions see all and are seen by all, whatever windows and chunks say (Beltagy et al. 2020, "
        "Longformer).",
        1},
    NumberChoice{"softcap", "Soft cap",
                 "Scores beyond a size are bent back smoothly to stay below it (Gemma Team 2024, Gemma 2).", 5},
};

const NumberChoice* number_choice(const ParamSpec& spec) {
  const auto found = std::ranges::find(number_choices, spec.id, &NumberChoice::param);
  return found == number_choices.end() ? nullptr : &*found;
}

// Their choices say by their titles alone what they are: "ALiBi", not "Half".
bool has_names(const ParamSpec& spec) {
  constexpr std::array<std::string_view, 4> ids{"positions", "relative", "mask", "normalize"};
  return spec.type == ParamType::choice && std::ranges::count(ids, spec.id) > 0;
}

bool begins_with_none(const ParamSpec& spec) {
  return spec.fallback == ParamValue(std::string("none"));
}

// One choice, off at the parameter's default; nothing where it is a number like any other.
std::optional<OfferedChoice> single(const ParamSpec& spec) {
  OfferedChoice one{
      .id = spec.id, .param = spec.id, .on = {}, .off = spec.fallback, .title = spec.title, .help = spec.help};
  if (const NumberChoice* number = number_choice(spec)) {
    one.title = number->title;
    one.help = number->help;
    one.on = spec.type == ParamType::integer ? ParamValue(static_cast<Index>(number->on)) : ParamValue(number->on);
  } else if (spec.type == ParamType::flag && spec.fallback == ParamValue(false)) {
    one.on = true;
  } else if (spec.type == ParamType::choice && begins_with_none(spec)) {
    one.on = spec.choices[1].id;
  } else {
    return std::nullopt;
  }
  return one;
}

}  // namespace

std::vector<OfferedChoice> choices_offered(const std::vector<ParamSpec>& specs, ParamQuestion question,
                                           const ParamValues& params) {
  std::vector<OfferedChoice> list;
  for (const ParamSpec& spec : specs) {
    if (spec.question != question || !spec.part_of.empty()) continue;
    const ParamValue& now = params.get(spec.id);
    if (!has_names(spec)) {
      if (auto one = single(spec)) {
        one->chosen = now != spec.fallback;
        list.push_back(std::move(*one));
      }
      continue;
    }
    for (const Choice& choice : spec.choices) {
      const bool plain = ParamValue(choice.id) == spec.fallback;
      if (plain && begins_with_none(spec)) continue;
      list.push_back({.id = spec.id + "/" + choice.id,
                      .param = spec.id,
                      .on = choice.id,
                      .off = spec.fallback,
                      .title = choice.title,
                      .help = choice.help,
                      .chosen = now == ParamValue(choice.id),
                      .plain = plain});
    }
  }
  return list;
}

std::string none_of_them(ParamQuestion question, const std::vector<OfferedChoice>& offered) {
  if (offered.empty() || std::ranges::any_of(offered, &OfferedChoice::plain)) return "";
  return question == ParamQuestion::visible ? "All" : "None";
}

bool is_said_by_choices(const ParamSpec& spec) {
  return spec.part_of.empty() && (has_names(spec) || (spec.type == ParamType::flag && single(spec)));
}

bool has_more_to_say(const ParamSpec& spec) {
  return spec.part_of.empty() && !is_said_by_choices(spec) && single(spec);
}

}  // namespace headlight::app
