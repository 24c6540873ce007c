#include "app/session/dump.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include "app/model/browse.h"
#include "app/reading/inputs.h"
#include "engine/base/words.h"
#include "engine/core/natural_order.h"
#include "engine/core/system/paths.h"
#include "engine/io/array_source.h"
#include "engine/io/axes.h"
#include "engine/io/csv.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/torch_file.h"
#include "engine/layouts/layouts.h"
#include "engine/run/given_maps.h"
#include "engine/run/sparse_maps.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

Result<GridSize> grid_of(const std::string& text, const char* whose) {
  GridSize size;
  const auto cross = text.find('x');
  const auto whole = [&](std::string_view part, Index& into) {
    into = parse_number<Index>(part).value_or(0);
    return into >= 1 && into <= 1024;
  };
  if (cross == std::string::npos || !whole(std::string_view(text).substr(0, cross), size.rows) ||
      !whole(std::string_view(text).substr(cross + 1), size.columns))
    return fail("{} is {}: it must be ROWSxCOLUMNS, such as 14x14", whose, one_line(text));
  return size;
}

// What is said beside the file.
Status add_labels(ArrayLabels& labels, const DumpOptions& options) {
  labels.tokens.path = options.tokens;
  labels.key_tokens.path = options.key_tokens;
  labels.picture.path = options.image;
  labels.picture.offset = options.offset;
  if (!options.grid.empty()) {
    HL_TRY(labels.picture.grid, grid_of(options.grid, "the picture's grid"));
  }
  labels.key_picture.path = options.key_image;
  labels.key_picture.offset = options.key_offset;
  if (!options.key_grid.empty()) {
    HL_TRY(labels.key_picture.grid, grid_of(options.key_grid, "the grid of the keys' picture"));
  }
  labels.positions = options.positions;
  labels.key_positions = options.key_positions;
  labels.global_tokens = options.global_tokens;
  labels.whole_words = options.whole_words;
  labels.raw_tokens = options.raw_tokens;
  return {};
}

}  // namespace

bool is_array_file(const fs::path& path) {
  return kind_of_name(path) == FileKind::arrays && lower_extension(path) != ".gguf";  // that is a model by itself
}

namespace {

// Whether the arrays that the file names are of several layers, by their shapes alone.
bool span_layers(const ArraySource& source, const FileInput& file) {
  std::vector<const ArrayEntry*> named;
  const auto star = file.member.find('*');
  for (const ArrayEntry& entry : source.entries())
    if (file.member.empty() || entry.name == file.member ||
        (star != std::string::npos && entry.name.starts_with(file.member.substr(0, star))))
      named.push_back(&entry);
  if (named.size() != 1) return named.size() > 1;
  const Shape& shape = named.front()->shape;
  const auto letter = file.axes.find('l');
  if (!file.axes.empty()) return letter < shape.size() && shape[letter] > 1;
  return shape.size() >= 4 && shape.front() > 1;
}

// Which of a file's arrays are shown.
std::string note_of_member(const std::string& file, std::size_t arrays, const std::string& member,
                           const std::vector<std::string>& of_globals) {
  if (of_globals.empty())
    return fmt::format("{}: of {} arrays {} is attention, and the others are not shown", file, arrays,
                       one_line(member));
  return fmt::format(
      "{}: of {} arrays {} is shown, and the others are not; {} is attention of global tokens (--member)", file, arrays,
      one_line(member), brief_list(of_globals));
}

}  // namespace

bool holds_maps(const fs::path& path) {
  return is_array_file(path) || is_table(path);
}

std::vector<std::pair<std::string, Shape>> shapes_in(const ArraySource& source) {
  std::vector<std::pair<std::string, Shape>> shapes;
  for (const ArrayEntry& entry : source.entries()) shapes.emplace_back(entry.name, entry.shape);
  return shapes;
}

