// A model whose maps are more than there is room for: the same numbers, the map of a layer made when it is looked at.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "app/actions/action_table.h"
#include "app/actions/exports.h"
#include "app/figures/figure_plan.h"
#include "app/model/network_figure.h"
#include "app/model/network_run.h"
#include "app/reading/head_measures.h"
#include "app/session/previews.h"
#include "app/session/session.h"
#include "engine/io/file.h"
#include "tests/catch.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

// Two layers of an encoder, three of a decoder, two heads each, of n tokens asked by five.
ModelExperiment asked(Index n) {
  ModelExperiment experiment;
  experiment.model = (fs::path(HEADLIGHT_SOURCE_DIR) / "tests/reference/models/t5").string();
  std::vector<Index> ids;
  for (Index i = 0; i < n; ++i) ids.push_back(1 + i * i % 9);
  experiment.tokens = TokensInput{{}, {}, {ids}, {}};
  experiment.decoder_tokens = TokensInput{{}, {}, {{0, 2, 7, 1, 8}}, {}};
  return experiment;
}

Surroundings with_room(double bytes) {
  Surroundings surroundings;
  surroundings.room_for_maps = bytes;
  surroundings.fonts = HEADLIGHT_FONT_FOLDER;
  return surroundings;
}

void act(Session& session, const Action& action) {
  session.act(action);
  session.finish_files();
  REQUIRE(session.settle());
}

bool same_bits(const std::shared_ptr<const Tensor>& a, const std::shared_ptr<const Tensor>& b) {
  if (!a || !b) return a == b;
  return a->shape() == b->shape() && std::ranges::equal(a->values(), b->values());
}

// NaN where neither has a number.
bool same_measures(const PartRun& a, const PartRun& b, Index heads) {
  for (const Measure of : all_measures())
    for (Index l = 0; l < a.layers(); ++l)
      for (Index m = 0; m < heads; ++m) {
        const double x = a.measure(of, l, m), y = b.measure(of, l, m);
        if (x != y && !(std::isnan(x) && std::isnan(y))) return false;
      }
  return true;
}

double bytes_of(const std::vector<std::shared_ptr<const Tensor>>& maps) {
  double bytes = 0;
  for (const auto& map : maps) bytes += map ? static_cast<double>(map->size()) * sizeof(float) : 0;
  return bytes;
}

}  // namespace

TEST_CASE("a model whose maps do not fit gives the same numbers, and the map of a layer when it is looked at") {
  for (const Index n : {Index{150}, Index{600}}) {  // with rollout, and with too many tokens for it
    INFO(n);
    Session all(asked(n), {}, {}), few(asked(n), {}, with_room(1000));
    REQUIRE((all.settle() && few.settle()));
    const auto whole = all.model().net.run, run = few.model().net.run;
    REQUIRE((whole && run));
    CHECK(whole->few_maps.empty());
    CHECK(run->few_maps.find("made when it is looked at") != std::string::npos);
    CHECK(same_bits(whole->logits, run->logits));
    double large = 0, small = 0;
    for (const PartRun& part : run->parts) {
      const PartRun& other = whole->of(part.part);
      CHECK((other.has_all_maps() && std::ranges::count(part.maps, nullptr) == part.layers()));
      CHECK((part.queries() == other.queries() && part.keys() == other.keys()));
      CHECK(part.is_causal() == other.is_causal());
      CHECK(same_bits(part.means, other.means));
      CHECK(same_bits(part.rollout, other.rollout));
      CHECK((part.rollout != nullptr) == (n == 150 && part.part == ModelPart::first));
      CHECK(same_measures(part, other, 2));
      for (const auto& map : part.small)
        CHECK((map->dim(1) == 2 && map->dim(2) <= small_side && map->dim(3) <= small_side));
      large += bytes_of(other.maps);
      small += bytes_of(part.small);
    }
    CHECK(run->bytes_of_maps < whole->bytes_of_maps);
    if (n == 600) CHECK((run->bytes_of_maps >= small && run->bytes_of_maps < large / 20));
    // Whatever was looked at first, that layer's map is there, and those of the last few.
    for (const ModelPart part : whole->plan().parts())
      for (Index l = 0; l < whole->of(part).layers(); ++l) {
        act(few, ChoosePart{part});
        act(few, ChooseHead{l, 1});
        const auto made = few.model().net.looked_at({l, part});
        CHECK((made && same_bits(made, whole->of(part).maps[static_cast<std::size_t>(l)])));
        CHECK(few.model().net.looked.size() <= 3);
      }
    CHECK(few.model().net.run == run);  // nothing else was run again
  }
}

