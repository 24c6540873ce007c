#include "engine/layouts/proposal.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/base/words.h"
#include "engine/core/natural_order.h"
#include "engine/layouts/tables.h"

namespace headlight {

namespace {

using Words = std::vector<std::string>;

enum class Letter { none, small, capital, digit };

Letter letter_of(char c) {
  if (is_digit(c)) return Letter::digit;
  if (c >= 'a' && c <= 'z') return Letter::small;
  return c >= 'A' && c <= 'Z' ? Letter::capital : Letter::none;
}

// "attnNorm1.w_q" → attn, norm, 1, w, q
Words words_in(std::string_view name) {
  Words words;
  Letter before = Letter::none;
  for (const char c : name) {
    const Letter now = letter_of(c);
    const bool begins = before == Letter::none || (now == Letter::digit) != (before == Letter::digit) ||
                        (now == Letter::capital && before == Letter::small);
    before = now;
    if (now == Letter::none) continue;
    if (begins) words.emplace_back();
    words.back() += now == Letter::capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

bool has_word(const NamedFamily& family, std::initializer_list<std::string_view> of) {
  return std::ranges::any_of(words_in(family.name),
                             [&](const std::string& word) { return std::ranges::find(of, word) != of.end(); });
}

// "enc.{l}.q" of "enc.{l}.q.weight"
std::string stem_of(const std::string& name) {
  const auto dot = name.find_last_of("./");
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

// Each number that stands between dots, slashes or underscores, as a place of {l}.
std::vector<std::pair<std::string, Index>> numbered(const std::string& name) {
  constexpr std::size_t most_digits = 4;
  std::vector<std::pair<std::string, Index>> found;
  const auto parts = [](char c) { return c == '.' || c == '/' || c == '_'; };
  for (std::size_t begin = 0; begin < name.size(); ++begin) {
    if (!is_digit(name[begin]) || (begin > 0 && !parts(name[begin - 1]))) continue;
    std::size_t end = begin;
    while (end < name.size() && is_digit(name[end])) ++end;
    if (end - begin <= most_digits && (end == name.size() || parts(name[end])))
      found.emplace_back(name.substr(0, begin) + "{l}" + name.substr(end), std::stoll(name.substr(begin, end - begin)));
    begin = end;
  }
  return found;
}

// The arrays of some layers, while roles are given to them.
struct Roles {
  const std::vector<NamedFamily>& families;
  Index width = 0;  // of the stream
  OwnNames names = {};
  std::set<std::string> taken = {};

  bool is_free(const NamedFamily& family) const { return !taken.contains(family.name); }
  bool reads_stream(const NamedFamily& family) const {
    return family.shape.size() == 2 && std::ranges::find(family.shape, width) != family.shape.end();
  }
  // The extent of a matrix that is not the stream's.
  Index other(const NamedFamily& family) const { return family.shape[family.shape[0] == width ? 1 : 0]; }
  void give(const std::string& id, const NamedFamily& family, Index part = 0, Index parts = 1) {
    names.arrays[id] = {family.name, "out_in", part, parts};
    taken.insert(family.name);
  }
  template <class Suits>
  const NamedFamily* first(Suits suits) const {
    const auto found =
        std::ranges::find_if(families, [&](const NamedFamily& family) { return is_free(family) && suits(family); });
    return found == families.end() ? nullptr : &*found;
  }
  const NamedFamily* matrix(std::initializer_list<std::string_view> words) const {
    return first([&](const NamedFamily& one) { return reads_stream(one) && has_word(one, words); });
  }
};

// The extent that most matrices have, of equal ones the least: the stream goes through all of them.
Index stream_of(const std::vector<NamedFamily>& families) {
  std::map<Index, int> counts;
  for (const NamedFamily& family : families)
    if (family.shape.size() == 2)
      for (const Index extent : std::set<Index>(family.shape.begin(), family.shape.end())) ++counts[extent];
  const auto most = std::ranges::max_element(counts, {}, &std::pair<const Index, int>::second);
  return most == counts.end() ? 0 : most->first;
}

// How sure queries, keys and values are.
enum class Found { nothing, shapes, words };

// Queries, keys and values: by words, as one matrix of three equal parts, or the first three of fitting shapes.
Found give_projections(Roles& roles) {
  const NamedFamily* q = roles.matrix({"q", "wq", "query", "queries"});
  const NamedFamily* k = roles.matrix({"k", "wk", "key", "keys"});
  const NamedFamily* v = roles.matrix({"v", "wv", "value", "values", "val"});
  const bool named = q && k && v;
  if (!named) {
    const NamedFamily* whole = roles.first([&](const NamedFamily& one) {
      return roles.reads_stream(one) && roles.other(one) == 3 * roles.width &&
             !has_word(one, {"fc", "mlp", "ffn", "up"});
    });
    if (whole) {
      const char* ids[] = {"w_q", "w_k", "w_v"};
      for (Index part = 0; part < 3; ++part) roles.give(ids[part], *whole, part, 3);
      return has_word(*whole, {"qkv", "wqkv", "kqv"}) ? Found::words : Found::shapes;
    }
    std::vector<const NamedFamily*> fit;
    for (const NamedFamily& one : roles.families)
      if (roles.reads_stream(one) && fit.size() < 3) fit.push_back(&one);
    if (fit.size() < 3) return Found::nothing;
    q = fit[0];
    k = fit[1];
    v = fit[2];
  }
  if (q == k || k == v || q == v || roles.other(*q) % roles.other(*k) != 0) return Found::nothing;
  roles.give("w_q", *q);
  roles.give("w_k", *k);
  roles.give("w_v", *v);
  return named ? Found::words : Found::shapes;
}

void give_output(Roles& roles, Index out_of_heads) {
  const auto fits = [&](const NamedFamily& one) {
    return roles.reads_stream(one) && roles.other(one) == out_of_heads &&
           !has_word(one, {"up", "down", "fc", "mlp", "ffn", "ff", "gate", "linear", "lin"});
  };
  const NamedFamily* named = roles.first([&](const NamedFamily& one) {
    return fits(one) && has_word(one, {"o", "wo", "out", "output", "proj", "dense"});
  });
  if (!named) named = roles.first(fits);
  if (named) roles.give("w_o", *named);
}

// Two matrices between the stream and hidden numbers, or three where one of them is a gate.
void give_feed_forward(Roles& roles) {
  std::vector<const NamedFamily*> fit;
  for (const NamedFamily& one : roles.families)
    if (roles.is_free(one) && roles.reads_stream(one) && (fit.empty() || roles.other(one) == roles.other(*fit.front())))
      fit.push_back(&one);
  if (fit.size() != 2 && fit.size() != 3) return;
  const auto down = std::ranges::find_if(fit, [](const NamedFamily* one) { return has_word(*one, {"down"}); });
  const auto last = down == fit.end() && fit.size() == 2 ? fit.begin() + 1 : down;
  if (fit.size() == 3 && last == fit.end()) {
    roles.give("w_1", *fit[0]);
    roles.give("w_2", *fit[1]);
    roles.give("w_3", *fit[2]);
    return;
  }
  std::rotate(last, last + 1, fit.end());
  roles.give("w_2", *fit.back());
  const bool swapped = fit.size() == 3 && has_word(*fit[1], {"gate"});  // the gate is w_1
  roles.give("w_1", *fit[swapped ? 1 : 0]);
  if (fit.size() == 3) roles.give("w_3", *fit[swapped ? 0 : 1]);
}

// Vectors that stand beside a matrix: "q.bias" of "q.weight".
void give_biases(Roles& roles) {
  const auto matrices = roles.names.arrays;
  for (const auto& matrix : matrices) {
    const std::string& id = matrix.first;
    const OwnName& own = matrix.second;
    const NamedFamily* bias = roles.first([&](const NamedFamily& one) {
      return one.shape.size() == 1 && !stem_of(one.name).empty() && stem_of(one.name) == stem_of(own.name);
    });
    const auto whole = std::ranges::find(roles.families, own.name, &NamedFamily::name);
    if (!bias || id == "w_3") continue;
    const bool goes_in = id == "w_o" || id == "w_2";
    if (bias->shape[0] != (goes_in ? roles.width : roles.other(*whole))) continue;
    roles.names.arrays["b" + id.substr(1)] = {bias->name, "out_in", own.part, own.parts};
    if (own.part + 1 == own.parts) roles.taken.insert(bias->name);
  }
}

// The first two norms of the stream, in the order of their names: before attention, and before the feed-forward.
void give_norms(Roles& roles) {
  const char* ids[] = {"ln", "ln2"};
  const std::size_t most = roles.names.arrays.contains("w_1") ? 2 : 1;
  for (std::size_t i = 0; i < most; ++i) {
    const NamedFamily* gamma = roles.first([&](const NamedFamily& one) {
      return one.shape == Shape{roles.width} && has_word(one, {"weight", "w", "scale", "gamma", "g"}) &&
             !has_word(one, {"bias", "beta", "b", "shift"});
    });
    if (!gamma) return;
    roles.give(ids[i] + std::string("_gamma"), *gamma);
    const NamedFamily* beta = roles.first([&](const NamedFamily& one) {
      return one.shape == gamma->shape && has_word(one, {"bias", "beta", "b", "shift"}) &&
             stem_of(one.name) == stem_of(gamma->name);
    });
    if (beta) roles.give(ids[i] + std::string("_beta"), *beta);
  }
}

// Matrices are (out, in) unless one that is not square says otherwise.
void give_orientation(Roles& roles) {
  bool in_out = false;
  for (const char* id : {"w_1", "w_k", "w_q"}) {
    const auto own = roles.names.arrays.find(id);
    if (own == roles.names.arrays.end()) continue;
    const Shape& shape = std::ranges::find(roles.families, own->second.name, &NamedFamily::name)->shape;
    if (shape[0] != shape[1]) in_out = shape[0] == roles.width;
  }
  if (!in_out) return;
  for (auto& [id, own] : roles.names.arrays)
    if (id.starts_with("w_")) own.held = "in_out";
}

}  // namespace

std::vector<NamedFamily> families_in(const ArraySource& source) {
  const NamesOfFile names = names_of(source);
  const auto array_of = [&](std::size_t entry) -> const ArrayEntry& { return source.entries()[entry]; };
  struct Shared {
    const Shape* shape = nullptr;
    int count = 0;  // of arrays; 0 where their shapes differ
  };
  std::map<std::string, Shared> shared;  // by name with {l}
  for (const auto& [name, entry] : names)
    for (const auto& [pattern, number] : numbered(name)) {
      const auto [at, fresh] = shared.try_emplace(pattern, Shared{&array_of(entry).shape, 1});
      if (fresh) continue;
      const bool even = at->second.count > 0 && *at->second.shape == array_of(entry).shape;
      at->second.count = even ? at->second.count + 1 : 0;
    }
  const auto worth = [&](const std::pair<std::string, Index>& place) { return shared[place.first].count; };
  std::map<std::string, NamedFamily> families;
  for (const auto& [name, entry] : names) {
    if (array_of(entry).dtype.find("float") == std::string::npos) continue;
    const auto places = numbered(name);
    // The leftmost number that several arrays differ by, else the leftmost there is.
    auto place = std::ranges::find_if(places, [&](const auto& one) { return worth(one) > 1; });
    if (place == places.end()) place = std::ranges::find_if(places, [&](const auto& one) { return worth(one) > 0; });
    const bool counted = place != places.end();
    const std::string& called = counted ? place->first : name;
    NamedFamily& family = families.try_emplace(called, NamedFamily{called, array_of(entry).shape, {}}).first->second;
    if (counted) family.layers.push_back(place->second);
  }
  std::vector<NamedFamily> list;
  for (auto& [name, family] : families) {
    std::ranges::sort(family.layers);
    list.push_back(std::move(family));
  }
  std::ranges::sort(list, [](const auto& a, const auto& b) { return natural_order(a.name, b.name) < 0; });
  return list;
}

std::optional<NamesProposed> propose_names(const ArraySource& source) {
  std::map<std::pair<std::string, std::vector<Index>>, std::vector<NamedFamily>> groups;
  for (NamedFamily& family : families_in(source)) {
    const auto at = family.name.find("{l}");
    auto key = std::pair(at == std::string::npos ? "" : family.name.substr(0, at), family.layers);
    groups[std::move(key)].push_back(std::move(family));
  }
  std::optional<NamesProposed> best;
  for (auto& [key, families] : groups) {
    Roles roles{families, stream_of(families)};
    const Found found = roles.width == 0 ? Found::nothing : give_projections(roles);
    if (found == Found::nothing) continue;
    const NamedFamily& q = *std::ranges::find(families, roles.names.arrays.at("w_q").name, &NamedFamily::name);
    give_output(roles, roles.other(q) / roles.names.arrays.at("w_q").parts);
    if (found == Found::shapes && !roles.names.arrays.contains("w_o")) continue;  // any three arrays are of some shape
    give_feed_forward(roles);
    give_biases(roles);
    give_norms(roles);
    give_orientation(roles);
    const auto worth = [](const NamesProposed& one) { return std::pair(one.names.arrays.size(), one.layers.size()); };
    NamesProposed proposed{std::move(roles.names), std::move(families), key.second};
    if (!best || worth(proposed) > worth(*best)) best = std::move(proposed);
  }
  return best;
}

bool is_required(const std::string& id) {
  return id == "w_q" || id == "w_k" || id == "w_v";
}

std::string matrix_order(const OwnNames& names) {
  const auto q = names.arrays.find("w_q");
  return q == names.arrays.end() ? "out_in" : q->second.held;
}

Index width_of_heads(const OwnNames& names, const std::vector<NamedFamily>& families) {
  const auto own = names.arrays.find("w_q");
  if (own == names.arrays.end()) return 0;
  const auto family = std::ranges::find(families, own->second.name, &NamedFamily::name);
  if (family == families.end() || family->shape.size() != 2) return 0;
  return (own->second.held == "in_out" ? family->shape.back() : family->shape.front()) / own->second.parts;
}

Index input_width(const OwnNames& names, const std::vector<NamedFamily>& families) {
  const auto own = names.arrays.find("w_q");
  if (own == names.arrays.end()) return 0;
  const auto family = std::ranges::find(families, own->second.name, &NamedFamily::name);
  if (family == families.end() || family->shape.size() < 2) return 0;
  return own->second.held == "out_in" ? family->shape.back() : family->shape[family->shape.size() - 2];
}

std::vector<std::pair<std::string, ParamValue>> params_for(const OwnNames& names) {
  const auto has = [&](const char* id) { return names.arrays.contains(id); };
  std::vector<std::pair<std::string, ParamValue>> params;
  if (has("ln_gamma")) params.emplace_back("block", std::string("pre_norm"));
  if (has("ln_gamma") && !has("ln_beta")) params.emplace_back("norm", std::string("rms_norm"));
  if (has("w_1") && has("w_2")) params.emplace_back("ffn", true);
  if (has("w_3")) params.emplace_back("ffn_gated", true);
  if (!has("w_o")) params.emplace_back("output_projection", false);
  return params;
}

}  // namespace headlight
