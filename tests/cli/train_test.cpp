// headlight train as it is called: from an empty folder, stopped and gone on with, and refused in a line.
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/catch.h"
#include "tests/scratch.h"

namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Said {
  int status = -1;
  std::string out, err;
};

Said run(const fs::path& folder, const std::string& arguments) {
  const std::string command = fmt::format("cd {} && env -u DISPLAY -u WAYLAND_DISPLAY {} {} >.out 2>.err",
                                          folder.string(), HEADLIGHT_PROGRAM, arguments);
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, contents(folder / ".out"), contents(folder / ".err")};
}

void check_refused(const fs::path& folder, const std::string& arguments, const std::string& words) {
  const Said said = run(folder, arguments);
  INFO(arguments << "\n" << said.err);
  CHECK(said.status == 1);
  CHECK(std::ranges::count(said.err, '\n') == 1);
  CHECK(said.err.find(words) != std::string::npos);
}

}  // namespace

TEST_CASE("a network learns, goes on, and is explored as an experiment") {
  const headlight::Scratch scratch;
  const fs::path folder = scratch / "";
  std::ofstream(folder / "task.headlight")
      << R"({"headlight": 1, "train": {"task": "order", "options": {"d": 16}, "steps": 20, "seed": 4}})";
  const Said whole = run(folder, "train task.headlight -o whole --losses losses.csv");
  CHECK(whole.status == 0);
  CHECK(whole.err.empty());
  CHECK(whole.out.find("step     20  loss ") != std::string::npos);
  CHECK(contents(folder / "losses.csv").starts_with("step,loss\n0,"));
  CHECK(contents(folder / "losses.csv") == contents(folder / "whole/losses.csv"));

  CHECK(run(folder, "train task.headlight -o part --steps 8 --snapshots every=4 -q").out.empty());
  check_refused(folder, "train --from part --steps 8", "part has taken its 8 steps");
  CHECK(run(folder, "train --from part --steps 20 --threads 1 -q").status == 0);
  CHECK(contents(folder / "part/losses.csv") == contents(folder / "whole/losses.csv"));
  CHECK(contents(folder / "part/model.safetensors") == contents(folder / "whole/model.safetensors"));

  CHECK(run(folder, "train --from part --at 5 --example 3 --explore layer.headlight").status == 0);
  const Said heads = run(folder, "heads layer.headlight --csv");
  CHECK(heads.status == 0);
  CHECK(std::ranges::count(heads.out, '\n') == 2);
  CHECK(run(folder, "info task.headlight").out.find("what a network is to learn") != std::string::npos);

  check_refused(folder, "train task.headlight -o whole", "whole holds a training: go on with --from whole");
  check_refused(folder, "train --from whole --at 21 --explore x.headlight", "whole has taken 20 steps, not 21");
  check_refused(folder, "train --from whole --map 1 --explore x.headlight", "--map 1: it has 1, counted from 0");
  check_refused(folder, "train task.headlight -o task.headlight", "task.headlight: this folder cannot be made");
  check_refused(folder, "train task.headlight -o new --snapshots 10", "it must be log, or every= and a whole number");
}

TEST_CASE("heads are weighed, switched off and drawn anew where a network stands") {
  const headlight::Scratch scratch;
  const fs::path folder = scratch / "";
  std::ofstream(folder / "task.headlight")
      << R"({"train": {"task": "order", "options": {"d": 16, "heads": 2}, "steps": 20, "seed": 4}})";
  CHECK(run(folder, "train task.headlight -o whole -q").status == 0);
  const Said table = run(folder, "train --from whole --importance");
  CHECK(table.status == 0);
  CHECK(table.out.find("as it stands") != std::string::npos);
  CHECK(std::ranges::count(table.out, '\n') == 10);
  const Said csv = run(folder, "train --from whole --importance --csv");
  CHECK(csv.out.starts_with("what,off,loss,accuracy,looked_at\nwhole,,"));
  CHECK(std::ranges::count(csv.out, '\n') == 6);

  CHECK(run(folder, "train --from whole --heads-off 0.1 --steps 30 -o off -q").status == 0);
  CHECK(contents(folder / "off/losses.csv").starts_with(contents(folder / "whole/losses.csv")));
  CHECK(contents(folder / "off/config.json").find("\"changes\"") != std::string::npos);
  const Said one = run(folder, "train --from off --importance --csv");
  CHECK(std::ranges::count(one.out, '\n') == 4);  // there is one left
  CHECK(std::ranges::count(run(folder, "train --from off --heads-off 0.0,0.1 --importance --csv").out, '\n') == 2);
  CHECK(run(folder, "train --from off --heads-off none --importance --csv").out.find("alone,0.1,") !=
        std::string::npos);
  CHECK(run(folder, "train --from whole --redraw 0.0 --steps 30 -o anew -q").status == 0);
  CHECK(contents(folder / "anew/losses.csv") != contents(folder / "off/losses.csv"));

  check_refused(folder, "train --from whole --heads-off 0.2 --steps 30",
                "--heads-off: there is no head 0.2: there are 0.0, 0.1");
  check_refused(folder, "train --from whole --redraw 1 --steps 30", "--redraw: \"1\" is no head: it must be a map");
  check_refused(folder, "train --importance", "name its folder with --from");
  check_refused(folder, "train --from whole --redraw '' --steps 30", "--redraw: \"\" is no head");
  check_refused(folder, "train --from whole --heads-off '' --steps 30", "--heads-off: \"\" is no head");
  check_refused(folder, "train --from whole --importance -o other", "-o says how something is learned");
  check_refused(folder, "train --from whole --importance --map 0",
                "say what --explore or --figure writes, which is missing");
  CHECK(run(folder, "train --from whole --figure whole.pdf --at 20 -q").status == 0);
  CHECK(contents(folder / "whole.pdf").starts_with("%PDF"));
  check_refused(folder, "train --from whole --figure f.pdf --heads-off 0.0",
                "and --figure draws what was: leave them out");
  check_refused(folder, "train --figure f.pdf", "--figure is of what was learned: name its folder with --from");
  check_refused(folder, "train --from whole --figure f.pdf --head 7", "--head 7: it must be from 0 to 1");
  check_refused(folder, "train --from whole --figure f.pdf --at 9999", "has taken");
  check_refused(folder, "train --from whole --figure f.tex", "a training is drawn as .pdf, .svg or .png");
  check_refused(folder, "train --from whole --figure f.pdf --steps 30", "with --figure nothing is: leave one");
  check_refused(folder, "train --from whole --explore e.headlight --steps 30", "with --explore nothing is: leave one");
}