TEST_CASE("of a model whose maps do not fit, one token's rows are made layer by layer, and so is what a figure takes") {
  Session all(asked(150), {}, {}), few(asked(150), {}, with_room(1000));
  REQUIRE((all.settle() && few.settle()));
  const auto whole = all.model().net.run, run = few.model().net.run;
  const auto rows_are_those_of = [&](ModelPart part, Index query) {
    const QueryRows& rows = few.model().net.rows;
    REQUIRE((rows.part == part && rows.query == query && rows.done() == rows.layers.size()));
    REQUIRE(rows.layers.size() == whole->of(part).maps.size());
    for (std::size_t l = 0; l < rows.layers.size(); ++l) {
      const Tensor row = row_of_maps(*whole->of(part).maps[l], query);
      CHECK(std::ranges::equal(rows.layers[l]->values(), row.values()));
    }
    CHECK(few.model().net.looked.size() <= 3);
  };
  act(few, ViewLayers{LayersView::token});
  rows_are_those_of(ModelPart::first, 149);
  act(few, ChoosePair{{7, std::nullopt}});
  rows_are_those_of(ModelPart::first, 7);
  act(few, ChoosePart{ModelPart::cross});
  rows_are_those_of(ModelPart::cross, few.model().document.network->look.query.value_or(4));
  act(few, ViewLayers{LayersView::maps});
  CHECK(few.model().net.rows.layers.empty());
  CHECK(few.model().net.run == run);

  const FigureRun kept = make_figure_run(*whole);
  OpenModel open(whole->asked.model);
  ThreadPool pool;
  std::atomic<float> progress = 0;
  REQUIRE(run_network(open, asked(150), 0, nullptr, pool, {}, progress));
  const auto made_for = [&](const std::string& settings, double room = 1e9) {
    FigureRequest request;
    request.run_layers.emplace();
    std::istringstream lines(settings);
    for (std::string one; std::getline(lines, one, ';');) {
      const auto at = one.find('=');
      REQUIRE(set_figure(request, one.substr(0, at), one.substr(at + 1)));
    }
    progress = 0;
    auto made = make_figure_run(open, *run, map_selection(*run, request), room, pool, {}, progress);
    return std::pair{request, std::move(made)};
  };
  for (const char* settings : {"as=layers;query=7", "layers=1;part=decoder", "average=true", "step=rollout",
                               "layers=0,2;part=cross;average=true", "as=layers;query=3;average=true;part=cross",
                               "step=rollout;as=layers;query=5"}) {
    INFO(settings);
    const auto [request, made] = made_for(settings);
    REQUIRE(made);
    CHECK(progress == 1);
    const auto a = plan_figure(*kept.trace, *kept.problem, request, {});
    const auto b = plan_figure(*made->trace, *made->problem, request, {});
    REQUIRE((a && b));
    REQUIRE(a->panels.size() == b->panels.size());
    CHECK(title_of(*a, request) == title_of(*b, request));
    for (std::size_t i = 0; i < a->panels.size(); ++i) {
      const Step &x = *a->panels[i].view.step, &y = *b->panels[i].view.step;
      CHECK((x.info.id == y.info.id && x.info.title == y.info.title));
      REQUIRE(x.tensor().shape() == y.tensor().shape());
      for (Index c = 0; c < x.tensor().size(); ++c)
        if (x.tensor()[c] != y.tensor()[c]) REQUIRE(std::abs(x.tensor()[c] - y.tensor()[c]) < 1e-6F);
    }
  }
  CHECK(made_for("layers=all", 1000).second.error().message.find("draw fewer layers at once") != std::string::npos);
  CHECK(made_for("layers=5").second.error().message == "--layers is 5: this run has layers 0 to 1");
  CHECK(made_for("as=layers;query=150").second.error().message == "--query is 150: it must be from 0 to 149");
}

