#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

// Several documents in one sequence, none of which sees another.
class Segments final : public MaskOption {
 public:
  Segments() : MaskOption({"documents", "Documents", "own document alone", MaskRule::By::documents}) {}
  std::vector<ArraySpec> inputs(const ParamValues&, const IdSet& given) const override {
    std::vector<ArraySpec> list{
        mask::array("segments_q", "Query segments", "Which document a query belongs to: any number, equal within one.",
                    {{"n_q"}, {"B", "n_q"}}),
        mask::array("segments_k", "Key segments",
                    "Which document a key belongs to; in self attention that of the query in its place.",
                    {{"n_k"}, {"B", "n_k"}})};
    if (given.contains("segments_q") && !given.contains("x_k")) {
      list[1].fill = Fill::alias;
      list[1].alias_of = "segments_q";
    }
    return list;
  }
  Status check(const Problem& problem) const override {
    const bool of_queries = mask::given(problem, "segments_q") != nullptr,
               of_keys = mask::given(problem, "segments_k") != nullptr;
    if (of_queries && !of_keys) return fail("segments_k is missing: keys have an input of their own, x_k");
    if (of_keys && !of_queries) return fail("segments_q is missing: segments_k says only where keys belong");
    return {};
  }

  std::vector<std::pair<std::string, Tensor>> sample_arrays(const Problem& problem) const override {
    const Index queries = problem.dim("n_q"), keys = problem.dim("n_k");
    Tensor of_queries({queries}), of_keys({keys});
    for (Index i = 0; i < queries; ++i) of_queries[i] = 2 * i < queries ? 0.0F : 1.0F;
    for (Index j = 0; j < keys; ++j) of_keys[j] = 2 * j < keys ? 0.0F : 1.0F;
    if (!problem.find("x_k") || problem.find("x_k") == problem.find("x_q")) return {{"segments_q", of_queries}};
    return {{"segments_q", of_queries}, {"segments_k", of_keys}};
  }
  std::optional<MaskRule> rule(const Problem& problem) const override {
    const auto of_queries = mask::given(problem, "segments_q"), of_keys = mask::given(problem, "segments_k");
    if (!of_queries || !of_keys) return std::nullopt;
    const auto asked = [of_queries, n = problem.dim("n_q")](const MaskCell& c) {
      return (*of_queries)[of_queries->rank() == 1 ? c.query : c.batch * n + c.query];
    };
    const auto keyed = [of_keys, n = problem.dim("n_k")](const MaskCell& c) {
      return (*of_keys)[of_keys->rank() == 1 ? c.key : c.batch * n + c.key];
    };
    const std::string key_id = of_keys == of_queries ? "segments_q" : "segments_k";
    const char* query_place = of_queries->rank() == 1 ? "None, None, :, None" : ":, None, :, None";
    const char* key_place = of_keys->rank() == 1 ? "None, None, None, :" : ":, None, None, :";
    return MaskRule{.applies = [asked, keyed](const MaskCell& c) { return asked(c) != keyed(c); },
                    .why =
                        [asked, keyed](const MaskCell& c) {
                          return fmt::format("segments: key {} is in {}, query {} in {}", c.key, keyed(c), c.place,
                                             asked(c));
                        },
                    .code = both(fmt::format("segments_q[{}] != {}[{}]", query_place, key_id, key_place)),
                    .by_batch = of_queries->rank() == 2 || of_keys->rank() == 2,
                    .by_place = false,
                    .says = "key in own document"};
  }
  std::string note(const Recorder& r) const override {
    return r.has("segments_q") ? "Segments: a {query:query} sees {key:keys} of its own document alone." : "";
  }
};

}  // namespace

const MaskOption& segments() {
  static const Segments option;
  return option;
}

}  // namespace headlight
