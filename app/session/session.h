// One open window's worth of work: the model, the runner behind it, and the effects that reach outside.
//
// Holds no window: the same session runs under the window, the screenshot command and the tests on a null backend.
#pragma once

#include <functional>
#include <set>
#include <stop_token>
#include <string>

#include "app/actions/update.h"
#include "app/session/background.h"
#include "app/session/exporter.h"
#include "app/session/opening.h"
#include "app/session/recovery.h"
#include "app/session/settings_file.h"
#include "app/session/trainer.h"
#include "engine/learn/training_folder.h"
#include "engine/run/queue/run_queue.h"
#include "engine/run/queue/runner.h"

namespace headlight::app {

// What a session may ask of its surroundings.
struct Surroundings {
  std::function<void()> wake;  // a result waits: draw again
  std::function<void(const std::string&)> set_clipboard;
  std::function<std::string()> clipboard;
  // Makes an address that opens what is shown, and puts it where it can be pasted from; empty where there are none.
  // Errors: it would be too long.
  std::function<Status(const Model&)> copy_link;
  std::filesystem::path fonts;     // folder of the fonts for figures
  std::filesystem::path examples;  // folder of the inputs that come with the program
  std::filesystem::path settings;  // the file that remembers how the window looks; empty: nothing is remembered
  std::filesystem::path state;     // folder of unsaved work; empty: none is kept
  std::filesystem::path cache;     // folder of the small pictures of recent files; empty: there are none
  std::optional<double> room_for_maps = {};   // bytes, of the heads of a model of layers; nothing: what is free
  ServedBy served_by = ServedBy::own_thread;  // caller: work() does all work, and no thread is started
};

struct LayersRequest;

class Session {
 public:
  Session(Experiment experiment, std::filesystem::path path, Surroundings surroundings);
  // The same of a model of many layers; the path is of its experiment, or empty.
  Session(ModelExperiment asked, std::filesystem::path path, Surroundings surroundings);
  // What is unsaved stays kept, unless the session was asked to quit.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Takes over what a person did in another session: its document, how it is looked at, its settings, its history.
  // What follows from that is computed anew.
  void take_over(const Model& other);

  const Model& model() const { return model_; }
  // Carries an action out, with whatever it does outside.
  void act(const Action& action);
  // Where the caller serves (Surroundings): does what waits for some milliseconds, and says whether anything did.
  // poll() takes the results. A nested call does nothing.
  bool work();
  // Takes finished results and lets time pass. `now` is in seconds on any steady clock.
  void poll(double now);
  // Waits until nothing is under way, at most `seconds`; false when that was not enough, and something hangs.
  bool settle(double seconds = 600);
  bool wants_to_quit() const { return quit_; }
  // Waits for files that are being opened, listed or saved.
  void finish_files();
  // Unsaved work is on the disk when this returns. From any thread.
  void finish_keeping();
  // As they are for this start alone: they are not remembered.
  void use_settings(const Settings& settings) { model_.settings = settings; }
  const Remembered& remembered() const { return remembered_; }
  // Where the window stands, to be remembered.
  void remember_window(const WindowPlace& place);
  // Which lesson or file is open, to be remembered.
  void remember_open();
  // Of what has just been opened: its first step, with nothing pinned.
  void begin_at_first_step();
  // What of the panels is folded, to be remembered.
  void remember_folds(const Folds& folds);

