// headlight list: every variant with the steps that it can record, found by running its own samples: nothing about
// steps is written twice.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "engine/base/result.h"
#include "engine/base/words.h"
#include "engine/io/experiment.h"
#include "engine/io/param_fields.h"
#include "engine/learn/task.h"
#include "engine/models/plan.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

struct CatalogueEntry {
  const Variant* variant = nullptr;
  ArraySpecs arrays;
  std::vector<StepInfo> steps;  // every step of every sample, once, in the order they run
};

// Steps that only some samples have are put after the step that came before them there.
void merge_steps(std::vector<StepInfo>& all, const Trace& trace) {
  std::size_t at = 0;
  for (const auto& step : trace.steps) {
    const auto found = std::ranges::find(all, step.info.id, &StepInfo::id);
    if (found != all.end()) {
      at = static_cast<std::size_t>(found - all.begin()) + 1;
      continue;
    }
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), step.info);
    ++at;
  }
}

Result<std::vector<CatalogueEntry>> make_catalogue() {
  std::vector<CatalogueEntry> catalogue;
  ThreadPool pool(1);
  Compute compute(pool);
  for (const Variant* variant : all_variants()) {
    CatalogueEntry entry{variant, variant->arrays(ParamValues::defaults(variant->params()), {}), {}};
    for (const auto& sample : variant->samples()) {
      HL_TRY(const Experiment experiment, parse_experiment(sample, {}, variant->info().id + " sample"));
      HL_TRY(const Problem problem, prepare(experiment));
      HL_TRY(const auto trace, run(problem, compute));
      merge_steps(entry.steps, *trace);
    }
    catalogue.push_back(std::move(entry));
  }
  return catalogue;
}

// A note without its role marks: "{query:queries} ask" → "queries ask".
std::string plain_note(const std::string& note) {
  std::string plain;
  for (std::size_t i = 0; i < note.size(); ++i) {
    if (note[i] == '{') {
      const auto colon = note.find(':', i);
      if (colon != std::string::npos) i = colon;
    } else if (note[i] != '}') {
      plain += note[i];
    }
  }
  return plain;
}

using headlight::json_of;

const char* name_of(ParamType type) {
  static constexpr std::array names{"integer", "real", "choice", "flag"};
  return names[static_cast<std::size_t>(type)];
}

Json json_of(const ParamSpec& spec) {
  Json json{{"id", spec.id},
            {"title", spec.title},
            {"help", spec.help},
            {"type", name_of(spec.type)},
            {"default", json_of(spec.fallback)}};
  if (spec.type == ParamType::integer || spec.type == ParamType::real) {
    json["least"] = spec.least;
    json["most"] = spec.most;
  }
  if (spec.automatic) json["automatic"] = true;
  for (const auto& choice : spec.choices) json["choices"].push_back({{"id", choice.id}, {"help", choice.help}});
  return json;
}

Json json_of(const ArraySpec& spec) {
  Json json{{"id", spec.id}, {"title", spec.title}, {"help", spec.help}, {"required", spec.fill == Fill::required}};
  for (const auto& shape : spec.shapes) json["shapes"].push_back(fmt::format("({})", fmt::join(shape, ", ")));
  return json;
}

Json json_of(const StepInfo& info) {
  std::vector<std::string> axes;
  for (const auto& axis : info.axes) axes.push_back(axis.symbol);
  return {{"id", info.id},
          {"title", info.title},
          {"shape", fmt::format("({})", fmt::join(axes, ", "))},
          {"formula", info.formula},
          {"note", plain_note(info.note)}};
}

Json json_of(const CatalogueEntry& entry) {
  const VariantInfo& info = entry.variant->info();
  Json json{{"id", info.id}, {"title", info.title}, {"summary", info.summary}, {"source", info.source}};
  for (const auto& spec : entry.variant->params()) json["params"].push_back(json_of(spec));
  for (const Preset& preset : entry.variant->presets()) {
    Json params = Json::object();
    for (const auto& [id, value] : preset.params) params[id] = json_of(value);
    if (preset.queries_per_key_head != 0) params["kv_heads"] = fmt::format("heads/{}", preset.queries_per_key_head);
    json["presets"].push_back(
        {{"id", preset.id}, {"title", preset.title}, {"source", preset.source}, {"params", params}});
  }
  for (const auto& spec : entry.arrays.inputs) json["inputs"].push_back(json_of(spec));
  for (const auto& spec : entry.arrays.weights) json["weights"].push_back(json_of(spec));
  for (const auto& step : entry.steps) json["steps"].push_back(json_of(step));
  return json;
}

