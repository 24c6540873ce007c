#include "engine/io/torch_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/element_type.h"
#include "engine/io/file.h"
#include "engine/io/pickle.h"
#include "engine/io/torch_tensor.h"

namespace headlight {

namespace {

using Object = Pickled::Kind;

constexpr std::string_view pickle_name = "data.pkl";

struct NamedTensor {
  std::string name;
  TorchTensor tensor;
};

// Reads what a pickle says about tensors.
class Reader {
 public:
  explicit Reader(const Pickle& pickle)
      : pickle_(pickle), seen_(pickle.values.size(), false), holds_tensor_(holders_of_tensors()) {}

  // Tensors below a value, under their keys; what is no tensor, dict or list is passed over.
  Status collect(std::uint32_t place, const std::string& name, int depth) {
    const Pickled& value = at(place);
    if (depth > deepest_pickle) return fail("its pickle is nested more than {} deep", deepest_pickle);
    if (value.kind == Object::call || value.kind == Object::persistent) return collect_call(place, name);
    if (!is_container(value) || seen_[place]) return {};
    seen_[place] = true;
    for (const auto& [key, item] : children(value))
      HL_CHECK(collect(item, name.empty() ? key : name + "." + key, depth + 1));
    return {};
  }

  // The state dict (torch_file.h), and beside it what holds tensors as well.
  Result<std::uint32_t> state_dict(const WhichTensors& which) {
    std::uint32_t place = pickle_.top;
    for (int depth = 0; depth <= deepest_pickle; ++depth) {
      const auto below = children(at(place));
      if (is_tensor(place) || std::ranges::any_of(below, [&](const auto& child) { return is_tensor(child.second); }))
        return place;
      std::vector<std::pair<std::string, std::uint32_t>> with;
      for (const auto& child : below)
        if (holds_tensor_[child.second]) with.push_back(child);
      if (with.empty()) return place;
      if (with.size() > 1 && at(place).kind != Object::dict) return place;
      const auto chosen = with.size() == 1 ? with.begin() : among(with, which.prefix);
      if (chosen == with.end() && which.all) return place;
      if (chosen == with.end()) return several(with);
      if (with.size() > 1 && begins(which.prefix, chosen->first)) within = chosen->first;
      for (const auto& [key, other] : below) {
        if (other == chosen->second) continue;
        if (at(other).kind == Object::call) HL_CHECK(collect(other, key, 0));  // it is named
        if (holds_tensor_[other]) passed_over.push_back(one_line(key));
      }
      place = chosen->second;
    }
    return fail("its pickle is nested more than {} deep", deepest_pickle);
  }

  // The key of what a model gives back as its attention, where there is None; empty where there is not, or where
  // attention of another kind is there.
  std::string missing_attention() const {
    const auto is_none = [&](std::uint32_t place) { return at(place).kind == Object::none; };
    const auto all_none = [&](std::uint32_t place) {
      const Pickled& value = at(place);
      const bool list = value.kind == Object::tuple || value.kind == Object::list;
      return is_none(place) || (list && !value.items.empty() && std::ranges::all_of(value.items, is_none));
    };
    if (!is_none(pickle_.top) && all_none(pickle_.top)) return "it";
    std::string missing;
    for (const auto& [key, place] : children(at(pickle_.top))) {
      if (!key.ends_with("attentions")) continue;
      if (holds_tensor_[place]) return {};
      if (missing.empty() && all_none(place)) missing = one_line(key);
    }
    return missing;
  }

  std::vector<NamedTensor> tensors;
  std::vector<std::string> passed_over;  // "args (argparse.Namespace)"
  std::string first_call;                // that was passed over, by its name
  std::string within;                    // the key that the prefix began with

 private:
  using Children = std::vector<std::pair<std::string, std::uint32_t>>;

