// The same training with other seeds, beside the one that is shown: what is luck, and what the task takes.
#pragma once

#include <string>

#include "app/model/training.h"

namespace headlight::app {

inline constexpr std::size_t other_seeds = 4;

bool has_all(const OtherSeeds& seeds);
// Whether the newest of them has taken its steps, or cannot.
bool newest_is_done(const OtherSeeds& seeds);
// The plan of the one that is to be trained next: the newest again, where that is not done.
learn::TrainingPlan next_seed(const OtherSeeds& seeds);
// Takes over what has become of the newest, or the first of the next. Its maps are let go: its curves are looked at.
void receive_seed(OtherSeeds& seeds, const learn::Film& film);
// "Seeds 1–5: learned at step 135, 130, 115, never, 125.": the one that is shown too, unless its rate was changed.
std::string seeds_in_words(const TrainingShown& shown);

}  // namespace headlight::app
