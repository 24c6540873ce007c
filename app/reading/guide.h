// The user guide (docs/guide) as the window shows it: chapters of plain blocks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headlight::app {

struct GuideBlock {
  enum class Kind { title, heading, text, item, code, row };  // a row is one of a table, its cells parted by " · "
  Kind kind = Kind::text;
  std::string text;
  bool operator==(const GuideBlock&) const = default;
};

struct GuideChapter {
  std::string id;  // "first-steps"
  std::string title;
  std::vector<GuideBlock> blocks;
};

// In the order in which they are read.
const std::vector<GuideChapter>& guide();
const GuideChapter* chapter_named(std::string_view id);

// What can be read: a chapter, what stands under a heading of it, a word of the glossary.
struct Topic {
  std::string id;      // "guide/masks", "guide/masks#Masks in layers", "word/softmax"
  std::string title;   // "Masks in layers"
  std::string about;   // where it stands: "guide: Masks", "glossary"
  std::string finds;   // further words that it is found by
  bool whole = false;  // a chapter
};
const std::vector<Topic>& all_topics();
// Why there is none of that name; empty where there is, and for no name.
std::string why_no_topic(std::string_view id);

// What Markdown says, without its marks; pictures are left out.
std::vector<GuideBlock> blocks_of(std::string_view markdown);

}  // namespace headlight::app