  const Pickled& at(std::uint32_t place) const { return pickle_.values[place]; }
  static bool is_container(const Pickled& value) {
    return value.kind == Object::dict || value.kind == Object::list || value.kind == Object::tuple;
  }
  Children children(const Pickled& value) const {
    Children found;
    if (!is_container(value)) return found;
    const bool dict = value.kind == Object::dict;
    for (std::size_t i = 0; i + (dict ? 1 : 0) < value.items.size(); i += dict ? 2 : 1) {
      if (!dict) {
        found.emplace_back(fmt::format("{}", i), value.items[i]);
      } else if (const Pickled& key = at(value.items[i]); key.kind == Object::text || key.kind == Object::whole) {
        found.emplace_back(key.kind == Object::text ? key.text : fmt::format("{}", key.whole), value.items[i + 1]);
      }
    }
    return found;
  }
  // The name of what would have been called.
  std::string called(const Pickled& call) const {
    const Pickled& what = at(call.items[0]);
    return what.kind == Object::name ? what.text : "something without a name";
  }
  const std::vector<std::uint32_t>& given(const Pickled& call) const { return at(call.items[1]).items; }
  bool is_tensor(std::uint32_t place) const {
    const Pickled& value = at(place);
    if (value.kind != Object::call) return false;
    const std::string name = called(value);
    return name == "torch._utils._rebuild_tensor_v2" || name == "torch._utils._rebuild_parameter";
  }

  // By place, whether it is a tensor or has one somewhere below it: from the tensors upwards, each place once.
  std::vector<bool> holders_of_tensors() const {
    std::vector<std::vector<std::uint32_t>> above(pickle_.values.size());
    std::vector<bool> holds(pickle_.values.size(), false);
    std::vector<std::uint32_t> next;
    for (std::uint32_t place = 0; place < holds.size(); ++place) {
      for (const auto& [key, child] : children(at(place))) above[child].push_back(place);
      if (!is_tensor(place)) continue;
      holds[place] = true;
      next.push_back(place);
    }
    while (!next.empty()) {
      const std::uint32_t place = next.back();
      next.pop_back();
      for (const std::uint32_t holder : above[place]) {
        if (holds[holder]) continue;
        holds[holder] = true;
        next.push_back(holder);
      }
    }
    return holds;
  }

  static bool begins(std::string_view prefix, const std::string& key) {
    return prefix.starts_with(key) && (prefix.size() == key.size() || prefix[key.size()] == '.');
  }
  static Children::const_iterator among(const Children& with, std::string_view prefix) {
    const auto is_meant = [&](const auto& child) { return begins(prefix, child.first); };
    if (const auto found = std::ranges::find_if(with, is_meant); found != with.end()) return found;
    for (const char* usual : {"state_dict", "model_state_dict", "model", "module"})
      if (const auto found = std::ranges::find(with, usual, [](const auto& child) { return child.first; });
          found != with.end())
        return found;
    return with.end();
  }
  static tl::unexpected<Error> several(const Children& with) {
    std::vector<std::string> keys;
    for (const auto& child : with) keys.push_back(one_line(child.first));
    return fail("holds tensors in several places ({}): name one as \"prefix\"", brief_list(keys));
  }

  Status collect_call(std::uint32_t place, const std::string& name) {
    if (is_tensor(place)) {
      auto tensor = tensor_of(place, 0);
      if (!tensor) return fail_at(one_line(name), tensor.error());
      tensors.push_back({name, std::move(*tensor)});
      return {};
    }
    const std::string what = at(place).kind == Object::call ? called(at(place)) : "a storage by itself";
    if (first_call.empty()) first_call = what;
    passed_over.push_back(name.empty() ? what : fmt::format("{} ({})", one_line(name), what));
    return {};
  }

  Result<TorchTensor> tensor_of(std::uint32_t place, int depth) const {
    const Pickled& call = at(place);
    const auto bad = [&] { return fail("its call of {} is not one that torch writes", called(call)); };
    const auto& args = given(call);
    if (called(call) == "torch._utils._rebuild_parameter") {
      if (args.empty() || depth > deepest_pickle) return bad();
      if (!is_tensor(args[0]))
        return at(args[0]).kind == Object::call
                   ? fail("is a call of {}, which Headlight does not run", called(at(args[0])))
                   : bad();
      return tensor_of(args[0], depth + 1);
    }
    TorchTensor tensor;
    if (args.size() < 4 || at(args[0]).kind != Object::persistent || !read_storage(at(args[0]), tensor)) return bad();
    const auto extents = wholes(at(args[2])), strides = wholes(at(args[3]));
    if (at(args[1]).kind != Object::whole || !extents || !strides || extents->size() != strides->size()) return bad();
    tensor.offset = at(args[1]).whole;
    tensor.shape = *extents;
    tensor.strides = *strides;
    HL_CHECK(check_inside(tensor));
    return tensor;
  }

