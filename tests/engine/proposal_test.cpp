// Names that are guessed for a layer of no layout: by words, by one matrix of three parts, by shapes alone.
#include "engine/layouts/proposal.h"

#include <map>
#include <string>

#include "engine/layouts/layouts.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

class Held final : public ArraySource {
 public:
  explicit Held(const std::vector<std::pair<std::string, Shape>>& arrays, const std::string& dtype = "float32") {
    for (const auto& [name, shape] : arrays) entries_.push_back({name, shape, dtype});
  }
  Result<NamedArray> read(std::size_t entry) const override {
    return NamedArray{entries_[entry].name, Tensor(entries_[entry].shape), entries_[entry].dtype, false};
  }
};

using Arrays = std::vector<std::pair<std::string, Shape>>;

// Of two layers, "enc.{l}." before each name.
Arrays in_two_layers(const Arrays& arrays) {
  Arrays all;
  for (const char* layer : {"enc.0.", "enc.1."})
    for (const auto& [name, shape] : arrays) all.emplace_back(layer + name, shape);
  all.emplace_back("embedding", Shape{50, 16});
  return all;
}

std::map<std::string, std::string> named(const Arrays& arrays) {
  const auto proposed = propose_names(Held(arrays));
  std::map<std::string, std::string> names;
  if (!proposed) return names;
  for (const auto& [id, own] : proposed->names.arrays)
    names[id] = own.parts > 1 ? fmt::format("{} {}/{}", own.name, own.part, own.parts) : own.name;
  return names;
}

using Names = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("names are guessed by their words") {
  const Arrays arrays = in_two_layers({{"q.weight", {24, 16}},
                                       {"q.bias", {24}},
                                       {"k.weight", {12, 16}},
                                       {"v.weight", {12, 16}},
                                       {"o.weight", {16, 24}},
                                       {"o.bias", {16}},
                                       {"up.weight", {24, 16}},
                                       {"down.weight", {16, 24}},
                                       {"n1.scale", {16}},
                                       {"n2.scale", {16}}});
  CHECK(named(arrays) == Names{{"w_q", "enc.{l}.q.weight"},
                               {"b_q", "enc.{l}.q.bias"},
                               {"w_k", "enc.{l}.k.weight"},
                               {"w_v", "enc.{l}.v.weight"},
                               {"w_o", "enc.{l}.o.weight"},
                               {"b_o", "enc.{l}.o.bias"},
                               {"w_1", "enc.{l}.up.weight"},
                               {"w_2", "enc.{l}.down.weight"},
                               {"ln_gamma", "enc.{l}.n1.scale"},
                               {"ln2_gamma", "enc.{l}.n2.scale"}});
  const auto proposed = propose_names(Held(arrays));
  REQUIRE(proposed);
  CHECK(proposed->layers == std::vector<Index>{0, 1});
  CHECK(input_width(proposed->names, proposed->families) == 16);
  const auto params = params_for(proposed->names);
  CHECK(params == std::vector<std::pair<std::string, ParamValue>>{
                      {"block", std::string("pre_norm")}, {"norm", std::string("rms_norm")}, {"ffn", true}});
  // Whole numbers are no weights.
  CHECK_FALSE(propose_names(Held(arrays, "int64")));
}

TEST_CASE("one matrix of queries, keys and values is named in parts") {
  CHECK(named(in_two_layers({{"mixer.qkv", {48, 16}}, {"mixer.out", {16, 16}}})) ==
        Names{{"w_q", "enc.{l}.mixer.qkv 0/3"},
              {"w_k", "enc.{l}.mixer.qkv 1/3"},
              {"w_v", "enc.{l}.mixer.qkv 2/3"},
              {"w_o", "enc.{l}.mixer.out"}});
}

TEST_CASE("names that say nothing are guessed by shapes") {
  const Arrays arrays = in_two_layers({{"a.0", {16, 16}},
                                       {"a.1", {16, 16}},
                                       {"a.2", {16, 16}},
                                       {"a.3", {16, 16}},
                                       {"b.0.weight", {16, 40}},
                                       {"b.0.bias", {40}},
                                       {"b.2.weight", {40, 16}},
                                       {"b.2.bias", {16}}});
  CHECK(named(arrays) == Names{{"w_q", "enc.{l}.a.0"},
                               {"w_k", "enc.{l}.a.1"},
                               {"w_v", "enc.{l}.a.2"},
                               {"w_o", "enc.{l}.a.3"},
                               {"w_1", "enc.{l}.b.0.weight"},
                               {"b_1", "enc.{l}.b.0.bias"},
                               {"w_2", "enc.{l}.b.2.weight"},
                               {"b_2", "enc.{l}.b.2.bias"}});
  CHECK(propose_names(Held(arrays))->names.arrays.at("w_q").held == "in_out");
  // Three arrays of one shape may be anything.
  CHECK_FALSE(propose_names(Held({{"a", {10, 16}}, {"b", {10, 16}}, {"c", {10, 16}}})));
}

TEST_CASE("a layer opens by the names that are guessed for it") {
  const Held source(in_two_layers({{"attn.wq", {16, 16}},
                                   {"attn.wk", {8, 16}},
                                   {"attn.wv", {8, 16}},
                                   {"attn.wo", {16, 16}},
                                   {"norm.weight", {16}},
                                   {"norm.bias", {16}}}));
  const auto proposed = propose_names(source);
  REQUIRE(proposed);
  const auto layer = layer_of_names(source, proposed->names, 1, 4, "mine");
  REQUIRE(layer);
  CHECK(layer->arrays.at("w_q")->shape() == Shape{4, 16, 4});
  CHECK(layer->arrays.at("w_k")->shape() == Shape{2, 16, 4});
  CHECK(layer->arrays.at("ln_beta")->shape() == Shape{16});
}
