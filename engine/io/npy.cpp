#include "engine/io/npy.h"

#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/core/system/paths.h"
#include "engine/io/element_type.h"

namespace headlight {

namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr std::size_t longest_npy_header = std::size_t{1} << 20;  // bytes; NumPy's own stay under 200

struct NpyHeader {
  ElementLayout layout;
  Shape shape;
};

// The Python dictionary that a header is: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Result<NpyHeader> parse() {
    if (!take('{')) return not_understood("it does not start with {");
    while (!take('}')) {
      HL_TRY(const std::string_view key, quoted());
      if (!take(':')) return not_understood("a : is missing");
      HL_CHECK(value_of(key));
      if (!take(',') && !at('}')) return not_understood("a , or } is missing");
    }
    skip_space();
    if (!rest_.empty()) return not_understood("it goes on after its }");
    if (!descr_ || !fortran_ || !shape_) return not_understood("it lacks 'descr', 'fortran_order' or 'shape'");
    HL_TRY(ElementLayout layout, layout_from(*descr_));
    layout.fortran = *fortran_;
    return NpyHeader{layout, std::move(*shape_)};
  }

 private:
  static tl::unexpected<Error> not_understood(std::string_view why) {
    return fail("the .npy header is damaged: {}", why);
  }

  Status value_of(std::string_view key) {
    if (key == "descr" && !descr_) {
      if (at('[')) return fail("holds records with fields; only plain floats, integers and booleans are read");
      HL_TRY(descr_, quoted());
      return {};
    }
    if (key == "fortran_order" && !fortran_) {
      HL_TRY(fortran_, boolean());
      return {};
    }
    if (key == "shape" && !shape_) {
      HL_TRY(shape_, tuple());
      return {};
    }
    return not_understood(fmt::format("it has a key too many, '{}'", one_line(key)));
  }

  Result<std::string_view> quoted() {
    skip_space();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return not_understood("a quote is missing");
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return not_understood("a quote is missing");
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  Result<bool> boolean() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    return not_understood("'fortran_order' is neither True nor False");
  }

  Result<Shape> tuple() {
    Shape shape;
    if (!take('(')) return not_understood("'shape' does not start with (");
    while (!take(')')) {
      skip_space();
      Index extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error == std::errc::result_out_of_range) return fail("the shape has too many elements to hold");
      if (error != std::errc()) return not_understood("'shape' holds something that is not a number");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      take('L');  // Python 2 wrote its long integers so
      shape.push_back(extent);
      if (shape.size() > most_axes) return fail("the shape has more than {} axes", most_axes);
      if (!take(',') && !at(')')) return not_understood("'shape' does not end with )");
    }
    return shape;
  }

  static Result<ElementLayout> layout_from(std::string_view descr) {
    std::string_view type = descr;
    const bool big_endian = type.starts_with('>');
    if (!type.empty() && std::string_view("<>|=").find(type[0]) != std::string_view::npos) type.remove_prefix(1);
    if (const auto known = type_by_name(Naming::npy, type)) return ElementLayout{*known, big_endian, false};
    if (type == "O") return fail("holds Python objects: save the arrays with np.savez(FILE, *list)");
    return fail("holds {} (dtype '{}'); only floats, integers and booleans are read", kind_of(type), one_line(descr));
  }

  static std::string_view kind_of(std::string_view type) {
    const char letter = type.empty() ? ' ' : type[0];
    if (letter == 'c') return "complex numbers";
    if (letter == 'S' || letter == 'U') return "text";
    if (letter == 'M' || letter == 'm') return "dates or times";
    return letter == 'V' ? "raw bytes" : "values of another type";
  }

  void skip_space() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0]))) rest_.remove_prefix(1);
  }
  bool at(char c) {
    skip_space();
    return rest_.starts_with(c);
  }
  bool take(char c) {
    if (!at(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest_;
  std::optional<std::string_view> descr_;
  std::optional<bool> fortran_;
  std::optional<Shape> shape_;
};

Result<std::string> read_exactly(ByteStream& stream, std::size_t size) {
  if (size > stream.most_left()) return fail("the file ends inside its .npy header");
  std::string bytes(size, '\0');
  HL_TRY(const std::size_t got, stream.read(bytes));
  if (got < size) return fail("the file ends inside its .npy header");
  return bytes;
}

Result<NpyHeader> read_header(ByteStream& stream) {
  HL_TRY(const std::string start, read_exactly(stream, npy_magic.size() + 2));
  if (!start.starts_with(npy_magic)) return fail("is not an .npy array");
  const int version = static_cast<unsigned char>(start[npy_magic.size()]);
  if (version < 1 || version > 3) return fail("has version {} of the .npy format; 1 to 3 are read", version);
  HL_TRY(const std::string field, read_exactly(stream, version == 1 ? 2 : 4));
  const std::size_t length = little_endian(field);
  if (length > longest_npy_header)
    return fail("has an .npy header of {} bytes; at most {} are read", length, longest_npy_header);
  HL_TRY(const std::string text, read_exactly(stream, length));
  return HeaderParser(text).parse();
}

// Whether as many bytes follow the header as its array has.
Status check_length(const ByteStream& stream, const NpyHeader& header) {
  HL_TRY(const Index count, element_count(header.shape));
  const std::uint64_t needed = static_cast<std::uint64_t>(count) * size_of(header.layout.type),
                      left = stream.most_left();
  if (left < needed) return fail("the file ends after {} of {} bytes of data", left, needed);
  if (left > needed)
    return fail("{} bytes too many follow the array of shape {}", left - needed, to_string(header.shape));
  return {};
}

// Its header was read.
class NpyFile final : public ArraySource {
 public:
  NpyFile(const std::filesystem::path& path, InputFile file, NpyAbout about) : file_(std::move(file)) {
    files_ = {path};
    entries_ = {{utf8(path.stem()), std::move(about.shape), std::move(about.dtype)}};
  }
  Result<NamedArray> read(std::size_t) const override {
    FileStream stream(file_, 0, file_.size());
    auto array = read_npy(stream, entries_.front().name);
    if (!array) return fail_at(one_line(utf8(files_.front())), array.error());
    return array;
  }

 private:
  InputFile file_;
};

}  // namespace

Result<NpyAbout> read_npy_about(ByteStream& stream) {
  HL_TRY(const NpyHeader header, read_header(stream));
  HL_CHECK(check_length(stream, header));
  return NpyAbout{header.shape, std::string(name_of(header.layout.type))};
}

Result<NamedArray> read_npy(ByteStream& stream, std::string name) {
  HL_TRY(const NpyHeader header, read_header(stream));
  HL_CHECK(check_length(stream, header));
  HL_TRY(Tensor values, read_elements(stream, header.layout, header.shape));
  const ElementType type = header.layout.type;
  return NamedArray{std::move(name), std::move(values), std::string(name_of(type)), type == ElementType::boolean};
}

Result<std::unique_ptr<ArraySource>> open_npy(const std::filesystem::path& path) {
  HL_TRY(InputFile file, InputFile::open(path));
  FileStream stream(file, 0, file.size());
  auto about = read_npy_about(stream);
  if (!about) return fail_at(one_line(utf8(path)), about.error());
  return std::make_unique<NpyFile>(path, std::move(file), std::move(*about));
}

Result<NamedArray> read_npy(const std::filesystem::path& path) {
  HL_TRY(const auto source, open_npy(path));
  return source->read(0);
}

std::string npy_header(const Shape& shape) {
  constexpr std::size_t alignment = 64;  // bytes: what the format asks for, so that the data can be mapped into memory
  std::string text = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': {}, }}", to_string(shape));
  const std::size_t before = npy_magic.size() + 4;
  text.append(alignment - (before + text.size() + 1) % alignment, ' ');
  text += '\n';
  std::string header(npy_magic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return header + text;
}

std::string_view bytes_of(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.data()), static_cast<std::size_t>(tensor.size()) * sizeof(float)};
}

Status write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  if (!tensor.data()) return fail("{}: there is no array to write", one_line(utf8(path)));
  HL_TRY(FileWriter writer, FileWriter::create(path));
  HL_CHECK(writer.append(npy_header(tensor.shape())));
  HL_CHECK(writer.append(bytes_of(tensor)));
  return writer.commit();
}

}  // namespace headlight
