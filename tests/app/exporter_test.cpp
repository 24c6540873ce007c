// Exports off the caller's thread: what is written is fixed when it starts, and stopping leaves whole files. Runs under
// the thread sanitizer too.
#include "app/session/exporter.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <semaphore>
#include <sstream>
#include <thread>

#include "app/session/session.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

namespace fs = std::filesystem;

std::unique_ptr<Session> open_session() {
  Surroundings surroundings;
  surroundings.fonts = HEADLIGHT_FONT_FOLDER;
  auto session = std::make_unique<Session>(example_experiment(), fs::path(), std::move(surroundings));
  REQUIRE(session->settle());
  session->act(ShowScreen{Screen::figure});
  return session;
}

// Several hundred figures, of which some are written when it returns.
void start_many(Session& session, const Scratch& folder) {
  session.act(SetFigureEach{{"step", "head", "query"}});
  session.act(SaveFigure{folder / "{step}_{head}_{query}.pdf"});
  session.finish_files();
  REQUIRE(session.model().exporting.busy);
  REQUIRE(session.model().exporting.total > 300);
  for (int i = 0; i < 6000 && session.model().exporting.done < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    session.poll(0);
  }
  REQUIRE(session.model().exporting.done >= 3);
  REQUIRE_FALSE(session.model().exporting.name.empty());
}

void check_whole(const std::map<std::string, std::string>& files) {
  for (const auto& [name, bytes] : files) {
    INFO(name);
    CHECK(fs::path(name).extension() == ".pdf");  // nothing temporary stays
    CHECK(bytes.ends_with("%%EOF\n"));
  }
}

}  // namespace

TEST_CASE("what is changed while figures are written does not change them") {
  const auto session = open_session();
  const Scratch before, during;
  session->act(SetFigureEach{{"head"}});
  session->act(SaveFigure{before / "{head:02}.svg"});
  REQUIRE(session->settle());
  CHECK(session->model().notices.back().text == "Saved 8 figures in " + fs::path(before / "x").parent_path().string());

  session->act(SaveFigure{during / "{head:02}.svg"});
  CHECK(session->model().exporting.busy);
  session->act(SaveFigure{during / "again_{head}.svg"});  // one at a time: this is not taken
  session->act(SetFigure{"colors", "grey"});
  session->act(SetFigure{"step", "scores"});
  session->act(SetParam{"heads", Index{2}, false});
  session->act(SetText{"x_q", "another sentence", false});
  REQUIRE(session->settle());
  CHECK(session->model().trace()->find("weights")->tensor().dim(1) == 2);
  const auto files = during.contents();
  CHECK(files.size() == 8);
  CHECK(files == before.contents());
}

TEST_CASE("a cancelled export says how many were written, and each of them is whole") {
  const auto session = open_session();
  const Scratch folder;
  start_many(*session, folder);
  session->act(CancelExport{});
  REQUIRE(session->settle());
  CHECK_FALSE(session->model().exporting.busy);
  const auto files = folder.contents();
  check_whole(files);
  CHECK(session->model().exported.size() == files.size());
  const std::string& said = session->model().notices.back().text;
  INFO(said);
  CHECK(said.starts_with(fmt::format("Cancelled: {} of ", files.size())));

  session->act(SaveFigure{folder / "{step}.pdf"});  // many of one name: nothing is begun
  CHECK_FALSE(session->model().exporting.busy);
  CHECK(session->model().notices.back().text.find("several figures would be called") != std::string::npos);
  session->act(SetFigureEach{{}});
  session->act(SaveFigure{folder / "after.pdf"});  // and another can begin
  REQUIRE(session->settle());
  CHECK(fs::exists(folder / "after.pdf"));
}

TEST_CASE("a session that goes takes its export along at once") {
  auto session = open_session();
  const Scratch folder;
  start_many(*session, folder);
  const std::size_t total = session->model().exporting.total;
  session.reset();
  const auto files = folder.contents();
  check_whole(files);
  CHECK(files.size() >= 3);
  CHECK(files.size() < total);  // all, had it not stopped
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(folder.contents().size() == files.size());
}

TEST_CASE("the first error stops an export and is told once") {
  const auto session = open_session();
  const Scratch folder;
  std::ofstream(folder / "taken") << "a file where a folder is asked for";
  session->act(SetFigureEach{{"head"}});
  session->act(SaveFigure{folder / "taken/{head}.pdf"});
  REQUIRE(session->settle());
  REQUIRE(session->model().notices.size() == 1);
  CHECK(session->model().notices[0].level == Notice::Level::error);
  CHECK(session->model().notices[0].text.find("taken") != std::string::npos);
  session->act(SetFigure{"spacing", "log"});  // scores cannot be shown so: steps before them are written
  session->act(SetFigureEach{{"step"}});
  session->act(SaveFigure{folder / "{step}.pdf"});
  REQUIRE(session->settle());
  CHECK(session->model().notices.back().text.find("--spacing log needs numbers above 0") == 0);
}

