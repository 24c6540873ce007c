#include "engine/io/array_source.h"

#include <fstream>
#include <string>
#include <vector>

#include "engine/io/file.h"
#include "engine/io/npy.h"
#include "engine/io/pickle.h"
#include "engine/io/safetensors.h"
#include "engine/io/torch_file.h"
#include "tests/bytes_read.h"
#include "tests/catch.h"
#include "tests/engine/expected_arrays.h"
#include "tests/scratch.h"

using namespace headlight;

namespace {

std::string why_not(const std::filesystem::path& path, std::string_view prefix = {}) {
  const auto opened = open_arrays(path, {.prefix = prefix});
  if (!opened) return opened.error().message;
  const auto all = read_all(**opened);
  return all ? "no error" : all.error().message;
}

void write(const std::filesystem::path& path, const std::string& text) {
  REQUIRE(write_file(path, text));
}

}  // namespace

TEST_CASE("files of torch.save read as torch reads them") {
  const auto file =
      GENERATE(as<std::string>(), "torch/types.pt", "torch/checkpoint.pt", "torch/layers.pt", "torch/nested.pt",
               "torch/single.pt", "torch/loop.pt", "torch/small.pt", "torch/output.pt", "torch/no_attention.pt");
  CHECK(corpus_difference(file) == "");
}

TEST_CASE("what of a checkpoint is passed over is named") {
  const auto opened = open_arrays(corpus("torch/checkpoint.pt"));
  REQUIRE(opened);
  CHECK((*opened)->note() == "passed over: args (argparse.Namespace), optimizer");
  CHECK((*opened)->find("layer.bias") == 1);
  CHECK((*opened)->find("layer") == 2);
}

TEST_CASE("of what a model gives back it is told why there is no attention") {
  const auto said = [](const char* file) { return why_no_attention(corpus(file)); };
  CHECK(said("torch/no_attention.pt").starts_with("attentions is None: load the model with attn_implementation="));
  CHECK(said("torch/output.pt").empty());  // cross_attentions alone is None
}

TEST_CASE("the prefix says which of several dicts is meant") {
  const auto path = corpus("torch/refused/several.pt");
  CHECK(why_not(path) == path.string() + ": holds tensors in several places (a, b): name one as \"prefix\"");
  const auto opened = open_arrays(path, {.prefix = "b."});
  REQUIRE(opened);
  CHECK((*opened)->entries().front().name == "w");
  CHECK((*opened)->dict_key() == "b");
  CHECK(why_not(path, "bc.") == why_not(path));
  // Whoever takes arrays by name may have any of them.
  const auto all = open_arrays(path, {.all = true});
  REQUIRE(all);
  CHECK(((*all)->entries().size() == 2 && (*all)->find("a.w") == 0 && (*all)->find("b.w") == 1));
}

TEST_CASE("files of torch that are not read say why in one line") {
  struct Case {
    const char* file;
    const char* message;  // after the path
  };
  const auto [file, message] = GENERATE(
      Case{"call",
           " holds no tensors, but a call of io.open, which Headlight does not run: save a model's state_dict()"},
      Case{"no_tensors", " holds no tensors"},
      Case{"old", " was written by torch before 1.6, or without zip: load and save it again"},
      Case{"inst", ": pickle opcode INST at 9 is not one that a state dict needs"},
      Case{"cut", ": its pickle ends at byte 9, too early"},
      Case{"protocol", ": its pickle is of protocol 1: 2 to 5 are read"},
      Case{"stack", ": its pickle closes a list at 2 that was never begun"},
      Case{"deep", ": its pickle is nested more than 100 deep"},
      Case{"no_numbers", ": w: its numbers, data/0, are missing"},
      Case{"short", ": w: data/0 has 20 bytes, too few for 6 elements"},
      Case{"big_endian", ": its numbers are in big byte order: only little is read"},
      Case{"stride", ": w: its (2, 3) at stride (4, 1) from 0 on are not within its storage of 6 elements"},
      Case{"offset", ": w: its (2, 3) at stride (3, 1) from 1 on are not within its storage of 6 elements"},
      Case{"storage", ": w: is of torch.QInt8Storage; only floats of 2 to 8 bytes, integers and booleans are read"});
  const auto path = corpus("torch/refused/" + std::string(file) + ".pt");
  CHECK(why_not(path) == path.string() + message);
  CHECK_FALSE(std::filesystem::exists("headlight_was_here"));
}