Status check_unread(DumpOptions options, const std::string& name, bool is_model) {
  if (is_model) options.image.clear();
  if (options == DumpOptions{}) return {};
  std::vector<const char*> given;
  for (const auto& [text, option] : {std::pair(&options.tokens, "--tokens"),
                                     {&options.key_tokens, "--key-tokens"},
                                     {&options.image, "--image"},
                                     {&options.key_image, "--key-image"},
                                     {&options.grid, "the grid of a picture"},
                                     {&options.key_grid, "the grid of the keys' picture"},
                                     {&options.axes, "--axes"},
                                     {&options.member, "--member"},
                                     {&options.positions, "--positions"},
                                     {&options.key_positions, "--key-positions"},
                                     {&options.global_tokens, "--global-tokens"},
                                     {&options.save, "--save"}})
    if (!text->empty()) given.push_back(option);
  if (options.offset) given.push_back("--offset");
  if (options.key_offset) given.push_back("--key-offset");
  if (options.whole_words) given.push_back("--pieces");
  if (options.raw_tokens) given.push_back("--raw-tokens");
  return fail("{}: {} {} of a file of attention, which this is not: leave {} out", name, fmt::join(given, ", "),
              given.size() == 1 ? "is" : "are", given.size() == 1 ? "it" : "them");
}

Result<Experiment> experiment_of_dump(const fs::path& path, const DumpOptions& options) {
  HL_TRY(const auto source, open_arrays(path, {.all = true}));
  if (const auto layouts = layouts_of(*source); !layouts.empty())
    return fail(
        "{} holds weights of a model ({}), not attention: open a layer of it by an experiment with "
        "\"weights\": {{\"from\": \"{}\"}}",
        one_line(utf8(path)), layouts.front(), one_line(utf8(path.filename())));
  if (const std::string why = why_no_attention(path); options.member.empty() && !why.empty())
    return fail("{}: {}", one_line(utf8(path)), why);
  const Variant& variant = maps_variant();
  Experiment experiment = default_experiment(variant.info().id);
  FileInput file{utf8(path)};
  file.member = options.member;
  if (file.member.empty()) {
    auto members = attention_in(*source);
    std::vector<std::string> of_globals;  // attention, too, but not of windows
    if (options.axes.find('w') != std::string::npos) {
      std::ranges::copy_if(members, std::back_inserter(of_globals), is_global_attention);
      std::erase_if(members, is_global_attention);
    }
    if (members.size() > 1)
      return fail("{} holds attention in several places ({}): say which by --member, or \"member\" in an experiment",
                  one_line(utf8(path)), brief_list(members));
    file.member = members.empty() ? "" : members.front();
    if (!file.member.empty())
      experiment.notices.push_back(
          note_of_member(one_line(utf8(path.filename())), source->entries().size(), file.member, of_globals));
  }
  if (options.raw_tokens && options.tokens.empty() && options.key_tokens.empty())
    return fail("--raw-tokens is of words: give --tokens, or leave it out");
  file.axes = options.axes;
  if (const Status known = file.axes.empty() ? Status{} : check_map_axes(file.axes); !known)
    return fail("--axes: {}", known.error().message);
  if (const std::string why = window_hint(shapes_in(*source), file.member); file.axes.empty() && !why.empty())
    return fail("{}: {}", one_line(utf8(path)), why);
  if (span_layers(*source, file)) experiment.view.mode = "layers";
  HL_CHECK(add_labels(file.labels, options));
  experiment.inputs[variant.arrays(experiment.params, {}).inputs.front().id] = std::move(file);
  std::error_code ignored;
  experiment.folder = fs::current_path(ignored);
  return experiment;
}

namespace {

// Rows of numbers from 0 to 1, nine of ten of which add up to 1 or are padding.
bool is_attention(const Tensor& values) {
  constexpr Index most_rows = 4096;
  if (values.rank() < 2 || values.rank() > 5 || values.size() == 0) return false;
  const Index n = values.dim(-1), rows = std::min(most_rows, values.size() / n);
  Index sound = 0, empty = 0;
  for (Index row = 0; row < rows; ++row) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) {
      const float weight = values[row * n + j];
      if (!(weight >= 0 && weight <= 1.01F)) return false;
      sum += weight;
    }
    sound += std::abs(sum - 1) < 0.01;
    empty += sum == 0;
  }
  return sound > 0 && 10 * (sound + empty) >= 9 * rows && (n > 1 || rows == 1);
}

// "attentions.3" → "attentions.*": the last number of a name; the name itself where it has none.
std::string without_number(const std::string& name) {
  constexpr const char* digits = "0123456789";
  const auto last = name.find_last_of(digits);
  if (last == std::string::npos) return name;
  const auto before = name.find_last_not_of(digits, last);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  return name.substr(0, first) + "*" + name.substr(last + 1);
}

