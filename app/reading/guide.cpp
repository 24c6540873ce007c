#include "app/reading/guide.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "app/reading/glossary.h"
#include "embedded_texts.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// In the order of its first page.
constexpr std::pair<std::string_view, std::string_view> chapter_files[] = {
    {"first-steps", embedded_files::first_steps_md},
    {"lessons", embedded_files::lessons_md},
    {"reading", embedded_files::reading_md},
    {"heads", embedded_files::heads_md},
    {"masks", embedded_files::masks_md},
    {"compare", embedded_files::compare_md},
    {"gradients", embedded_files::gradients_md},
    {"training", embedded_files::training_md},
    {"parameters", embedded_files::parameters_md},
    {"inputs", embedded_files::inputs_md},
    {"files", embedded_files::files_md},
    {"arrays", embedded_files::arrays_md},
    {"models", embedded_files::models_md},
    {"learning", embedded_files::learning_md},
    {"figures", embedded_files::figures_md},
    {"teaching", embedded_files::teaching_md},
    {"command-line", embedded_files::command_line_md},
    {"browser", embedded_files::browser_md},
    {"notebooks", embedded_files::notebooks_md},
    {"keys", embedded_files::keys_md},
    {"messages", embedded_files::messages_md}};

// "[Keys](keys.md) are **bold**" → "Keys are bold"; pictures go.
std::string without_marks(std::string_view line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string_view rest = line.substr(i);
    if (rest.starts_with("![") || rest.starts_with("](")) {
      i += std::min(rest.find(')', rest.find("](")), rest.size() - 1);
    } else if (rest.starts_with("**")) {
      ++i;
    } else if (rest[0] != '[' && rest[0] != '`' && rest[0] != '*') {
      plain += rest[0];
    } else if (rest[0] == '[' && rest.find("](") == std::string_view::npos) {
      plain += rest[0];  // no link
    }
  }
  const auto first = plain.find_first_not_of(' ');
  return first == std::string::npos ? "" : plain.substr(first, plain.find_last_not_of(' ') + 1 - first);
}

// "| a | b |" → "a · b"
std::string row_of_table(std::string_view line) {
  std::string row;
  line.remove_prefix(1);
  for (const std::string_view part : split(line, "|"))
    if (const std::string cell = without_marks(part); !cell.empty()) row += (row.empty() ? "" : " · ") + cell;
  return row;
}

bool is_rule_of_table(std::string_view line) {
  return line.starts_with('|') && line.find_first_not_of("|-: ") == std::string_view::npos;
}

}  // namespace

std::vector<GuideBlock> blocks_of(std::string_view markdown) {
  using Kind = GuideBlock::Kind;
  std::vector<GuideBlock> blocks;
  bool code = false, open = false;  // the next line goes on with the newest block
  const auto add = [&](Kind kind, std::string text, bool goes_on) {
    if (!text.empty()) blocks.push_back({kind, std::move(text)});
    open = goes_on;
  };
  for (std::string_view line : split_lines(markdown)) {
    const auto begin = std::min(line.find_first_not_of(' '), line.size());
    if (line.substr(begin).starts_with("```")) {
      code = !code;
      open = false;
      continue;
    }
    if (code) {
      add(Kind::code, std::string(line), false);
      continue;
    }
    line.remove_prefix(begin);
    if (line.empty() || is_rule_of_table(line))
      open = false;
    else if (line.starts_with("# "))
      add(Kind::title, std::string(line.substr(2)), false);
    else if (line.starts_with("##"))
      add(Kind::heading, std::string(line.substr(line.find(' ') + 1)), false);
    else if (line.starts_with('|'))
      add(Kind::row, row_of_table(line), false);
    else if (line.starts_with("- ") || line.starts_with("* "))
      add(Kind::item, std::string(line.substr(2)), true);
    else if (open && !blocks.empty())
      blocks.back().text += " " + std::string(line);
    else
      add(Kind::text, std::string(line), true);
  }
  for (GuideBlock& block : blocks)  // a link may go over the end of a line
    if (block.kind != Kind::code && block.kind != Kind::row) block.text = without_marks(block.text);
  std::erase_if(blocks, [](const GuideBlock& block) { return block.text.empty(); });
  return blocks;
}

const std::vector<GuideChapter>& guide() {
  static const std::vector<GuideChapter> all = [] {
    std::vector<GuideChapter> chapters;
    for (const auto& [id, text] : chapter_files) {
      GuideChapter chapter{std::string(id), {}, blocks_of(text)};
      if (!chapter.blocks.empty()) chapter.title = chapter.blocks.front().text;
      chapters.push_back(std::move(chapter));
    }
    return chapters;
  }();
  return all;
}

const GuideChapter* chapter_named(std::string_view id) {
  const auto found = std::ranges::find(guide(), id, &GuideChapter::id);
  return found == guide().end() ? nullptr : &*found;
}

const std::vector<Topic>& all_topics() {
  static const std::vector<Topic> all = [] {
    std::vector<Topic> topics;
    for (const GuideChapter& chapter : guide()) {
      const std::string id = "guide/" + chapter.id;
      // Words that a beginner asks for first.
      const char* finds = chapter.id == "first-steps" ? "help tutorial introduction begin guide" : "guide";
      topics.push_back({id, chapter.title, "guide", finds, true});
      for (const GuideBlock& block : chapter.blocks)
        if (block.kind == GuideBlock::Kind::heading)
          topics.push_back({id + "#" + block.text, block.text, "guide: " + chapter.title, "", false});
    }
    for (const GlossaryEntry& entry : glossary())
      topics.push_back({"word/" + entry.forms.front(), entry.term, "glossary",
                        fmt::format("{}", fmt::join(entry.forms, " ")), false});
    return topics;
  }();
  return all;
}

std::string why_no_topic(std::string_view id) {
  if (id.empty() || std::ranges::count(all_topics(), id, &Topic::id) > 0) return {};
  return fmt::format("There is no page \"{}\": type help alone for a list", id);
}

}  // namespace headlight::app
