#include "app/formula/formula_commands.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/core/utf8.h"

namespace headlight {

namespace {

using Meaning = FormulaCommand::Meaning;
using enum MathClass;

// Commands of one kind. Of each its name; behind a colon its character and, where it is another in plain text, that.
struct Group {
  FormulaCommand like;
  std::string_view list;
};

constexpr FormulaCommand sign(MathClass math_class) {
  return {.math_class = math_class, .alphabet = MathAlphabet::upright};
}
constexpr FormulaCommand big(bool limits) {
  return {.math_class = op, .large = true, .limits = limits, .alphabet = MathAlphabet::upright};
}
constexpr FormulaCommand word(bool limits) {
  return {.meaning = Meaning::word, .math_class = op, .limits = limits};
}
constexpr FormulaCommand accent(bool wide) {
  return {.meaning = Meaning::accent, .large = wide};
}
constexpr FormulaCommand letters(MathAlphabet alphabet) {
  return {.meaning = Meaning::alphabet, .alphabet = alphabet};
}
constexpr FormulaCommand sized(MathClass math_class) {
  return {.meaning = Meaning::sized, .math_class = math_class};
}

constexpr Group groups[] = {
    // Greek; what TeX calls \phi is the letter with a straight stem.
    {{},
     "alpha:α beta:β gamma:γ delta:δ epsilon:ϵε varepsilon:ε zeta:ζ eta:η theta:θ vartheta:ϑ iota:ι kappa:κ lambda:λ "
     "mu:μ nu:ν xi:ξ pi:π rho:ρ sigma:σ tau:τ upsilon:υ phi:ϕφ varphi:φ chi:χ psi:ψ omega:ω partial:∂"},
    {sign(ord),
     "Gamma:Γ Delta:Δ Theta:Θ Lambda:Λ Xi:Ξ Pi:Π Sigma:Σ Phi:Φ Psi:Ψ Omega:Ω "
     // Signs that are letters to TeX.
     "infty:∞ prime:′ top:⊤ bot:⊥ ell:ℓ nabla:∇ forall:∀ exists:∃ emptyset:∅ angle:∠ neg:¬ vdots:⋮ vert:| Vert:‖ |:‖ "
     "_:_ %:% #:# &:&"},
    {sign(inner), "dots:… ldots:… cdots:⋯ ddots:⋱"},
    // Between two things.
    {sign(bin),
     "cdot:⋅· times:× div:÷ odot:⊙ oplus:⊕ ominus:⊖ otimes:⊗ circ:∘ ast:∗ pm:± mp:∓ cup:∪ cap:∩ setminus:∖ wedge:∧ "
     "vee:∨"},
    {sign(rel),
     "le:≤ leq:≤ ge:≥ geq:≥ ll:≪ gg:≫ ne:≠ neq:≠ equiv:≡ sim:∼ simeq:≃ approx:≈ propto:∝ in:∈ notin:∉ subset:⊂ "
     "subseteq:⊆ supset:⊃ mid:∣| parallel:∥‖ perp:⟂⊥ to:→ rightarrow:→ leftarrow:← gets:← leftrightarrow:↔ "
     "Rightarrow:⇒ Leftrightarrow:⇔ mapsto:↦ coloneqq:≔"},
    {sign(punct), "colon::"},
    {sign(open), "{:{ lbrace:{ lbrack:[ langle:⟨ lfloor:⌊ lceil:⌈ lvert:| lVert:‖"},
    {sign(close), "}:} rbrace:} rbrack:] rangle:⟩ rfloor:⌋ rceil:⌉ rvert:| rVert:‖"},
    {big(true), "sum:∑Σ prod:∏Π bigcup:⋃⋃ bigcap:⋂⋂ bigoplus:⨁⨁"},
    {big(false), "int:∫∫"},
    {word(true), "max min sup inf lim det"},
    {word(false), "exp log ln sin cos tan tanh sinh cosh arg dim"},
    // Over letters.
    {accent(false), "tilde:\u0303 hat:\u0302 bar:\u0304 dot:\u0307 ddot:\u0308 vec:\u20D7 check:\u030C"},
    {accent(true), "widetilde:\u0303 widehat:\u0302"},
    {letters(MathAlphabet::upright), "mathrm"},
    {letters(MathAlphabet::bold), "mathbf"},
    {letters(MathAlphabet::blackboard), "mathbb"},
    {letters(MathAlphabet::calligraphic), "mathcal"},
    // By growing size.
    {sized(ord), "big Big bigg Bigg"},
    {sized(open), "bigl Bigl biggl Biggl"},
    {sized(close), "bigr Bigr biggr Biggr"},
    {sized(rel), "bigm Bigm biggm Biggm"},
    {{.meaning = Meaning::special}, "frac tfrac dfrac sqrt overline text operatorname left right begin end hl \\"},
};

// Room, in em. What is given in mu, 1/18 em, shrinks with scripts.
constexpr double mu = 1.0 / 18;
constexpr std::pair<std::string_view, double> named_spaces[] = {
    {",", 3 * mu}, {":", 4 * mu}, {";", 5 * mu}, {"!", -3 * mu}, {" ", 1.0 / 3}, {"quad", 1}, {"qquad", 2}};

std::vector<FormulaCommand> read_groups() {
  std::vector<FormulaCommand> commands;
  for (const auto& [like, list] : groups) {
    int size = 0;
    for (std::string_view rest = list; !rest.empty();) {
      const std::string_view entry = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
      FormulaCommand& command = commands.emplace_back(like);
      command.name = entry.substr(0, entry.find(':'));
      if (like.meaning == Meaning::word) command.plain = command.name;
      if (like.meaning == Meaning::sized) command.size = ++size;
      if (command.name.size() == entry.size()) continue;
      const std::string_view characters = entry.substr(command.name.size() + 1);
      const Utf8Step first = utf8_step(characters);
      command.character = first.character;
      command.plain = characters.substr(first.size);
    }
  }
  for (const auto& [name, width] : named_spaces)
    commands.push_back({.name = name, .meaning = Meaning::space, .width = width});
  return commands;
}

}  // namespace

std::span<const FormulaCommand> formula_commands() {
  static const std::vector<FormulaCommand> commands = read_groups();
  return commands;
}

const FormulaCommand* formula_command(std::string_view name) {
  const std::span<const FormulaCommand> commands = formula_commands();
  const auto found = std::ranges::find(commands, name, &FormulaCommand::name);
  return found == commands.end() ? nullptr : &*found;
}

char32_t delimiter_named(std::string_view name) {
  if (name.size() == 1) {
    const bool one = std::string_view("()[]|/").find(name) != std::string_view::npos;
    return one ? static_cast<char32_t>(name.front()) : 0;
  }
  const FormulaCommand* command = name.starts_with('\\') ? formula_command(name.substr(1)) : nullptr;
  if (!command || command->meaning != Meaning::symbol) return 0;
  const bool bracket = command->math_class == open || command->math_class == close;
  const bool bar = command->character == U'|' || command->character == U'‖';
  return bracket || bar ? command->character : 0;
}

}  // namespace headlight