void print_params(const std::vector<ParamSpec>& specs) {
  for (const auto& spec : specs) {
    std::vector<std::string> ids;
    for (const auto& choice : spec.choices) ids.push_back(choice.id);
    const std::string range = ids.empty() ? name_of(spec.type) : fmt::format("{}", fmt::join(ids, " | "));
    fmt::print("    {:<18} {} ({}, default {})\n", spec.id, spec.help, range, to_string(spec.fallback));
  }
}

void print_text(const CatalogueEntry& entry) {
  const VariantInfo& info = entry.variant->info();
  fmt::print("{}: {}. {}\n", info.id, info.title, info.summary);
  fmt::print("  source: {}\n  parameters\n", info.source);
  print_params(entry.variant->params());
  if (!entry.variant->presets().empty()) fmt::print("  presets\n");
  for (const Preset& preset : entry.variant->presets())
    fmt::print("    {:<18} {} ({}): {}\n", preset.id, preset.title, preset.source, in_words(preset));
  const auto print_arrays = [](const char* title, const std::vector<ArraySpec>& specs) {
    fmt::print("  {}\n", title);
    for (const auto& spec : specs) {
      std::vector<std::string> shapes;
      for (const auto& shape : spec.shapes) shapes.push_back(fmt::format("({})", fmt::join(shape, ", ")));
      fmt::print("    {:<18} {}{}\n", spec.id, fmt::join(shapes, " or "),
                 spec.fill == Fill::required ? ", required" : "");
    }
  };
  print_arrays("inputs", entry.arrays.inputs);
  print_arrays("weights", entry.arrays.weights);
  fmt::print("  steps\n");
  for (const auto& step : entry.steps) fmt::print("    {:<18} {}\n", step.id, step.title);
}

// ---- Models of many layers, which are no variant ------------------------------------------------------------------

constexpr const char* model_id = "model";
constexpr const char* model_summary =
    "The folder of a model, run layer by layer; each of them opens as an experiment of multi_head, of Swin as one of "
    "swin.";

struct OfModel {
  const char* part;
  const char* id;
  const char* words;
};
constexpr OfModel of_model[] = {
    {"params", "top", "How many of the likeliest tokens or classes are listed (integer, default 5)"},
    {"params", "ablate",
     "Heads that hand on 0, by layer and head from 0: [[2, 0]]; of a decoder [[\"decoder\", 2, 0], [\"cross\", 2, 0]], "
     "of CLIP [[\"text\", 2, 0], [\"vision\", 2, 0]] "
     "(list, default none)"},
    {"inputs", "tokens", "{\"text\": …}, with \"pair\" where it reads two, or {\"ids\": […]}"},
    {"inputs", "decoder_tokens", "Of a model with a decoder, what it has said: as tokens; none: its start token"},
    {"inputs", "pixels", "{\"image\": …}, or {\"npy\": …} (B, 3, H, W)"},
    {"steps", "token_ids", "(B, n), token_offsets and type_ids beside it; of a picture pixel_values"},
    {"steps", "embeddings", "What enters the first layer"},
    {"steps", "layer{l}/input", "The residual stream before a layer"},
    {"steps", "layer{l}/weights", "The attention of a layer, its other steps under layer{l}/ where asked for"},
    {"steps", "encoder/…",
     "Of T5 all of these steps, and decoder/…, with decoder/layer{l}/cross/… and decoder_token_ids"},
    {"steps", "text/…", "Of CLIP, and vision/…, with text_embeds, image_embeds and logits_per_image"},
    {"steps", "layer{l}/attention_input", "Of Swin what the attention of a layer reads: the norm of the stream"},
    {"steps", "hidden", "After the last layer; final_norm after the last norm"},
    {"steps", "logits", "Or class_logits, pooled, pair_logits: those whose weights are there"},
    {"steps", "top_tokens", "With top_probabilities; top_classes with top_class_probabilities"}};

