#include "engine/layouts/pieces.h"

namespace headlight {

Pieces pieces::joined(std::initializer_list<Pieces> lists) {
  Pieces all;
  for (const Pieces& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Settings pieces::joined(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

Pieces pieces::linear(const char* which, const std::string& name, How how) {
  const std::string id = which;
  const bool halved = how == How::first_half || how == How::second_half;
  return {{"w_" + id, name + ".weight", how},
          {"b_" + id, name + ".bias", is_cut(how) || halved ? how : How::as_is, false}};
}

Pieces pieces::norm(const char* which, const std::string& name) {
  const std::string gamma = which + std::string("_gamma"), beta = which + std::string("_beta");
  return {{gamma, name + ".weight", How::as_is},
          {beta, name + ".bias", How::as_is},
          {gamma, name + ".gamma", How::as_is, false},
          {beta, name + ".beta", How::as_is, false}};
}

Pieces pieces::norm_perhaps_without_bias(const char* which, const std::string& name) {
  return {{which + std::string("_gamma"), name + ".weight", How::as_is},
          {which + std::string("_beta"), name + ".bias", How::as_is, false}};
}

Pieces pieces::root_norm(const char* which, const std::string& name, How how) {
  return {{which + std::string("_gamma"), name + ".weight", how}};
}

Pieces pieces::one_matrix(const std::string& name, How first) {
  const auto later = [first](int by) { return static_cast<How>(static_cast<int>(first) + by); };
  return joined({linear("q", name, first), linear("k", name, later(1)), linear("v", name, later(2))});
}

Pieces pieces::attention(const std::string& at, const AttentionNames& names) {
  return joined({linear("q", at + names.q, How::cut), linear("k", at + names.k, How::cut),
                 linear("v", at + names.v, How::cut), linear("o", at + names.o, How::transposed)});
}

Pieces pieces::feed_forward(const std::string& up, const std::string& down, const std::string& beside) {
  Pieces list = linear("1", up, How::transposed);
  if (!beside.empty()) list = joined({list, linear("3", beside, How::transposed)});
  return joined({list, linear("2", down, How::transposed)});
}

}  // namespace headlight
