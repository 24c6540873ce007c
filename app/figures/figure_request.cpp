#include "app/figures/figure_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "app/figures/figure_texts.h"
#include "app/page/notes.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"

namespace headlight::app {

namespace {

using namespace figure_texts;

std::string number_text(double value) {
  return fmt::format("{}", value);
}

// ---- The settings -------------------------------------------------------------------------------------------------

constexpr std::size_t most_steps = 64;  // in one figure

using Set = std::function<Status(FigureRequest&, std::string_view)>;
using Text = std::function<std::string(const FigureRequest&)>;

struct Entry {
  FigureSetting setting;
  Set set;
  Text text;
};

Entry flag(std::string_view key, std::string_view help, bool FigureRequest::*member) {
  return {{key, help, true},
          [=](FigureRequest& r, std::string_view text) { return set_flag(r.*member, key, text); },
          [=](const FigureRequest& r) { return std::string(r.*member ? "true" : "false"); }};
}

Entry index(std::string_view key, std::string_view help, std::optional<Index> FigureRequest::*member) {
  return {{key, help},
          [=](FigureRequest& r, std::string_view text) { return set_index(r.*member, key, text); },
          [=](const FigureRequest& r) { return r.*member ? fmt::format("{}", *(r.*member)) : std::string(); }};
}

Entry words(std::string_view key, std::string_view help, std::optional<std::string> FigureRequest::*member) {
  return {{key, help},
          [=](FigureRequest& r, std::string_view text) -> Status {
            constexpr std::size_t longest_title = 1'000;  // bytes: it stands on one line
            if (key == "title" && text.size() > longest_title)
              return invalid_option(key, text,
                                    fmt::format("at most {} bytes, and it has {}", longest_title, text.size()));
            r.*member = text == "none" ? std::string() : std::string(text);
            if (text == "auto") (r.*member).reset();
            return {};
          },
          [=](const FigureRequest& r) {
            const std::string text = (r.*member).value_or("");
            return r.*member && text.empty() ? std::string("none") : text;
          }};
}

// Several texts with a "|" between them; none: empty.
Entry list(std::string_view key, std::string_view help, std::vector<std::string> FigureRequest::*member) {
  return {{key, help},
          [=](FigureRequest& r, std::string_view text) -> Status {
            (r.*member).clear();
            if (text.empty() || text == "auto") return {};
            for (const auto part : split(text, "|")) (r.*member).emplace_back(part);
            constexpr std::size_t most = 256;
            if ((r.*member).size() > most) return invalid_option(key, text, fmt::format("at most {} titles", most));
            return {};
          },
          [=](const FigureRequest& r) { return fmt::format("{}", fmt::join(r.*member, "|")); }};
}

Entry points(std::string_view key, std::string_view help, double FigureRequest::*member, double least, double most) {
  return {{key, help},
          [=](FigureRequest& r, std::string_view text) {
            return set_number(r.*member, key, text, least, most, fmt::format("a number from {} to {}", least, most));
          },
          [=](const FigureRequest& r) { return number_text(r.*member); }};
}

template <class Enum, std::size_t n>
Entry choice(std::string_view key, std::string_view help, Enum FigureRequest::*member,
             const std::array<std::pair<std::string_view, Enum>, n>& texts) {
  return {{key, help},
          [=, &texts](FigureRequest& r, std::string_view text) { return set_choice(r.*member, key, text, texts); },
          [=, &texts](const FigureRequest& r) { return choice_text(r.*member, texts); }};
}

Entry count(std::string_view key, std::string_view help, int FigureRequest::*member, int least,
            std::string_view allowed) {
  constexpr int most = 64;
  return {
      {key, help},
      [=](FigureRequest& r, std::string_view text) { return set_number(r.*member, key, text, least, most, allowed); },
      [=](const FigureRequest& r) { return fmt::format("{}", r.*member); }};
}

std::vector<Entry> content_entries() {
  return {
      {{"step",
        "Which step, or several with commas (weights); rollout: how much of each input has reached a position after a "
        "layer; relevance: gradient × attention of a model's likeliest token; measure/entropy and the like: a number "
        "for each head "
        "of each layer"},
       [](FigureRequest& r, std::string_view text) -> Status {
         r.steps.clear();
         if (text == "auto") return {};
         for (const auto id : split(text, ",")) {
           if (id.empty()) return invalid_option("step", text, "the id of a step, or several with commas");
           r.steps.emplace_back(id);
         }
         if (r.steps.size() > most_steps)
           return invalid_option("step", text, fmt::format("at most {} steps", most_steps));
         return {};
       },
       [](const FigureRequest& r) { return fmt::format("{}", fmt::join(r.steps, ",")); }},
      {{"head", "Which heads, counted from 0: 2, or 0,3-5, or all (all)"},
       [](FigureRequest& r, std::string_view text) { return set_heads(r.heads, text); },
       [](const FigureRequest& r) { return numbers_text(r.heads); }},
      flag("average", "The mean over the heads, in place of them", &FigureRequest::average),
      {{"layers",
        "Of a model or a file of several layers: all, or 0,3-5, a row of panels each; else further experiments, "
        "l1.headlight,l2.headlight (none)"},
       [](FigureRequest& r, std::string_view text) { return set_layers(r, text); },
       [](const FigureRequest& r) {
         if (r.run_layers) return numbers_text(*r.run_layers);
         return r.layers.empty() ? std::string("none") : fmt::format("{}", fmt::join(r.layers, ","));
       }},
      {{"part",
        "Of a model of several parts: encoder, decoder, cross (which asks the encoder), text, vision (the first)"},
       [](FigureRequest& r, std::string_view text) -> Status {
         const auto part = part_named(text);
         if (!part) return invalid_option("part", text, "encoder, decoder, cross, text or vision");
         r.part = *part;
         return {};
       },
       [](const FigureRequest& r) { return std::string(name_of(r.part)); }},
      list("layer-names", "Their names and the first one's, with | between them (their files')",
           &FigureRequest::layer_names),
      {{"minus",
        "Taken away from every panel: head:2, step:scores, or the file of an experiment or of attention, or a model's "
        "folder "
        "(none)"},
       [](FigureRequest& r, std::string_view text) { return set_minus(r.minus, text); },
       [](const FigureRequest& r) { return minus_text(r.minus); }},
      choice(
          "as",
          "map, matrix, picture (over the input), offsets (from the query), bars (one row), lines, layers (the row of "
          "--query in every layer) (auto)",
          &FigureRequest::kind, kind_texts),
      index("batch", "Which item of the batch, counted from 0", &FigureRequest::batch),
      {{"query",
        "Whose row is looked at, counted from 0; pictures show one query's keys. Several with commas, 3,17: a panel "
        "each"},
       [](FigureRequest& r, std::string_view text) { return set_queries(r, text); },
       [](const FigureRequest& r) {
         if (!r.queries.empty()) return fmt::format("{}", fmt::join(r.queries, ","));
         return r.query ? fmt::format("{}", *r.query) : std::string();
       }},
      index("key",
            "With --query: the cell that is framed. Of a picture on which queries lie and keys do not: the key whose "
            "weights lie over it",
            &FigureRequest::key),
      index("after", "With --step relevance: the position after which the token comes, counted from 0 (the last)",
            &FigureRequest::after),
      index("frame", "Which frame of a video, counted from 0", &FigureRequest::frame),
      count("columns", "Panels beside each other (by their number)", &FigureRequest::columns, 0,
            "a number from 1 to 64, or 0 for what fits"),
      choice("marks", "Before panel titles: letters, numbers, none (letters)", &FigureRequest::marks, marks_texts),
      words("title", "The title, or none (the step's)", &FigureRequest::title),
      list("panel-titles", "Titles of the panels, with | between them (written from the data)",
           &FigureRequest::panel_titles),
      words("row-name", "What rows are called, or none (the step's)", &FigureRequest::row_name),
      words("column-name", "What columns are called, or none (the step's)", &FigureRequest::column_name),
      words("bar-label", "The words beside the colour bar, or none (what it is and its scale)",
            &FigureRequest::bar_label),
      words("caption", "The caption that is saved beside (written from the data)", &FigureRequest::caption),
      words("alt", "The text for those who cannot see it (written from the data)", &FigureRequest::alt),
  };
}

std::vector<Entry> page_entries() {
  return {
      {{"width",
        "5.5in, 89mm, or neurips, iclr, icml-column, cvpr, acl, aaai, ieee-column, nature, science … (5.5in); "
        "a bare number is mm"},
       [](FigureRequest& r, std::string_view text) { return set_length(r.width, "width", text, width_points(text)); },
       [](const FigureRequest& r) { return r.width; }},
      flag("exact-width", "As wide as --width even where few cells do not fill it", &FigureRequest::exact_width),
      {{"height", "At most so high (9in)"},
       [](FigureRequest& r, std::string_view text) { return set_length(r.height, "height", text, points_of(text)); },
       [](const FigureRequest& r) { return r.height; }},
      points("dpi", "Dots per inch of a PNG (300)", &FigureRequest::dpi, 36, 2400),
      {{"font",
        "sans (Inter), serif (Latin Modern, as LaTeX), or a font file; after commas, more for what it lacks (sans)"},
       [](FigureRequest& r, std::string_view text) -> Status {
         if (text.empty()) return invalid_option("font", text, "sans, serif or a font file");
         r.font = std::string(text);
         return {};
       },
       [](const FigureRequest& r) { return r.font; }},
      points("text", "Size of text in printed points (8)", &FigureRequest::text_size, 2, 72),
      points("min-text", "No text is smaller, in printed points (5)", &FigureRequest::smallest_text, 2, 72),
      flag("grid", "Lines between cells", &FigureRequest::grid),
      flag("blank-masked", "Masked cells are left blank, not hatched", &FigureRequest::blank_masked),
      flag("transparent", "No ground", &FigureRequest::transparent),
  };
}

std::vector<Entry> scale_entries() {
  return {
      {{"colors", "dusk, viridis, cividis, magma, grey, tide … (by the numbers)"},
       [](FigureRequest& r, std::string_view text) { return set_colors(r.colors, text); },
       [](const FigureRequest& r) { return r.colors ? std::string(to_string(*r.colors)) : std::string("auto"); }},
      {{"range", "LOW:HIGH of the scale (by the numbers)"},
       [](FigureRequest& r, std::string_view text) { return set_range(r.range, text); },
       [](const FigureRequest& r) {
         return r.range ? fmt::format("{}:{}", r.range->first, r.range->second) : std::string("auto");
       }},
      flag("shared", "One scale for all heads of a step (true); false: each its own, with its own bar",
           &FigureRequest::shared),
      choice("bar", "Where the shared colour bar stands: auto, beside, below, or none (auto)", &FigureRequest::bar,
             bar_texts),
      {{"spacing", "linear, log, or row-max: each row by its greatest (by the numbers: log where weights are small)"},
       [](FigureRequest& r, std::string_view text) -> Status {
         Spacing spacing = Spacing::linear;
         if (text != "auto") HL_CHECK(set_choice(spacing, "spacing", text, spacing_texts));
         r.spacing = text == "auto" ? std::nullopt : std::optional(spacing);
         return {};
       },
       [](const FigureRequest& r) { return r.spacing ? choice_text(*r.spacing, spacing_texts) : std::string("auto"); }},
      choice("numbers", "In the cells: none, top, all (none)", &FigureRequest::numbers, numbers_texts),
      count("top", "With --numbers top: so many of each row (3)", &FigureRequest::top, 1, "a number from 1 to 64"),
      flag("recipe", "Whether the file carries what it can be made from again (true)", &FigureRequest::recipe),
  };
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> list;
    for (auto* part : {content_entries, page_entries, scale_entries})
      for (auto& entry : part()) list.push_back(std::move(entry));
    return list;
  }();
  return all;
}

}  // namespace

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("-_./:,=+%@").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  std::string out(1, '\'');
  for (const char c : word) {
    if (c == '\'') out.append("'\\'");
    out.push_back(c);
  }
  out.push_back('\'');
  return out;
}

