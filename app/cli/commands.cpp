#include "app/cli/commands.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/assets.h"
#include "app/cli/messages.h"
#include "app/cli/progress.h"
#include "app/cli/standard_streams.h"
#include "app/figures/figure_files.h"
#include "app/model/browse.h"
#include "app/worksheets/worksheet_of.h"
#include "engine/code/script_parts.h"
#include "engine/core/system/paths.h"
#include "engine/core/utf8.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"
#include "engine/io/npz.h"
#include "engine/run/embed.h"
#include "engine/tokens/tokenizer.h"

namespace headlight::app {

int exit_status(const Status& status) {
  if (status) return 0;
  print_error(status.error().message);
  return 1;
}

namespace {

Status check_script(const std::filesystem::path& output) {
  if (output.extension() == ".py") return {};
  return fail("{}: scripts are written as .py: name it so", utf8(output));
}

// Whether arrays may be written to that name beside the script: nothing is there, or what the script of before reads.
bool is_free_for(const std::filesystem::path& script, const std::string& arrays) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::path(script).replace_filename(arrays), ignored)) return true;
  constexpr Index longest = Index{1} << 26;  // bytes of a script
  const auto before = read_file(script, longest);
  return before && before->find(script_parts::in_quotes(arrays)) != std::string::npos;
}

// The file of arrays stands beside the script; its name is written into it. Another's file of that name stays as it is.
Result<ScriptFiles> files_of(const CodeOptions& options) {
  const std::filesystem::path like =
      is_standard_stream(options.experiment) ? "experiment" : options.experiment.filename();
  const std::filesystem::path output =
      options.output.empty() ? std::filesystem::path(like).replace_extension(".py") : options.output;
  ScriptFiles files{
      .experiment = utf8(options.experiment), .script = utf8(output), .arrays = utf8(output.stem()) + ".npz"};
  if (!check_array_name(files.arrays))
    return fail("{}: a script's name must be UTF-8 without control characters", one_line(files.script));
  if (options.output.empty() || is_free_for(output, files.arrays)) return files;
  const std::string taken = std::exchange(files.arrays, utf8(output.stem()) + "-arrays.npz");
  if (!is_free_for(output, files.arrays))
    return fail("{} and {} are there already, and are not this script's: give -o another name", one_line(taken),
                one_line(files.arrays));
  print_note(fmt::format("{} is there already: the script's arrays are in {}", taken, files.arrays));
  return files;
}

}  // namespace

Status code_command(CodeOptions options) {
  if (is_standard_stream(options.output)) options.output.clear();
  if (!options.output.empty()) HL_CHECK(check_script(options.output));
  if (is_model(options.experiment)) return code_of_network(options);
  HL_TRY(const ScriptFiles files, files_of(options));
  HL_TRY(const Experiment experiment, read_named_experiment(options.experiment));
  HL_TRY(const RunResult ran, run_with_progress(experiment, options.quiet));
  const std::string text = script(*ran.trace, *ran.problem, options.language, files);
  if (options.output.empty()) {
    fmt::print("{}", text);
    return {};
  }
  const auto arrays = std::filesystem::path(options.output).replace_filename(files.arrays);
  for (const auto& path : {options.output, arrays}) HL_CHECK(check_may_write(experiment, path));
  HL_TRY(FileWriter writer, FileWriter::create(options.output));  // nothing is left of one without the other
  HL_CHECK(writer.append(text));
  HL_CHECK(write_npz(arrays, script_arrays(*ran.trace)));
  return writer.commit();
}

Status embed_command(const EmbedOptions& options) {
  HL_TRY(const Experiment experiment, read_named_experiment(options.experiment));
  const auto named = [&](const Error& error) {
    return experiment.name.empty() ? fail("{}", error.message) : fail_at(experiment.name, error);
  };
  const auto files = files_to_embed(experiment);
  if (!files) return named(files.error());
  const auto whole = embedded(experiment);
  if (!whole) return named(whole.error());
  const bool print = is_standard_stream(options.output);
  if (print) {
    fmt::print("{}", to_json(*whole, {}));
  } else {
    HL_CHECK(check_may_write(experiment, options.output));
    HL_CHECK(write_experiment(*whole, options.output));
  }
  if (options.quiet) return {};
  if (const std::string note = files_outside_note(experiment); !note.empty()) print_note(note);
  for (const ToEmbed& file : *files)
    fmt::print(print ? stderr : stdout, "{}  {}\n", one_line(file.name), size_in_words(file.bytes));
  if (files->empty()) print_note("it reads no files");
  return {};
}

