// What a sheet of exercises shows of a trace: one query of one head, step by step, with numbers left out that the rest
// of the sheet gives.
//
// It computes nothing: every number is the trace's, and every answer is read from the step's own explanation.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/page/worksheet.h"
#include "engine/io/experiment.h"
#include "engine/trace/trace.h"
#include "engine/variants/variant.h"

namespace headlight::app {

struct WorksheetRequest {
  std::string title = {};
  // Ids of steps or sources, in the order they stand; none: what a head computes, each after what it is computed from.
  std::vector<std::string> steps = {};
  Index batch = 0, head = 0;
  std::optional<Index> query = {};  // none: the middle one
  std::optional<int> blanks = {};   // none: 12, or as many as there can be
  std::uint64_t seed = 1;           // which numbers are left out
};

// One number on the sheet, by its place in the trace.
struct SheetNumber {
  std::string step;
  Index cell = -1;  // flat
};

struct MadeWorksheet {
  Worksheet sheet;
  std::vector<SheetNumber> blanks;   // in the order of the boxes' numbers, from 1
  std::vector<SheetNumber> numbers;  // all of the sheet, table by table and row by row
  std::string note = {};             // why it has fewer boxes than usual; empty where it has not
};

// A box is drawn only where a number is finite and all that its explanation needs stands on the sheet, not all of it in
// boxes. Numbers have as many digits as it takes for the printed ones to give each box to within one in its last digit
// or half a percent. A number that is only a copy of a box's stands as the box's number, "(4)". Boxes with other
// answers are taken before those whose answer another box has, and those where there is nothing to compute, 0 of zeros,
// last. No box asks for a number below 0.01 in size that is not 0, or for one that was set by hand: that is printed as
// it was set, and the table says so. Errors: a step that is not there or has too many axes; a batch item, head or query
// out of range; more blanks asked for than there can be.
Result<MadeWorksheet> make_worksheet(const Trace& trace, const WorksheetRequest& request);

// Three significant digits, or as many as asked: "0.350", "−12.0", "1.23·10⁻⁵", "−∞".
std::string sheet_number(double value, int digits = 3);

// ---- The two files of a sheet: the sheet and its key, what they are called and titled

// The title of the sheet: the experiment's text, else its file's name, else what its variant is called.
std::string worksheet_title(const Experiment& experiment, const Problem& problem, const std::filesystem::path& path);

// Where the key goes: where asked for, else SHEET-key.pdf beside the sheet.
// Errors: either is not named .pdf.
Result<std::filesystem::path> worksheet_key(const std::filesystem::path& output, const std::filesystem::path& key);

// Without a key, `key` is empty. Errors: one of them would write over what the experiment reads, or both are one file,
// be it by another path.
Status check_worksheet_files(const Experiment& experiment, const std::filesystem::path& output,
                             const std::filesystem::path& key);

struct WorksheetJob {
  std::shared_ptr<const Experiment> experiment;  // the other sheets are of other runs of it
  std::shared_ptr<const Trace> trace;            // its run, which the first sheet is of
  WorksheetRequest request;
  bool by_hand = false;          // in place of those: runs that can be done on paper, which the request's seed draws
  int copies = 1;                // sheets, each with numbers of its own
  std::vector<Index> rows = {};  // in place of those: a sheet for each of these queries of the one run
  PaperSize paper = a4_paper;
  std::filesystem::path output;
  std::filesystem::path key;    // empty: none
  std::filesystem::path fonts;  // their folder
  bool answers_behind = false;  // those of all sheets stand behind them, in the same file
};

inline constexpr int most_copies = 500;

// How many sheets the job makes.
inline int sheet_count(const WorksheetJob& job) {
  return job.rows.empty() ? job.copies : static_cast<int>(job.rows.size());
}

// The first, as make_worksheet() makes it, with its number where there are more.
Result<MadeWorksheet> first_worksheet(const WorksheetJob& job);
// All of them. The runs of the others are drawn by the request's seed: other weights, and other embeddings of a text.
// Errors: as of make_worksheet() and of the runs; nothing of the run is drawn by a seed, so that all would be the same;
// "cancelled".
struct MadeWorksheets {
  std::vector<Worksheet> sheets;
  std::string note = {};  // of the first
};
Result<MadeWorksheets> make_worksheets(const WorksheetJob& job, const std::stop_token& stop,
                                       std::atomic<float>* fraction = nullptr);

// Returns why the first has fewer boxes than usual, as MadeWorksheet::note. Nothing is left of one file without the
// other. Errors: as of make_worksheets(), and files that cannot be written.
Result<std::string> write_worksheet(const WorksheetJob& job, const std::stop_token& stop = {},
                                    std::atomic<float>* fraction = nullptr);

}  // namespace headlight::app