// "cross_attentions.3.0" → "cross_attentions.*.*"
std::string without_numbers(const std::string& name) {
  std::string pattern;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(name[i])) != 0;
    if (!digit || i == 0 || std::isdigit(static_cast<unsigned char>(name[i - 1])) == 0)
      pattern += digit ? '*' : name[i];
  }
  return pattern;
}

// The patterns of arrays that are the steps of a generated text.
std::map<std::string, std::vector<std::string>> step_patterns(const ArraySource& source) {
  std::map<std::string, std::vector<std::pair<std::string, Shape>>> alike;
  for (const ArrayEntry& entry : source.entries())
    alike[without_numbers(entry.name)].emplace_back(entry.name, entry.shape);
  std::map<std::string, std::vector<std::string>> found;
  for (auto& [pattern, names] : alike) {
    std::ranges::sort(names, [](const auto& a, const auto& b) { return natural_order(a.first, b.first) < 0; });
    if (!generated_steps(names)) continue;
    for (auto& [name, shape] : names) found[pattern].push_back(name);
  }
  return found;
}

// Whether they are the edges of a graph with their weights.
bool is_edge_list(const ArraySource& source) {
  if (!edges_by_shapes(shapes_in(source))) return false;
  ReadArrays arrays;
  for (std::size_t i = 0; i < source.entries().size(); ++i) {
    auto array = source.read(i);
    if (!array) return false;
    arrays.emplace(array->name, ReadArray{std::make_shared<const Tensor>(std::move(array->values)), false});
  }
  return edges_among(arrays).has_value();
}

bool is_weight_of(const ArraySource& source, std::size_t entry) {
  const Shape& shape = source.entries()[entry].shape;
  if (shape.size() < 2 || shape.size() > 5) return false;
  const auto array = source.read(entry);
  if (!array || !is_global_attention(array->name)) return array && is_attention(array->values);
  // Keys stand down.
  Shape turned = shape;
  std::swap(turned.back(), turned[turned.size() - 2]);
  Tensor rows = Tensor::uninitialized(turned);
  const Index keys = rows.dim(-1), queries = rows.dim(-2);
  for (Index i = 0; i < rows.size(); ++i) {
    const Index map = i / (keys * queries), query = i / keys % queries, key = i % keys;
    rows[i] = array->values[(map * keys + key) * queries + query];
  }
  return is_attention(rows);
}

// Whether a variant takes an array of that name.
bool is_known_array(const std::string& name) {
  return std::ranges::any_of(all_variants(), [&](const Variant* variant) {
    const auto arrays = variant->arrays(ParamValues::defaults(variant->params()), {});
    return std::ranges::count(arrays.inputs, name, &ArraySpec::id) > 0 ||
           std::ranges::count(arrays.weights, name, &ArraySpec::id) > 0;
  });
}

}  // namespace

std::vector<std::string> attention_in(const ArraySource& source) {
  const auto& entries = source.entries();
  if (entries.empty()) return {};
  if (is_edge_list(source)) return {""};
  const auto alike = [&](const ArrayEntry& entry) { return entry.shape == entries.front().shape; };
  std::map<std::string, std::vector<std::size_t>> kinds;  // of names that differ by a number
  for (std::size_t i = 0; i < entries.size(); ++i) kinds[without_number(entries[i].name)].push_back(i);
  const bool lists = std::ranges::any_of(kinds, [](const auto& kind) { return kind.second.size() > 1; });
  if (std::ranges::all_of(entries, alike) && (kinds.size() == 1 || !lists))
    return is_weight_of(source, 0) ? std::vector<std::string>{""} : std::vector<std::string>();
  std::vector<std::string> found;
  std::set<std::string_view> joined;  // arrays that are steps of a generated text
  const auto generated = step_patterns(source);
  for (const auto& [pattern, names] : generated) {
    // The last, for the first may have one key alone.
    const auto last = std::ranges::find(entries, names.back(), &ArrayEntry::name);
    if (!is_weight_of(source, static_cast<std::size_t>(last - entries.begin()))) continue;
    joined.insert(names.begin(), names.end());
    found.push_back(names.size() == entries.size() ? "" : pattern);
  }
  for (const auto& [pattern, of_kind] : kinds) {
    if (joined.contains(entries[of_kind.front()].name)) continue;
    const Shape& shape = entries[of_kind.front()].shape;
    const bool one_shape = std::ranges::all_of(of_kind, [&](std::size_t i) { return entries[i].shape == shape; });
    if (one_shape && is_weight_of(source, of_kind.front()))
      found.push_back(of_kind.size() > 1 ? pattern : entries[of_kind.front()].name);
  }
  return found;
}

