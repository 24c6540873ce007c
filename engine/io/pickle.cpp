#include "engine/io/pickle.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "engine/io/file.h"

namespace headlight {

namespace {

using Object = Pickled::Kind;
using Place = std::uint32_t;

constexpr Place mark = ~Place{0};  // on the stack: where a list of values begins

// Walks the opcodes once. A mistake ends the walk: `failed_` says what it was.
class Walker {
 public:
  explicit Walker(std::string_view bytes) : bytes_(bytes), most_places_(std::min(most_places, 2 * bytes.size())) {}

  Result<Pickle> walk() {
    while (!stopped_ && !failed_) {
      opcode_at_ = at_;
      const auto code = static_cast<unsigned char>(number(1));
      if (!failed_) carry_out(code);
      if (!failed_ && pickle_.values.size() > most_pickled) wrong("holds more than {} values", most_pickled);
      if (!failed_ && places_ > most_places_) wrong("puts values into containers more than {} times", most_places_);
    }
    if (failed_) return tl::unexpected<Error>(*failed_);
    return std::move(pickle_);
  }

 private:
  template <class... Args>
  void wrong(fmt::format_string<Args...> format, Args&&... args) {
    if (!failed_) failed_ = Error{"its pickle " + fmt::format(format, std::forward<Args>(args)...)};
  }

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - at_) {
      wrong("ends at byte {}, too early", bytes_.size());
      return {};
    }
    const auto piece = bytes_.substr(at_, static_cast<std::size_t>(size));
    at_ += static_cast<std::size_t>(size);
    return piece;
  }
  std::uint64_t number(std::size_t width) { return little_endian(take(width)); }
  std::string_view line() {
    const auto end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) {
      wrong("ends at byte {}, too early", bytes_.size());
      return {};
    }
    const auto text = take(end - at_);
    ++at_;
    return text;
  }

  void push(Pickled value) {
    places_ += value.items.size();
    stack_.push_back(static_cast<Place>(pickle_.values.size()));
    pickle_.values.push_back(std::move(value));
  }
  void push_whole(std::int64_t value) { push({.kind = Object::whole, .whole = value}); }
  void push_text(std::uint64_t size) { push({.kind = Object::text, .text = std::string(take(size))}); }
  void push_bytes(std::uint64_t size) {
    take(size);
    push({.kind = Object::bytes});
  }
  Place pop() {
    if (stack_.empty() || stack_.back() == mark) {
      wrong("takes a value at {} where there is none", opcode_at_);
      push({});
    }
    const Place value = stack_.back();
    stack_.pop_back();
    return value;
  }
  // What stands on the stack after the newest mark, which goes too.
  std::vector<Place> pop_marked() {
    std::size_t from = stack_.size();
    while (from > 0 && stack_[from - 1] != mark) --from;
    if (from == 0) {
      wrong("closes a list at {} that was never begun", opcode_at_);
      return {};
    }
    std::vector<Place> values(stack_.begin() + static_cast<std::ptrdiff_t>(from), stack_.end());
    stack_.resize(from - 1);
    return values;
  }
  void push_tuple(std::vector<Place> items) { push({.kind = Object::tuple, .items = std::move(items)}); }
  void push_tuple_of(std::size_t count) {
    std::vector<Place> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    push_tuple(std::move(items));
  }
  // Values that go into the container that stands on the stack; what a call would have made takes nothing in.
  void append_items(Object kind, const std::vector<Place>& items) {
    if (stack_.empty() || stack_.back() == mark)
      return wrong("fills a container at {} where there is none", opcode_at_);
    Pickled& into = pickle_.values[stack_.back()];
    if (into.kind == kind && (kind == Object::list || items.size() % 2 == 0)) {
      into.items.insert(into.items.end(), items.begin(), items.end());
      places_ += items.size();
    } else if (into.kind == Object::call && kind == Object::dict && is_output(into)) {
      into.kind = Object::dict;
      into.items = items;
      places_ += items.size();
    } else if (into.kind != Object::call) {
      wrong("fills what is no {} at {}", kind == Object::list ? "list" : "dict", opcode_at_);
    }
  }
  // What a model of the Transformers library gives back is a dict of its own kind: it is read as the dict that it is.
  bool is_output(const Pickled& call) const {
    const Pickled& called = pickle_.values[call.items[0]];
    return called.kind == Object::name && called.text.starts_with("transformers.");
  }
  // What an object knows beside its items is not kept, but for what a dict says is None: such an output leaves those
  // fields out of its items.
  void build() {
    const Place place = pop();
    if (failed_ || stack_.empty() || stack_.back() == mark) return;
    const Pickled& state = pickle_.values[place];
    if (state.kind != Object::dict || pickle_.values[stack_.back()].kind != Object::dict) return;
    places_ += state.items.size();  // they are looked through each time
    std::vector<Place> none;
    for (std::size_t i = 0; i + 1 < state.items.size(); i += 2)
      if (pickle_.values[state.items[i + 1]].kind == Object::none)
        none.insert(none.end(), {state.items[i], state.items[i + 1]});
    append_items(Object::dict, none);
  }
  std::vector<Place> pop_two() {
    const Place second = pop(), first = pop();
    return {first, second};
  }

  void memoize(std::uint64_t key) {
    if (stack_.empty() || stack_.back() == mark) return wrong("keeps a value at {} where there is none", opcode_at_);
    memo_[key] = stack_.back();
  }
  void recall(std::uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) return wrong("asks at {} for value {}, which was not kept", opcode_at_, key);
    stack_.push_back(found->second);
  }

  void push_name(std::string_view module, std::string_view name) {
    push({.kind = Object::name, .text = one_line(module) + "." + one_line(name)});
  }
  void push_named_by_stack() {
    const auto parts = pop_two();
    const Pickled &module = pickle_.values[parts[0]], &name = pickle_.values[parts[1]];
    if (module.kind != Object::text || name.kind != Object::text)
      return wrong("names something at {} by no text", opcode_at_);
    push_name(module.text, name.text);
  }
  // The one call that is carried out: an OrderedDict is a dict. Of a list of pairs it takes two places for each, which
  // wrote three bytes: a list that is taken again and again is what most_places_ is for.
  void push_call() {
    auto parts = pop_two();
    const Pickled &called = pickle_.values[parts[0]], &given = pickle_.values[parts[1]];
    if (given.kind != Object::tuple) return wrong("gives a call at {} no tuple", opcode_at_);
    if (called.kind != Object::name || called.text != "collections.OrderedDict")
      return push({.kind = Object::call, .items = std::move(parts)});
    Pickled dict{.kind = Object::dict};
    if (!given.items.empty() && pickle_.values[given.items[0]].kind == Object::list)
      for (const Place pair : pickle_.values[given.items[0]].items)
        if (const auto& two = pickle_.values[pair]; two.items.size() == 2 && two.kind != Object::dict)
          dict.items.insert(dict.items.end(), two.items.begin(), two.items.end());
    push(std::move(dict));
  }

  void check_protocol(std::uint64_t version) {
    if (version < 2 || version > 5) wrong("is of protocol {}: 2 to 5 are read", version);
  }
  void push_global() {
    const auto module = line();
    push_name(module, line());
  }
  void stop() {
    pickle_.top = pop();
    stopped_ = true;
  }
  void pop_one() { stack_.empty() ? wrong("takes off an empty stack at {}", opcode_at_) : stack_.pop_back(); }

  struct Opcode {
    unsigned char code;
    const char* name;
    void (*carry_out)(Walker&);  // null: it is refused by its name
  };
  static std::span<const Opcode> opcodes();

  void carry_out(unsigned char code) {
    const auto found = std::ranges::find(opcodes(), code, &Opcode::code);
    const bool known = found != opcodes().end();
    if (known && found->carry_out) return found->carry_out(*this);
    const std::string name = known ? found->name : fmt::format("0x{:02x}", code);
    failed_ = Error{fmt::format("pickle opcode {} at {} is not one that a state dict needs", name, opcode_at_)};
  }

  // Two's complement of so many bytes; what 64 bits cannot hold is no number of a tensor.
  void push_long(std::uint64_t size) {
    const auto piece = take(size);
    if (piece.size() > 8) return push({.kind = Object::bytes});
    std::uint64_t value = piece.empty() || static_cast<signed char>(piece.back()) >= 0 ? 0 : ~std::uint64_t{0};
    for (std::size_t i = piece.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(piece[i]);
    push_whole(static_cast<std::int64_t>(value));
  }
  void push_real() {
    std::uint64_t bits = 0;
    for (const char byte : take(8)) bits = bits << 8 | static_cast<unsigned char>(byte);
    push({.kind = Object::real, .real = std::bit_cast<double>(bits)});
  }

  std::string_view bytes_;
  std::size_t at_ = 0, opcode_at_ = 0;
  std::size_t places_ = 0, most_places_;
  Pickle pickle_;
  std::vector<Place> stack_;
  std::unordered_map<std::uint64_t, Place> memo_;
  bool stopped_ = false;
  std::optional<Error> failed_;
};

