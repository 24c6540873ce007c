#include "app/widgets/formula_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace headlight::app {

namespace {

constexpr double em = 1000;                  // the file counts thousandths
constexpr double longest = 1000;             // em; anything longer is a damaged file
constexpr std::size_t most_regions = 65535;  // a picture keeps region numbers in 16 bits

constexpr FormulaBox empty_box{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

void include_point(FormulaBox& box, FormulaPoint p) {
  box = {std::min(box.left, p.x), std::min(box.top, p.y), std::max(box.right, p.x), std::max(box.bottom, p.y)};
}

void include_box(FormulaBox& box, const FormulaBox& other) {
  box = {std::min(box.left, other.left), std::min(box.top, other.top), std::max(box.right, other.right),
         std::max(box.bottom, other.bottom)};
}

// From a point to the nearest of a box; 0 inside it.
double distance(const FormulaBox& box, FormulaPoint p) {
  return std::hypot(std::max({box.left - p.x, 0.0, p.x - box.right}), std::max({box.top - p.y, 0.0, p.y - box.bottom}));
}

// Where a quadratic from a over b to c turns, as a share of the way; 0 where it does not.
double turn(double a, double b, double c) {
  const double bend = a - 2 * b + c;
  if (bend == 0) return 0;
  const double t = (a - b) / bend;
  return t > 0 && t < 1 ? t : 0;
}

FormulaBox ink_of(const FormulaShape& shape) {
  FormulaBox box = empty_box;
  FormulaPoint from;
  for (const PathPart& part : *shape.outline) {
    if (part.verb == PathVerb::close) continue;
    include_point(box, part.to);
    if (part.verb == PathVerb::quadratic) {
      for (const double t : {turn(from.x, part.control.x, part.to.x), turn(from.y, part.control.y, part.to.y)}) {
        const double a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
        include_point(
            box, {a * from.x + b * part.control.x + c * part.to.x, a * from.y + b * part.control.y + c * part.to.y});
      }
    }
    from = part.to;
  }
  return {shape.at.x + shape.scale * box.left, shape.at.y + shape.scale * box.top, shape.at.x + shape.scale * box.right,
          shape.at.y + shape.scale * box.bottom};
}

// Takes words and numbers off the front of a line.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  std::string_view rest() const { return text_; }

  std::string_view word() {
    const std::size_t end = std::min(text_.find(' '), text_.size());
    const std::string_view found = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return found;
  }

  std::optional<double> number() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == ',')) text_.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value) || std::abs(value) > longest * em) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    if (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
    return value;
  }

  // Exactly these numbers and then the end of the line.
  template <class... Numbers>
  bool numbers(Numbers&... into) {
    const auto take = [&](double& value) {
      const auto found = number();
      if (found) value = *found;
      return found.has_value();
    };
    return (take(into) && ...) && at_end();
  }

  char letter() {
    const char found = text_.front();
    text_.remove_prefix(1);
    return found;
  }
  bool next_is_letter() const {
    return !text_.empty() &&
           ((text_.front() >= 'A' && text_.front() <= 'Z') || (text_.front() >= 'a' && text_.front() <= 'z'));
  }

 private:
  std::string_view text_;
};

// The part of SVG's path language that MathJax writes: absolute M L H V Q T Z, in thousandths, y up.
class PathReader {
 public:
  explicit PathReader(std::string_view path) : cursor_(path) {}

  std::optional<Outline> read() {
    while (!cursor_.at_end()) {
      if (cursor_.next_is_letter())
        verb_ = cursor_.letter();
      else if (verb_ == 'Z')
        return std::nullopt;
      if (!step()) return std::nullopt;
    }
    if (outline_.empty() || outline_.front().verb != PathVerb::move) return std::nullopt;
    return outline_;
  }

 private:
  bool point(FormulaPoint& p) {
    const auto x = cursor_.number(), y = cursor_.number();
    if (x && y) p = {*x / em, -*y / em};
    return x && y;
  }

