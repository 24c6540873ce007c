#include "app/cli/file_options.h"

#include <cstdio>

#include "app/cli/commands.h"
#include "app/figures/figure_texts.h"
#include "engine/base/words.h"
#include "engine/measures/measure.h"

namespace headlight::app {

bool parse_size(const std::string& text, int& width, int& height) {
  char rest = 0;
  return std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) == 2 && width >= 320 && height >= 240 &&
         width <= 16384 && height <= 16384;
}

CLI::Validator size_validator() {
  return {[](std::string& text) {
            int width = 0;
            int height = 0;
            return parse_size(text, width, height)
                       ? std::string()
                       : "must be WIDTHxHEIGHT from 320x240 to 16384x16384, such as 1600x1000";
          },
          "WxH"};
}

void add_dump(CLI::App* c, DumpOptions& dump, bool draws) {
  c->add_option("--tokens", dump.tokens, "Of a file of attention: its words, a JSON list or a word a line");
  c->add_option("--key-tokens", dump.key_tokens, "The words of its keys, where they are others");
  c->add_flag("--raw-tokens", dump.raw_tokens,
              "Its words as their vocabulary writes them, with its marks of spaces and pieces");
  c->add_option("--image", dump.image, "The picture that its positions lie on");
  c->add_option(draws ? "--patches" : "--grid", dump.grid, "Rows and columns of that picture, such as 14x14");
  c->add_option("--offset", dump.offset, "The first position that lies on it (left out: the last ones do)");
  c->add_option("--key-image", dump.key_image, "The picture that its keys lie on, where its queries do not");
  c->add_option(draws ? "--key-patches" : "--key-grid", dump.key_grid, "Rows and columns of the keys' picture");
  c->add_option("--key-offset", dump.key_offset, "The first key that lies on it");
  c->add_option("--positions", dump.positions,
                "Its positions that are kept, queries and keys, counted from 0: 0-8 or 0,3-5 (all)");
  c->add_option("--key-positions", dump.key_positions, "Its keys that are kept, where they are others");
  c->add_option_function<std::string>(
       "--pieces", [&dump](const std::string& text) { dump.whole_words = text == "words"; },
       "words: the pieces of a word become one position, keys added up, queries averaged (apart)")
      ->check(CLI::IsMember({"apart", "words"}));
  c->add_option("--member", dump.member, "Which arrays of a file of several, such as 'attentions.*'");
  c->add_option("--axes", dump.axes,
                "What its axes are, a letter each: l b h q k, such as bhqk; y and x are rows and columns of queries,\n"
                "Y and X of keys, and w in place of k is the keys of a window round each query");
  c->add_option("--global-tokens", dump.global_tokens,
                "The tokens whose columns stand before that window, such as 0,8");
  c->add_option("--save", dump.save, "Also the experiment, to write as .headlight");
}

void add_given(CLI::App* c, GivenInput& given, const char* text) {
  c->add_option(text, given.text, "Of a model's folder: the text that it reads");
  c->add_option("--pair", given.pair, "The second text, where it reads two");
  c->add_option("--decoder", given.decoder, "Of a model with a decoder: the text that it has said so far");
  c->add_option("--ids", given.ids, "The numbers of tokens instead of a text, such as 1,2,3");
  c->add_option("--at", given.at, "Of the folder of a training: after so many steps; left out: the newest");
}

namespace {

// Items with commas between them. CLI11's own delimiter passes over an empty one, unsaid.
CLI::Option* add_list(CLI::App* c, const std::string& name, const std::string& items,
                      const std::function<bool(std::string_view)>& take, const std::string& help) {
  return c->add_option_function<std::string>(
      name,
      [=](const std::string& text) {
        for (const std::string_view item : split(text, ","))
          if (item.empty() || !take(item))
            throw CLI::ValidationError(
                name, fmt::format("{}: it must be {}, with commas between them", in_one_line(text), items));
      },
      help);
}

}  // namespace

void add_sheet(CLI::App* c, WorksheetOptions& worksheet, std::string& paper, bool& no_key) {
  auto& request = worksheet.request;
  constexpr int most = 100000;
  auto* experiment = c->add_option("experiment", worksheet.experiment,
                                   "The experiment file, or - for standard input; none: the built-in example");
  auto* by_hand =
      c->add_flag("--by-hand", worksheet.by_hand,
                  "In place of an experiment, a run to do on paper: four words, width 2, small whole numbers")
          ->excludes(experiment);
  c->add_option("-o,--output", worksheet.output, "The .pdf to write")->required();
  add_list(
      c, "--step", "ids of steps", [&request](std::string_view id) { return request.steps.emplace_back(id), true; },
      "Steps to show, by id, with commas; left out: the way to the head's output");
  c->add_option("--head", worksheet.head, "Which head, from 0; left out: the view's")
      ->check(CLI::Range(0, most))
      ->excludes(by_hand);
  c->add_option("--batch", worksheet.batch, "Which item of the batch, from 0; left out: the view's")
      ->check(CLI::Range(0, most))
      ->excludes(by_hand);
  auto* query = c->add_option("--query", request.query, "Which query, from 0; left out: the view's, or the middle one")
                    ->check(CLI::Range(0, most));
  c->add_option("--blanks", request.blanks, "How many numbers are left blank (12)")->check(CLI::Range(0, most));
  c->add_option("--seed", request.seed,
                "Another seed leaves out other numbers, and draws other ones for --copies and --by-hand (1)")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()));
  auto* copies = c->add_option("--copies", worksheet.copies,
                               "Sheets in one PDF, each with numbers of its own, the answers behind them (1)")
                     ->check(CLI::Range(1, most_copies));
  add_list(
      c, "--rows", fmt::format("queries from 0 to {}", most),
      [&worksheet](std::string_view text) {
        const auto row = parse_number<Index>(text);
        if (row) worksheet.rows.push_back(*row);
        return row && *row >= 0 && *row <= most;
      },
      "A sheet for each of these queries, with commas, in one PDF like copies")
      ->excludes(copies)
      ->excludes(query);
  c->add_option("--paper", paper, "a4 or letter")->check(CLI::IsMember({"a4", "letter"}));
  auto* key =
      c->add_option("--key", worksheet.key, "Where the key goes; left out: SHEET-key.pdf, of more copies behind them")
          ->expected(0, 1);
  c->add_flag("--no-key", no_key, "The sheet alone")->excludes(key);
}

