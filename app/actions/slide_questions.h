// What a class can be asked of the slide that is presented.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/model.h"

namespace headlight::app {

// By their ids, in the order in which Q goes through them: "own-1" and so on, what the notes ask; "winner"; the changes
// of reading/questions/other_questions.h that this run can have; "mix"; "head".
std::vector<std::string> slide_question_ids(const Model& model);
// "Which key wins?"
std::string label_of_ask(std::string_view id);
// The slide's experiment with that change. Null where it cannot have it.
std::shared_ptr<const Experiment> changed_experiment(const Model& model, std::string_view change);

}  // namespace headlight::app
