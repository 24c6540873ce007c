#include "engine/learn/training_file.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/param_fields.h"

namespace headlight::learn {

namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 26;  // of JSON
constexpr std::uint64_t largest_text = std::uint64_t{1} << 26;
constexpr Index most_steps = 10'000'000;

// As people write them elsewhere: 0 and 1 for flags, "auto" for what follows by itself.
Json as_declared(const Json& options, const std::vector<ParamSpec>& specs) {
  Json declared = Json::object();
  for (const auto& item : options.items()) {
    const ParamSpec* spec = find_param(specs, item.key());
    Json value = item.value();
    if (spec && spec->type == ParamType::flag && (value == 0 || value == 1) && value.is_number_integer())
      value = value == 1;
    if (spec && spec->automatic && value == "auto") value = nullptr;
    declared[item.key()] = std::move(value);
  }
  return declared;
}

// Takes "text" and "file" out of the options, for a task that learns one.
Status read_text(Json& options, const std::filesystem::path& folder, Texts& texts) {
  if (options.contains("text")) {
    HL_TRY(texts["text"], string_at(options, "text", "train.options"));
    options.erase("text");
  }
  if (!options.contains("file")) return {};
  HL_TRY(const std::string path, string_at(options, "file", "train.options"));
  options.erase("file");
  texts["file"] = path;
  if (texts.contains("text")) return {};  // a copy of it is at hand
  auto text = read_file(resolve_path(folder, path), largest_text);
  if (!text) return fail("train.options.file: {}", text.error().message);
  texts["text"] = std::move(*text);
  return {};
}

Result<const Task*> read_task(const Json& train) {
  std::vector<std::string> known;
  for (const Task* task : all_tasks()) known.push_back(task->info().id);
  if (!train.contains("task")) return fail("train.task is missing: it is one of {}", brief_list(known));
  HL_TRY(const std::string id, string_at(train, "task", "train"));
  if (const Task* task = find_task(id)) return task;
  return fail("train.task \"{}\" is not known: {}", brief(id), suggestion(id, known));
}

Status read_layer_params(const Json& object, TaskOptions& options) {
  const Variant& variant = *find_variant("multi_head");
  ParamValues params = ParamValues::defaults(variant.params());
  HL_CHECK(read_params(object, "train.params", "a parameter of multi_head", variant.params(), params));
  for (const std::string& id : params.given()) options.params[id] = params.get(id);
  return {};
}

// What is misspelt there would be dropped in silence.
Status refuse_unknown(const Json& object, const std::string& where, const std::vector<std::string>& known) {
  for (const auto& item : object.items())
    if (std::ranges::count(known, item.key()) == 0)
      return fail("{}.{} is not known: {}", where, brief(item.key()), suggestion(item.key(), known));
  return {};
}

// [{"step": 200, "head": "1.0", "to": "off"}]
Result<std::vector<HeadChange>> read_changes(const Json& list) {
  if (!list.is_array()) return fail("train.changes is {}: it must be a list", kind_of(list));
  std::vector<HeadChange> changes;
  for (const Json& item : list) {
    const std::string where = fmt::format("train.changes[{}]", changes.size());
    if (!item.is_object()) return fail("{} is {}: it must be an object", where, kind_of(item));
    const std::vector<std::string> known{"step", "head", "to"}, &to = names_of_changes();
    for (const std::string& key : known)
      if (!item.contains(key)) return fail("{}.{} is missing", where, key);
    HL_CHECK(refuse_unknown(item, where, known));
    HeadChange change;
    HL_TRY(change.step, whole_at(item, "step", where, 0, most_steps));
    HL_TRY(const std::string name, string_at(item, "head", where));
    auto head = head_named(name);
    if (!head) return fail("{}.head: {}", where, head.error().message);
    change.head = *head;
    HL_TRY(const std::string what, word_at(item, "to", where, to));
    change.to = static_cast<HeadChange::To>(std::ranges::find(to, what) - to.begin());
    changes.push_back(change);
  }
  std::ranges::stable_sort(changes, {}, &HeadChange::step);
  return changes;
}

const std::vector<std::string> known_keys{"headlight", "train", "notes", "model_type", "step", "figures", "network"};

Result<TrainingPlan> read_document(const Json& document, const std::filesystem::path& folder,
                                   std::vector<std::string>& notices) {
  if (!document.is_object()) return fail("this is {}: a training is a JSON object", kind_of(document));
  if (document.contains("headlight") && document.at("headlight") != 1)
    return fail("headlight is {}: this program reads format 1", kind_of(document.at("headlight")));
  if (!document.contains("train")) return fail("train is missing: it says which task is to be learned");
  const Json& train = document.at("train");
  if (!train.is_object()) return fail("train is {}: it must be an object", kind_of(train));
  TrainingPlan plan;
  HL_TRY(plan.task, read_task(train));
  const auto& specs = plan.task->options();
  plan.options.values = ParamValues::defaults(specs);
  if (train.contains("options")) {
    if (!train.at("options").is_object())
      return fail("train.options is {}: it must be an object", kind_of(train.at("options")));
    Json options = train.at("options");
    if (plan.task->reads_text()) HL_CHECK(read_text(options, folder, plan.options.texts));
    HL_CHECK(read_params(as_declared(options, specs), "train.options", "an option of " + plan.task->info().id, specs,
                         plan.options.values));
  }
  if (train.contains("params")) HL_CHECK(read_layer_params(train.at("params"), plan.options));
  if (train.contains("optimizer"))
    HL_CHECK(read_params(train.at("optimizer"), "train.optimizer", "a setting of optimizers", optimizer_settings(),
                         plan.optimizer));
  // A task may have "clip" among its options, as the optimizer has it.
  if (find_param(specs, "clip") != nullptr && !plan.optimizer.is_given("clip"))
    plan.optimizer.infer("clip", plan.options.values.get("clip"));
  plan.steps = plan.task->info().usual_steps;
  HL_CHECK(Fields(train, "train")
               .whole("steps", plan.steps, 1, most_steps)
               .whole("seed", plan.seed, 0, std::numeric_limits<Index>::max())
               .status());
  if (train.contains("changes")) {
    HL_TRY(plan.changes, read_changes(train.at("changes")));
  }
  HL_CHECK(refuse_unknown(train, "train", {"task", "options", "params", "optimizer", "steps", "seed", "changes"}));
  if (document.contains("notes")) {
    HL_TRY(plan.notes, string_at(document, "notes", ""));
  }
  for (const auto& item : document.items())
    if (std::ranges::count(known_keys, item.key()) == 0)
      notices.push_back(fmt::format("{} is not a key of trainings: nothing is made of it", brief(item.key())));
  HL_CHECK(plan.task->check(plan.options));
  plan.task->trim(plan.options);
  return plan;
}

Json values_of(const std::vector<ParamSpec>& specs, const ParamValues& values) {
  Json object = Json::object();
  for (const ParamSpec& spec : specs) object[spec.id] = json_of(values.get(spec.id));
  return object;
}

}  // namespace

