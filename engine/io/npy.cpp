#include "engine/io/npy.h"

#include <charconv>
#include <cstring>
#include <map>

namespace headlight {

namespace {

constexpr std::size_t longest_header = 1 << 20;  // NumPy itself reads at most 10,000 characters of those it does not trust

const std::map<std::string_view, ElementType>& types() {
  static const std::map<std::string_view, ElementType> known{
      {"f2", ElementType::f16}, {"f4", ElementType::f32}, {"f8", ElementType::f64}, {"i1", ElementType::i8},
      {"i2", ElementType::i16}, {"i4", ElementType::i32}, {"i8", ElementType::i64}, {"u1", ElementType::u8},
      {"u2", ElementType::u16}, {"u4", ElementType::u32}, {"u8", ElementType::u64}, {"b1", ElementType::boolean}};
  return known;
}

// The header is a Python dictionary of three known keys: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class Dictionary {
 public:
  explicit Dictionary(std::string_view text) : text_(text) {}

  Status read(NpyHeader& header) {
    if (!take('{')) return damaged();
    bool seen[3] = {};
    while (!take('}')) {
      HL_TRY(const std::string key, string());
      if (!take(':')) return damaged();
      const int which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
      if (which < 0 || seen[which]) return damaged();
      seen[which] = true;
      HL_CHECK(which == 0 ? descr(header) : which == 1 ? order(header) : shape(header));
      if (!take(',') && peek() != '}') return damaged();
    }
    return seen[0] && seen[1] && seen[2] ? Status() : damaged();
  }

 private:
  static tl::unexpected<Error> damaged() { return fail("its .npy header is damaged"); }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  Result<std::string> string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return damaged();
    const auto end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return damaged();
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }
  Status descr(NpyHeader& header) {
    if (peek() == '[') return fail("holds records: save the fields as arrays of their own");
    HL_TRY(header.dtype, string());
    const std::string& d = header.dtype;
    const bool known = d.size() == 3 && std::strchr("<>|=", d[0]) != nullptr && types().contains(std::string_view(d).substr(1));
    if (!known) return fail("holds elements of type {}: floats, integers and booleans can be read", d.substr(0, 20));
    header.type = types().at(std::string_view(d).substr(1));
    header.big_endian = d[0] == '>';
    return {};
  }
  Status order(NpyHeader& header) {
    peek();
    const std::string_view rest = text_.substr(std::min(at_, text_.size()));
    if (!rest.starts_with("True") && !rest.starts_with("False")) return damaged();
    header.fortran_order = rest.starts_with("True");
    at_ += header.fortran_order ? 4 : 5;
    return {};
  }
  Status shape(NpyHeader& header) {
    constexpr std::size_t most_axes = 32;  // NumPy's own limit
    if (!take('(')) return damaged();
    while (!take(')')) {
      peek();
      Index extent = -1;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0) return damaged();
      at_ = static_cast<std::size_t>(end - text_.data());
      header.shape.push_back(extent);
      if (header.shape.size() > most_axes) return fail("has more than {} axes", most_axes);
      if (!take(',') && peek() != ')') return damaged();
    }
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view bytes) {
  if (!bytes.starts_with("\x93NUMPY")) return fail("is not an .npy array: its first bytes are not NumPy's");
  if (bytes.size() < 12) return fail("ends inside its .npy header");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) return fail("is .npy version {}: 1 to 3 can be read", version);
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t start = version == 1 ? 10 : 12;
  const std::size_t length =
      version == 1 ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (length > longest_header) return fail("claims an .npy header of {} bytes", length);
  if (bytes.size() < start + length) return fail("ends inside its .npy header");
  NpyHeader header;
  HL_CHECK(Dictionary(bytes.substr(start, length)).read(header));
  header.data_offset = start + length;
  return header;
}

Result<NamedArray> parse_npy(std::string_view bytes) {
  HL_TRY(const NpyHeader header, parse_npy_header(bytes));
  HL_TRY(const std::size_t wanted, byte_count(header.shape, header.type));
  std::string_view data = bytes.substr(header.data_offset);
  if (data.size() < wanted)
    return fail("has shape {} of {}, {} bytes, but only {} bytes of data follow", to_string(header.shape), header.dtype, wanted,
                data.size());
  if (data.size() > wanted) return fail("has {} bytes too many after its data", data.size() - wanted);
  std::string reordered;
  if (header.fortran_order && header.shape.size() > 1) {
    reordered = c_order_from_fortran(data, header.shape, size_of(header.type));
    data = reordered;
  }
  NamedArray array;
  array.dtype = header.dtype;
  array.boolean = header.type == ElementType::boolean;
  array.values = Tensor::uninitialized(header.shape);
  to_float(data.data(), array.values.size(), header.type, header.big_endian, array.values.data());
  return array;
}

std::string npy_header(const Shape& shape) {
  std::string dictionary = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': {}, }}", to_string(shape));
  const std::size_t unpadded = 10 + dictionary.size() + 1;
  dictionary.append((64 - unpadded % 64) % 64, ' ');
  dictionary += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

}  // namespace headlight
