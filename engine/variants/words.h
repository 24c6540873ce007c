// What people read of a step, apart from how it is computed: its symbol, title and note.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <variant>

namespace headlight {

class Recorder;

// Words that always hold, or that depend on the run: its numbers, its options, what was recorded before.
class Prose {
 public:
  using Made = std::function<std::string(const Recorder&)>;
  Prose(const char* always = "") : text_(always) {}
  Prose(std::string always) : text_(std::move(always)) {}
  template <std::invocable<const Recorder&> F>
  Prose(F made) : text_(Made(std::move(made))) {}

  std::string operator()(const Recorder& r) const {
    if (const auto* made = std::get_if<Made>(&text_)) return (*made)(r);
    return std::get<std::string>(text_);
  }

 private:
  std::variant<std::string, Made> text_;
};

// A stop of the stepper and a tile of the pipeline.
struct StageWords {
  const char* id = "";  // empty: none
  const char* title = "";
  const char* tile = "";
};

struct StepWords {
  const char* id;  // of the step
  Prose symbol;    // LaTeX without indices: "\tilde s"
  Prose title;
  // Two to four sentences. {query:words} marks words that take a role's colour, {n_q} and {softcap} are the extent of
  // a symbol and the value of a parameter.
  Prose note = {};
  Prose letter = {};      // heads a narrow column of its numbers: "α"; empty: its id or title
  StageWords stage = {};  // that the step opens, unless record() has opened it
};

}  // namespace headlight