bool is_training(std::string_view json) {
  const auto document = read_json(json);
  return document && document->is_object() && document->contains("train");
}

Result<TrainingPlan> parse_training(std::string_view json, const std::filesystem::path& folder, const std::string& name,
                                    std::vector<std::string>& notices) {
  auto document = read_json(json);
  if (!document) return fail_at(name, document.error());
  auto plan = read_document(*document, folder, notices);
  if (!plan) return fail_at(name, plan.error());
  return plan;
}

Result<TrainingPlan> read_training(const std::filesystem::path& path, std::vector<std::string>& notices) {
  HL_TRY(const std::string json, read_file(path, largest_file));
  return parse_training(json, path.parent_path(), one_line(utf8(path)), notices);
}

std::string to_json(const TrainingPlan& plan) {
  Json train = Json::object();
  train["task"] = plan.task->info().id;
  train["options"] = values_of(plan.task->options(), plan.options.values);
  for (const auto& [id, text] : plan.options.texts) train["options"][id] = text;
  if (!plan.options.params.empty()) {
    train["params"] = Json::object();
    for (const auto& [id, value] : plan.options.params) train["params"][id] = json_of(value);
  }
  train["optimizer"] = values_of(optimizer_settings(), plan.optimizer);
  train["steps"] = plan.steps;
  train["seed"] = plan.seed;
  for (const HeadChange& change : plan.changes)
    train["changes"].push_back({{"step", change.step},
                                {"head", name_of(change.head)},
                                {"to", names_of_changes()[static_cast<std::size_t>(change.to)]}});
  Json document = Json::object();
  document["headlight"] = 1;
  document["train"] = std::move(train);
  if (!plan.notes.empty()) document["notes"] = plan.notes;
  return document.dump(2) + "\n";
}

}  // namespace headlight::learn