TEST_CASE("the folder of a training is a model, at every step that it took") {
  const headlight::Scratch scratch;
  const fs::path folder = scratch / "";
  std::ofstream(folder / "task.headlight")
      << R"({"train": {"task": "repeat", "options": {"d": 16, "length": 6, "shortest": 4}, "steps": 20}})";
  CHECK(run(folder, "train task.headlight -o learned --snapshots every=8 -q").status == 0);
  const Said newest = run(folder, "heads learned --csv"), twelfth = run(folder, "heads learned --at 12 --csv");
  CHECK(newest.status == 0);
  CHECK(std::ranges::count(newest.out, '\n') == 1 + 2 * 2);  // names, and two layers of two heads
  CHECK(std::ranges::count(twelfth.out, '\n') == 1 + 2 * 2);
  CHECK(newest.out != twelfth.out);
  CHECK(run(folder, "heads learned --at 20 --csv").out == newest.out);
  CHECK(run(folder, "heads learned/at/learned-12 --csv").out == twelfth.out);
  CHECK(run(folder, "trace learned --at 12 --text ABCDABC --layer all --measures -o steps.npz -q").err.empty());
  CHECK(fs::exists(folder / "steps.npz"));
  CHECK(run(folder, "render learned --at 12 --layers 1 -o map.svg -q").status == 0);
  CHECK(contents(folder / "map.svg").find("<svg") != std::string::npos);
  const Said info = run(folder, "info learned");
  CHECK(info.out.find("repeat: 2 layers of 2 heads, width 16, 32 tokens in its vocabulary") != std::string::npos);
  CHECK(run(folder, "code learned").out.find("def network(row):") != std::string::npos);

  check_refused(folder, "heads learned --at 21", "learned has taken 20 steps, not 21");
  check_refused(folder, "heads learned --at -1", "learned has taken 20 steps, not -1");
  check_refused(folder, "heads learned --text a", "the tokenizer has no token for \"a\"");
  check_refused(folder, "heads task.headlight --at 1", "task.headlight: this is no folder of a training");
  check_refused(folder, "render --at 1 -o map.svg", "--at is of the folder of a training: name it");
  check_refused(folder, "code learned -o learned.txt", "scripts are written as .py");

  std::ofstream(folder / "dates.headlight") << R"({"train": {"task": "dates", "options": {"d": 8}, "steps": 1}})";
  CHECK(run(folder, "train dates.headlight -o dates -q").status == 0);
  check_refused(folder, "heads dates", "no stack of layers, which a model is: headlight train --from FOLDER --explore");
}

TEST_CASE("a loss that is no number ends the learning, and leaves what was whole") {
  const headlight::Scratch scratch;
  const fs::path folder = scratch / "";
  std::ofstream(folder / "wild.headlight") << R"({"train": {"task": "order", "options": {"lr": 1e30, "d": 8}}})";
  const Said said = run(folder, "train wild.headlight -o wild --losses losses.csv -q");
  CHECK(said.status == 1);
  CHECK(std::ranges::count(said.err, '\n') == 1);
  CHECK(said.err.find("the loss of step 1 is NaN or infinite, and x1: ") != std::string::npos);
  CHECK(contents(folder / "losses.csv").ends_with("\n1,nan\n"));
  CHECK(contents(folder / "wild/config.json").find("\"step\": 0") != std::string::npos);
}