const std::vector<FigureSetting>& figure_settings() {
  static const std::vector<FigureSetting> list = [] {
    std::vector<FigureSetting> settings;
    for (const auto& entry : entries()) settings.push_back(entry.setting);
    return settings;
  }();
  return list;
}

Status set_figure(FigureRequest& request, std::string_view key, std::string_view text) {
  constexpr std::size_t longest = 20'000;  // bytes: a caption of ten pages
  if (text.size() > longest)
    return fail("--{} is a text of {} bytes: at most {} are taken", brief(key), text.size(), longest);
  if (sanitized(text) != text)
    return fail("--{}: what it is given is no text: it must be UTF-8 without control characters", key);
  for (const auto& entry : entries())
    if (entry.setting.key == key) return entry.set(request, text);
  return fail("\"{}\" is no setting of a figure", brief(key));
}

std::vector<std::pair<std::string, std::string>> settings_of(const FigureRequest& request) {
  static const FigureRequest plain;
  std::vector<std::pair<std::string, std::string>> list;
  for (const auto& entry : entries())
    if (const std::string text = entry.text(request); text != entry.text(plain))
      list.emplace_back(entry.setting.key, text);
  return list;
}

std::string setting_of(const FigureRequest& request, std::string_view key) {
  for (const auto& entry : entries())
    if (entry.setting.key == key) return entry.text(request);
  return {};
}

