// Flags to a command. Everything else is in libraries, so that tests can hold it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <new>
#include <sstream>

#include "app/cli/commands.h"
#include "app/cli/describe.h"
#include "app/cli/file_options.h"
#include "app/cli/lesson.h"
#include "app/cli/messages.h"
#include "app/model/model.h"
#include "app/shell/window_command.h"
#include "app/version.h"
#include "engine/base/words.h"
#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/core/system/process.h"
#include "engine/measures/head_measures.h"
#include "engine/params/params.h"

namespace {

using namespace headlight;
using namespace headlight::app;

constexpr const char* footer = R"(Examples:
  headlight                                     the window, on a built-in sentence
  headlight mine.headlight                      the window, on your experiment
  headlight gpt2 --text "The cat sat"           the window, on all layers of a model
  headlight list                                every variant, its parameters and steps
  headlight tokens gpt2 "The cat sat"           what a model's tokenizer makes of a text
  headlight trace mine.headlight -o steps.npz   every step as a NumPy array
  headlight heads mine.headlight                what each head's map looks like, in numbers
  headlight describe mine.headlight --query 9   a step in a few sentences
  headlight code mine.headlight -o mine.py      a NumPy script that recomputes every step
  headlight embed mine.headlight -o a.headlight with all that it reads, as one file
  headlight render mine.headlight -o fig.pdf    a figure for print, without a display
  headlight render mine.headlight --each head --width 3.25in -o 'fig/{step}_{head}.pdf'
  headlight worksheet mine.headlight -o s.pdf   exercises to print, and s-key.pdf
  headlight screenshot -o shot.png --size 1600x1000

An experiment is a small JSON file:
  { "variant": "multi_head",
    "params":  { "heads": 8, "d_head": 8, "mask": "causal", "positions": "sinusoidal" },
    "inputs":  { "x_q": { "text": "the cat sat on the mat" } },
    "weights": { "init": "textbook" } })";

// The examples that begin with a command; empty where there are none.
std::string examples_of(const std::string& command) {
  std::string examples;
  std::istringstream lines{std::string(footer)};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  headlight " + command + " ") || line == "  headlight " + command)
      examples += (examples.empty() ? "Examples:\n" : "\n") + line;
  return examples;
}

CLI::IsMember one_of_the_themes() {
  return CLI::IsMember(std::vector<std::string>(theme_names.begin(), theme_names.end()));
}

// Of a lesson, in one window.
Status take_pictures(const std::vector<LessonPicture>& pictures, const std::string& size) {
  ScreenshotOptions options;
  parse_size(size, options.width, options.height);
  std::vector<ScreenshotStop> stops;
  for (const auto& picture : pictures) stops.push_back({picture.actions, picture.output});
  return take_screenshots(options, stops);
}

struct Commands {
  CLI::App app{"Headlight: see what attention does, with every number and where it comes from.", "headlight"};
  std::vector<std::pair<CLI::App*, std::function<int()>>> commands;  // and what each runs
  WindowCommand window;
  bool as_json = false;
  std::string list_variant;
  std::filesystem::path info_path;
  TokensOptions tokens;
  TraceOptions trace;
  HeadsOptions heads;
  TrainOptions train;
  DescribeOptions describe;
  CodeOptions code;
  EmbedOptions embed;
  std::string language = "numpy";
  RenderOptions render;
  std::map<std::string, std::string> settings;  // of a figure, by flag; empty: not given
  WorksheetOptions worksheet;
  LessonOptions lesson;
  std::string paper = "a4";
  bool no_key = false;
  ScreenshotOptions screenshot;
  std::string size = "1600x1000";

  Commands() {
    app.footer(footer);
    app.set_version_flag("--version", std::string("headlight ") + version);
    app.add_option(
        "experiment", window.experiment,
        "An experiment, the folder of a model, or a picture, signal, array or figure; none: the built-in example");
    add_given(&app, window.given);
    app.add_option("--image", window.dump.image, "Of a model's folder: the picture that it reads");
    add_window(&app);
    add_view();
    add_list();
    add_info();
    add_tokens();
    add_trace();
    add_heads();
    add_train();
    add_lesson(add("lesson", "Check a lesson, answer its questions, print it, or begin one",
                   [this] { return lesson_command(lesson, take_pictures); }),
               lesson);
    add_describe(add("describe", "Say in a few sentences what a step shows, with its numbers",
                     [this] { return exit_status(describe_command(describe)); }),
                 describe);
    add_code();
    add_embed();
    add_render();
    add_worksheet();
    add_screenshot();
    for (CLI::App* command : app.get_subcommands({}))
      if (command->get_footer() == footer) command->footer(examples_of(command->get_name()));
  }

