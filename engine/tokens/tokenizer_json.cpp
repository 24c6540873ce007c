#include <limits>
#include <utility>

#include "engine/base/words.h"
#include "engine/tokens/tokenizer_file.h"

namespace headlight {

namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t most_values = 1'000'000;
constexpr std::size_t most_keys = 4096;  // of one object: each is looked for among all before it
constexpr std::size_t most_merges = Vocabulary::most_tokens;

// Takes the file as it is parsed. `lists_only`: all of it is one vocabulary, as vocab.json is.
class TokenizerReader final : public nlohmann::json_sax<Json> {
 public:
  explicit TokenizerReader(TokenizerFile& file) : file_(file) {}

  const std::string& why() const { return why_; }

  bool start_object(std::size_t) override {
    if (list_ != List::none) return wrong_in_list();
    if (at_list("vocab")) return begin(List::tokens);
    return open(Json::object());
  }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override {
    if ((list_ == List::scored || list_ == List::merges) && !in_pair_) {
      in_pair_ = true;
      pair_size_ = 0;
      return list_ == List::scored ? add_token("") : add_merge("", "");
    }
    if (list_ != List::none) return wrong_in_list();
    if (at_list("vocab")) return begin(List::scored);
    if (at_list("merges")) return begin(List::merges);
    return open(Json::array());
  }
  bool end_array() override {
    if (!in_pair_) return end();
    in_pair_ = false;
    return pair_size_ == 2 || wrong_in_list();
  }
  bool key(std::string& name) override {
    if (list_ == List::tokens) return add_token(std::move(name));
    if (open_.back().value->size() == most_keys)
      return wrong(fmt::format("an object has more than {} keys", most_keys));
    open_.back().key = std::move(name);
    return true;
  }
  bool string(std::string& text) override {
    if (list_ == List::none) return add(std::move(text));
    if (list_ == List::merges && !in_pair_) return add_merge(text);
    if (list_ == List::scored && in_pair_ && pair_size_ == 0)
      file_.vocabulary.back().token = std::move(text);
    else if (list_ == List::merges && pair_size_ == 0)
      file_.merges.back().left = std::move(text);
    else if (list_ == List::merges && pair_size_ == 1)
      file_.merges.back().right = std::move(text);
    else
      return wrong_in_list();
    ++pair_size_;
    return true;
  }
  bool number_unsigned(std::uint64_t number) override {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return list_ == List::none ? add(number) : add_number(static_cast<std::int64_t>(std::min(number, most)));
  }
  bool number_integer(std::int64_t number) override { return list_ == List::none ? add(number) : add_number(number); }
  bool number_float(double number, const std::string&) override {
    return list_ == List::none ? add(number) : add_score(number);
  }
  bool boolean(bool value) override { return list_ == List::none ? add(value) : wrong_in_list(); }
  bool null() override { return list_ == List::none ? add(nullptr) : wrong_in_list(); }
  bool binary(binary_t&) override { return wrong("binary data"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    why_ = fmt::format("this is not JSON from byte {} on", position == 0 ? 0 : position - 1);
    return false;
  }

 private:
  enum class List { none, tokens, scored, merges };
  struct Open {
    Json* value = nullptr;
    std::string key;
  };

  bool wrong(std::string what) {
    why_ = std::move(what);
    return false;
  }
  bool wrong_in_list() {
    if (list_ == List::merges) return wrong(fmt::format("model.merges[{}] is not two tokens", file_.merges.size()));
    if (list_ == List::scored)
      return wrong(fmt::format("model.vocab[{}] is not a token and its score", file_.vocabulary.size()));
    return wrong(fmt::format("model.vocab: the id of \"{}\" is no whole number",
                             file_.vocabulary.empty() ? "" : brief(file_.vocabulary.back().token)));
  }
  // Whether the value that begins is model.NAME.
  bool at_list(std::string_view name) const {
    return open_.size() == 2 && open_[0].key == "model" && open_[1].key == name && open_[0].value->is_object() &&
           open_[1].value->is_object();
  }
  bool begin(List list) {
    list_ = list;
    if (list == List::merges)
      file_.merges.clear();
    else
      file_.vocabulary.clear();
    return true;
  }
  bool end() {
    if (list_ != List::none)
      list_ = List::none;
    else
      open_.pop_back();
    return true;
  }
  Json* place(Json value) {
    if (open_.empty()) return &(file_.parts = std::move(value));
    Open& parent = open_.back();
    if (!parent.value->is_array()) return &((*parent.value)[parent.key] = std::move(value));
    parent.value->push_back(std::move(value));
    return &parent.value->back();
  }
  bool open(Json value) {
    if (open_.size() == deepest) return wrong(fmt::format("it is nested more than {} deep", deepest));
    if (++values_ > most_values) return wrong("it holds more than a million values beside the vocabulary");
    open_.push_back({place(std::move(value)), {}});
    return true;
  }
  bool add(Json value) {
    if (++values_ > most_values) return wrong("it holds more than a million values beside the vocabulary");
    place(std::move(value));
    return true;
  }
  bool add_token(std::string token) {
    if (file_.vocabulary.size() == static_cast<std::size_t>(Vocabulary::most_tokens))
      return wrong(fmt::format("the vocabulary has more than {} tokens", Vocabulary::most_tokens));
    const auto id = static_cast<std::int64_t>(file_.vocabulary.size());
    file_.vocabulary.push_back({std::move(token), id, 0});
    return true;
  }
  bool add_merge(std::string left, std::string right) {
    if (file_.merges.size() == most_merges) return wrong(fmt::format("it has more than {} merges", most_merges));
    file_.merges.push_back({std::move(left), std::move(right)});
    return true;
  }
  bool add_merge(const std::string& line) {
    const auto gap = line.find(' ');
    if (gap == 0 || gap == std::string::npos || line.find(' ', gap + 1) != std::string::npos || gap + 1 == line.size())
      return wrong_in_list();
    return add_merge(line.substr(0, gap), line.substr(gap + 1));
  }
  bool add_number(std::int64_t number) {
    if (list_ != List::tokens) return add_score(static_cast<double>(number));
    file_.vocabulary.back().id = number;
    return true;
  }
  bool add_score(double score) {
    if (list_ != List::scored || !in_pair_ || pair_size_ != 1) return wrong_in_list();
    file_.vocabulary.back().score = score;
    ++pair_size_;
    return true;
  }

  TokenizerFile& file_;
  std::string why_;
  std::vector<Open> open_;
  List list_ = List::none;
  bool in_pair_ = false;  // within one of the lists
  std::size_t pair_size_ = 0;
  std::size_t values_ = 0;
};

}  // namespace

Result<TokenizerFile> read_tokenizer_json(std::string_view text) {
  TokenizerFile file;
  TokenizerReader reader(file);
  if (!Json::sax_parse(text, &reader)) return fail("{}", message_line(reader.why()));
  if (!file.parts.is_object()) return fail("this is {}, not an object", kind_of(file.parts));
  return file;
}

}  // namespace headlight