 private:
  static constexpr const char* changed_run = "changed slide";  // of the same with something changed
  static constexpr const char* slide_run = "slide";            // key of the run of an experiment that is presented
  struct FileVersion {
    std::filesystem::path path;
    std::string stamp;   // stamp_of() it just before
    std::string member;  // as in Departure
  };
  struct Saving;
  explicit Session(Surroundings surroundings);
  void rerun();
  void run_layers();
  void take_layers(const Outcome& outcome);
  void refresh_layer_map();
  void explain_token();
  void take_relevance(const Outcome& outcome);
  void add_relevance_to_figure(std::uint64_t ticket);
  void keep_rows_shown();
  void take_layer_map(const Outcome& outcome);
  void take(Outcome outcome);
  void open(const std::filesystem::path& path, bool sure = false, const std::string& member = {});
  void take(Opened opened, const FileVersion& file, bool sure);
  void take(const OpenedArrays& opened);
  void show(Experiment experiment, const FileVersion& file);
  void show(OpenedNetwork network, const FileVersion& file);
  void show(Recipe recipe, const std::filesystem::path& path);
  void save(const std::filesystem::path& path, bool with_inputs, bool sure = false);
  Status write(Saving& saving);
  void take_saved(const Saving& saving);
  void take_file(const Saving& saving);
  void store_inputs(const std::shared_ptr<const Experiment>& whole);
  void measure_inputs();
  void keep_thumbnail();
  void read_thumbnails();
  void leave(const Departure& leaving);
  void replace(const Replacing& replacing);
  void recover(const std::filesystem::path& file, bool sure = false);
  void forget_recoverable(const std::filesystem::path& file);
  void ask_to_leave(Departure departure);
  void carry_out(const Effects& effects);
  void paste(const std::string& text);
  void browse(const std::filesystem::path& folder);
  void peek(const std::filesystem::path& path);
  void list_slides(const std::filesystem::path& path);
  void keep_names(const NamesToKeep& names);
  void run_presented();
  void run_changed_slide();
  void start_keeping();
  void save_recovery();
  void check_file();
  void remember(const Settings& before);
  void write_remembered();
  void start_export(Result<ExportTask> task, Replacing::What what, const std::filesystem::path& path, bool sure);
  void take(ExportOutcome outcome);
  void run_all_choices(const std::string& param);
  void measure_shown();
  void choose_measures();  // of the item of the batch that is looked at
  void refresh_layers();
  void run_figure_maps();
  void take_figure_maps(const Outcome& outcome);
  void ablate(bool on);
  void refresh_mechanism();
  void take_mechanism(const std::string& key, Outcome outcome);
  void find_mechanism_figures();
  void ask_next_without_head();
  void ablate_layers(bool on);
  void ask_next_without_layer_head();
  void accept_run_without_layer_head(const Outcome& outcome);
  void accept_run_without_head(Index head, const Outcome& outcome);
  void begin_training();
  void note_heads(const learn::Film& film);
  void repeat_training();
  void ask_training();
  void carry_out_training(const Effects& effects);
  void refresh_training();
  void ask_for_slopes();
  std::optional<KeptTraining> kept_training() const;
  void go_on_training(const KeptTraining& kept);
  void go_on_training(const std::filesystem::path& folder);
  void draw_training(const std::filesystem::path& file);
  void compare_with_folder();
  void keep_training();
  void note_saved(const SavedTraining& saved);
  void refresh_seeds();
  void refresh_lessons();
  void refresh_lesson_file();
  void stop_opening_lesson();
  void open_lesson(const std::filesystem::path& path);
  void begin_lesson();
  void print_lesson();
  void save_answers();
  void take_lesson(const std::filesystem::path& path, const std::shared_ptr<const PlayedLesson>& played, bool again,
                   const std::string& stamp);
  void keep_progress();
  void show_explored(const Explored& explored);
  void save_heads(const std::filesystem::path& path, bool sure);
  void run_companions();
  void run_compared();
  void run_held(const std::string& key, HeldRun& held, bool wanted);
  void run_companion(const std::string& path);
  void forget_companions();
  void take_side_runs();
  void take_failure(const std::string& name, const Error& error);
  Background::Failed on_failure();
  void note_files_outside();
  void note(Notice::Level level, std::string text);

  Surroundings surroundings_;
  Model model_;
  RunQueue queue_;
  RunQueue::Client layers_;  // runs of a model of many
  std::shared_ptr<LayersRequest> layers_request_;
  RunQueue::Client without_;  // the same without one head after another
  std::shared_ptr<struct AblationRequest> ablation_request_;
  RunQueue::Client looked_;  // the map of a layer that is looked at
  std::shared_ptr<struct LayerMapRequest> layer_map_request_;
  RunQueue::Client figuring_;   // what a figure takes of maps that are not kept
  RunQueue::Client relevance_;  // gradient × attention, where that is shown
  std::shared_ptr<struct RelevanceRequest> relevance_request_;
  std::shared_ptr<struct MapsRequest> maps_request_;
  Runner runner_;
  SideRuns sides_;                          // what is compared with what is shown, and further experiments of a figure
  std::filesystem::path slide_asked_;       // the file whose run is presented, until it is there
  std::set<std::string> companions_asked_;  // their paths, until they are there
  Exporter exporter_;
  std::unique_ptr<WorkPlace> place_;  // null: unsaved work is not kept
  Remembered remembered_;
  Remembered written_;  // as the file had it when this session read or wrote it; of the thread that keeps
  struct LastWrite {
    std::filesystem::path path;
    std::string stamp;
    std::uint64_t number = 0;  // of the saving
  };
  LastWrite last_write_;  // of the thread that saves
  std::uint64_t saves_asked_ = 0;
  bool export_asked_ = false;  // what it would replace is being looked for
  Background reading_;         // files that are opened, listed or looked into
  Background keeping_;         // of unsaved work and settings
  Background saving_;          // of the document; what exports would replace
  std::stop_source measures_stop_, layers_stop_;
  Background measuring_;  // heads, layers
  Trainer trainer_;
  std::shared_ptr<const learn::FilmFrame> slopes_frame_;  // the frame that they were asked for last
  Index training_kept_ = 0;                               // its steps, when it was kept last
  std::chrono::steady_clock::time_point training_kept_at_;
  std::shared_ptr<Trainer> other_seeds_;                // null: none are trained
  std::optional<learn::Curves> saved_curves_;           // of the folder whose steps are repeated; none once compared
  std::shared_ptr<const learn::TrainingPlan> trained_;  // as the trainer was asked last; null: nothing was
  bool lessons_asked_ = false;
  std::stop_source lesson_stop_;  // of one that is being opened, whose networks may learn meanwhile
  std::chrono::steady_clock::time_point lesson_looked_at_;
  bool quit_ = false, works_ = false;
};

}  // namespace headlight::app
