// What the export screens write is what their commands write, byte for byte; and the names, places and settings on the
// way there.
#include "app/actions/exports.h"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "app/actions/update.h"
#include "app/session/previews.h"
#include "app/session/session.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

namespace fs = std::filesystem;

// Without a path the built-in example.
std::unique_ptr<Session> open_file(const fs::path& path) {
  Surroundings surroundings;
  surroundings.fonts = HEADLIGHT_FONT_FOLDER;
  auto experiment = path.empty() ? Result<Experiment>(example_experiment()) : read_experiment(path);
  if (!experiment) FAIL(experiment.error().message);
  auto session = std::make_unique<Session>(std::move(*experiment), path, std::move(surroundings));
  REQUIRE(session->settle());
  REQUIRE(session->model().trace());
  return session;
}

std::unique_ptr<Session> open_session(const std::string& example) {
  return open_file(example.empty() ? fs::path()
                                   : fs::path(HEADLIGHT_SOURCE_DIR) / "assets" / "examples" / (example + ".headlight"));
}

// The program in place of its name.
void carry_out(const std::string& command) {
  const std::string name = "headlight ";
  REQUIRE(command.starts_with(name));
  const std::string line = fmt::format("env -u DISPLAY {} {} -q", HEADLIGHT_PROGRAM, command.substr(name.size()));
  INFO(line);
  REQUIRE(std::system(line.c_str()) == 0);
}

// The same names with the same bytes; returns how many.
std::size_t check_same(const Scratch& window, const Scratch& command) {
  const auto ours = window.contents(), theirs = command.contents();
  REQUIRE(ours.size() == theirs.size());
  for (const auto& [name, bytes] : ours) {
    INFO(name);
    REQUIRE(theirs.contains(name));
    CHECK((theirs.at(name) == bytes));
  }
  return ours.size();
}

std::size_t check_figures(Session& session, const std::vector<std::string>& each, const std::string& pattern) {
  const Scratch window, command;
  session.act(SetFigureEach{each});
  session.act(SetFigurePath{window / pattern});
  session.act(SaveFigure{});
  REQUIRE(session.settle());
  INFO(session.model().notices.back().text);
  REQUIRE(session.model().notices.back().level == Notice::Level::note);
  session.act(SetFigurePath{command / pattern});
  carry_out(command_of(session.model()));
  return check_same(window, command);
}

}  // namespace

TEST_CASE("the window's figures are the command's, one and many") {
  const auto session = open_session("causal");
  session->act(SetHead{1});
  session->act(Select{{2, 1, std::nullopt}, true});
  session->act(ShowScreen{Screen::figure});
  CHECK(check_figures(*session, {}, "it's one.pdf") == 1);
  session->act(SetFigure{"width", "89mm"});
  session->act(SetFigureExtra{"csv", true});
  const auto heads = static_cast<std::size_t>(session->model().trace()->find("weights")->tensor().dim(1));
  CHECK(check_figures(*session, {"head"}, "{step}_{head:02}.svg") == 2 * heads);
  session->act(SetFigureExtra{"csv", false});
  CHECK(check_figures(*session, {"step"}, "{step}.png") == session->model().trace()->steps.size());
  session->act(SetFigure{"head", "1,2"});
  session->act(SetFigure{"recipe", "false"});
  CHECK(check_figures(*session, {"head", "step"}, "{experiment}-{step}-{head}.tex") > heads);
  CHECK(check_figures(*session, {"query"}, "{query}.svg") > 2);
}

TEST_CASE("a command that would fall back on another view than is shown is not called true until it is saved") {
  const Scratch folder;
  const auto session = open_session("relative");
  session->act(SetMode{ViewMode::matrix});
  session->act(Save{folder / "m.headlight"});
  session->finish_files();
  session->act(SetMode{ViewMode::map});
  session->act(ShowScreen{Screen::figure});
  CHECK_FALSE(command_is_true(session->model()));
  session->act(SetFigure{"as", "picture"});  // says so itself
  CHECK(command_is_true(session->model()));
  session->act(SetFigure{"as", "auto"});
  session->act(ShowScreen{Screen::worksheet});
  CHECK(command_is_true(session->model()));
  session->act(ShowScreen{Screen::figure});
  session->act(Save{});
  session->finish_files();
  CHECK(command_is_true(session->model()));
  session->act(SetFigure{"recipe", "false"});  // the recipe's paths are relative to the folder it was opened from
  CHECK(check_figures(*session, {"head"}, "{head}.png") == 4);
}

