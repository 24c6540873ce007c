// What a task should fail without: its counter-tests as changes of what is to be learned, and what those that were
// tried came to.
#pragma once

#include <string>

#include "app/model/training.h"

namespace headlight::app {

// The task's counter-test of that title; null where it has none.
const learn::CounterTest* counter_test_named(const learn::Task& task, std::string_view title);
// The one that is tried by that plan: of all options that the task's counter-tests change, just its own are changed.
// Null: none.
const learn::CounterTest* counter_test_in(const learn::TrainingPlan& plan);
// The same plan with that counter-test in place of any other; null: with none. What else was changed stays.
learn::TrainingPlan with_counter_test(learn::TrainingPlan plan, const learn::CounterTest* test);

// Why it would change nothing, in one line; empty: it would.
std::string why_no_change(const learn::TrainingPlan& plan, const learn::CounterTest& test);

// Where a counter-test has ended, records its result, in place of an earlier one. There must be a film.
void record_test_result(TrainingShown& shown);
// "came to, at step 300", "came to, at step 600 with width 32, seed 2": what stands before its figures.
std::string in_words(const TestResult& result);

}  // namespace headlight::app
