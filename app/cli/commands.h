// The commands that need no window: list, info, tokens, trace, heads, train, code, embed, render and worksheet. Errors:
// bad input, in one line.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/dump.h"
#include "app/session/opening.h"
#include "app/worksheets/worksheet_of.h"
#include "engine/code/script.h"
#include "engine/models/inputs.h"
#include "engine/models/model.h"

namespace headlight::app {

// What a command ends with: 0, or 1 and the error on standard error.
int exit_status(const Status& status);

// All variants, or the one of that id.
Status list_command(bool json, const std::string& variant);

// What a file of arrays, or the folder of a model, holds and what opens it.
Status info_command(const std::filesystem::path& path, bool as_json);

struct TokensOptions {
  std::filesystem::path folder;  // of a model
  std::string text;
  std::filesystem::path texts;  // a JSON list of texts; empty: the one above
  bool json = false;
};
// What a model's tokenizer makes of texts.
Status tokens_command(const TokensOptions& options);

struct TraceOptions {
  std::filesystem::path experiment;  // or the folder of a model
  DumpOptions dump;
  GivenInput given = {};                 // what a model reads
  std::vector<std::string> layers = {};  // of a model, every step of which is written: "0,4-6", "all"
  bool all_weights = false;              // of a model, those of every layer
  std::filesystem::path output;
  bool measures = false;  // also of each layer and head, and the rollout of the layers
  bool quiet = false;
};
Status trace_command(TraceOptions options);
// Whether a path is a folder, or a file whose experiment names a model.
bool uses_model(const std::filesystem::path& path);
// Whether a path is that of a model itself: a folder, or a .gguf.
bool is_model(const std::filesystem::path& path);
// The experiment of a model's folder that reads what is given, or of a file, which says itself what it reads; of "-"
// of what came by standard input.
Result<ModelExperiment> model_experiment_of(const std::filesystem::path& path, const GivenInput& given,
                                            const std::string& standard_input);

// A model that was opened, and what it reads.
struct OpenedModel {
  ModelExperiment experiment;
  std::shared_ptr<const StoredModel> model;
  ModelInput input;
};
// `output` is what will be written; none: standard output. Errors: those of the folder or file, and an output that is
// read.
Result<OpenedModel> open_model_input(const std::filesystem::path& path, GivenInput given, const DumpOptions& dump,
                                     const std::string& standard_input, const std::filesystem::path& output);

// Which logit of a model is asked about.
struct WhyOptions {
  std::optional<std::string> token, other;  // less that of another token
  std::optional<Index> after = {};
};

struct HeadsOptions {
  std::filesystem::path experiment;  // or the folder of a model, or a file of attention
  DumpOptions dump = {};
  GivenInput given = {};         // what a model reads
  std::filesystem::path output;  // empty: standard output
  std::string sort;              // id of a measure, the greatest first; empty: by number
  bool ascending = false;
  bool csv = false;
  bool ablation = false;  // also a run without each head
  bool alike = false;     // which heads do the same, in place of measures
  bool in_words = false;  // sentences in place of a table
  WhyOptions why = {};    // what weights count for a logit, in place of measures
  bool quiet = false;
};
Status heads_command(HeadsOptions options);

struct TrainOptions {
  std::filesystem::path training;        // a file that says what is to be learned; empty: goes on
  std::filesystem::path from;            // the folder of a training to go on from
  std::filesystem::path output;          // a folder; empty: the one above
  std::filesystem::path losses;          // a CSV file; empty: only in the folder
  std::string snapshots;                 // "every=10" or "log"; empty: none
  std::string kernels;                   // by their name; empty: the best
  std::optional<Index> steps = {};       // in place of the file's
  std::filesystem::path explore;         // an experiment of what was learned, written in place of training; empty: none
  std::filesystem::path figure;          // maps over the steps and curves, drawn in place of training; empty: none
  Index head = 0;                        // of that
  std::optional<Index> at = {};          // of both: the step; none: the newest
  std::optional<Index> map = {};         // which of its maps; none: the last
  Index example = 0;                     // and of those held out
  std::optional<std::string> heads_off;  // "0.1,1.0" from where it stands on, "none"; none: as they are
  std::optional<std::string> redraw;     // heads that begin anew there, by the same names; none: none
  bool importance = false;               // what each head is worth is printed, in place of training
  bool csv = false;                      // of that
  int threads = 0;                       // 0: as many as there are processors
  bool until_learned = false, force = false, quiet = false;
};
Status train_command(TrainOptions options);

struct CodeOptions {
  std::filesystem::path experiment;
  std::filesystem::path output;  // empty: the script goes to standard output, and nothing is written
  Language language = Language::numpy;
  bool quiet = false;
};
Status code_command(CodeOptions options);
// Of the folder of a network that was trained here.
Status code_of_network(const CodeOptions& options);

struct EmbedOptions {
  std::filesystem::path experiment;
  std::filesystem::path output;
  bool quiet = false;
};
// The experiment with all that it reads in itself.
Status embed_command(const EmbedOptions& options);

struct RenderOptions {
  std::vector<std::filesystem::path> experiments;             // files and folders; none: the built-in example
  std::string given;                                          // what "-" among them stands for
  std::filesystem::path output;                               // may hold {step}, {head:02}, {experiment} …; or "-"
  std::string format;                                         // of "-"; empty: pdf
  bool print = false;                                         // "-", once the output has a name for its format
  std::vector<std::pair<std::string, std::string>> settings;  // figure_request.h, by flag
  std::vector<std::string> each;                              // step, layer, head …: a figure for each
  FigureExtras extras;
  DumpOptions dump;           // of a file of attention
  GivenInput reads = {};      // what a model reads
  bool changed_data = false;  // figures are drawn again whatever their files hold now
  bool quiet = false;
};
Status render_command(RenderOptions options);

struct WorksheetOptions {
  std::filesystem::path experiment;  // empty: the built-in example
  std::filesystem::path output;
  std::filesystem::path key;  // empty: SHEET-key.pdf beside it
  bool with_key = true;
  int copies = 1;                // more: their answers stand behind them, but where `key` says where they go
  std::vector<Index> rows = {};  // a sheet for each of these queries, in place of copies
  bool by_hand = false;          // of runs that can be done on paper, in place of an experiment's
  std::optional<Index> head;     // none: the view's
  std::optional<Index> batch;    // none: the view's
  WorksheetRequest request;      // title, batch and head are filled in; a query left out is the view's
  PaperSize paper = a4_paper;
  bool quiet = false;
};
Status worksheet_command(const WorksheetOptions& options);

}  // namespace headlight::app