TEST_CASE("the window's figures of a video are the command's, a frame each") {
  const auto session = open_session("video");
  session->act(ShowScreen{Screen::figure});
  session->act(SetFigure{"dpi", "72"});
  CHECK(check_figures(*session, {"frame"}, "{frame}.png") == 8);
}

TEST_CASE("the window writes no worksheet over what its run has read") {
  const Scratch folder;
  const fs::path examples = fs::path(HEADLIGHT_SOURCE_DIR) / "assets" / "examples";
  fs::copy_file(examples / "causal.headlight", folder / "x-key.pdf");
  fs::copy_file(examples / "signal.csv", folder / "sg.pdf");
  std::ofstream(folder / "signal.headlight") << R"({"variant":"non_local","inputs":{"x":{"signal":"sg.pdf"}}})";
  fs::create_symlink("x-key.pdf", folder / "link.pdf");
  fs::create_symlink("s.pdf", folder / "s-key.pdf");
  const auto before = folder.contents();
  const auto refused = [&](const char* experiment, const char* output, const char* word) {
    const auto session = open_file(folder / experiment);
    session->act(ShowScreen{Screen::worksheet});
    const auto task = sheet_export(session->model(), folder / output);
    INFO(output << ": " << (task ? "" : task.error().message));
    REQUIRE_FALSE(task);
    CHECK(task.error().message.find(word) != std::string::npos);
    session->act(SaveSheet{folder / output});
    REQUIRE(session->settle());
    CHECK(session->model().notices.back().level == Notice::Level::error);
    CHECK((folder.contents() == before));
  };
  refused("x-key.pdf", "x-key.pdf", "the experiment reads this file");
  refused("x-key.pdf", "link.pdf", "the experiment reads this file");
  refused("x-key.pdf", "x.pdf", "the experiment reads this file");  // by its key
  refused("x-key.pdf", "s.pdf", "write over the sheet");
  refused("signal.headlight", "sg.pdf", "the experiment reads this file");
  const auto session = open_file(folder / "x-key.pdf");
  session->act(SetSheet{"key", "off"});
  CHECK(sheet_export(session->model(), folder / "x.pdf"));
}

TEST_CASE("the window's worksheet and key are the command's") {
  for (const char* example : {"", "causal", "relative"}) {
    INFO(example);
    const auto session = open_session(example);
    session->act(ShowScreen{Screen::worksheet});
    for (const bool changed : {false, true}) {
      if (changed)
        for (const auto& [key, text] :
             {std::pair{"seed", "4"}, {"blanks", "5"}, {"paper", "letter"}, {"head", "1"}, {"query", "3"}})
          session->act(SetSheet{key, text});
      const Scratch window, command;
      session->act(SetSheet{"path", (window / "a sheet.pdf").string()});
      session->act(SaveSheet{});
      REQUIRE(session->settle());
      INFO(session->model().notices.back().text);
      session->act(SetSheet{"path", (command / "a sheet.pdf").string()});
      carry_out(sheet_command(session->model()));
      CHECK(check_same(window, command) == 2);
    }
    const Scratch alone;
    session->act(SetSheet{"key", "off"});
    session->act(SaveSheet{alone / "alone.pdf"});
    REQUIRE(session->settle());
    CHECK(alone.contents().size() == 1);
    CHECK(sheet_command(session->model()).find(" --no-key ") != std::string::npos);
  }
}

TEST_CASE("places are put into a name and taken out again") {
  CHECK(with_places("a/fig.pdf", {"step", "head"}) == "a/fig_{step}_{head}.pdf");
  CHECK(with_places("{head:02}.pdf", {"head"}) == "{head:02}.pdf");
  CHECK(with_places("{heads}.pdf", {"head"}) == "{heads}_{head}.pdf");
  CHECK(without_places("a/fig_{step}_{head}.pdf", {"step", "head"}, "w") == "a/fig.pdf");
  CHECK(without_places("a/{step}-{head:02}.pdf", {"head"}, "w") == "a/{step}.pdf");
  CHECK(without_places("{head}_{step}.pdf", {"head"}, "w") == "{step}.pdf");
  CHECK(without_places("a/{step}_{head}.pdf", {"step", "head"}, "w") == "a/w.pdf");
  CHECK(without_places("./fig.pdf", {"head"}, "w") == "./fig.pdf");

  const auto session = open_session("");
  const Model& model = session->model();
  session->act(ShowScreen{Screen::figure});
  CHECK(figure_path(model) == "weights.pdf");
  session->act(SetFigureEach{{"head"}});
  CHECK(figure_path(model) == "weights_{head}.pdf");
  session->act(SetFigureEach{{"step", "head"}});
  CHECK(figure_path(model) == "{step}_{head}.pdf");
  CHECK(command_of(model).find("--step") == std::string::npos);  // all of them
  CHECK(command_of(model).find("--each step --each head") != std::string::npos);
  session->act(SetFigurePath{"mine.svg"});
  session->act(SetFigureEach{{"head"}});
  CHECK(figure_path(model) == "mine_{head}.svg");
  session->act(SetFigureEach{{}});
  CHECK(figure_path(model) == "mine.svg");
}