  CLI::App* add(const char* name, const char* description, std::function<int()> run) {
    CLI::App* command = app.add_subcommand(name, description);
    commands.emplace_back(command, std::move(run));
    return command;
  }
  void add_look(CLI::App* c, WindowCommand& of, const char* scale) {
    c->add_option("--theme", of.theme, "Colours")->check(one_of_the_themes());
    c->add_option("--scale", of.scale, scale)->check(CLI::Range(0.75, 3.0));
  }
  void add_window(CLI::App* c) {
    add_look(c, window, "Size of text and everything else (1 = 100 %)");
    c->add_flag("--windowed", window.windowed, "What is presented (F5) does not fill the screen");
  }
  void add_experiment(CLI::App* c, std::filesystem::path& path) {
    c->add_option("experiment", path, "The experiment file, or - for standard input")->required();
  }
  void add_quiet(CLI::App* c, bool& quiet, const char* words = "No warnings, no progress") {
    c->add_flag("-q,--quiet", quiet, words);
  }
  void add_view() {
    auto* c = add("view",
                  "The window on a file of attention weights: .npy, .npz, .safetensors or .pt, or a table (.csv, .tsv)",
                  [this] {
                    window.as_attention = true;
                    return window_command(window);
                  });
    c->footer(
        "Rows of keys, 2 to 5 axes: (queries, keys) to (layers, batch, heads, queries, keys), or arrays that are a "
        "layer\neach.\nTry it:\n  headlight view attn.npy --tokens tokens.json");
    c->add_option("file", window.experiment, "The file, or an experiment")->required();
    add_dump(c, window.dump);
    add_window(c);
  }
  void add_list() {
    auto* c = add("list", "Every variant with its parameters, inputs, weights and steps",
                  [this] { return exit_status(list_command(as_json, list_variant)); });
    c->add_option("variant", list_variant,
                  "One variant alone, by its id; model; or tasks, which a network can be taught");
    c->add_flag("--json", as_json, "As JSON");
  }
  void add_info() {
    auto* c = add("info", "What a file of arrays or the folder of a model holds, and what opens it",
                  [this] { return exit_status(info_command(info_path, as_json)); });
    c->add_option("file", info_path, "A .npy, .npz, .safetensors, .pt or .bin, a folder with one, or a JSON file")
        ->required();
    c->add_flag("--json", as_json, "As JSON");
  }
  void add_tokens() {
    auto* c = add("tokens", "What a model's tokenizer makes of a text: numbers, ids and tokens",
                  [this] { return exit_status(tokens_command(tokens)); });
    c->footer("Reads tokenizer.json, else vocab.json and merges.txt, else vocab.txt of the folder.");
    c->add_option("folder", tokens.folder, "The folder of a model")->required();
    auto* text = c->add_option("text", tokens.text, "The text");
    auto* texts =
        c->add_option("--texts", tokens.texts, "A JSON list of texts instead, or - for standard input")->excludes(text);
    c->add_flag("--json", tokens.json, "As JSON: text, ids, tokens and offsets in bytes");
    c->callback([text, texts] {
      if (text->count() + texts->count() == 0) throw CLI::RequiredError("text or --texts");
    });
  }
  void add_trace() {
    auto* c = add("trace", "Run an experiment and write every step as an array",
                  [this] { return exit_status(trace_command(trace)); });
    c->add_option("experiment", trace.experiment, "The experiment file, the folder of a model, or - for standard input")
        ->required();
    c->add_option("-o,--output", trace.output, "The .npz to write, or - for standard output")->required();
    add_dump(c, trace.dump);
    add_given(c, trace.given);
    c->add_option("--layer", trace.layers,
                  "Of a model: also every step of these layers, such as 0,4-6 or all, with a decoder encoder/0 or\n"
                  "decoder/2,3; may be repeated")
        ->allow_extra_args(false)
        ->take_all();
    c->add_flag("--all-weights", trace.all_weights, "Of a model: also the attention weights of every layer");
    c->add_flag("--measures", trace.measures,
                "Also measures of each layer and head, what each key receives, and the rollout of the layers");
    add_quiet(c, trace.quiet);
  }
  void add_heads() {
    auto* c = add("heads", "Measures of every head: entropy, distance, induction and others",
                  [this] { return exit_status(heads_command(heads)); });
    c->footer("The user guide has the formula and the source of each measure. Heads are counted from 0.");
    c->add_option("experiment", heads.experiment,
                  "The experiment file, the folder of a model, a file of attention, or - for standard input")
        ->required();
    add_dump(c, heads.dump);
    add_given(c, heads.given);
    add_measuring(c, heads);
    c->add_flag("--csv", heads.csv, "As CSV: a row a head, all digits");
    c->add_option("-o,--output", heads.output,
                  "The file to write, of --why also .npz; left out, or -: standard output");
    add_quiet(c, heads.quiet);
  }
  void add_train() {
    const char* words = "Let a network learn a task, and write what it has become into a folder";
    add_training(add("train", words, [this] { return exit_status(train_command(train)); }), train);
  }
  void add_code() {
    auto* c = add("code", "Write a Python script that recomputes an experiment, or a trained network", [this] {
      code.language = *language_of(language);
      return exit_status(code_command(code));
    });
    c->footer(
        "SCRIPT.py computes every step in plain NumPy or PyTorch, a line or two each, and asserts that\n"
        "it equals the saved number, which it reads from SCRIPT.npz: inputs, weights and steps.\n"
        "Try it:\n"
        "  headlight code mine.headlight --as numpy -o mine.py && python3 mine.py");
    add_experiment(c, code.experiment);
    c->add_option("--as", language, "numpy (if left out) or pytorch")->check(CLI::IsMember({"numpy", "pytorch"}));
    c->add_option("-o,--output", code.output,
                  "The .py to write, and a .npz of the same name beside it; left out, or -: print the script only");
    add_quiet(c, code.quiet);
  }
  void add_embed() {
    auto* c = add("embed", "Write an experiment with all that it reads in it: one file travels",
                  [this] { return exit_status(embed_command(embed)); });
    c->footer(
        "Pictures, signals, lists of tokens, arrays and weights, 4 MB in all. Prints what went into the file.\n"
        "Try it:\n"
        "  headlight embed mine.headlight -o one.headlight");
    add_experiment(c, embed.experiment);
    c->add_option("-o,--output", embed.output, "The .headlight to write, or - for standard output")->required();
    add_quiet(c, embed.quiet, "No notes, no list");
  }
  void add_render() {
    auto* c = add("render", "Draw figures without a display: PDF, SVG, PNG or PGFPlots", [this] {
      for (const auto& [key, text] : settings)
        if (app.get_subcommand("render")->count("--" + key) > 0) render.settings.emplace_back(key, text);
      return exit_status(render_command(render));
    });
    c->add_option("experiment", render.experiments,
                  "Experiment files, folders of them, the folder of a model, figures to draw again, or - for standard "
                  "input; none: the built-in example");
    c->add_option("-o,--output", render.output,
                  "The .pdf, .svg, .png or .tex to write; may hold {experiment}, {step}, {layer}, {head}, {batch}, "
                  "{query}, {frame}, and {head:02} for two digits; - for standard output")
        ->required();
    c->add_option("--format", render.format, "Of -o -: pdf, svg or png (pdf)")
        ->check(CLI::IsMember({"pdf", "svg", "png"}));
    c->add_option("--each", render.each, "A figure for each step, layer, head, batch, query or frame; may be repeated")
        ->allow_extra_args(false)
        ->take_all();
    for (const auto& setting : figure_settings()) add_setting(c, setting);
    add_dump(c, render.dump, true);
    add_given(c, render.reads, "--reads");
    c->add_flag("--changed-data", render.changed_data,
                "Draws a figure again even where the files behind it have changed since");
    c->add_flag("--csv", render.extras.csv, "Also the numbers, as NAME.csv");
    c->add_flag("--npy", render.extras.npy, "Also the numbers, as NAME.npy");
    c->add_flag("--words", render.extras.words, "Also caption and alternative text, as NAME.txt");
    add_quiet(c, render.quiet);
  }
  void add_setting(CLI::App* c, const FigureSetting& setting) {
    const std::string key(setting.key), help(setting.help);
    if (setting.flag)
      c->add_flag("--" + key, settings[key], help + "; --no-" + key + " or --" + key + " false turns it off");
    else
      c->add_option("--" + key, settings[key], help);
  }
  void add_worksheet() {
    auto* c = add("worksheet", "A sheet of exercises to print, with its key, as PDF", [this] {
      worksheet.with_key = !no_key;
      worksheet.paper = paper == "letter" ? letter_paper : a4_paper;
      return exit_status(worksheet_command(worksheet));
    });
    add_sheet(c, worksheet, paper, no_key);
    add_quiet(c, worksheet.quiet);
  }
  void add_screenshot() {
    auto* c = add("screenshot", "One frame of the window, as the user would see it", [this] {
      parse_size(size, screenshot.width, screenshot.height);
      return screenshot_command(screenshot);
    });
    c->add_option("experiment", screenshot.window.experiment, "The experiment file, or the built-in example");
    c->add_option("-o,--output", screenshot.output, "The .png to write")->required();
    add_dump(c, screenshot.window.dump);
    add_given(c, screenshot.window.given);
    c->add_option("--size", size, "Width and height in pixels (1600x1000)")->check(size_validator());
    add_look(c, screenshot.window, "1 = 100 %");
    c->add_option("--do", screenshot.actions, "An action to carry out first, such as \"head 3\"; may be repeated")
        ->allow_extra_args(false)
        ->take_all();
  }

