// A layer whose arrays somebody names.
#include <algorithm>

#include "engine/io/file.h"
#include "engine/layouts/tables.h"

namespace headlight {

namespace {

// Its i-th part of n equal ones, along what comes out: rows of (out, in), columns of (in, out), channels of heads.
Result<Tensor> named_part(Tensor whole, const OwnName& own) {
  if (own.parts == 1) return whole;
  const bool first = own.held == "out_in" || whole.rank() == 1;
  const Index outputs = first ? whole.dim(0) : whole.dim(-1), each = outputs / own.parts;
  if (outputs % own.parts != 0) return fail("has {} outputs, which are no {} equal parts", outputs, own.parts);
  Shape shape = whole.shape();
  (first ? shape.front() : shape.back()) = each;
  Tensor part = Tensor::uninitialized(shape);
  const Index before = first ? 1 : whole.size() / outputs, after = first ? whole.size() / outputs : 1;
  for (Index i = 0; i < before; ++i)
    std::copy_n(whole.data() + (i * outputs + own.part * each) * after, each * after, part.data() + i * each * after);
  return part;
}

Result<Tensor> to_mechanism(Tensor given, const std::string& id, const OwnName& own, Index heads, Index width) {
  const bool projects = id == "w_q" || id == "w_k" || id == "w_v", matrix = id.starts_with("w_");
  const bool shifts = id == "b_q" || id == "b_k" || id == "b_v";
  if (own.held == "heads") {
    if (!projects && !shifts && id != "w_o") return fail("is no array of heads: held must be out_in or in_out");
    return converted(std::move(given), id == "w_o" ? How::out_of_heads : How::in_heads, heads, width);
  }
  if (shifts) return converted(std::move(given), How::cut, heads, width);
  if (!matrix) return given;
  if (given.rank() != 2) return fail("has shape {}: a matrix is needed", to_string(given.shape()));
  if (own.held == "in_out" && projects) {
    HL_TRY(given, converted(std::move(given), How::transposed, heads, width));
  }
  if (projects) return converted(std::move(given), How::cut, heads, width);
  if (own.held == "in_out") return given;
  return converted(std::move(given), How::transposed, heads, width);
}

}  // namespace

Result<LayerOfStateDict> layer_of_names(const ArraySource& source, const OwnNames& own, Index layer, Index heads,
                                        const std::string& file) {
  if (heads == 0) return fail("{}: its names do not say how many heads it has: set params.heads", file);
  const NamesOfFile names = names_of(source);
  LayerOfStateDict result;
  result.heads = heads;
  result.number = layer;
  Index width = 0;  // of a head, once queries say it
  const auto take = [&](const std::string& id, const OwnName& one) -> Status {
    const std::string where = fmt::format("weights.names.{}", one_line(id)), name = with_layer(one.name, layer);
    const auto found = names.find(name);
    if (found == names.end()) return fail("{}: {} is not in {}", where, one_line(name), file);
    HL_TRY(NamedArray array, source.read(found->second));
    if (array.dtype.find("float") == std::string::npos)
      return fail("{}: {} is of type {}: weights are floats", where, one_line(name), array.dtype);
    auto part = named_part(std::move(array.values), one);
    if (!part) return fail("{}: {} {}", where, one_line(name), part.error().message);
    auto made = to_mechanism(std::move(*part), id, one, heads, width);
    if (!made) return fail("{}: {} {}", where, one_line(name), made.error().message);
    if (id == "w_q") width = made->dim(-1);
    result.arrays.insert_or_assign(id, std::make_shared<const Tensor>(std::move(*made)));
    return {};
  };
  if (const auto q = own.arrays.find("w_q"); q != own.arrays.end()) HL_CHECK(take(q->first, q->second));
  for (const auto& [id, one] : own.arrays)
    if (id != "w_q") HL_CHECK(take(id, one));
  result.notices.push_back(fmt::format("layer {} of {}, by its own names: {} arrays used, {} not", layer, file,
                                       own.arrays.size(), names.size() - std::min(names.size(), own.arrays.size())));
  return result;
}

}  // namespace headlight