TEST_CASE("a second export does not wait for the first, nor end it") {
  const Scratch folder;
  std::binary_semaphore told(0), go_on(0), refused(0);
  std::atomic<bool> waited = false;
  Exporter exporter([&, first = true]() mutable {  // the worker waits where it tells of its first file
    if (!std::exchange(first, false)) return;
    told.release();
    go_on.acquire();
  });
  REQUIRE(exporter.start(TextJob{"first", folder / "first.csv"}));
  told.acquire();
  std::thread later([&] {
    waited = !refused.try_acquire_for(std::chrono::seconds(30));
    go_on.release();
  });
  const Status second = exporter.start(TextJob{"second", folder / "second.csv"});
  refused.release();
  later.join();
  CHECK_FALSE(waited);
  REQUIRE_FALSE(second);
  CHECK(second.error().message == "Another export is under way: wait for its end, or cancel it");
  std::optional<ExportOutcome> outcome;
  while (!(outcome = exporter.poll())) std::this_thread::yield();
  CHECK(outcome->files == std::vector<fs::path>{folder / "first.csv"});
  CHECK_FALSE(fs::exists(folder / "second.csv"));
  REQUIRE(exporter.start(TextJob{"second", folder / "second.csv"}));
}

TEST_CASE("where the caller serves, an export is written when it pumps") {
  const Scratch folder;
  Exporter exporter({}, ServedBy::caller);
  REQUIRE(exporter.start(TextJob{"text", folder / "a.csv"}));
  CHECK(exporter.busy());
  CHECK_FALSE(exporter.poll());
  CHECK_FALSE(fs::exists(folder / "a.csv"));
  exporter.pump();
  CHECK(fs::exists(folder / "a.csv"));
  const auto outcome = exporter.poll();
  REQUIRE(outcome);
  CHECK(outcome->done == 1);
  CHECK_FALSE(exporter.busy());
  exporter.pump();  // nothing waits
  CHECK_FALSE(exporter.poll());
}

TEST_CASE("arrays and tables are not begun while figures are written") {
  const auto session = open_session();
  const Scratch folder;
  session->act(Save{folder / "e.headlight"});
  start_many(*session, folder);
  const std::size_t total = session->model().exporting.total;
  session->act(SaveArrays{});
  session->act(SaveHeads{});
  CHECK(session->model().exporting.total == total);
  session->act(CancelExport{});
  REQUIRE(session->settle());
  CHECK_FALSE(fs::exists(folder / "e.npz"));
}

TEST_CASE("an exception while figures are drawn or told of is an error") {
  const auto session = open_session();
  const Scratch folder;
  const Model& model = session->model();
  const FigureSource source{model.shown.trace, model.shown.problem, model.shown.experiment};
  std::vector<FigureJob> jobs;
  for (int i = 0; i < 4; ++i) {
    FigureRequest request;
    request.steps = {"weights"};
    jobs.push_back({request, folder / fmt::format("{}.svg", i)});
  }
  const FigureDrawn throws = [](std::size_t, const std::vector<FigureFile>&) { throw std::runtime_error("odd"); };
  const Status status = draw_figures(jobs, source, {}, HEADLIGHT_FONT_FOLDER, {}, throws);
  REQUIRE_FALSE(status);
  CHECK(status.error().message == "odd: this is a mistake in the program");
}

TEST_CASE("what an export left is told in words") {
  using Files = std::vector<fs::path>;
  CHECK(words_of({Files{"/a/b/f.pdf", "/a/b/f.csv"}, 1, 1, false, ""}) == "Saved f.pdf, f.csv in /a/b");
  const Files many{"/a/b/1.pdf", "/a/b/2.pdf", "/a/c/3.pdf", "/a/c/4.pdf", "/a/bb/5.pdf"};
  CHECK(words_of({many, 5, 5, false, ""}) == "Saved 5 figures in /a");
  CHECK(words_of({many, 5, 9, true, ""}) == "Cancelled: 5 of 9 figures were written, in /a");
  CHECK(words_of({{}, 0, 9, true, ""}) == "Cancelled: nothing was written.");
  CHECK(words_of({{}, 0, 9, false, "why"}) == "why");
  CHECK(words_of({many, 5, 9, false, "why"}) == "why (5 of 9 figures were written)");
}