  // The command that a misspelt first word comes near to; empty where it is a file, a flag, or like none.
  std::string meant_command(const std::string& word) const {
    std::error_code ignored;  // of a name that is too long, say: it is told when it is opened
    if (word.empty() || word.starts_with("-") || std::filesystem::exists(word, ignored)) return "";
    std::vector<std::string> known;
    for (const auto* command : app.get_subcommands(nullptr)) known.push_back(command->get_name());
    return std::ranges::find(known, word) == known.end() ? nearest_word(word, known) : "";
  }

  // The flag that a misspelt one comes near to, and that one: of the command that stands first, or of none.
  std::pair<std::string, std::string> meant_flag(const std::vector<std::string>& words) const {
    const CLI::App* command = &app;
    for (const auto* sub : app.get_subcommands(nullptr))
      if (!words.empty() && sub->get_name() == words.front()) command = sub;
    std::vector<std::string> known;
    for (const auto* option : command->get_options(nullptr))
      for (const auto& name : option->get_lnames()) known.push_back("--" + name);
    for (const auto& word : words) {
      const std::string flag = word.substr(0, word.find('='));
      if (!flag.starts_with("--") || std::ranges::find(known, flag) != known.end()) continue;
      if (std::string near = nearest_word(flag, known); !near.empty()) return {flag, near};
    }
    return {};
  }