  // ("storage", its class, the member's key, the device, how many elements it has).
  bool read_storage(const Pickled& persistent, TorchTensor& tensor) const {
    const auto& parts = at(persistent.items[0]).items;
    if (parts.size() < 5 || at(parts[0]).text != "storage" || at(parts[1]).kind != Object::name ||
        at(parts[2]).kind != Object::text || at(parts[4]).kind != Object::whole)
      return false;
    tensor.storage = at(parts[1]).text;
    tensor.key = at(parts[2]).text;
    tensor.count = at(parts[4]).whole;
    return true;
  }

  std::optional<std::vector<Index>> wholes(const Pickled& tuple) const {
    if (tuple.kind != Object::tuple || tuple.items.size() > most_axes) return std::nullopt;
    std::vector<Index> numbers;
    for (const auto place : tuple.items) {
      if (at(place).kind != Object::whole) return std::nullopt;
      numbers.push_back(at(place).whole);
    }
    return numbers;
  }

  const Pickle& pickle_;
  std::vector<bool> seen_;
  std::vector<bool> holds_tensor_;  // by place
};

std::optional<ElementType> type_of(std::string_view storage) {
  return type_by_name(Naming::torch, storage);
}

class TorchFile final : public ArraySource {
 public:
  TorchFile(const std::filesystem::path& path, InputFile file, std::vector<ZipMember> members, std::string folder)
      : file_(std::move(file)), members_(std::move(members)), folder_(std::move(folder)) {
    files_ = {path};
  }

  Status read_directory(const WhichTensors& which) {
    HL_CHECK(check_byte_order());
    HL_TRY(const std::string bytes, bytes_of(folder_ + std::string(pickle_name), longest_pickle));
    HL_TRY(const Pickle pickle, read_pickle(bytes));
    Reader reader(pickle);
    if (const std::string key = reader.missing_attention(); !key.empty())
      no_attention_ = fmt::format(
          "{} {} None: load the model with attn_implementation=\"eager\", call it with output_attentions=True, and "
          "save what it gives",
          key == "it" ? "of every layer" : key, key == "it" ? "there is" : "is");
    HL_TRY(const auto top, reader.state_dict(which));
    HL_CHECK(reader.collect(top, {}, 0));
    if (reader.tensors.empty() && !no_attention_.empty()) return fail("{}", no_attention_);
    if (reader.tensors.empty()) {
      first_call_ = reader.first_call;
      return {};
    }
    within_ = reader.within;
    if (!reader.passed_over.empty()) note_ = "passed over: " + brief_list(reader.passed_over);
    return take(std::move(reader.tensors));
  }

  const std::string& no_attention() const { return no_attention_; }

  // Where it read no tensor: why.
  tl::unexpected<Error> no_tensors() const {
    const std::string where = one_line(utf8(files_.front()));
    if (first_call_.empty()) return fail("{} holds no tensors", where);
    if (first_call_.starts_with("numpy."))
      return fail("{} holds arrays of NumPy, not tensors: save them with np.savez(FILE, *arrays)", where);
    if (first_call_.starts_with("transformers."))
      return fail("{} holds a call of {}, which Headlight does not run: torch.save(outputs.attentions, FILE)", where,
                  first_call_);
    return fail("{} holds no tensors, but a call of {}, which Headlight does not run: save a model's state_dict()",
                where, first_call_);
  }

  Result<NamedArray> read(std::size_t entry) const override {
    const std::string where = one_line(utf8(files_.front())) + ": " + entries_[entry].name;
    const TorchTensor& tensor = tensors_[entry];
    const auto type = type_of(tensor.storage);
    if (!type)
      return fail("{}: is of {}; only floats of 2 to 8 bytes, integers and booleans are read", where, tensor.storage);
    auto values = values_of(tensor, *type);
    if (!values) return fail_at(where, values.error());
    return NamedArray{entries_[entry].name, std::move(*values), std::string(name_of(*type)),
                      *type == ElementType::boolean};
  }

 private:
  const ZipMember* member(const std::string& name) const {
    const auto found = std::ranges::find(members_, name, &ZipMember::stored_name);
    return found == members_.end() ? nullptr : &*found;
  }

  Result<std::string> bytes_of(const std::string& name, std::size_t most) const {
    const ZipMember* found = member(name);
    if (!found->is_stored()) return fail("{}: is compressed, which torch never does", name);
    if (found->size > most) return fail("{}: has {} bytes; at most {} are read", name, found->size, most);
    std::string bytes(static_cast<std::size_t>(found->size), '\0');
    HL_CHECK(file_.read_at(found->begin, bytes));
    return bytes;
  }

