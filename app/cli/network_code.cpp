// headlight code of a network that was trained here.
#include <optional>

#include "app/cli/commands.h"
#include "engine/code/network_script.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"
#include "engine/models/trained.h"
#include "engine/run/model_run.h"
#include "engine/run/step_input.h"
#include "engine/tokens/tokenizer.h"

namespace headlight::app {

namespace {

// The first layer of a network on a row of its symbols, with the lines of every step.
Result<Trace> first_layer(const StoredModel& model, const TokensInput& row) {
  ModelExperiment asked;
  asked.tokens = row;
  HL_TRY(const ModelInput input, model_input(model, asked));
  ThreadPool pool;
  std::optional<Trace> first;
  LayerRecording kept;
  kept.look = [&](LayerOfModel layer, const Problem&, const Trace& trace) -> Status {
    if (layer.layer == 0) first = trace;
    return {};
  };
  HL_CHECK(ModelRunner(model, input, pool).run(asked, kept));
  return std::move(*first);
}

// The script of a network that was trained here, on the example that it opens with.
Result<std::string> script_of_network(const CodeOptions& options) {
  const std::filesystem::path& folder = options.experiment;
  HL_TRY(const auto model, StoredModel::open(folder));
  const ModelPlan& plan = model->plan();
  if (!is_trained(plan))
    return fail("{}: a script is written of an experiment, or of a network that was trained here: open a layer of it",
                one_line(utf8(folder)));
  NetworkScript network{.name = name_without_folders(folder),
                        .command = fmt::format("headlight code {} --as {}", utf8(folder), id_of(options.language)),
                        .folder = relative_path(utf8(folder), {}, options.output.parent_path()),
                        .stream = inputs_of_layers(variant_of(plan)).stream,
                        .places = inputs_of_layers(variant_of(plan)).places,
                        .layers = plan.layers,
                        .adds_places = !plan.added_places.empty(),
                        .norms_input = plan.norms_input,
                        .adds_input = plan.adds_input,
                        .last_norm = !plan.final_norm.empty(),
                        .of_layer = {},
                        .symbols = {},
                        .row = {}};
  if (!options.output.empty()) network.command += " -o " + utf8(options.output);
  HL_TRY(const LayerOfStateDict layer, model->layer({0}, LayerNumbers::left));
  for (const auto& [id, values] : layer.arrays) network.of_layer.insert(id);
  std::optional<Tokenizer> tokenizer;
  network.row = {0, 0};
  if (!plan.example.empty()) {
    HL_TRY(tokenizer, Tokenizer::open(folder));
    HL_TRY(const Tokens tokens, tokenizer->encode(plan.example));
    network.row.assign(tokens.ids.begin(), tokens.ids.end());
  }
  for (Index id = 0; id < plan.vocabulary; ++id) {
    const std::string* name = tokenizer ? tokenizer->token(static_cast<std::int32_t>(id)) : nullptr;
    network.symbols.push_back(name ? *name : fmt::format("{}", id));
  }
  HL_TRY(const Trace whole, first_layer(*model, {{}, {}, {network.row}, {}}));
  if (network.row.size() < 2) return script(whole, nullptr, options.language, network);
  HL_TRY(const Trace shorter, first_layer(*model, {{}, {}, {{network.row.begin(), network.row.end() - 1}}, {}}));
  return script(whole, &shorter, options.language, network);
}

}  // namespace

Status code_of_network(const CodeOptions& options) {
  HL_TRY(const std::string text, script_of_network(options));
  if (!options.output.empty()) return write_file(options.output, text);
  fmt::print("{}", text);
  return {};
}

}  // namespace headlight::app
