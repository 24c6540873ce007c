#include "tests/bench/model_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/core/random.h"
#include "engine/core/tensor.h"
#include "engine/io/file.h"

namespace headlight::bench {

namespace {

constexpr Index layers = 12, heads = 12, width = 768, places = 1024, letters = 256, pairs = 50'000,
                vocabulary = letters + pairs + 1;

struct Named {
  std::string name;
  std::vector<Index> shape;

  Index size() const {
    Index product = 1;
    for (const Index extent : shape) product *= extent;
    return product;
  }
};

std::vector<Named> arrays() {
  std::vector<Named> list{{"wte.weight", {vocabulary, width}}, {"wpe.weight", {places, width}}};
  const auto norm = [&](const std::string& name) {
    list.push_back({name + ".weight", {width}});
    list.push_back({name + ".bias", {width}});
  };
  const auto dense = [&](const std::string& name, Index in, Index out) {
    list.push_back({name + ".weight", {in, out}});
    list.push_back({name + ".bias", {out}});
  };
  for (Index l = 0; l < layers; ++l) {
    const std::string layer = fmt::format("h.{}.", l);
    norm(layer + "ln_1");
    dense(layer + "attn.c_attn", width, 3 * width);
    dense(layer + "attn.c_proj", width, width);
    norm(layer + "ln_2");
    dense(layer + "mlp.c_fc", width, 4 * width);
    dense(layer + "mlp.c_proj", 4 * width, width);
  }
  norm("ln_f");
  return list;
}

std::string header_of(const std::vector<Named>& list) {
  std::string header = "{";
  Index at = 0;
  for (const Named& one : list) {
    const Index bytes = one.size() * static_cast<Index>(sizeof(float));
    header += fmt::format(R"({}"{}":{{"dtype":"F32","shape":[{}],"data_offsets":[{},{}]}})",
                          header.size() > 1 ? "," : "", one.name, fmt::join(one.shape, ","), at, at + bytes);
    at += bytes;
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  std::string size(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) size[i] = static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return size + header;
}

// Normal, of GPT-2's own width at its beginning, 0.02; what a norm multiplies with lies about 1.
Status write_weights(const std::filesystem::path& file) {
  const std::vector<Named> list = arrays();
  HL_TRY(FileWriter writer, FileWriter::create(file));
  HL_CHECK(writer.append(header_of(list)));
  for (const Named& one : list) {
    const bool gain = one.shape.size() == 1 && one.name.ends_with(".weight");
    Random random(1, one.name);
    std::vector<float> numbers(static_cast<std::size_t>(one.size()));
    for (float& number : numbers) number = static_cast<float>((gain ? 1 : 0) + 0.02 * random.normal());
    HL_CHECK(writer.append({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)}));
  }
  return writer.commit();
}

std::string utf8(unsigned code) {
  if (code < 0x80) return {static_cast<char>(code)};
  return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
}

// GPT-2's letter of each byte.
std::vector<std::string> letters_of_bytes() {
  std::vector<std::string> list;
  unsigned others = 0;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool itself = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    list.push_back(utf8(itself ? byte : 0x100 + others++));
  }
  return list;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

// Every letter, and pairs of them, those that begin with a space first: " a" is one token.
Status write_tokenizer(const std::filesystem::path& folder) {
  const std::vector<std::string> letter = letters_of_bytes();
  std::string vocab = "{", merges = "#version: 0.2\n";
  Index id = 0;
  const auto put = [&](const std::string& token) { vocab += fmt::format("{}:{},", quoted(token), id++); };
  for (const std::string& one : letter) put(one);
  for (std::size_t a = 0; id < letters + pairs; ++a)
    for (std::size_t b = 0; b < letter.size() && id < letters + pairs; ++b) {
      const std::string& first = letter[(' ' + a) % letter.size()];
      put(first + letter[b]);
      merges += first + " " + letter[b] + "\n";
    }
  vocab += fmt::format(R"("<|endoftext|>":{}}})", id);
  HL_CHECK(write_file(folder / "vocab.json", vocab));
  return write_file(folder / "merges.txt", merges);
}

}  // namespace

Status make_model_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  if (std::filesystem::exists(folder / "config.json", failed)) return {};
  std::filesystem::create_directories(folder, failed);
  if (failed) return fail("{}: {}", folder.native(), failed.message());
  HL_CHECK(write_weights(folder / "model.safetensors"));
  HL_CHECK(write_tokenizer(folder));
  // Last: the folder is whole once it is there.
  return write_file(folder / "config.json", fmt::format(R"({{"model_type": "gpt2", "n_layer": {}, "n_head": {},
 "n_embd": {}, "n_positions": {}, "vocab_size": {}, "activation_function": "gelu_new"}})",
                                                        layers, heads, width, places, vocabulary));
}

std::string text_of_tokens(int tokens, int variant) {
  std::string text;
  for (int i = 0; i < tokens; ++i) {
    const int which = (i * 7 + (i == tokens / 2 ? variant : 0)) % 26;
    text += std::string(i > 0 ? " " : "") + static_cast<char>('a' + which);
  }
  return text;
}

}  // namespace headlight::bench
