#include "engine/weights/text_heads.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "engine/core/utf8.h"
#include "engine/inputs/text.h"
#include "engine/math/positions.h"
#include "engine/variants/head_option.h"
#include "engine/weights/text_head.h"
#include "engine/weights/textbook.h"

namespace headlight {

namespace {

struct Behaviour {
  const char* name;
  const char* sentence;
  const char* across;  // the same where the keys are another text's
  bool needs_positions;
  KeyNeed need = KeyNeed::anything;
};

// Places in the list below.
constexpr std::size_t previous_token = 0, same_token = 1, induction = 2, sink = 3, local_window = 4, two_back = 5,
                      function_head = 6;

constexpr std::array<Behaviour, 8> behaviours{{
    {"Previous token", "Looks at the token just before: its query is its own position turned back by one.",
     "Looks at the place before its own, in the other text: its query is its own position turned back by one.", true},
    {"Same token", "Looks at itself and at other places where the same word stands: query and key read the word alike.",
     "Looks where its own word stands in the other text: query and key read the word alike.", false,
     KeyNeed::same_word},
    {"Induction",
     "Finds the earlier places of this word and looks at what came next: the key reads which word stood before it, a "
     "channel that an earlier layer would have written. A word that was not there before rests on the first token.",
     "Finds its own word in the other text and looks at what comes next: the key reads which word stands before it, a "
     "channel that an earlier layer would have written. A word that does not stand there rests on the first token.",
     false, KeyNeed::after_same_word},
    {"First-token sink", "Looks at the first token whatever it is asked: where heads rest that have nothing to say.",
     "Looks at the first token of the other text whatever it is asked: where heads rest that have nothing to say.",
     false},
    {"Local window", "Looks at its near neighbourhood, itself most.",
     "Looks at the places near its own, in the other text.", true},
    {"Two back", "Looks two tokens back: its query is its own position turned back by two.",
     "Looks two places before its own, in the other text: its query is its own position turned back by two.", true},
    {"Function words",
     "Looks at the small words that hold a sentence together (the, on, because), whatever it is asked.",
     "Looks at the small words of the other text (the, on, because), whatever it is asked.", false},
    {"Broad", "Looks at everything nearly alike, a little more at what is near.",
     "Looks at everything nearly alike, a little more at places near its own.", true},
}};

constexpr double sharp = 3.4;  // a neighbour one step off gets e^(−2.3) of the weight

void make_queries_and_keys(const TextHead& head, std::size_t behaviour, bool has_start) {
  switch (behaviour) {
    case previous_token:
      return attend_at_offset(head, 1, sharp);
    case same_token:
      return attend_to_equal(head, head.channels.identity, has_start);  // a first word would find its like as well
    case induction:
      return attend_to_equal(head, head.channels.previous, true);
    case sink:
      return attend_to_first(head, 0, 7);
    case local_window:
      return attend_around(head, 1.8);
    case two_back:
      return attend_at_offset(head, 2, sharp);
    case function_head:
      return attend_to_flag(head, 2, 2.2);
    default:
      return attend_at_offset(head, 0, 0.15);
  }
}

// Where queries and keys are turned by their places: places are told by the turn, and words are read by channels that
// hardly turn, as if the head had those alone.
void make_turned_queries_and_keys(const TextHead& head, std::size_t behaviour, bool has_start,
                                  const RotaryChannels& rotary) {
  constexpr double beside = 3;  // a neighbour one step off gets e⁻³ of the weight
  const WritePair write = [&](Index pair, double strength, double back) {
    const Index one = head.channels.flags + 3, a = rotary.first_of(pair), b = rotary.second_of(pair);
    const double size = head.sharpened(strength) / flag_size;
    const double angle = back * rotary.frequencies[static_cast<std::size_t>(pair)];
    head.q(one, a) = static_cast<float>(size * std::cos(angle));
    head.q(one, b) = static_cast<float>(-size * std::sin(angle));
    head.k(one, a) = static_cast<float>(size);
  };
  switch (behaviour) {
    case previous_token:
      return rotary_at_offset(rotary, 1, beside, write);
    case two_back:
      return rotary_at_offset(rotary, 2, beside, write);
    case local_window:
      return rotary_around(rotary, 1.8, write);
    case same_token:
    case induction:
    case sink:
    case function_head:
      break;
    default:
      return rotary_at_offset(rotary, 0, 0.1, write);
  }
  const std::vector<Index> still = rotary.slow_channels();
  const auto width = static_cast<Index>(still.size());
  std::vector<float> w_q(static_cast<std::size_t>(head.d_model * width)), w_k(w_q.size());
  TextHead narrow = head;
  narrow.d_head = width;
  narrow.w_q = w_q.data();
  narrow.w_k = w_k.data();
  make_queries_and_keys(narrow, behaviour, has_start);
  // Scores are divided by the root of the whole width.
  const auto wider = static_cast<float>(std::pow(static_cast<double>(head.d_head) / static_cast<double>(width), 0.25));
  for (Index from = 0; from < head.d_model; ++from)
    for (Index c = 0; c < width; ++c) {
      head.q(from, still[static_cast<std::size_t>(c)]) = wider * narrow.q(from, c);
      head.k(from, still[static_cast<std::size_t>(c)]) = wider * narrow.k(from, c);
    }
}

// What the heads of a run are given.
struct Given {
  bool across = false;      // keys are another text's
  bool has_start = false;   // a start token, which is no word, stands before the keys
  bool sinusoidal = false;  // positions are added, and they are the sinusoids
  bool causal = false;
  bool function_words = true;  // some stand among the keys
  double sharpness = 1;        // scale and temperature beside those that the heads were made for
  Index d_head = 0;
  Index word_channels = 0;   // of d_head, those that words are read by
  bool rotary = false;       // queries and keys are turned by their places
  bool told_before = false;  // each token holds which one stood before it
  Meanings meanings = {};
  std::string alike;  // two words that are taken for each other, in quotation marks; empty: none
};

// What a head cannot do with what it is given; empty where it lacks nothing.
std::string limits_of(std::size_t behaviour, const Given& given) {
  const bool by_position = behaviours[behaviour].needs_positions;
  if (by_position && !given.sinusoidal && !given.rotary)
    return " It needs positions: without them it looks at everything alike.";
  if (by_position && given.d_head < 2)
    return " One channel cannot tell positions apart: this head looks at everything alike.";
  if (by_position && given.d_head < 4) return " A head this narrow can tell positions apart only roughly.";
  if (behaviour == induction && !given.told_before)
    return given.has_start ? " It needs positions: without them nothing notes which word stood before, and all rest on "
                             "the start token."
                           : " It needs positions: without them nothing notes which word stood before, and it looks at "
                             "everything alike.";
  if (behaviour == sink && !given.told_before && !given.has_start)
    return " It needs positions, or a start token: without them it looks at everything alike.";
  if (behaviour == function_head && !given.function_words) return " None stands here: it has nothing to find.";
  const bool by_word = behaviour == same_token || behaviour == induction;
  if (by_word && given.word_channels < 7) return " A head this narrow takes some words for others.";
  if (by_word && !given.alike.empty())
    return fmt::format(" The numbers of {} happen to be much alike: in part, one is taken for the other.", given.alike);
  return {};
}

HeadInfo describe(std::size_t m, const Given& given) {
  const std::size_t behaviour = m % behaviours.size();
  const Behaviour& b = behaviours[behaviour];
  const bool finds = behaviour != induction || given.told_before;
  HeadInfo info{b.name, given.across ? b.across : b.sentence, finds ? b.need : KeyNeed::anything};
  if (behaviour == induction && !given.causal && !given.across)
    info.sentence =
        "Looks at what comes after this word, here and wherever else it stands: the key reads which word stands before "
        "it, a channel that an earlier layer would have written.";
  if (behaviour == same_token && given.across)
    info.sentence += given.has_start ? " A word that does not stand there rests on the start token."
                                     : " A word that does not stand there takes what is nearest to it by chance.";
  if (b.need != KeyNeed::anything && !given.meanings.empty()) {
    info.sentence += " Words that mean the same are one word to it.";
    info.meanings = given.meanings;
  }
  if (m >= behaviours.size()) info.name += fmt::format(" {}", m / behaviours.size() + 1);
  if (m >= behaviours.size()) info.sentence += " Softer than the head it repeats.";
  info.sentence += limits_of(behaviour, given);
  if (given.sharpness < 0.5) info.sentence += " At this scale it is softer than it was made to be.";
  if (given.sharpness > 2) info.sentence += " At this scale it is sharper than it was made to be.";
  return info;
}

// Whether the positions that are added are those that the heads read.
bool are_sinusoids(const Tensor* positions) {
  if (!positions || positions->rank() < 2) return false;
  Tensor expected(positions->shape());
  const Index n = expected.dim(-2), d = expected.dim(-1);
  for (Index item = 0; item < expected.size() / (n * d); ++item)
    sinusoidal_positions(n, d, expected.data() + item * n * d);
  return std::ranges::equal(positions->values(), expected.values());
}

// Two different words, one of a query and one of a key, that a head which reads that many channels of them takes for
// each other; in quotation marks, empty where there are none.
std::string confused_words(const Problem& problem, const TextChannels& channels, Index read) {
  constexpr std::size_t most = 300;  // of so many words some are alike, and nobody reads which
  const auto words_of = [&](const char* input, const char* symbol) {
    std::map<std::string, const float*> words;
    const Tensor* x = problem.find(input);
    const auto labels = problem.labels.find(symbol);
    if (!x || labels == problem.labels.end() || x->rank() < 2) return words;
    const Index count = std::min<Index>(x->dim(-2), std::ssize(labels->second));
    for (Index i = 0; i < count && words.size() < most; ++i)
      words.emplace(word_folded(labels->second[static_cast<std::size_t>(i)]),
                    x->data() + i * x->dim(-1) + channels.identity);
    return words;
  };
  const auto of_queries = words_of("x_q", "n_q");
  auto of_keys = words_of("x_k", "n_k");
  if (of_keys.empty()) of_keys = of_queries;
  const auto dot = [read](const float* a, const float* b) { return std::inner_product(a, a + read, b, 0.0); };
  for (const auto& [query, x] : of_queries)
    for (const auto& [key, y] : of_keys)
      if (!same_word(query, key, problem.meanings) && dot(x, y) > max_cosine * std::sqrt(dot(x, x) * dot(y, y)))
        return fmt::format("“{}” and “{}”", query, key);
  return {};
}

// Every head passes the token's identity on; the output has a quarter of its channels for every fourth head.
void make_values_and_output(const Problem& problem, const TextChannels& channels, Tensor* w_v, Tensor* w_o) {
  const Index heads = problem.dim("M"), group = heads / problem.dim("G"), d_value = problem.dim("d_v'"),
              d_v = problem.dim("d_v"), d_out = problem.dim("d_out");
  const Index width = std::min({channels.width, d_value, std::max<Index>(1, d_out / 4)});
  for (Index m = 0; m < heads; ++m)
    for (Index c = 0; c < width; ++c) {
      if (w_v && channels.identity + c < d_v) (*w_v)[(m / group * d_v + channels.identity + c) * d_value + c] = 1;
      const Index to = m % 4 * (d_out / 4) + c;
      if (w_o && to < d_out) (*w_o)[(m * d_value + c) * d_out + to] = 0.5F;  // two heads of eight share a quarter
    }
}

}  // namespace

std::shared_ptr<Tensor> array_to_make(const Problem& problem, const char* id, Shape shape) {
  const auto wanted = std::ranges::find(problem.specs.weights, id, &ArraySpec::id);
  if (problem.arrays.contains(id) || wanted == problem.specs.weights.end() || wanted->fill != Fill::init)
    return nullptr;
  return std::make_shared<Tensor>(std::move(shape));
}

void store_arrays(Problem& problem, std::initializer_list<std::pair<const char*, std::shared_ptr<Tensor>>> made) {
  for (const auto& [id, tensor] : made)
    if (tensor) problem.arrays[id] = tensor;
}

bool fill_text_heads(Problem& problem) {
  const Index d_q = problem.dim("d_q"), d_k = problem.dim("d_k"), heads = problem.dim("M"), d_head = problem.dim("d'"),
              key_heads = problem.dim("G"), group = heads / key_heads;
  const TextChannels channels = text_channels(d_q);
  if (problem.input_kind != InputKind::text || channels.flags < 0 || d_k != d_q) return false;
  if (problem.params.flag("differential")) return false;  // they have one map each
  const auto w_q = array_to_make(problem, "w_q", {heads, d_q, d_head});
  const auto w_k = array_to_make(problem, "w_k", {key_heads, d_k, d_head});
  const auto w_v = array_to_make(problem, "w_v", {key_heads, problem.dim("d_v"), problem.dim("d_v'")});
  const auto w_o = array_to_make(problem, "w_o", {problem.dim("Md_v'"), problem.dim("d_out")});
  Tensor unused_q({d_q, d_head}), unused_k({d_k, d_head});
  const Tensor *p_q = problem.find("p_q"), *p_k = problem.find("p_k");
  const bool sinusoidal = are_sinusoids(p_q) && are_sinusoids(p_k);
  const bool across = problem.find("x_k") && problem.find("x_k") != problem.find("x_q");
  const ParamValues& params = problem.params;
  const double scaled =
      params.is_automatic("scale") ? 1 : params.real("scale") * std::sqrt(static_cast<double>(d_head));
  const auto labels = problem.labels.find("n_k");
  const bool has_start =
      labels != problem.labels.end() && !labels->second.empty() && labels->second.front() == start_token_text;
  const bool function_words =
      labels == problem.labels.end() ||
      std::ranges::any_of(labels->second, [](const std::string& word) { return is_function_word(case_folded(word)); });
  // Sinusoids that are turned besides are nothing that a head was made for.
  const RotaryChannels rotary = rotary_channels(problem);
  const bool turns = rotary.pairs() > 0 && !sinusoidal;
  const Index word_channels = turns ? static_cast<Index>(rotary.slow_channels().size()) : d_head;
  const bool told_before = tells_order(params);
  const Index first_of_all = has_start ? channels.flags + 1 : -1;
  const Given given{across,
                    has_start,
                    sinusoidal,
                    params.choice("mask") == "causal",
                    function_words,
                    scaled / params.real("temperature"),
                    d_head,
                    word_channels,
                    turns,
                    told_before,
                    problem.meanings,
                    confused_words(problem, channels, std::min(channels.width, word_channels - 1))};
  // They claim nothing where what they read is another's (keys that are no text, other positions, a layer norm before)
  // or is turned round.
  const bool claims = (!across || problem.labels.contains("n_k")) && (sinusoidal || (!p_q && !p_k)) &&
                      !options::norms_before(params) && given.sharpness > 0 && (rotary.pairs() == 0 || turns);
  for (Index m = 0; m < heads; ++m) {
    const auto which = static_cast<std::size_t>(m / group);  // heads that share their keys do one thing
    const TextHead head{d_q,
                        d_head,
                        channels,
                        sinusoidal,
                        w_q ? w_q->data() + m * d_q * d_head : unused_q.data(),
                        w_k && m % group == 0 ? w_k->data() + m / group * d_k * d_head : unused_k.data(),
                        1.0 + 0.5 * static_cast<double>(which / behaviours.size()),
                        told_before ? channels.first : first_of_all,
                        told_before ? identity_size : flag_size};
    if (turns)
      make_turned_queries_and_keys(head, which % behaviours.size(), given.has_start, rotary);
    else
      make_queries_and_keys(head, which % behaviours.size(), given.has_start);
    problem.heads.push_back(claims ? describe(which, given) : HeadInfo{});  // made by hand all the same
  }
  make_values_and_output(problem, channels, w_v.get(), w_o.get());
  store_arrays(problem, {{"w_q", w_q}, {"w_k", w_k}, {"w_v", w_v}, {"w_o", w_o}});
  return true;
}

}  // namespace headlight