  // A flag may be followed by its value, "--recipe false", or be turned off by "--no-recipe".
  std::vector<std::string> with_flag_values(std::vector<std::string> words) const {
    if (words.empty() || words.front() != "render") return words;
    const auto is_flag = [](const std::string& word) {
      return std::ranges::any_of(figure_settings(), [&](const auto& setting) {
        return setting.flag && word == "--" + std::string(setting.key);
      });
    };
    std::vector<std::string> out;
    for (const std::string& word : words) {
      const std::string turned = word.starts_with("--no-") ? "--" + word.substr(5) : "";
      if (!out.empty() && is_flag(out.back()) && (word == "true" || word == "false"))
        out.back() += "=" + word;
      else
        out.push_back(is_flag(turned) ? turned + "=false" : word);
    }
    return out;
  }

  bool has_command(const std::string& word) const {
    return std::ranges::any_of(commands, [&](const auto& one) { return one.first->get_name() == word; });
  }

  int run() {
    for (const auto& [command, run] : commands)
      if (*command) return run();
    return window_command(window);
  }
};

int no_such_command(const std::string& word, const std::string& meant) {
  if (meant.empty())
    print_error(in_one_line(word) + ": is neither a command nor a file: headlight --help lists the commands");
  else
    print_error("there is no command \"" + word + "\": did you mean " + meant + "?");
  return 2;
}

// A word that names no file, and does not look as if it did.
bool may_be_command(const std::string& word) {
  std::error_code error;  // of a name that is too long, say: it is told when it is opened
  return !word.empty() && word.find_first_of("/\\.-") == std::string::npos && !std::filesystem::exists(word, error) &&
         !error;
}

}  // namespace

int main(int argc, char** argv) {
  headlight::survive_full_files();
  std::set_terminate(report_termination);
  configure_allocator();
  Commands commands;
  try {
    std::vector<std::string> words = commands.with_flag_values({argv + 1, argv + argc});
    if (!words.empty() && words.front() == "help" && may_be_command(words.front())) {
      words.erase(words.begin());
      if (!words.empty() && !commands.has_command(words.front()))
        return no_such_command(words.front(), commands.meant_command(words.front()));
      words.emplace_back("--help");
    }
    std::ranges::reverse(words);  // as CLI11 takes them
    commands.app.parse(std::move(words));
    // A misspelt command alone reads as the name of a file.
    const std::string alone = commands.app.get_subcommands().empty() ? utf8(commands.window.experiment) : "";
    if (const std::string meant = commands.meant_command(alone); !meant.empty() || may_be_command(alone))
      return no_such_command(alone, meant);
  } catch (const CLI::Success& done) {  // --help, --version
    return commands.app.exit(done);
  } catch (const CLI::ParseError& error) {
    if (const std::string meant = commands.meant_command(argc > 1 ? argv[1] : ""); !meant.empty())
      return no_such_command(argv[1], meant);
    if (argc > 1 && may_be_command(argv[1]) && !commands.has_command(argv[1])) return no_such_command(argv[1], "");
    if (const auto [flag, near] = commands.meant_flag({argv + 1, argv + argc}); !near.empty()) {
      std::fprintf(stderr, "headlight: there is no %s: did you mean %s?\n", flag.c_str(), near.c_str());
      return 2;
    }
    std::fprintf(stderr, "headlight: %s (headlight --help shows how)\n", error.what());
    return 2;
  }
  const auto status = catch_all([&]() -> Result<int> { return commands.run(); });
  if (status) return *status;
  print_error(status.error().message);
  return 1;
}
