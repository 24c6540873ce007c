// The pages of docs/mechanisms: each one's experiment runs, and the numbers that it works out are the run's.
#include <algorithm>
#include <filesystem>

#include "engine/io/experiment.h"
#include "engine/io/file.h"
#include "engine/variants/variant.h"
#include "tests/catch.h"
#include "tests/runs.h"

using namespace headlight;

namespace {

struct Worked {
  const char *page, *step;
  Index head, query, cell;  // the last along the last axis
  const char* says;         // on the page, as many digits as there are
};

constexpr Worked worked[] = {
    {"rotary", "scores", 2, 8, 6, "101.461"},
    {"rotary", "weights", 2, 8, 6, "0.5698"},
    {"rotary", "q_rotated", 2, 8, 3, "9.3038"},
    {"rotary", "k_rotated", 2, 6, 7, "8.6759"},
    {"alibi", "scaled_scores", 2, 8, 6, "7.75"},
    {"alibi", "weights", 2, 8, 6, "0.6135"},
    {"alibi", "weights", 2, 8, 2, "0.3721"},
    {"t5", "scaled_scores", 2, 8, 6, "7.75"},
    {"t5", "scores", 2, 8, 6, "22.6274"},
    {"shaw", "position_scores", 2, 8, 6, "5.7871"},
    {"shaw", "scaled_scores", 2, 8, 6, "10.0460"},
    {"grouped-keys", "scores", 5, 8, 6, "−103.536"},
    {"windows", "weights", 2, 8, 0, "0.0463"},
    {"windows", "weights", 2, 8, 6, "0.9537"},
    {"softcap", "capped_scores", 2, 8, 0, "3.8057"},
    {"softcap", "weights", 2, 8, 0, "0.1826"},
    {"sinks", "weights", 2, 2, 0, "0.4763"},
    {"sinks", "sink_weights", 2, 2, 0, "0.3281"},
    {"talking-heads", "mixed_scores", 2, 8, 6, "1.5793"},
    {"talking-heads", "mixed_weights", 2, 8, 6, "0.1027"},
    {"differential", "differential_weights", 2, 8, 6, "0.003617"},
    {"norms-and-gates", "q_normed", 2, 8, 0, "0.1378"},
};

std::string text_of(const std::filesystem::path& file) {
  constexpr std::uint64_t limit = 1 << 20;  // bytes
  const auto text = read_file(file, limit);
  if (!text) FAIL(text.error().message);
  return *text;
}

}  // namespace

TEST_CASE("the numbers that the pages of mechanisms work out are those of a run") {
  for (const auto& entry : std::filesystem::directory_iterator(HEADLIGHT_SOURCE_DIR "/docs/mechanisms")) {
    const std::string name = entry.path().stem().string(), page = text_of(entry.path());
    INFO(name);
    const auto begin = page.find("```json\n") + 8;
    const RanExperiment run = ran(parse_experiment(page.substr(begin, page.find("```", begin) - begin), {}, ""));
    int checked = 0;
    for (const Worked& one : worked) {
      if (name != one.page) continue;
      INFO(one.step << " " << one.says);
      const Step* step = run.trace->find(one.step);
      REQUIRE(step);
      const Tensor& x = step->tensor();
      const double value = x[((one.head * x.dim(2)) + one.query) * x.dim(3) + one.cell];
      std::string says = one.says;
      CHECK(page.find(says) != std::string::npos);
      if (says.starts_with("−")) says.replace(0, std::string_view("−").size(), "-");
      const auto digits = says.size() - says.find('.') - 1;
      CHECK(fmt::format("{:.{}f}", value, digits) == says);
      ++checked;
    }
    CHECK(checked > 0);
  }
}