void add_measuring(CLI::App* c, HeadsOptions& heads) {
  std::vector<std::string> measures;
  for (const MeasureRow& row : measure_rows()) measures.emplace_back(row.id);
  auto* sort = c->add_option("--sort", heads.sort, "By a measure, the greatest first; left out: by number")
                   ->check(CLI::IsMember(measures));
  c->add_flag("--ascending", heads.ascending, "The least first")->needs("--sort");
  auto* ablation =
      c->add_flag("--ablation", heads.ablation, "Also the change in the output without each head, a run for each");
  auto* alike = c->add_flag("--alike", heads.alike,
                            "In place of measures: the head that each is most like, over all layers, and how far they\n"
                            "are apart; with --csv every pair")
                    ->excludes(sort)
                    ->excludes(ablation);
  c->add_option("--why", heads.why.token,
                "Of a model, in place of measures: what the weights of each head count for the logit of this token,\n"
                "and which positions are relevant to it (gradient times attention)")
      ->excludes(sort)
      ->excludes(ablation)
      ->excludes(alike);
  c->add_option("--not", heads.why.other, "Less the logit of this token")->needs("--why");
  c->add_option("--after", heads.why.after, "The position that is followed by it (the last)")->needs("--why");
}

void add_training(CLI::App* command, TrainOptions& train) {
  command->footer(
      "The file says what is learned: {\"headlight\": 1, \"train\": {\"task\": \"repeat\", \"seed\": 1}}.\n"
      "headlight list tasks has the tasks and their options. Ctrl-C keeps what is there.\n"
      "Try it:\n"
      "  headlight train task.headlight -o learned\n"
      "  headlight train --from learned --steps 600\n"
      "  headlight train --from learned --importance\n"
      "  headlight train --from learned --figure learned.pdf\n"
      "  headlight train --from learned --at 100 --explore layer.headlight && headlight layer.headlight");
  command->add_option("training", train.training, "The file that says what is to be learned, or - for standard input");
  command->add_option("-o,--output", train.output, "The folder to write; left out with --from: that one");
  command->add_option("--from", train.from, "The folder of a training, to go on from where it stands");
  command->add_option("--steps", train.steps, "How many steps there are to be in all, in place of the file's")
      ->check(CLI::Range(Index{1}, Index{10'000'000}));
  command->add_option("--losses", train.losses, "A CSV file for the loss of each step");
  command->add_option("--snapshots", train.snapshots,
                      "Also keep what it was after every=10 steps, or log: after 0, 1, 2, 5, 10, 20 and so on");
  command->add_flag("--until-learned", train.until_learned, "Stop once the task's figure says that it was learned");
  command->add_option("--threads", train.threads, "How many threads compute; left out: one a processor")
      ->check(CLI::Range(1, 1024));
  command->add_option("--kernels", train.kernels,
                      "The instruction set to compute with: baseline, avx2 or avx512; left out: the best");
  command->add_option("--heads-off", train.heads_off,
                      "Heads that are off from where it stands on, by map and number, as in 0.1,1.0; none: all are on");
  command->add_option("--redraw", train.redraw, "Heads that begin anew there with other random numbers, as in 1.0");
  auto* importance = command->add_flag(
      "--importance", train.importance,
      "With --from: print what it comes to without each head, and without ever more of them, and learn nothing");
  command->add_flag("--csv", train.csv, "Of that: as CSV, all digits")->needs(importance);
  command
      ->add_option("--explore", train.explore,
                   "With --from: write a part of what was learned as an experiment, and learn nothing")
      ->excludes(importance);
  auto* figure = command
                     ->add_option("--figure", train.figure,
                                  "With --from: draw a head's map over the steps, and the curves (.pdf, .svg, .png)")
                     ->excludes(importance)
                     ->excludes("--explore");
  command->add_option("--head", train.head, "Of --figure: which head, counted from 0 (0)")
      ->check(CLI::Range(Index{0}, Index{10'000'000}))
      ->needs(figure);
  command
      ->add_option("--at", train.at,
                   "Of --explore, --figure and --importance: after so many steps; left out: the newest")
      ->check(CLI::Range(Index{0}, Index{10'000'000}));
  command
      ->add_option("--map", train.map,
                   "Of --explore and --figure: which of its maps, counted from 0; left out: the last")
      ->check(CLI::Range(Index{0}, Index{10'000'000}));
  command->add_option("--example", train.example, "And which of the examples held out, counted from 0 (0)")
      ->check(CLI::Range(Index{0}, Index{10'000'000}));
  command->add_flag("--force", train.force, "Begin anew in a folder that holds a training");
  command->add_flag("-q,--quiet", train.quiet, "No warnings, no progress");
}

}  // namespace headlight::app
