#include "engine/tokens/parts.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "engine/core/utf8.h"
#include "engine/tokens/characters.h"
#include "engine/tokens/tokenizer_file.h"

namespace headlight {

namespace {

using Pieces = std::vector<std::string>;

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  std::string made;
  std::size_t from = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, from)) {
    made.append(text, from, at - from).append(with);
    from = at + what.size();
  }
  text = made + text.substr(from);
}

// A token of anything but letters of bytes stays as it is.
void from_letters(Pieces& pieces) {
  std::string bytes;
  for (const std::string& piece : pieces) {
    std::string own;
    bool sound = true;
    for (std::string_view rest = piece; !rest.empty() && sound;) {
      const Utf8Step step = utf8_step(rest);
      const auto byte = byte_of_letter(step.character);
      sound = byte.has_value();
      if (byte) own.push_back(static_cast<char>(*byte));
      rest.remove_prefix(step.size);
    }
    bytes += sound ? own : piece;
  }
  pieces = {std::move(bytes)};
}

void from_word_pieces(Pieces& pieces, const std::string& prefix, bool cleans_up) {
  constexpr std::array<std::pair<const char*, const char*>, 11> marks{{{" .", "."},
                                                                       {" ?", "?"},
                                                                       {" !", "!"},
                                                                       {" ,", ","},
                                                                       {" ' ", "'"},
                                                                       {" n't", "n't"},
                                                                       {" 'm", "'m"},
                                                                       {" do not", " don't"},
                                                                       {" 's", "'s"},
                                                                       {" 've", "'ve"},
                                                                       {" 're", "'re"}}};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool continues = i > 0 && !prefix.empty() && pieces[i].starts_with(prefix);
    if (continues) pieces[i].erase(0, prefix.size());
    if (i > 0 && !continues) pieces[i].insert(0, " ");
    if (cleans_up)
      for (const auto& [mark, closer] : marks) replace_all(pieces[i], mark, closer);
  }
}

std::optional<char> byte_of(const std::string& token) {  // <0x0A>
  unsigned value = 0;
  if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return std::nullopt;
  const auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, value, 16);
  if (error != std::errc() || end != token.data() + 5) return std::nullopt;
  return static_cast<char>(value);
}

// Bytes side by side that are no UTF-8 are a U+FFFD each.
void from_bytes(Pieces& pieces) {
  Pieces made;
  for (std::size_t i = 0; i < pieces.size();) {
    std::string bytes;
    for (; i < pieces.size(); ++i) {
      const auto byte = byte_of(pieces[i]);
      if (!byte) break;
      bytes.push_back(*byte);
    }
    bool sound = true;
    for (std::string_view rest = bytes; !rest.empty() && sound;) {
      const Utf8Step step = utf8_step(rest);
      sound = step.sound;
      rest.remove_prefix(step.size);
    }
    if (sound && !bytes.empty()) made.push_back(bytes);
    if (!sound) made.insert(made.end(), bytes.size(), "\uFFFD");
    if (i < pieces.size()) made.push_back(std::move(pieces[i++]));
  }
  pieces = std::move(made);
}

void fuse(Pieces& pieces) {
  std::string all;
  for (const std::string& piece : pieces) all += piece;
  pieces = {std::move(all)};
}

void strip(Pieces& pieces, const std::string& content, Index start, Index stop) {
  for (std::string& piece : pieces) {
    for (Index i = 0; i < start && piece.starts_with(content); ++i) piece.erase(0, content.size());
    for (Index i = 0; i < stop && piece.ends_with(content); ++i) piece.resize(piece.size() - content.size());
  }
}

Result<Decoder> metaspace_decoder(const Json& part) {
  HL_TRY(const std::string mark, text_or(part, "replacement", "decoder Metaspace", "▁"));
  HL_TRY(const std::string scheme, text_or(part, "prepend_scheme", "decoder Metaspace", "always"));
  HL_TRY(const bool prefixed, flag_or(part, "add_prefix_space", "decoder Metaspace", scheme != "never"));
  if (mark.empty()) return fail("decoder Metaspace does not say what stands for a space");
  return Decoder([=](Pieces& pieces) {
    if (prefixed && !pieces.empty() && pieces.front().starts_with(mark)) pieces.front().erase(0, mark.size());
    for (std::string& piece : pieces) replace_all(piece, mark, " ");
  });
}

Result<Decoder> replacing_decoder(const Json& part) {
  HL_TRY(const std::string content, text_or(part, "content", "decoder Replace", ""));
  std::string sought;
  if (part.contains("pattern") && part.at("pattern").is_object()) {
    HL_TRY(sought, text_or(part.at("pattern"), "String", "decoder Replace", ""));
  }
  if (sought.empty()) return fail("decoder Replace does not say which string it replaces");
  return Decoder([=](Pieces& pieces) {
    for (std::string& piece : pieces) replace_all(piece, sought, content);
  });
}

Result<Decoder> stripper(const Json& part) {
  HL_TRY(const std::string content, text_or(part, "content", "decoder Strip", " "));
  Index start = 0, stop = 0;
  if (part.contains("start")) {
    HL_TRY(start, whole_at(part, "start", "decoder Strip", 0, 1000));
  }
  if (part.contains("stop")) {
    HL_TRY(stop, whole_at(part, "stop", "decoder Strip", 0, 1000));
  }
  if (content.empty()) return fail("decoder Strip does not say what it strips");
  return Decoder([=](Pieces& pieces) { strip(pieces, content, start, stop); });
}

Result<Decoder> sequence_of_decoders(const Json& part) {
  HL_TRY(const auto steps, make_all(part, "decoders", "decoder Sequence", &make_decoder));
  return Decoder([steps](Pieces& pieces) {
    for (const Decoder& step : steps) step(pieces);
  });
}

Result<Decoder> word_pieces(const Json& part) {
  HL_TRY(const std::string prefix, text_or(part, "prefix", "decoder WordPiece", "##"));
  HL_TRY(const bool cleans_up, flag_or(part, "cleanup", "decoder WordPiece", true));
  return Decoder([=](Pieces& pieces) { from_word_pieces(pieces, prefix, cleans_up); });
}

}  // namespace

Result<Decoder> make_decoder(const Json& part) {
  if (part.is_null()) return Decoder([](Pieces& pieces) { from_word_pieces(pieces, "", false); });
  const std::string type = type_of(part);
  if (type == "Sequence") return sequence_of_decoders(part);
  if (type == "ByteLevel") return Decoder(from_letters);
  if (type == "WordPiece") return word_pieces(part);
  if (type == "Metaspace") return metaspace_decoder(part);
  if (type == "Replace") return replacing_decoder(part);
  if (type == "ByteFallback") return Decoder(from_bytes);
  if (type == "Fuse") return Decoder(fuse);
  if (type == "Strip") return stripper(part);
  return Decoder([](Pieces&) {});
}

}  // namespace headlight