TEST_CASE("of a model whose maps do not fit, a head is switched off and a layer opened") {
  Session all(asked(90), {}, {}), few(asked(90), {}, with_room(0));
  REQUIRE((all.settle() && few.settle()));
  for (Session* session : {&all, &few}) {
    act(*session, ChooseHead{1, 0});
    act(*session, SwitchHead{0, 1, false});
  }
  const auto whole = all.model().net.run, run = few.model().net.run;
  REQUIRE((run->whole && *run->divergence == *whole->divergence));
  const auto of_first = [](const Session& session) { return session.model().net.looked_at({1, ModelPart::first}); };
  CHECK(same_bits(of_first(few), whole->parts[0].maps[1]));
  CHECK_FALSE(same_bits(of_first(few), whole->whole->parts[0].maps[1]));  // the run's own, not the one before
  act(few, OpenLayer{1});
  REQUIRE(few.model().trace());
  Tensor plain = *whole->parts[0].maps[1];
  for (float& value : plain.values()) value = std::isinf(value) ? 0 : value;
  CHECK(std::ranges::equal(few.model().trace()->map()->tensor().values(), plain.values()));
  CHECK(why_not(Action(ShowScreen{Screen::figure}), few.model()).empty());
  act(few, CloseLayer{});
  CHECK(few.model().shows_network());
}

TEST_CASE("the window makes a figure of a model whose maps do not fit, again for each that takes something else") {
  Session all(asked(150), {}, with_room(1e9)), few(asked(150), {}, with_room(1000));
  REQUIRE((all.settle() && few.settle()));
  CHECK(few.model().figure_source().trace == nullptr);
  for (const LayersView view : {LayersView::average, LayersView::rollout, LayersView::token, LayersView::maps}) {
    for (Session* session : {&all, &few}) {
      act(*session, ViewLayers{view});
      act(*session, ShowScreen{Screen::figure});
      REQUIRE(session->model().screen == Screen::figure);
    }
    KeptFonts fonts;
    const auto preview = [&](const app::Model& model) {
      return draw_preview(figure_to_preview(model, files_request(model), 1, Vision::normal), fonts);
    };
    const FigurePreview one = preview(all.model()), other = preview(few.model());
    INFO(static_cast<int>(view) << ": " << other.error);
    CHECK(other.error.empty());
    CHECK(one.caption == other.caption);
    CHECK(one.alt == other.alt);
    CHECK(one.image.rgba == other.image.rgba);
    CHECK(command_of(all.model()) == command_of(few.model()));
    if (view == LayersView::maps) break;
    for (Session* session : {&all, &few}) act(*session, ShowScreen{Screen::explore});
    CHECK(few.model().figure_source().trace == nullptr);  // nor is it kept
  }
  const auto before = few.model().figure_source().ticket;
  CHECK(few.model().figure_source().trace->steps.size() == 2);
  few.act(SetFigure{"layers", "1", false});
  few.poll(0);
  CHECK(why_not(SaveFigure{"f.pdf"}, few.model()).find("is being made") != std::string::npos);
  REQUIRE(few.settle());
  CHECK(few.model().figure_source().ticket != before);
  CHECK(few.model().figure_source().trace->steps.size() == 1);
  CHECK(why_not(SaveFigure{"f.pdf"}, few.model()).empty());
  act(few, ShowScreen{Screen::explore});
  few.act(ShowScreen{Screen::figure});  // and is given up
  few.poll(0);
  CHECK(few.model().busy);
  act(few, Cancel{});
  CHECK_FALSE(few.model().busy);
  CHECK(few.model().screen == Screen::explore);
  CHECK_FALSE(few.model().cancelled);  // of the run, which is as it was
}
