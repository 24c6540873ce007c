#include "app/reading/choices_offered.h"

#include <algorithm>
#include <optional>

namespace headlight::app {

namespace {

bool speaks(const ParamSpec& spec) {
  return spec.type == ParamType::choice && spec.titles_suffice;
}

bool begins_with_none(const ParamSpec& spec) {
  return spec.fallback == ParamValue(std::string("none"));
}

// One choice, off at the parameter's default; nothing where it is a number like any other.
std::optional<OfferedChoice> single(const ParamSpec& spec) {
  OfferedChoice one{
      .id = spec.id, .param = spec.id, .on = {}, .off = spec.fallback, .title = spec.title, .help = spec.help};
  if (spec.offer) {
    one.title = spec.offer->title;
    one.help = spec.offer->help;
    one.on = spec.offer->on;
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
    if (!speaks(spec)) {
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

std::string all_off_label(ParamQuestion question, const std::vector<OfferedChoice>& offered) {
  const bool counts = question == ParamQuestion::keys;  // "none" would be said of the keys
  if (offered.empty() || counts || std::ranges::any_of(offered, &OfferedChoice::plain)) return "";
  return question == ParamQuestion::visible ? "All" : "None";
}

ParamValues without_choices(const std::vector<ParamSpec>& specs, ParamQuestion question, ParamValues params) {
  for (const OfferedChoice& choice : choices_offered(specs, question, params))
    if (choice.chosen) params.infer(choice.param, choice.off);
  return params;
}

bool is_fully_offered(const ParamSpec& spec) {
  return spec.part_of.empty() && (speaks(spec) || (spec.type == ParamType::flag && single(spec)));
}

bool takes_number(const ParamSpec& spec) {
  return spec.part_of.empty() && !is_fully_offered(spec) && single(spec);
}

}  // namespace headlight::app