Json json_of_model() {
  Json json{{"id", model_id}, {"summary", model_summary}, {"model_types", model_types()}};
  for (const auto& [part, id, words] : of_model) json[part].push_back({{"id", id}, {"help", words}});
  return json;
}

void print_model() {
  fmt::print("{}: {}\n  model_type of its config.json: {}\n", model_id, model_summary, fmt::join(model_types(), ", "));
  std::string_view now;
  for (const auto& [part, id, words] : of_model) {
    if (now != part) fmt::print("  {}\n", std::string_view(part) == "params" ? "parameters" : part);
    now = part;
    fmt::print("    {:<18} {}\n", id, words);
  }
}

// ---- Tasks that a network can be taught ----------------------------------------------------------------------------

constexpr const char* tasks_id = "tasks";

Json json_of(const learn::Task& task) {
  const learn::TaskInfo& info = task.info();
  Json json{{"id", info.id}, {"title", info.title}, {"lesson", info.lesson}, {"source", info.source}};
  json["learned"] = {{"figure", info.learned}, {"threshold", info.threshold}, {"falls", info.falls}};
  json["steps"] = info.usual_steps;
  for (const auto& spec : task.options()) json["options"].push_back(json_of(spec));
  for (const auto& figure : task.figures())
    json["figures"].push_back({{"id", figure.id}, {"title", figure.title}, {"help", figure.help}});
  for (const auto& test : task.counter_tests()) {
    Json changed = Json::object();
    for (const auto& [id, value] : test.changed) changed[id] = json_of(value);
    json["counter_tests"].push_back({{"title", test.title}, {"options", changed}, {"comes_to", test.expected}});
  }
  return json;
}

void print_task(const learn::Task& task) {
  const learn::TaskInfo& info = task.info();
  fmt::print("{}: {}. {}\n", info.id, info.title, info.lesson);
  fmt::print("  learned once {} is {} {}; usually {} steps\n  options\n", info.learned,
             info.falls ? "at most" : "at least", info.threshold, info.usual_steps);
  if (task.reads_text()) fmt::print("    {:<18} {}\n", "text, file", "The text itself, or the path of a file with it");
  print_params(task.options());
  fmt::print("  figures\n");
  for (const auto& figure : task.figures()) fmt::print("    {:<18} {}\n", figure.id, figure.help);
  fmt::print("  counter-tests\n");
  for (const auto& test : task.counter_tests()) {
    std::vector<std::string> changed;
    for (const auto& [id, value] : test.changed) changed.push_back(fmt::format("{} {}", id, to_string(value)));
    fmt::print("    {:<18} {}\n", test.title, fmt::format("{}: {}", fmt::join(changed, ", "), test.expected));
  }
}

Status list_tasks(bool json) {
  Json all{{"headlight", 1}, {"tasks", Json::array()}};
  for (const learn::Task* task : learn::all_tasks()) {
    if (json)
      all["tasks"].push_back(json_of(*task));
    else
      print_task(*task);
  }
  if (json) fmt::print("{}\n", all.dump(2));
  return {};
}

}  // namespace

Status list_command(bool json, const std::string& variant) {
  if (variant == tasks_id) return list_tasks(json);
  HL_TRY(auto catalogue, make_catalogue());
  const bool of_models = variant.empty() || variant == model_id;
  if (!of_models && !find_variant(variant)) {
    std::vector<std::string> known{model_id, tasks_id};
    for (const auto& entry : catalogue) known.push_back(entry.variant->info().id);
    return fail("there is no variant \"{}\": it is one of {}", brief(variant), brief_list(known));
  }
  if (!variant.empty())
    std::erase_if(catalogue, [&](const CatalogueEntry& entry) { return entry.variant->info().id != variant; });
  if (!json) {
    for (const auto& entry : catalogue) print_text(entry);
    if (of_models) print_model();
    return {};
  }
  Json all{{"headlight", 1}, {"variants", Json::array()}};
  for (const auto& entry : catalogue) all["variants"].push_back(json_of(entry));
  if (of_models) all["model"] = json_of_model();
  fmt::print("{}\n", all.dump(2));
  return {};
}

}  // namespace headlight::app