bool holds_attention(const fs::path& path) {
  const auto source = open_arrays(path, {.all = true});
  return source && attention_in(**source) == std::vector<std::string>{""};
}

bool holds_attention_among_others(const fs::path& path) {
  const auto source = open_arrays(path, {.all = true});
  if (!source || attention_in(**source).empty()) return false;
  return std::ranges::none_of((*source)->entries(), [](const ArrayEntry& entry) { return is_known_array(entry.name); });
}

bool holds_layers(const fs::path& path) {
  const auto source = open_arrays(path, {.all = true});
  return source && !layouts_of(**source).empty();
}

std::string name_of_dump(const Experiment& experiment) {
  const Variant* variant = find_variant(experiment.variant);
  if (!variant || !takes_maps(*variant)) return {};
  const auto input = experiment.inputs.find(variant->arrays(experiment.params, {}).inputs.front().id);
  const auto* file = input == experiment.inputs.end() ? nullptr : std::get_if<FileInput>(&input->second);
  return file ? utf8(path_of_utf8(file->path).filename()) : experiment.name;  // of a table
}

bool is_table(const fs::path& path) {
  const std::string extension = lower_extension(path);
  if (extension == ".csv" || extension == ".tsv") return true;
  if (extension != ".json") return false;
  const auto file = InputFile::open(path);
  std::string text(file ? static_cast<std::size_t>(std::min<std::uint64_t>(256, file->size())) : 0, ' ');
  if (!file || !file->read_at(0, text)) return false;
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string::npos && text[begin] == '[';
}

bool table_holds_attention(const fs::path& path) {
  if (!is_table(path)) return false;
  const auto table = read_named_matrix(path);
  return table && table->cells.dim(1) > 1 && is_attention(table->cells);
}

Result<Experiment> experiment_of_table(const fs::path& path, const DumpOptions& options) {
  if (!options.member.empty() || !options.axes.empty())
    return fail("{}: --member and --axes are of files of arrays: a table has queries down and keys across",
                one_line(utf8(path)));
  HL_TRY(NamedMatrix table, read_named_matrix(path));
  const Variant& variant = maps_variant();
  Experiment experiment = default_experiment(variant.info().id);
  experiment.name = one_line(utf8(path.filename()));
  LiteralInput numbers = literal_input(table.cells);
  HL_CHECK(add_labels(numbers.labels, options));
  if (options.raw_tokens && options.tokens.empty() && table.rows.empty() && table.columns.empty())
    return fail("--raw-tokens is of words: give --tokens, or leave it out");
  const bool square = table.cells.dim(0) == table.cells.dim(1);
  std::vector<std::string> queries = table.rows.empty() && square ? table.columns : table.rows;
  std::vector<std::string> keys = table.columns.empty() && square ? table.rows : table.columns;
  if (options.tokens.empty() && options.key_tokens.empty()) {
    if (!queries.empty()) numbers.labels.tokens.lists = {queries};
    if (!keys.empty() && keys != queries) numbers.labels.key_tokens.lists = {std::move(keys)};
  }
  experiment.inputs[variant.arrays(experiment.params, {}).inputs.front().id] = std::move(numbers);
  std::error_code ignored;
  experiment.folder = fs::current_path(ignored);
  return experiment;
}

Result<Experiment> open_experiment(const fs::path& path, const DumpOptions& options) {
  if (!is_array_file(path) && !is_table(path)) {
    HL_CHECK(check_unread(options, one_line(utf8(path)), false));
    return read_experiment(path);
  }
  HL_TRY(Experiment experiment,
         is_table(path) ? experiment_of_table(path, options) : experiment_of_dump(path, options));
  if (!options.save.empty()) {
    HL_CHECK(check_may_write(experiment, options.save));
    std::error_code ignored;
    HL_CHECK(write_experiment(experiment, fs::absolute(options.save, ignored)));
  }
  return experiment;
}

}  // namespace headlight::app
