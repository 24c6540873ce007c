#include "engine/learn/training_folder.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/csv.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"
#include "engine/io/safetensors.h"
#include "engine/learn/stack.h"
#include "engine/learn/training_file.h"

namespace headlight::learn {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t largest_table = std::uint64_t{1} << 28;

constexpr const char* weight_of = "weight/";
constexpr const char* mean_of = "mean/";
constexpr const char* square_of = "square/";

Status write_state(const fs::path& path, const Snapshot& snapshot) {
  Tensor step({2});  // in thousands and what is left: each is a float32 without loss
  step[0] = static_cast<float>(snapshot.step / 1000);
  step[1] = static_cast<float>(snapshot.step % 1000);
  std::vector<ArrayToWrite> arrays{{"step", step}};
  const auto put = [&](const char* prefix, const Numbers& numbers) {
    for (const auto& [name, tensor] : numbers) arrays.push_back({prefix + name, *tensor});
  };
  put(weight_of, snapshot.weights);
  put(mean_of, snapshot.means);
  put(square_of, snapshot.squares);
  return write_safetensors(path, arrays);
}

Result<Snapshot> read_state(const fs::path& path) {
  HL_TRY(auto arrays, read_safetensors(path));
  Snapshot snapshot;
  bool has_step = false;
  for (NamedArray& array : arrays) {
    const auto take = [&](std::string_view prefix, Numbers& into) {
      if (array.name.starts_with(prefix))
        into[array.name.substr(prefix.size())] = std::make_shared<Tensor>(std::move(array.values));
    };
    if (array.name == "step" && array.values.size() == 2) {
      snapshot.step = static_cast<Index>(array.values[0]) * 1000 + static_cast<Index>(array.values[1]);
      has_step = true;
      continue;
    }
    take(weight_of, snapshot.weights);
    take(mean_of, snapshot.means);
    take(square_of, snapshot.squares);
  }
  if (!has_step || snapshot.step < 0) return fail("{}: no training was saved here", one_line(utf8(path)));
  return snapshot;
}

// A row a step that was measured, a column a figure.
std::string figures_as_csv(const Curves& curves) {
  std::set<std::string> ids;
  for (const auto& [step, figures] : curves.figures)
    for (const auto& [id, value] : figures) ids.insert(id);
  std::string text = "step";
  for (const std::string& id : ids) text += "," + id;
  text += "\n";
  for (const auto& [step, figures] : curves.figures) {
    text += std::to_string(step);
    for (const std::string& id : ids)
      text += figures.contains(id) ? fmt::format(",{}", figures.find(id)->second) : std::string(",");
    text += "\n";
  }
  return text;
}

// Every digit, so that the same steps come to the same bits.
std::string rates_as_csv(const Curves& curves) {
  std::string text = "step,rate,batch\n";
  for (const auto& [step, settings] : curves.schedule)
    text += fmt::format("{},{},{}\n", step, settings.rate, settings.batch);
  return text;
}

// `network`: what opens it as a model, as JSON; empty where nothing does.
Status write_config(const fs::path& path, const Training& training, const Figures& figures,
                    const std::string& network) {
  HL_TRY(Json document, read_json(to_json(training.plan())));
  Json config = Json::object();
  config["model_type"] = "headlight";
  for (const auto& item : document.items()) config[item.key()] = item.value();
  config["step"] = training.step();
  if (!figures.empty()) config["figures"] = Json::object();
  for (const auto& [id, value] : figures) config["figures"][id] = value;
  if (!network.empty()) {
    HL_TRY(config["network"], read_json(network));
  }
  return write_file(path, config.dump(2) + "\n");
}

// The network as it stands, without what going on needs.
Status write_model(const fs::path& folder, const Training& training, const Figures& figures) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return fail("{}: this folder cannot be made: {}", one_line(utf8(folder)), failed.message());
  std::vector<ArrayToWrite> weights;
  for (const std::string& name : training.learned()) weights.push_back({name, *training.weights().at(name)});
  const TrainingPlan& plan = training.plan();
  const auto stack = stack_of(plan.task->plan(plan.options));
  const StackFiles files = stack ? stack_files(plan, *stack) : StackFiles();
  HL_CHECK(write_config(folder / "config.json", training, figures, files.network));
  if (!files.tokenizer.empty()) HL_CHECK(write_file(folder / "tokenizer.json", files.tokenizer));
  return write_safetensors(folder / "model.safetensors", weights);
}

// Rows of a table that this program wrote: numbers between commas below names.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
};
Table table_of(const std::string& text) {
  Table table;
  for (const std::string_view line : split_lines(text)) {
    std::vector<std::string> fields{""};
    for (const char c : line)
      if (c == ',')
        fields.emplace_back();
      else
        fields.back() += c;
    if (table.names.empty())
      table.names = std::move(fields);
    else
      table.rows.push_back(std::move(fields));
  }
  return table;
}

