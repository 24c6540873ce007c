// What the window's thread does not do: it reads no file that somebody opens, looks into or compares with. Runs under
// the thread sanitizer too.
#include <filesystem>
#include <fstream>
#include <string>

#include "app/session/session.h"
#include "engine/io/file.h"
#include "engine/io/images/png.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "engine/io/safetensors.h"
#include "tests/bytes_read.h"
#include "tests/catch.h"
#include "tests/missing.h"
#include "tests/picture_files.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;
using test::bytes_read;

namespace {

constexpr long least_size = 50'000;  // of each file, in bytes

Image noise(Index side) {
  Image image = filled_image(side, side, {0, 0, 0, 255});
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < image.rgba.size(); ++i)
    if (i % 4 != 3) image.rgba[i] = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return image;
}

std::string animation() {
  std::vector<test::GifFrame> frames;
  for (int i = 0; i < 30; ++i) {
    test::GifFrame frame;
    frame.width = frame.height = 64;
    for (int p = 0; p < 64 * 64; ++p) frame.indices += static_cast<char>((p + i) % 4);
    frames.push_back(frame);
  }
  return test::gif_bytes(64, 64, std::string("\0\0\0\xFF\0\0\0\xFF\0\0\0\xFF", 12), frames);
}

// The example with a long name for each token: an experiment whose file is large.
Experiment long_example() {
  Experiment experiment = example_experiment();
  auto& text = std::get<TextInput>(experiment.inputs.at("x_q")).text;
  text.clear();
  for (int i = 0; i < 20; ++i) {
    text.append(3000, static_cast<char>('a' + i));
    text += ' ';
  }
  return experiment;
}

}  // namespace

TEST_CASE("no file is read on the window's thread that is opened, looked into or compared with") {
  if (!bytes_read()) return test::left_out("the system does not count what a thread reads (/proc/thread-self/io)");
  const Scratch folder;
  REQUIRE(write_file(folder / "picture.png", encode_png(noise(200)).value()));
  REQUIRE(write_file(folder / "film.gif", animation()));
  REQUIRE(write_npz(folder / "arrays.npz", {{"x_q", Tensor({1, 20, 1000})}}));
  REQUIRE(write_experiment(long_example(), folder / "long.headlight"));
  std::string csv;
  for (int i = 0; i < 20000; ++i) csv += std::to_string(i % 100) + "\n";
  REQUIRE(write_file(folder / "signal.csv", csv));

  Session session(example_experiment(), {}, {});
  REQUIRE(session.settle());
  const auto check_unread = [&](const Action& action) {
    const long before = *bytes_read();
    session.act(action);
    REQUIRE(session.settle());
    session.poll(1);
    CHECK(*bytes_read() - before < 10'000);  // of /proc, and of what counts the bytes
  };
  for (const char* name : {"picture.png", "film.gif", "arrays.npz", "signal.csv", "long.headlight"}) {
    INFO(name);
    REQUIRE(std::filesystem::file_size(folder / name) > least_size);
    check_unread(Peek{folder / name});
    check_unread(Open{folder / name});
    check_unread(SetParam{"temperature", 2.0, false});
  }
  Experiment drawn = default_experiment("non_local");
  drawn.inputs["x"] = ImageInput{folder / "picture.png", {}};
  REQUIRE(write_experiment(drawn, folder / "drawn.headlight"));
  check_unread(Open{folder / "drawn.headlight"});
  check_unread(SaveWithInputs{folder / "whole.headlight"});
  CHECK(std::filesystem::file_size(folder / "whole.headlight") > least_size);
  check_unread(Browse{folder / ""});
  check_unread(ShowScreen{Screen::figure});
  check_unread(SetFigure{"minus", (folder / "long.headlight").string(), false});
  CHECK(session.model().companions.size() == 1);
  CHECK(session.model().companions.begin()->second.trace);
  // The control: this thread's reading is counted.
  const long before = *bytes_read();
  REQUIRE(read_experiment(folder / "long.headlight"));
  CHECK(*bytes_read() - before > least_size);
}

TEST_CASE("whoever lists what a file of arrays holds reads no numbers") {
  if (!bytes_read()) return test::left_out("the system does not count what a thread reads (/proc/thread-self/io)");
  const Scratch folder;
  // Of two axes it might be attention, which is found by its numbers: those of one array are read when it is opened.
  const Shape shape = GENERATE(Shape{1000, 2000}, Shape{2'000'000});
  constexpr long headers = 1'000'000;  // bytes, of 8,000,000: where a zip ends is looked for in its last 64 KiB
  const Tensor large(shape), small({3});
  REQUIRE(write_npz(folder / "a.npz", {{"large", large}, {"small", small}}));
  REQUIRE(write_npy(folder / "b.npy", large));
  REQUIRE(write_safetensors(folder / "c.safetensors", {{"large", large}, {"small", small}}));
  for (const char* name : {"a.npz", "b.npy", "c.safetensors"}) {
    INFO(name);
    long before = *bytes_read();
    const Preview preview = preview_of(folder / name);
    CHECK(*bytes_read() - before < headers);
    REQUIRE_FALSE(preview.arrays.empty());
    CHECK(preview.arrays.front().second == shape);
    before = *bytes_read();
    const Opened opened = read_to_open(folder / name, {});
    if (shape.size() == 1) CHECK(*bytes_read() - before < headers);
    REQUIRE(std::holds_alternative<OpenedArrays>(opened));
    CHECK(std::get<OpenedArrays>(opened).arrays.front().second == shape);
  }
}

TEST_CASE("side runs are of what is shown: they go when that changes") {
  Experiment experiment = default_experiment("non_local");
  experiment.inputs["x"] = ImageInput{HEADLIGHT_SOURCE_DIR "/assets/examples/scene.png", {}};
  Session session(std::move(experiment), {}, {});
  REQUIRE(session.settle());
  const std::size_t modes = 4;
  session.act(RunBeside{"mode"});
  session.act(SetParam{"sub_sample", true, false});  // before any of them is there
  REQUIRE(session.settle());
  CHECK(session.model().beside.of_ticket != session.model().shown.ticket);
  CHECK(session.model().beside.traces.size() < modes);
  session.act(RunBeside{"mode"});
  REQUIRE(session.settle());
  CHECK(session.model().beside.of_ticket == session.model().shown.ticket);
  CHECK(session.model().beside.traces.size() == modes);
}