std::span<const Walker::Opcode> Walker::opcodes() {
  static constexpr Opcode all[] = {
      {'.', "STOP", [](Walker& w) { w.stop(); }},
      {'(', "MARK", [](Walker& w) { w.stack_.push_back(mark); }},
      {'0', "POP", [](Walker& w) { w.pop_one(); }},
      {'1', "POP_MARK", [](Walker& w) { w.pop_marked(); }},
      {'}', "EMPTY_DICT", [](Walker& w) { w.push({.kind = Object::dict}); }},
      {']', "EMPTY_LIST", [](Walker& w) { w.push({.kind = Object::list}); }},
      {')', "EMPTY_TUPLE", [](Walker& w) { w.push_tuple({}); }},
      {'t', "TUPLE", [](Walker& w) { w.push_tuple(w.pop_marked()); }},
      {0x85, "TUPLE1", [](Walker& w) { w.push_tuple_of(1); }},
      {0x86, "TUPLE2", [](Walker& w) { w.push_tuple_of(2); }},
      {0x87, "TUPLE3", [](Walker& w) { w.push_tuple_of(3); }},
      {'a', "APPEND", [](Walker& w) { w.append_items(Object::list, {w.pop()}); }},
      {'e', "APPENDS", [](Walker& w) { w.append_items(Object::list, w.pop_marked()); }},
      {'s', "SETITEM", [](Walker& w) { w.append_items(Object::dict, w.pop_two()); }},
      {'u', "SETITEMS", [](Walker& w) { w.append_items(Object::dict, w.pop_marked()); }},
      {'R', "REDUCE", [](Walker& w) { w.push_call(); }},
      {0x81, "NEWOBJ", [](Walker& w) { w.push_call(); }},
      {'b', "BUILD", [](Walker& w) { w.build(); }},
      {'Q', "BINPERSID", [](Walker& w) { w.push({.kind = Object::persistent, .items = {w.pop()}}); }},
      {'N', "NONE", [](Walker& w) { w.push({}); }},
      {0x88, "NEWTRUE", [](Walker& w) { w.push({.kind = Object::flag, .whole = 1}); }},
      {0x89, "NEWFALSE", [](Walker& w) { w.push({.kind = Object::flag, .whole = 0}); }},
      {'J', "BININT", [](Walker& w) { w.push_whole(static_cast<std::int32_t>(w.number(4))); }},
      {'K', "BININT1", [](Walker& w) { w.push_whole(static_cast<std::int64_t>(w.number(1))); }},
      {'M', "BININT2", [](Walker& w) { w.push_whole(static_cast<std::int64_t>(w.number(2))); }},
      {0x8a, "LONG1", [](Walker& w) { w.push_long(w.number(1)); }},
      {'G', "BINFLOAT", [](Walker& w) { w.push_real(); }},
      {'X', "BINUNICODE", [](Walker& w) { w.push_text(w.number(4)); }},
      {0x8c, "SHORT_BINUNICODE", [](Walker& w) { w.push_text(w.number(1)); }},
      {0x8d, "BINUNICODE8", [](Walker& w) { w.push_text(w.number(8)); }},
      {'B', "BINBYTES", [](Walker& w) { w.push_bytes(w.number(4)); }},
      {'C', "SHORT_BINBYTES", [](Walker& w) { w.push_bytes(w.number(1)); }},
      {0x80, "PROTO", [](Walker& w) { w.check_protocol(w.number(1)); }},
      {0x95, "FRAME", [](Walker& w) { w.number(8); }},
      {'h', "BINGET", [](Walker& w) { w.recall(w.number(1)); }},
      {'j', "LONG_BINGET", [](Walker& w) { w.recall(w.number(4)); }},
      {'q', "BINPUT", [](Walker& w) { w.memoize(w.number(1)); }},
      {'r', "LONG_BINPUT", [](Walker& w) { w.memoize(w.number(4)); }},
      {0x94, "MEMOIZE", [](Walker& w) { w.memoize(w.memo_.size()); }},
      {'c', "GLOBAL", [](Walker& w) { w.push_global(); }},
      {0x93, "STACK_GLOBAL", [](Walker& w) { w.push_named_by_stack(); }},
      {'2', "DUP", nullptr},
      {'F', "FLOAT", nullptr},
      {'I', "INT", nullptr},
      {'L', "LONG", nullptr},
      {'P', "PERSID", nullptr},
      {'S', "STRING", nullptr},
      {'T', "BINSTRING", nullptr},
      {'U', "SHORT_BINSTRING", nullptr},
      {'V', "UNICODE", nullptr},
      {'d', "DICT", nullptr},
      {'g', "GET", nullptr},
      {'i', "INST", nullptr},
      {'l', "LIST", nullptr},
      {'o', "OBJ", nullptr},
      {'p', "PUT", nullptr},
      {0x82, "EXT1", nullptr},
      {0x83, "EXT2", nullptr},
      {0x84, "EXT4", nullptr},
      {0x8b, "LONG4", nullptr},
      {0x8e, "BINBYTES8", nullptr},
      {0x8f, "EMPTY_SET", nullptr},
      {0x90, "ADDITEMS", nullptr},
      {0x91, "FROZENSET", nullptr},
      {0x92, "NEWOBJ_EX", nullptr},
      {0x96, "BYTEARRAY8", nullptr},
      {0x97, "NEXT_BUFFER", nullptr},
      {0x98, "READONLY_BUFFER", nullptr},
  };
  return all;
}

}  // namespace

Result<Pickle> read_pickle(std::string_view bytes) {
  if (bytes.size() > longest_pickle)
    return fail("its pickle has {} bytes; at most {} are read", bytes.size(), longest_pickle);
  return Walker(bytes).walk();
}

}  // namespace headlight