TEST_CASE("a pickle of too many values is refused") {
  const auto pickle = read_pickle("\x80\x02" + std::string(most_pickled + 1, ')') + ".");
  REQUIRE_FALSE(pickle);
  CHECK(pickle.error().message == "its pickle holds more than 1000000 values");
}

// The list's pairs are written once and become a dict `calls` times.
std::string dicts_of_one_list(int pairs, int calls) {
  std::string bytes =
      "\x80\x02"
      "ccollections\nOrderedDict\nq\x01";
  bytes += "]q\x02(";
  for (int i = 0; i < pairs; ++i) bytes += "K\x01K\x02\x86";
  bytes += 'e';
  bytes += "](";
  for (int i = 0; i < calls; ++i) bytes += "h\x01h\x02\x85R";
  return bytes + "e.";
}

std::size_t places_of(const Pickle& pickle) {
  std::size_t places = 0;
  for (const Pickled& value : pickle.values) places += value.items.size();
  return places;
}

TEST_CASE("a pickle costs what its file is long, however often a list becomes a dict") {
  const std::string once = dicts_of_one_list(1000, 1), often = dicts_of_one_list(1000, 1000);
  const auto honest = read_pickle(once);
  REQUIRE(honest);
  CHECK(places_of(*honest) <= 2 * once.size());
  const auto hostile = read_pickle(often);
  CHECK((!hostile || places_of(*hostile) <= 2 * often.size()));
  REQUIRE_FALSE(hostile);
  CHECK(hostile.error().message ==
        fmt::format("its pickle puts values into containers more than {} times", 2 * often.size()));
}

TEST_CASE("of a large file the headers alone are read until somebody asks for numbers") {
  const Scratch scratch;
  const std::uint64_t gigabytes = std::uint64_t{4} << 30;
  const std::string header = R"({"w":{"dtype":"F32","shape":[32768,32768],"data_offsets":[0,4294967296]}})";
  const auto path = scratch / "large.safetensors";
  write(path, std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header);
  std::filesystem::resize_file(path, 8 + header.size() + gigabytes);  // of nothing: it takes no room
  write(scratch / "large.npy", npy_header({32768, 32768}));
  std::filesystem::resize_file(scratch / "large.npy", std::filesystem::file_size(scratch / "large.npy") + gigabytes);
  for (const auto& file : {path, scratch / "large.npy"}) {
    const auto before = test::bytes_read();
    const auto opened = open_arrays(file);
    if (!opened) FAIL(opened.error().message);
    CHECK((*opened)->entries().front().shape == Shape{32768, 32768});
    if (before) CHECK(*test::bytes_read() - *before < 10'000);
  }
}

TEST_CASE("an index puts the files of a model together") {
  const Scratch scratch;
  const Tensor a = Tensor::from({2}, std::vector<float>{1, 2}), b = Tensor::from({1, 1}, std::vector<float>{3});
  REQUIRE(write_safetensors(scratch / "one.safetensors", {{"a", a}}));
  REQUIRE(write_safetensors(scratch / "two.safetensors", {{"b", b}, {"c", a}}));
  const auto index = scratch / "model.safetensors.index.json";
  const auto with = [&](const std::string& map) {
    write(index, R"({"metadata": {"total_size": 24}, "weight_map": )" + map + "}");
    return why_not(index);
  };
  CHECK(with(R"({"b": "two.safetensors", "a": "one.safetensors", "c": "two.safetensors"})") == "no error");
  const auto opened = open_arrays(index);
  REQUIRE(opened);
  REQUIRE((*opened)->entries().size() == 3);
  const auto read = (*opened)->read((*opened)->find("b"));
  REQUIRE(read);
  CHECK(read->values[0] == 3);
  CHECK((*opened)->files().size() == 3);

  const std::string at = index.string() + ": ";
  CHECK(with(R"({"a": "two.safetensors"})") == at + "a is not in two.safetensors");
  CHECK(with(R"({"a": "../one.safetensors"})") == at + "a: a file beside the index is needed, not ../one.safetensors");
  CHECK(with(R"({"a": "none.safetensors"})") == (scratch / "none.safetensors").string() + ": does not exist");
  CHECK(with(R"({"a": 1})") == at + "a: its file is not a text");
  CHECK(with(R"({"a": "model.safetensors.index.json"})") == at + "is an index, not a file of arrays");
  CHECK(with("[]") == at + "is no index of arrays: it has no \"weight_map\"");
  REQUIRE(write_safetensors(scratch / "two.safetensors", {{"a", b}, {"b", b}}));
  CHECK(with(R"({"a": "one.safetensors", "b": "two.safetensors"})") ==
        at + "a is in one.safetensors and in two.safetensors");
}
