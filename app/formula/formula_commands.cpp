#include "app/formula/formula_commands.h"

#include <algorithm>
#include <array>
#include <utility>

namespace headlight {

namespace {

using Does = FormulaCommand::Does;
using enum MathClass;

constexpr FormulaCommand letter(std::string_view name, char32_t character, std::string_view plain = {}) {
  return {.name = name, .character = character, .plain = plain};
}
constexpr FormulaCommand sign(std::string_view name, char32_t character, MathClass math_class,
                              std::string_view plain = {}) {
  return {.name = name,
          .character = character,
          .math_class = math_class,
          .plain = plain,
          .alphabet = MathAlphabet::upright};
}
constexpr FormulaCommand big(std::string_view name, char32_t character, std::string_view plain, bool limits = true) {
  FormulaCommand made = sign(name, character, op, plain);
  made.large = true;
  made.limits = limits;
  return made;
}
constexpr FormulaCommand word(std::string_view name, bool limits = false) {
  return {.name = name, .does = Does::word, .math_class = op, .plain = name, .limits = limits};
}
constexpr FormulaCommand space(std::string_view name, double width) {
  return {.name = name, .does = Does::space, .width = width};
}
constexpr FormulaCommand accent(std::string_view name, char32_t character, bool wide = false) {
  return {.name = name, .does = Does::accent, .character = character, .large = wide};
}
constexpr FormulaCommand letters(std::string_view name, MathAlphabet alphabet) {
  return {.name = name, .does = Does::alphabet, .alphabet = alphabet};
}
constexpr FormulaCommand sized(std::string_view name, MathClass math_class, int size) {
  return {.name = name, .does = Does::sized, .math_class = math_class, .size = size};
}
constexpr FormulaCommand own(std::string_view name) {
  return {.name = name, .does = Does::own_way};
}

constexpr double mu = 1.0 / 18;

constexpr std::array commands = std::to_array<FormulaCommand>({
    // Greek; what TeX calls \phi is the letter with a straight stem.
    letter("alpha", U'α'),
    letter("beta", U'β'),
    letter("gamma", U'γ'),
    letter("delta", U'δ'),
    letter("epsilon", U'ϵ', "ε"),
    letter("varepsilon", U'ε'),
    letter("zeta", U'ζ'),
    letter("eta", U'η'),
    letter("theta", U'θ'),
    letter("vartheta", U'ϑ'),
    letter("iota", U'ι'),
    letter("kappa", U'κ'),
    letter("lambda", U'λ'),
    letter("mu", U'μ'),
    letter("nu", U'ν'),
    letter("xi", U'ξ'),
    letter("pi", U'π'),
    letter("rho", U'ρ'),
    letter("sigma", U'σ'),
    letter("tau", U'τ'),
    letter("upsilon", U'υ'),
    letter("phi", U'ϕ', "φ"),
    letter("varphi", U'φ'),
    letter("chi", U'χ'),
    letter("psi", U'ψ'),
    letter("omega", U'ω'),
    letter("partial", U'∂'),
    sign("Gamma", U'Γ', ord),
    sign("Delta", U'Δ', ord),
    sign("Theta", U'Θ', ord),
    sign("Lambda", U'Λ', ord),
    sign("Xi", U'Ξ', ord),
    sign("Pi", U'Π', ord),
    sign("Sigma", U'Σ', ord),
    sign("Phi", U'Φ', ord),
    sign("Psi", U'Ψ', ord),
    sign("Omega", U'Ω', ord),
    // Signs that are letters to TeX.
    sign("infty", U'∞', ord),
    sign("prime", U'′', ord),
    sign("top", U'⊤', ord),
    sign("bot", U'⊥', ord),
    sign("ell", U'ℓ', ord),
    sign("nabla", U'∇', ord),
    sign("forall", U'∀', ord),
    sign("exists", U'∃', ord),
    sign("emptyset", U'∅', ord),
    sign("angle", U'∠', ord),
    sign("neg", U'¬', ord),
    sign("dots", U'…', inner),
    sign("ldots", U'…', inner),
    sign("cdots", U'⋯', inner),
    sign("vdots", U'⋮', ord),
    sign("ddots", U'⋱', inner),
    sign("_", U'_', ord),
    sign("%", U'%', ord),
    sign("#", U'#', ord),
    sign("&", U'&', ord),
    // Between two things.
    sign("cdot", U'⋅', bin, "·"),
    sign("times", U'×', bin),
    sign("div", U'÷', bin),
    sign("odot", U'⊙', bin),
    sign("oplus", U'⊕', bin),
    sign("ominus", U'⊖', bin),
    sign("otimes", U'⊗', bin),
    sign("circ", U'∘', bin),
    sign("ast", U'∗', bin),
    sign("pm", U'±', bin),
    sign("mp", U'∓', bin),
    sign("cup", U'∪', bin),
    sign("cap", U'∩', bin),
    sign("setminus", U'∖', bin),
    sign("wedge", U'∧', bin),
    sign("vee", U'∨', bin),
    sign("le", U'≤', rel),
    sign("leq", U'≤', rel),
    sign("ge", U'≥', rel),
    sign("geq", U'≥', rel),
    sign("ll", U'≪', rel),
    sign("gg", U'≫', rel),
    sign("ne", U'≠', rel),
    sign("neq", U'≠', rel),
    sign("equiv", U'≡', rel),
    sign("sim", U'∼', rel),
    sign("simeq", U'≃', rel),
    sign("approx", U'≈', rel),
    sign("propto", U'∝', rel),
    sign("in", U'∈', rel),
    sign("notin", U'∉', rel),
    sign("subset", U'⊂', rel),
    sign("subseteq", U'⊆', rel),
    sign("supset", U'⊃', rel),
    sign("mid", U'∣', rel, "|"),
    sign("parallel", U'∥', rel, "‖"),
    sign("perp", U'⟂', rel, "⊥"),
    sign("to", U'→', rel),
    sign("rightarrow", U'→', rel),
    sign("leftarrow", U'←', rel),
    sign("gets", U'←', rel),
    sign("leftrightarrow", U'↔', rel),
    sign("Rightarrow", U'⇒', rel),
    sign("Leftrightarrow", U'⇔', rel),
    sign("mapsto", U'↦', rel),
    sign("coloneqq", U'≔', rel),
    sign("colon", U':', punct),
    // Brackets.
    sign("{", U'{', open),
    sign("}", U'}', close),
    sign("lbrace", U'{', open),
    sign("rbrace", U'}', close),
    sign("lbrack", U'[', open),
    sign("rbrack", U']', close),
    sign("langle", U'⟨', open),
    sign("rangle", U'⟩', close),
    sign("lfloor", U'⌊', open),
    sign("rfloor", U'⌋', close),
    sign("lceil", U'⌈', open),
    sign("rceil", U'⌉', close),
    sign("lvert", U'|', open),
    sign("rvert", U'|', close),
    sign("lVert", U'‖', open),
    sign("rVert", U'‖', close),
    sign("vert", U'|', ord),
    sign("Vert", U'‖', ord),
    sign("|", U'‖', ord),
    // Operators.
    big("sum", U'∑', "Σ"),
    big("prod", U'∏', "Π"),
    big("int", U'∫', "∫", false),
    big("bigcup", U'⋃', "⋃"),
    big("bigcap", U'⋂', "⋂"),
    big("bigoplus", U'⨁', "⨁"),
    word("max", true),
    word("min", true),
    word("sup", true),
    word("inf", true),
    word("lim", true),
    word("det", true),
    word("exp"),
    word("log"),
    word("ln"),
    word("sin"),
    word("cos"),
    word("tan"),
    word("tanh"),
    word("sinh"),
    word("cosh"),
    word("arg"),
    word("dim"),
    // Room. What is given in mu shrinks with scripts.
    space(",", 3 * mu),
    space(":", 4 * mu),
    space(";", 5 * mu),
    space("!", -3 * mu),
    space(" ", 1.0 / 3),
    space("quad", 1),
    space("qquad", 2),
    // Over letters.
    accent("tilde", U'\u0303'),
    accent("hat", U'\u0302'),
    accent("bar", U'\u0304'),
    accent("dot", U'\u0307'),
    accent("ddot", U'\u0308'),
    accent("vec", U'\u20D7'),
    accent("check", U'\u030C'),
    accent("widetilde", U'\u0303', true),
    accent("widehat", U'\u0302', true),
    letters("mathrm", MathAlphabet::upright),
    letters("mathbf", MathAlphabet::bold),
    letters("mathbb", MathAlphabet::blackboard),
    letters("mathcal", MathAlphabet::calligraphic),
    sized("big", ord, 1),
    sized("Big", ord, 2),
    sized("bigg", ord, 3),
    sized("Bigg", ord, 4),
    sized("bigl", open, 1),
    sized("Bigl", open, 2),
    sized("biggl", open, 3),
    sized("Biggl", open, 4),
    sized("bigr", close, 1),
    sized("Bigr", close, 2),
    sized("biggr", close, 3),
    sized("Biggr", close, 4),
    sized("bigm", rel, 1),
    sized("Bigm", rel, 2),
    sized("biggm", rel, 3),
    sized("Biggm", rel, 4),
    own("frac"),
    own("tfrac"),
    own("dfrac"),
    own("sqrt"),
    own("overline"),
    own("text"),
    own("operatorname"),
    own("left"),
    own("right"),
    own("begin"),
    own("end"),
    own("hl"),
    own("\\"),
});

}  // namespace

std::span<const FormulaCommand> formula_commands() {
  return commands;
}

const FormulaCommand* formula_command(std::string_view name) {
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const auto& c) { return c.name == name; });
  return found == commands.end() ? nullptr : &*found;
}

char32_t delimiter_named(std::string_view name) {
  if (name.size() == 1) {
    const bool one = std::string_view("()[]|/").find(name) != std::string_view::npos;
    return one ? static_cast<char32_t>(name.front()) : 0;
  }
  const FormulaCommand* command = name.starts_with('\\') ? formula_command(name.substr(1)) : nullptr;
  if (!command || command->does != Does::symbol) return 0;
  const bool bracket = command->math_class == open || command->math_class == close;
  const bool bar = command->character == U'|' || command->character == U'‖';
  return bracket || bar ? command->character : 0;
}

}  // namespace headlight