  bool step() {
    PathPart part{.verb = PathVerb::line, .control = {}, .to = at_};
    switch (verb_) {
      case 'M':
        part.verb = PathVerb::move;
        [[fallthrough]];
      case 'L':
        if (!point(part.to)) return false;
        break;
      case 'H':
      case 'V': {
        const auto value = cursor_.number();
        if (!value) return false;
        (verb_ == 'H' ? part.to.x : part.to.y) = (verb_ == 'H' ? *value : -*value) / em;
        break;
      }
      case 'Q':
        part.verb = PathVerb::quadratic;
        if (!point(part.control) || !point(part.to)) return false;
        break;
      case 'T':
        part.verb = PathVerb::quadratic;
        part.control = mirrored_control();
        if (!point(part.to)) return false;
        break;
      case 'Z':
        part.verb = PathVerb::close;
        part.to = start_;
        break;
      default:
        return false;
    }
    if (part.verb == PathVerb::move) start_ = part.to;
    at_ = part.to;
    outline_.push_back(part);
    return true;
  }

  // SVG 1.1, section 8.3.7: after anything but a quadratic, the control point is the current point.
  FormulaPoint mirrored_control() const {
    if (outline_.empty() || outline_.back().verb != PathVerb::quadratic) return at_;
    const FormulaPoint before = outline_.back().control;
    return {2 * at_.x - before.x, 2 * at_.y - before.y};
  }

  Cursor cursor_;
  char verb_ = 'Z';
  FormulaPoint at_, start_;
  Outline outline_;
};

std::shared_ptr<const Outline> rectangle(double width, double height) {
  return std::make_shared<const Outline>(Outline{{PathVerb::move, {}, {0, 0}},
                                                 {PathVerb::line, {}, {width, 0}},
                                                 {PathVerb::line, {}, {width, height}},
                                                 {PathVerb::line, {}, {0, height}},
                                                 {PathVerb::close, {}, {0, 0}}});
}

}  // namespace

