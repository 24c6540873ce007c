#include "engine/run/embed.h"

#include <cstdio>

#include "app/cli/commands.h"
#include "app/cli/standard_input.h"
#include "app/cli/standard_output.h"
#include "app/model/browse.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"

namespace headlight::app {

Status embed_command(const EmbedOptions& options) {
  HL_TRY(const Experiment experiment, read_named_experiment(options.experiment));
  const auto named = [&](const Error& error) {
    return experiment.name.empty() ? fail("{}", error.message) : fail_at(experiment.name, error);
  };
  const auto files = files_to_embed(experiment);
  if (!files) return named(files.error());
  const auto whole = embedded(experiment);
  if (!whole) return named(whole.error());
  const bool print = is_standard_output(options.output);
  if (print) {
    fmt::print("{}", to_json(*whole, {}));
  } else {
    HL_CHECK(check_may_write(experiment, options.output));
    HL_CHECK(write_experiment(*whole, options.output));
  }
  if (options.quiet) return {};
  if (const std::string note = note_of_files_outside(experiment); !note.empty())
    fmt::print(stderr, "headlight: note: {}\n", note);
  for (const ToEmbed& file : *files)
    fmt::print(print ? stderr : stdout, "{}  {}\n", one_line(file.name), size_in_words(file.bytes));
  if (files->empty()) fmt::print(stderr, "headlight: note: it reads no files\n");
  return {};
}

}  // namespace headlight::app
