#include "engine/variants/code_lines.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace headlight::code {

namespace {

std::string plus(const std::string& bias, const char* at = "") {
  return bias.empty() ? std::string() : fmt::format(" + {}{}", bias, at);
}

std::string followed_by(const std::string& scale) {
  return scale.empty() ? std::string() : " " + scale;
}

// "windows(k, (4, 6), 3)".
std::string windows(const std::string& array, const math::Window& window) {
  return fmt::format("windows({}, ({}, {}), {})", array, window.rows, window.columns, window.extent);
}

// A line that tells the keys in the picture from those outside, (1, 1, HW, k²).
std::string inside(const char* library, const math::Window& window) {
  const std::string ones = fmt::format("{}.ones((1, 1, {}, 1))", library, window.pixels());
  return fmt::format("inside = {}[..., 0] == 1  # in the picture\n", windows(ones, window));
}

}  // namespace

Code both(const std::string& lines) {
  return {lines, lines};
}

Code project(const std::string& to, const std::string& x, const std::string& w, const std::string& b) {
  const auto in = [&](const char* library) {
    return fmt::format(R"({} = {}.einsum("bnd,mde->bmne", {}, {}){})", to, library, x, w, plus(b, "[:, None]"));
  };
  return {in("np"), in("torch")};
}

Code positions_of(const std::string& x, std::optional<Index> only) {
  const std::string at = only ? fmt::format("[..., [{}]]", *only) : std::string();
  return {fmt::format("{0}.reshape(*{0}.shape[:2], -1){1}", x, at), fmt::format("{}.flatten(2){}", x, at)};
}

Code project_pixels(const std::string& to, const std::string& x, const std::string& w, const std::string& b,
                    std::optional<Index> only) {
  const auto in = [&](const char* library, const std::string& pixels) {
    return fmt::format(R"({} = {}.einsum("bcn,mce->bmne", {}, {}){})", to, library, pixels, w, plus(b, "[:, None]"));
  };
  const Code pixels = positions_of(x, only);
  return {in("np", pixels.numpy), in("torch", pixels.torch)};
}

Code linear(const std::string& to, const std::string& x, const std::string& w, const std::string& b, Combine combine) {
  const std::string sum = fmt::format("{} @ {}{}", x, w, plus(b));
  if (combine == Combine::relu)
    return {fmt::format("{} = np.maximum({}, 0)", to, sum), fmt::format("{} = torch.relu({})", to, sum)};
  return both(fmt::format("{} = {}", to, sum));
}

Code dot_products(const std::string& to, const std::string& q, const std::string& k, const std::string& scale) {
  return {fmt::format("{} = {} @ {}.swapaxes(-2, -1){}", to, q, k, followed_by(scale)),
          fmt::format("{} = {} @ {}.transpose(-2, -1){}", to, q, k, followed_by(scale))};
}

Code window_scores(const std::string& to, const std::string& q, const std::string& k, const math::Window& window,
                   const std::string& scale, bool finite) {
  const auto in = [&](const char* library) {
    const std::string products =
        fmt::format(R"({}.einsum("bmie,bmije->bmij", {}, {}))", library, q, windows(k, window));
    if (finite) return fmt::format("{} = {}{}", to, products, followed_by(scale));
    return fmt::format("{}{} = {}.where(inside, {}, 0.0){}", inside(library, window), to, library, products,
                       followed_by(scale));
  };
  return {in("np"), in("torch")};
}

Code hidden_outside(const std::string& to, const std::string& scores, const math::Window& window) {
  return {fmt::format("{}{} = np.where(inside, {}, -np.inf)", inside("np", window), to, scores),
          fmt::format(R"({}{} = {}.masked_fill(~inside, float("-inf")))", inside("torch", window), to, scores)};
}

Code window_sum(const std::string& to, const std::string& a, const std::string& v, const math::Window& window) {
  const auto in = [&](const char* library) {
    return fmt::format(R"({} = {}.einsum("bmij,bmije->bmie", {}, {}))", to, library, a, windows(v, window));
  };
  return {in("np"), in("torch")};
}

Code mask(const std::string& to, const MaskRules& rules) {
  std::vector<std::pair<std::string, std::string>> hidden;  // in NumPy and in PyTorch, of rank 4 each
  if (rules.causal)
    hidden.emplace_back(fmt::format("np.triu(np.ones(({}, {}), dtype=bool), {})[None, None]", rules.queries, rules.keys,
                                    rules.first_query + 1),
                        fmt::format("torch.ones({}, {}, dtype=torch.bool).triu({})[None, None]", rules.queries,
                                    rules.keys, rules.first_query + 1));
  if (rules.valid_lens) {
    const char* place = rules.valid_lens->rank() == 1 ? ":, None, None, None" : ":, None, :, None";
    hidden.emplace_back(fmt::format("np.arange({}) >= valid_lens[{}]", rules.keys, place),
                        fmt::format("torch.arange({}) >= valid_lens[{}]", rules.keys, place));
  }
  if (rules.key_padding_mask)
    hidden.emplace_back("key_padding_mask[:, None, None, :] == 1", "key_padding_mask[:, None, None, :] == 1");
  std::string added = "0.0";
  if (rules.attn_mask) added = rules.attn_mask->rank() == 2 ? "attn_mask[None, None]" : "attn_mask";
  if (hidden.empty()) return both(fmt::format("{} = {}", to, added));
  Code lines;
  for (const auto& [numpy, torch] : hidden) {
    const char* start = lines.numpy.empty() ? "hidden = {}\n" : "hidden = hidden | ({})\n";
    lines.numpy += fmt::format(fmt::runtime(start), numpy);
    lines.torch += fmt::format(fmt::runtime(start), torch);
  }
  lines.numpy += fmt::format("{} = np.where(hidden, -np.inf, {})", to, added);
  lines.torch += fmt::format(R"({} = torch.where(hidden, float("-inf"), {}))", to, added);
  return lines;
}

Code masked(const std::string& to, const std::string& scores, bool finite) {
  if (finite) return both(fmt::format("{} = {} + mask", to, scores));
  return {fmt::format("{} = np.where(mask == -np.inf, -np.inf, {} + mask)", to, scores),
          fmt::format(R"({} = ({} + mask).masked_fill(mask == float("-inf"), float("-inf")))", to, scores)};
}

Code softmax(const std::string& to, const std::string& scores) {
  return {fmt::format("{} = softmax({})", to, scores), fmt::format("{} = torch.softmax({}, dim=-1)", to, scores)};
}

Code masked_softmax(const std::string& to, const std::string& scores) {
  return both(fmt::format("{} = masked_softmax({})", to, scores));
}

Code concatenation(const std::string& to, const std::string& heads) {
  return {fmt::format("{} = np.concatenate(np.moveaxis({}, 1, 0), axis=-1)", to, heads),
          fmt::format("{} = torch.cat({}.unbind(1), dim=-1)", to, heads)};
}

Code layer_norm(const std::string& to, const std::string& x, const std::string& which) {
  return {fmt::format("{} = layer_norm({}, {}_gamma, {}_beta)", to, x, which, which),
          fmt::format("{0} = F.layer_norm({1}, {1}.shape[-1:], {2}_gamma, {2}_beta)", to, x, which)};
}

}  // namespace headlight::code