namespace {

constexpr std::uint64_t largest_texts = 256'000'000;  // bytes

// A JSON list of strings.
Result<std::vector<std::string>> read_texts(const std::filesystem::path& path) {
  HL_TRY(const std::string text, is_standard_stream(path) ? read_standard_input() : read_file(path, largest_texts));
  const std::string where = is_standard_stream(path) ? standard_input_name : one_line(utf8(path));
  const auto list = read_json(text);
  if (!list) return fail("{}: {}", where, message_line(list.error().message));
  if (!list->is_array()) return fail("{}: is {}: a list of texts is needed", where, kind_of(*list));
  std::vector<std::string> texts;
  for (const Json& one : *list) {
    if (!one.is_string()) return fail("{}: text {} is {}: it must be a string", where, texts.size(), kind_of(one));
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

Json json_of(const std::string& text, const Tokens& tokens) {
  return {{"text", text}, {"ids", tokens.ids}, {"tokens", tokens.tokens}, {"offsets", tokens.offsets}};
}

std::size_t width_of(const std::string& text) {  // in characters as a reader counts them
  return grapheme_bounds(text).size() - 1;
}

// A row a token: number, id, token, bytes of the text.
void print_table(const Tokens& tokens) {
  std::size_t widest = 5;
  for (const std::string& token : tokens.tokens) widest = std::max(widest, width_of(one_line(token)));
  fmt::print("{:>6} {:>8}  token{}  bytes\n", "number", "id", std::string(widest - 5, ' '));
  for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
    const std::string token = one_line(tokens.tokens[i]);
    const auto [begin, end] = tokens.offsets[i];
    fmt::print("{:>6} {:>8}  {}{}  {}\n", i, tokens.ids[i], token, std::string(widest - width_of(token), ' '),
               begin < 0 ? "-" : fmt::format("{}-{}", begin, end));
  }
}

}  // namespace

Status tokens_command(const TokensOptions& options) {
  std::vector<std::string> texts{options.text};
  if (!options.texts.empty()) {
    HL_TRY(texts, read_texts(options.texts));
  }
  std::error_code ignored;
  if (!std::filesystem::is_directory(options.folder, ignored))
    return fail("{}: there is no such folder", utf8(options.folder));
  HL_TRY(const Tokenizer tokenizer, Tokenizer::open(options.folder));
  Json all = Json::array();
  for (const std::string& text : texts) {
    HL_TRY(const Tokens tokens, tokenizer.encode(text));
    if (options.json)
      all.push_back(json_of(text, tokens));
    else
      print_table(tokens);
  }
  if (options.json) fmt::print("{}\n", all.dump(-1, ' ', false, Json::error_handler_t::replace));
  return {};
}

namespace {

// A sheet of the experiment, and what its title needs of fonts.
Result<WorksheetJob> job_of(const WorksheetOptions& options, const Experiment& experiment) {
  HL_TRY(const RunResult ran, run_with_progress(experiment, options.quiet));
  WorksheetJob job;
  job.experiment = std::make_shared<const Experiment>(experiment);
  job.trace = ran.trace;
  job.request = options.request;
  job.request.title =
      worksheet_title(experiment, *ran.problem, is_standard_stream(options.experiment) ? "" : options.experiment);
  job.request.batch = options.batch.value_or(experiment.view.batch.value_or(0));
  job.request.head = options.head.value_or(experiment.view.head.value_or(0));
  if (!job.request.query) job.request.query = experiment.view.query;
  HL_TRY(const std::string note,
         missing_fonts_of(*ran.problem, {job.request.title}, "sans", assets_folder() / "fonts"));
  if (!note.empty()) print_note(note);
  return job;
}

}  // namespace

Status worksheet_command(const WorksheetOptions& options) {
  const bool answers_behind =
      (options.copies > 1 || options.rows.size() > 1) && options.with_key && options.key.empty();
  HL_TRY(std::filesystem::path key, worksheet_key(options.output, options.key));
  if (!options.with_key || answers_behind) key.clear();
  Experiment experiment = example_experiment();
  if (!options.experiment.empty()) {
    HL_TRY(experiment, read_named_experiment(options.experiment));
  }
  HL_CHECK(check_worksheet_files(experiment, options.output, key));
  WorksheetJob job;
  if (options.by_hand) {
    job.by_hand = true;
    job.request = options.request;
  } else {
    HL_TRY(job, job_of(options, experiment));
  }
  job.copies = options.copies;
  for (auto row = options.rows.begin(); row != options.rows.end(); ++row)
    if (std::find(options.rows.begin(), row, *row) != row) return fail("--rows: {} stands there twice", *row);
  job.rows = options.rows;
  job.paper = options.paper;
  job.output = options.output;
  job.key = std::move(key);
  job.fonts = assets_folder() / "fonts";
  job.answers_behind = answers_behind;
  const Progress progress(options.quiet);
  HL_TRY(const std::string note, write_worksheet(job, progress.stop_token(), progress.fraction()));
  if (!options.quiet && !note.empty()) print_note(note);
  return {};
}

}  // namespace headlight::app