  Status check_byte_order() const {
    const std::string name = folder_ + "byteorder";
    if (!member(name)) return {};
    HL_TRY(const std::string order, bytes_of(name, 64));
    if (order != "little") return fail("its numbers are in {} byte order: only little is read", one_line(order));
    return {};
  }

  // Checked against the members that hold their numbers.
  Status take(std::vector<NamedTensor> found) {
    std::set<std::string> names;
    for (NamedTensor& one : found) {
      if (one.name.empty()) one.name = utf8(files_.front().stem());
      if (const auto fine = check_array_name(one.name); !fine) return fine;
      if (!names.insert(one.name).second) return fail("{}: two tensors have this name", one.name);
    }
    for (NamedTensor& one : found) {
      const ZipMember* storage = member(folder_ + "data/" + one.tensor.key);
      if (!storage) return fail("{}: its numbers, data/{}, are missing", one.name, one_line(one.tensor.key));
      if (!storage->is_stored()) return fail("{}: its numbers are compressed, which torch never does", one.name);
      const auto type = type_of(one.tensor.storage);
      if (type && static_cast<std::uint64_t>(one.tensor.count) > storage->size / size_of(*type))
        return fail("{}: data/{} has {} bytes, too few for {} elements", one.name, one_line(one.tensor.key),
                    storage->size, one.tensor.count);
      entries_.push_back({one.name, one.tensor.shape, type ? std::string(name_of(*type)) : one.tensor.storage});
      tensors_.push_back(std::move(one.tensor));
    }
    return {};
  }

  Result<Tensor> values_of(const TorchTensor& tensor, ElementType type) const {
    const ZipMember& storage = *member(folder_ + "data/" + tensor.key);
    const auto element = static_cast<std::uint64_t>(size_of(type));
    const std::uint64_t begin = storage.begin + static_cast<std::uint64_t>(tensor.offset) * element;
    FileStream stream(file_, begin, storage.begin + storage.size);
    if (is_contiguous(tensor)) return read_elements(stream, {type, false, false}, tensor.shape);
    Index span = 1;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      if (tensor.shape[i] == 0) return Tensor(tensor.shape);
      span += (tensor.shape[i] - 1) * tensor.strides[i];
    }
    HL_TRY(const Tensor piece, read_elements(stream, {type, false, false}, {span}));
    return gather_strided(tensor, piece);
  }

  InputFile file_;
  std::vector<ZipMember> members_;
  std::string folder_;  // "mine/"
  std::vector<TorchTensor> tensors_;
  std::string no_attention_;  // why it is not there
  std::string first_call_;    // where there are no tensors: what the file would have called
};

// The folder that everything is in; empty where there is none.
std::optional<std::string> folder_of(const std::vector<ZipMember>& members) {
  for (const ZipMember& member : members) {
    const auto slash = member.stored_name.find('/');
    if (slash != std::string::npos && member.stored_name.substr(slash + 1) == pickle_name)
      return member.stored_name.substr(0, slash + 1);
  }
  return std::nullopt;
}

}  // namespace

bool is_torch_file(const std::vector<ZipMember>& members) {
  return folder_of(members).has_value();
}

namespace {

Result<std::unique_ptr<TorchFile>> opened(const std::filesystem::path& path, const WhichTensors& which) {
  const std::string where = one_line(utf8(path));
  HL_TRY(InputFile file, InputFile::open(path));
  auto members = read_zip_directory(file);
  if (!members) return fail_at(where, members.error());
  const auto folder = folder_of(*members);
  if (!folder) return fail("{}: is a zip without data.pkl, and torch writes none such", where);
  auto source = std::make_unique<TorchFile>(path, std::move(file), std::move(*members), *folder);
  if (const auto status = source->read_directory(which); !status) return fail_at(where, status.error());
  return source;
}

}  // namespace

Result<std::unique_ptr<ArraySource>> open_torch_file(const std::filesystem::path& path, const WhichTensors& which) {
  HL_TRY(auto source, opened(path, which));
  if (source->entries().empty()) return source->no_tensors();
  return source;
}

std::string why_no_attention(const std::filesystem::path& path) {
  const auto source = opened(path, {.all = true});
  return source ? (*source)->no_attention() : "";
}

}  // namespace headlight
