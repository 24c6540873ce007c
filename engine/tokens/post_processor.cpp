#include "engine/tokens/parts.h"

#include <algorithm>
#include <string>

#include "engine/base/words.h"
#include "engine/tokens/tokenizer_file.h"
#include "engine/tokens/vocabulary.h"

namespace headlight {

namespace {

constexpr std::size_t most_slots = 64;

std::string where_of(const std::string& type) {
  return "post_processor " + type;
}

bool is_id(const Json& value) {
  return value.is_number_integer() && value >= 0 && value <= Vocabulary::most_tokens;
}

// ["[CLS]", 101].
Result<std::int32_t> id_at(const Json& part, const char* key, const std::string& where) {
  const Json* pair = part.contains(key) ? &part.at(key) : nullptr;
  if (!pair || !pair->is_array() || pair->size() != 2 || !is_id(pair->at(1)))
    return fail("{}: \"{}\" is not a token and its id", where, key);
  return pair->at(1).get<std::int32_t>();
}

// [CLS] A [SEP] B [SEP], or <s> A </s></s> B </s>, whose tokens all have type 0.
Result<TokenTemplate> two_marks(const Json& part, bool roberta) {
  const std::string where = where_of(type_of(part));
  HL_TRY(const std::int32_t begin, id_at(part, "cls", where));
  HL_TRY(const std::int32_t end, id_at(part, "sep", where));
  TokenTemplate made;
  made.single = {{-1, begin, 0}, {0, 0, 0}, {-1, end, 0}};
  made.pair = made.single;
  if (roberta) made.pair.push_back({-1, end, 0});
  const int second = roberta ? 0 : 1;
  made.pair.push_back({1, 0, second});
  made.pair.push_back({-1, end, second});
  return made;
}

// Adds what {"SpecialToken": {"id": "[CLS]", "type_id": 0}} or {"Sequence": {"id": "A", "type_id": 0}} stands for.
Status add_slot(const Json& step, const Json& specials, std::vector<TemplateSlot>& slots) {
  const std::string where = where_of("TemplateProcessing");
  const bool text = step.is_object() && step.contains("Sequence");
  const char* kind = text ? "Sequence" : "SpecialToken";
  if (!step.is_object() || !step.contains(kind) || !step.at(kind).is_object())
    return fail("{}: a step is neither a Sequence nor a SpecialToken", where);
  const Json& inner = step.at(kind);
  HL_TRY(const std::string id, text_or(inner, "id", where, ""));
  Index type = 0;
  if (inner.contains("type_id")) {
    HL_TRY(type, whole_at(inner, "type_id", where, 0, 1'000'000));
  }
  const auto type_id = static_cast<std::int32_t>(type);
  if (text) {
    if (id != "A" && id != "B") return fail("{}: there is no text {}, only A and B", where, brief(id));
    slots.push_back({id == "A" ? 0 : 1, 0, type_id});
    return {};
  }
  const bool known = specials.is_object() && specials.contains(id) && specials.at(id).is_object() &&
                     specials.at(id).contains("ids") && specials.at(id).at("ids").is_array();
  if (!known) return fail("{}: special_tokens does not say the ids of {}", where, brief(id));
  for (const Json& one : specials.at(id).at("ids")) {
    if (!is_id(one) || slots.size() == most_slots)
      return fail("{}: the ids of {} are not what tokens can have", where, brief(id));
    slots.push_back({-1, one.get<std::int32_t>(), type_id});
  }
  return {};
}

Result<std::vector<TemplateSlot>> slots_of(const Json& part, const char* key, int texts) {
  const std::string where = where_of("TemplateProcessing");
  std::vector<TemplateSlot> slots;
  if (!part.contains(key) || !part.at(key).is_array() || part.at(key).size() > most_slots)
    return fail("{}: \"{}\" is not a list of at most {} steps", where, key, most_slots);
  const Json specials = part.contains("special_tokens") ? part.at("special_tokens") : Json();
  for (const Json& step : part.at(key)) HL_CHECK(add_slot(step, specials, slots));
  for (int text = 0; text < 2; ++text)
    if (std::ranges::count(slots, text, &TemplateSlot::text) != (text < texts ? 1 : 0))
      return fail("{}: \"{}\" must have {} once", where, key, texts == 1 ? "A alone" : "A and B");
  return slots;
}

Result<TokenTemplate> by_template(const Json& part) {
  TokenTemplate made;
  HL_TRY(made.single, slots_of(part, "single", 1));
  if (part.contains("pair") && !part.at("pair").is_null()) {
    HL_TRY(made.pair, slots_of(part, "pair", 2));
  }
  return made;
}

Result<TokenTemplate> template_of_sequence(const Json& part) {
  HL_TRY(const auto steps, make_all(part, "processors", "post_processor Sequence", &make_template));
  TokenTemplate made;
  bool found = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (type_of(part.at("processors")[i]) == "ByteLevel") continue;
    if (found) return fail("post_processor Sequence of two that add tokens is not one that Headlight reads: give ids");
    found = true;
    made = steps[i];
  }
  return made;
}

}  // namespace

Result<TokenTemplate> make_template(const Json& part) {
  if (part.is_null()) return TokenTemplate();
  const std::string type = type_of(part);
  if (type == "ByteLevel") return TokenTemplate();
  if (type == "TemplateProcessing") return by_template(part);
  if (type == "BertProcessing" || type == "RobertaProcessing") return two_marks(part, type == "RobertaProcessing");
  if (type == "Sequence") return template_of_sequence(part);
  return fail("post_processor {} is not one that Headlight reads: give ids",
              type.empty() ? kind_of(part) : brief(type));
}

}  // namespace headlight