TEST_CASE("what would be replaced is told, unless this session wrote it") {
  const Scratch folder;
  const auto session = open_session("");
  session->act(ShowScreen{Screen::figure});
  session->act(SetFigureEach{{"head"}});
  session->act(SetFigurePath{(folder / "{head}.svg").string()});
  session->act(SetFigureExtra{"csv", true});
  PlannedFiles planned;
  double now = 0;
  const auto words = [&] {
    session->poll(now += 2);
    refresh(planned, session->model());
    planned.replaced = planned.task ? files_replaced(session->model().exported, *planned.task).size() : 0;
    return describe_replaced(planned);
  };
  CHECK(words().empty());
  CHECK(planned.jobs.size() == 8);
  std::ofstream(folder / "3.svg") << "mine";
  std::ofstream(folder / "5.csv") << "mine too";
  CHECK(words() == "Replaces 2 files that are there.");
  session->act(SaveFigure{});
  session->finish_files();
  CHECK(session->model().replacing.question.starts_with("2 of the files are there already."));
  session->act(Decide{Decision::replace});
  REQUIRE(session->settle());
  CHECK(words().empty());
  session->act(SetFigurePath{(folder / "same.svg").string()});
  CHECK(words().empty());
  CHECK(planned.error.find("several figures would be called") != std::string::npos);
  session->act(ShowScreen{Screen::worksheet});
  std::ofstream(folder / "s-key.pdf") << "mine";
  session->act(SetSheet{"path", (folder / "s.pdf").string()});
  CHECK(words() == "Replaces 1 file that is there.");
}

TEST_CASE("the caption on the page is set in the figure's own font, as wide as the column") {
  const auto session = open_session("");
  FigureRequest request = session->model().document.figure;
  KeptFonts fonts;
  const auto preview = [&] {
    return draw_preview(figure_to_preview(session->model(), request, 2, Vision::normal), fonts);
  };
  const FigurePreview sans = preview();
  REQUIRE(sans.error.empty());
  CHECK(sans.caption_image.width == std::lround(2 * sans.column));
  request.font = "serif";
  const FigurePreview serif = preview();
  CHECK(serif.caption_image.width == sans.caption_image.width);
  CHECK(serif.caption_image.rgba != sans.caption_image.rgba);
  request.caption = serif.caption + " " + serif.caption + " " + std::string(400, 'W');
  const FigurePreview longer = preview();
  CHECK(longer.caption_image.height > 3 * serif.caption_image.height / 2);
  CHECK(longer.caption_image.width == serif.caption_image.width);
}

TEST_CASE("actions of the export screens have a text that reads back") {
  for (const char* text : {"figure-each one", "figure-each step,head", "sheet blanks 9", "sheet path a b.pdf",
                           "save-sheet s.pdf", "cancel-export", "screen worksheet"}) {
    const auto action = parse_action(text);
    if (!action) FAIL(action.error().message);
    CHECK(to_text(*action) == text);
  }
  CHECK_FALSE(parse_action("figure-each token"));
  CHECK_FALSE(parse_action("screen nowhere"));
  SheetSettings sheet;
  for (const auto& [key, text] : {std::pair{"blanks", "-1"},
                                  {"blanks", "x"},
                                  {"seed", "9999999999"},
                                  {"paper", "a5"},
                                  {"key", "maybe"},
                                  {"nothing", "1"}})
    CHECK_FALSE(set_sheet(sheet, key, text));
  REQUIRE(set_sheet(sheet, "query", "7"));
  CHECK(sheet.query == 7);
  REQUIRE(set_sheet(sheet, "query", "auto"));
  CHECK_FALSE(sheet.query);
}