bool shows_relevance(const FigureRequest& request) {
  return std::ranges::count(request.steps, relevance_id) > 0;
}

FigureRequest with_layer_names(FigureRequest request, const std::string& experiment) {
  if (request.layers.empty() || !request.layer_names.empty()) return request;
  const auto name = [](const std::string& path) { return utf8(path_of_utf8(path).stem()); };
  request.layer_names.push_back(experiment.empty() ? "example" : name(experiment));
  for (const auto& path : request.layers) request.layer_names.push_back(name(path));
  return request;
}

std::vector<std::string> companions_of(const FigureRequest& request) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
  };
  for (const auto& path : request.layers) add(path);
  if (request.minus.what == Subtrahend::What::experiment) add(request.minus.name);
  return paths;
}

Result<PageOptions> page_options(const FigureRequest& request) {
  if (request.smallest_text > request.text_size)
    return fail("--min-text is {}, but text is {} points: lower it, or raise --text", request.smallest_text,
                request.text_size);
  const PageOptions usual;
  return PageOptions{width_points(request.width).value_or(usual.width),
                     request.exact_width,
                     points_of(request.height).value_or(usual.max_height),
                     request.dpi,
                     request.text_size,
                     request.smallest_text,
                     request.transparent,
                     request.grid,
                     request.numbers,
                     request.top,
                     request.bar};
}

std::string figure_command(const FigureRequest& request, const std::string& experiment, const std::string& output) {
  std::string command = "headlight render";
  if (!experiment.empty()) command += fmt::format(" {}", quoted(experiment));
  for (const auto& [key, text] : settings_of(request)) {
    const auto& list = figure_settings();
    const bool alone = std::ranges::find(list, key, &FigureSetting::key)->flag;
    command += fmt::format(" --{}", key);
    if (!alone || text != "true") command += (alone ? "=" : " ") + quoted(text);
  }
  return fmt::format("{} -o {}", command, quoted(output));
}

}  // namespace headlight::app
