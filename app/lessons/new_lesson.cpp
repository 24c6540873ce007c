#include "app/lessons/new_lesson.h"

#include <fmt/format.h>

#include "app/lessons/lesson.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace fs = std::filesystem;

std::string new_lesson() {
  return R"(---
title: My lesson
takes: 3 minutes
---

``` experiment
{ "variant": "multi_head",
  "params": { "heads": 1, "d_head": 2 },
  "inputs": { "x_q": { "array": [[[2, 0], [0, 2], [2, 1]]], "tokens": ["red", "fox", "runs"] } },
  "weights": { "init": "identity" } }
```

# What is asked

Each word is two numbers: *red* is {x_q[red]}, *runs* is {x_q[runs]}. Their score is {4 = scores[runs, red]}. Numbers in
braces are computed; one with a sign of equality is a mistake as soon as it no longer holds.

``` show
step scores
row runs
```

``` hide
row runs
```

``` ask number
What is the score of *runs* and *fox*?
answer: scores[runs, fox]
when answer = 3: That is all four numbers added. Multiply first.
else: Multiply place by place, then add.
hint: 2·0 is the first of two products.
because: 2·0 + 1·2 = {scores[runs, fox]}.
```

# What it comes to

``` show
step weights
row runs
```

``` ask token
Which word does *runs* look at most?
answer: argmax weights[runs, :]
when answer = fox: *fox* scores {2 = scores[runs, fox]}, the least of the three.
else: The largest score gets the largest share.
```

The largest is {0.62 = max weights[runs, :]}.

# Change it

``` ask do
Soften the shares of *runs* until no word has more than half: a higher temperature does that.
until: max weights[runs, :] < 0.5
solution: param temperature 3
```

The shares of *runs* are {weights[runs, :]}, and add up to {1 = sum weights[runs, :]}.
)";
}

Status write_new_lesson(const fs::path& path) {
  if (!is_lesson_file(path)) return fail("{}: the name of a lesson ends in {}", utf8(path), lesson_ending);
  std::error_code error;
  if (fs::exists(path, error)) return fail("{}: is there already: choose another name", utf8(path));
  return write_file(path, new_lesson());
}

fs::path free_lesson_path(const fs::path& folder) {
  std::error_code error;
  fs::path path = folder / fmt::format("my-lesson{}", lesson_ending);
  for (int i = 2; fs::exists(path, error); ++i) path = folder / fmt::format("my-lesson-{}{}", i, lesson_ending);
  return path;
}

}  // namespace headlight::app