// Curves up to the step where the training stands; a table that is not there is an empty one. Where a row of rates.csv
// says nothing of the batch it is the first one.
Curves read_curves(const fs::path& folder, Index step, const StepSettings& first) {
  Curves curves;
  if (const auto text = read_file(folder / "losses.csv", largest_table))
    for (const auto& row : table_of(*text).rows)
      if (row.size() == 2 && static_cast<Index>(curves.losses.size()) < step)
        curves.losses.push_back(std::strtod(row[1].c_str(), nullptr));
  if (const auto text = read_file(folder / "figures.csv", largest_table)) {
    const Table table = table_of(*text);
    for (const auto& row : table.rows) {
      const Index at = std::strtoll(row.front().c_str(), nullptr, 10);
      for (std::size_t i = 1; i < std::min(row.size(), table.names.size()) && at <= step; ++i)
        if (!row[i].empty()) curves.figures[at][table.names[i]] = std::strtod(row[i].c_str(), nullptr);
    }
  }
  if (const auto text = read_file(folder / "rates.csv", largest_table))
    for (const auto& row : table_of(*text).rows)
      if (row.size() >= 2) {
        const StepSettings settings{std::strtod(row[1].c_str(), nullptr),
                                    row.size() == 3 ? std::strtoll(row[2].c_str(), nullptr, 10) : first.batch};
        if (settings.rate > 0 && settings.batch > 0)
          curves.schedule[std::strtoll(row[0].c_str(), nullptr, 10)] = settings;
      }
  return curves;
}

}  // namespace

std::string losses_as_csv(const Curves& curves) {
  std::string text = "step,loss\n";
  for (std::size_t step = 0; step < curves.losses.size(); ++step)
    text += std::isnan(curves.losses[step]) ? fmt::format("{},nan\n", step)  // whatever its sign
                                            : fmt::format("{},{:.9g}\n", step, curves.losses[step]);
  return text;
}

Status write_training(const fs::path& folder, const Training& training, const Curves& curves) {
  HL_CHECK(write_model(folder, training, curves.figures.empty() ? Figures() : curves.figures.rbegin()->second));
  HL_CHECK(write_file(folder / "losses.csv", losses_as_csv(curves)));
  HL_CHECK(write_file(folder / "figures.csv", figures_as_csv(curves)));
  HL_CHECK(write_file(folder / "rates.csv", rates_as_csv(curves)));
  return write_state(folder / "state.safetensors", training.snapshot());
}

Status write_snapshot(const fs::path& folder, const Snapshot& snapshot) {
  std::error_code failed;
  fs::create_directories(folder / "snapshots", failed);
  if (failed) return fail("{}: this folder cannot be made: {}", one_line(utf8(folder / "snapshots")), failed.message());
  return write_state(folder / "snapshots" / fmt::format("step{:08}.safetensors", snapshot.step), snapshot);
}

Result<OpenedTraining> open_training(const fs::path& folder) {
  OpenedTraining opened;
  std::vector<std::string> notices;
  HL_TRY(opened.plan, read_training(folder / "config.json", notices));
  HL_TRY(opened.snapshot, read_state(folder / "state.safetensors"));
  opened.curves = read_curves(folder, opened.snapshot.step, first_settings(opened.plan));
  return opened;
}

namespace {

// The newest that is no newer than that step; nothing where there is none that can be read.
std::optional<Snapshot> snapshot_before(const fs::path& folder, Index step) {
  std::optional<Snapshot> newest;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder / "snapshots", failed)) {
    if (entry.path().extension() != ".safetensors") continue;
    auto snapshot = read_state(entry.path());
    if (snapshot && snapshot->step <= step && (!newest || snapshot->step > newest->step)) newest = std::move(*snapshot);
  }
  return newest;
}

}  // namespace

Result<std::unique_ptr<Training>> training_at(const fs::path& folder, Index step, Compute& compute) {
  HL_TRY(OpenedTraining opened, open_training(folder));
  const Index taken = opened.snapshot.step;
  if (step < 0 || step > taken) return fail("{} has taken {} steps, not {}", one_line(utf8(folder)), taken, step);
  HL_TRY(auto training, Training::make(std::move(opened.plan), compute));
  std::optional<Snapshot> from;
  if (step == taken)
    from = std::move(opened.snapshot);
  else
    from = snapshot_before(folder, step);
  if (from)
    if (const Status fits = training->restore(*from); !fits) return fail_at(one_line(utf8(folder)), fits.error());
  const StepSettings first = first_settings(training->plan());
  while (training->step() < step && !compute.cancelled()) {
    HL_CHECK(training->set(settings_at(opened.curves.schedule, training->step(), first), compute));
    training->take_step(compute);
  }
  if (compute.cancelled()) return fail("cancelled");
  return training;
}

Result<fs::path> model_at(const fs::path& folder, Index step, Compute& compute) {
  if (!is_training_folder(folder))
    return fail("{}: this is no folder of a training, so it has no step {}", one_line(utf8(folder)), step);
  HL_TRY(const auto training, training_at(folder, step, compute));
  HL_TRY(const Figures figures, training->measure(compute));
  std::error_code ignored;
  const fs::path whole = (fs::absolute(folder, ignored) / "").lexically_normal().parent_path();
  const fs::path model = folder / "at" / fmt::format("{}-{}", utf8(whole.filename()), step);
  HL_CHECK(write_model(model, *training, figures));
  return model;
}

std::string loss_mismatch(const Curves& kept, Index step, double loss) {
  constexpr double far = 0.01;  // of the loss
  const auto then = kept.figures.find(step);
  if (then == kept.figures.end()) return {};
  const double was = then->second.at("loss");
  if (std::abs(loss - was) <= far * std::abs(was)) return {};
  return fmt::format(
      "Taken once more, step {} comes to a loss of {:.4g}; the folder's is {:.4g}. It was learned with other kernels, "
      "or with a rate that fell towards another last step.",
      step, loss, was);
}

bool is_training_folder(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / "config.json", failed) && fs::exists(folder / "state.safetensors", failed);
}

}  // namespace headlight::learn
