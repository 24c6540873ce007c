#include "app/cli/file_options.h"

namespace headlight::app {

void add_dump(CLI::App* c, DumpOptions& dump, bool draws) {
  c->add_option("--tokens", dump.tokens, "Of a file of attention: its words, a JSON list or a word a line");
  c->add_option("--key-tokens", dump.key_tokens, "The words of its keys, where they are others");
  c->add_flag("--raw-tokens", dump.raw_tokens,
              "Its words as their vocabulary writes them, with its marks of spaces and pieces");
  c->add_option("--image", dump.image, "The picture that its positions lie on");
  c->add_option(draws ? "--patches" : "--grid", dump.grid, "Rows and columns of that picture, such as 14x14");
  c->add_option("--offset", dump.offset, "The first position that lies on it (left out: the last ones do)");
  c->add_option("--key-image", dump.key_image, "The picture that its keys lie on, where its queries do not");
  c->add_option(draws ? "--key-patches" : "--key-grid", dump.key_grid, "Rows and columns of the keys' picture");
  c->add_option("--key-offset", dump.key_offset, "The first key that lies on it");
  c->add_option("--positions", dump.positions,
                "Its positions that are kept, queries and keys, counted from 0: 0-8 or 0,3-5 (all)");
  c->add_option("--key-positions", dump.key_positions, "Its keys that are kept, where they are others");
  c->add_option_function<std::string>(
       "--pieces", [&dump](const std::string& text) { dump.whole_words = text == "words"; },
       "words: the pieces of a word become one position, keys added up, queries averaged (apart)")
      ->check(CLI::IsMember({"apart", "words"}));
  c->add_option("--member", dump.member, "Which arrays of a file of several, such as 'attentions.*'");
  c->add_option("--axes", dump.axes,
                "What its axes are, a letter each: l b h q k, such as bhqk; y and x are rows and columns of queries,\n"
                "Y and X of keys, and w in place of k is the keys of a window round each query");
  c->add_option("--global-tokens", dump.global_tokens,
                "The tokens whose columns stand before that window, such as 0,8");
  c->add_option("--save", dump.save, "Also the experiment, to write as .headlight");
}

void add_given(CLI::App* c, ModelGiven& given, const char* text) {
  c->add_option(text, given.text, "Of a model's folder: the text that it reads");
  c->add_option("--pair", given.pair, "The second text, where it reads two");
  c->add_option("--decoder", given.decoder, "Of a model with a decoder: the text that it has said so far");
  c->add_option("--ids", given.ids, "The numbers of tokens instead of a text, such as 1,2,3");
}

}  // namespace headlight::app