// One pass over the lines. Each line is checked by itself, and against what came before it.
class FormulaReader {
 public:
  Result<FormulaBook> read(std::string_view text) {
    while (!ended_) {
      if (text.empty()) return fail("formulas: the file breaks off after line {}; expected a line `end`", line_);
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      HL_CHECK(take(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!text.empty()) return fail("formulas, line {}: nothing may follow `end`", line_ + 1);
    return std::move(book_);
  }

 private:
  Status expected(std::string_view what) const {
    return fail("formulas, line {}: expected {}; prepare the file again with tools/typeset_formulas", line_, what);
  }

  Status take(std::string_view line) {
    if (line_ == 1) return line == "headlight-formulas 1" ? Status() : expected("`headlight-formulas 1`");
    Cursor cursor(line);
    const std::string_view word = cursor.word();
    if (word == "outline") return outline(cursor);
    if (word == "formula") return formula(cursor);
    if (word == "end" && cursor.at_end()) return finish();
    if (!current_) return expected("`outline`, `formula` or `end`");
    if (word == "size") return size(cursor);
    if (current_->regions.empty()) return expected("the `size` of the formula");
    if (word == "region") return region(cursor);
    if (word == "glyph") return glyph(cursor);
    if (word == "rule") return rule(cursor);
    return expected("`size`, `region`, `glyph`, `rule`, `formula` or `end`");
  }

  Status outline(Cursor& cursor) {
    const std::string name(cursor.word());
    auto path = PathReader(cursor.rest()).read();
    if (name.empty() || !path) return expected("`outline NAME PATH` with a path of M L H V Q T Z");
    if (!outlines_.emplace(name, std::make_shared<const Outline>(std::move(*path))).second)
      return expected("an outline that is not there yet");
    return {};
  }

  Status formula(const Cursor& cursor) {
    HL_CHECK(close_formula());
    const auto [place, added] = book_.formulas_.try_emplace(std::string(cursor.rest()));
    if (!added || cursor.at_end()) return expected("a formula that is not there yet");
    current_ = &place->second;
    return {};
  }

  Status size(Cursor& cursor) {
    double width = 0, height = 0, depth = 0;
    if (!current_->regions.empty() || !cursor.numbers(width, height, depth) || width <= 0 || height + depth <= 0)
      return expected("`size WIDTH HEIGHT DEPTH`, once, of a box that is not empty");
    current_->width = width / em;
    current_->height = height / em;
    current_->depth = depth / em;
    current_->regions.push_back({.id = {}, .parent = 0, .box = empty_box});
    return {};
  }

  Status region(Cursor& cursor) {
    const auto parent = known_region(cursor);
    if (!parent || cursor.at_end() || current_->regions.size() > most_regions)
      return expected("`region PARENT ID` with a parent that came before");
    current_->regions.push_back({.id = std::string(cursor.rest()), .parent = *parent, .box = empty_box});
    return {};
  }

  Status glyph(Cursor& cursor) {
    const auto region = known_region(cursor);
    const auto outline = outlines_.find(cursor.word());
    double x = 0, y = 0, scale = 0;
    if (!region || outline == outlines_.end() || !cursor.numbers(x, y, scale) || scale <= 0)
      return expected("`glyph REGION OUTLINE X Y SCALE` with a region and an outline that came before");
    current_->shapes.push_back({.region = *region,
                                .outline = outline->second,
                                .at = {x / em, current_->height - y / em},
                                .scale = scale / 1000,
                                .rule = false});
    return {};
  }

  Status rule(Cursor& cursor) {
    const auto region = known_region(cursor);
    double x = 0, y = 0, width = 0, height = 0;
    if (!region || !cursor.numbers(x, y, width, height) || width <= 0 || height <= 0)
      return expected("`rule REGION X Y WIDTH HEIGHT` with a region that came before");
    current_->shapes.push_back({.region = *region,
                                .outline = rectangle(width / em, height / em),
                                .at = {x / em, current_->height - (y + height) / em},
                                .scale = 1,
                                .rule = true});
    return {};
  }

  // A region of the current formula by its number.
  std::optional<std::size_t> known_region(Cursor& cursor) const {
    const std::string_view word = cursor.word();
    std::size_t region = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), region);
    if (error != std::errc() || end != word.data() + word.size() || region >= current_->regions.size())
      return std::nullopt;
    return region;
  }

  // Boxes of regions, children into parents: a parent stands before its children, so backwards.
  Status close_formula() {
    if (!current_) return {};
    std::vector<FormulaRegion>& regions = current_->regions;
    if (current_->shapes.empty()) return expected("at least one glyph or rule before the formula ends");
    for (const FormulaShape& shape : current_->shapes) include_box(regions[shape.region].box, ink_of(shape));
    for (std::size_t i = regions.size(); i-- > 1;) {
      if (regions[i].box.width() < 0) return expected(fmt::format("ink in region {} ({})", i, regions[i].id));
      include_box(regions[regions[i].parent].box, regions[i].box);
    }
    current_ = nullptr;
    return {};
  }

  Status finish() {
    HL_CHECK(close_formula());
    ended_ = true;
    return {};
  }

  FormulaBook book_;
  std::map<std::string, std::shared_ptr<const Outline>, std::less<>> outlines_;
  Formula* current_ = nullptr;
  int line_ = 0;
  bool ended_ = false;
};

Result<FormulaBook> read_formulas(std::string_view text) {
  return FormulaReader().read(text);
}

const Formula* FormulaBook::find(std::string_view latex) const {
  const auto found = formulas_.find(latex);
  return found == formulas_.end() ? nullptr : &found->second;
}

std::size_t Formula::region_at(FormulaPoint point, double margin) const {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = regions.size(); i-- > 1;) {  // backwards: of boxes equally near, the innermost
    const double away = distance(regions[i].box, point);
    if (away > margin || away >= least) continue;
    nearest = i;
    least = away;
  }
  return nearest;
}

}  // namespace headlight::app
