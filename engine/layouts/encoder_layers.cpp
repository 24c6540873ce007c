// Layers of models that read a text: BERT and its kin, ESM.
#include "engine/layouts/pieces.h"

namespace headlight {

using namespace pieces;

Layouts encoder_layouts() {
  const Pieces attends = attention("attention.", {"self.query", "self.key", "self.value", "output.dense"});
  const Pieces ffn = feed_forward("intermediate.dense", "output.dense");
  const Pieces bert = joined({attends, ffn, norm("ln", "attention.output.LayerNorm"), norm("ln2", "output.LayerNorm")});
  const Pieces distilbert =
      joined({attention("attention.", {"q_lin", "k_lin", "v_lin", "out_lin"}), feed_forward("ffn.lin1", "ffn.lin2"),
              norm("ln", "sa_layer_norm"), norm("ln2", "output_layer_norm")});
  // BERT's names, but for where the norms stand.
  const Pieces esm = joined({attends, ffn, norm("ln", "attention.LayerNorm"), norm("ln2", "LayerNorm")});
  const Settings of_bert{{"block", "post_norm"}, {"ffn", true}, {"ffn_activation", "gelu"}, {"norm_epsilon", 1e-12}};
  const Settings of_esm{
      {"block", "pre_norm"}, {"ffn", true}, {"ffn_activation", "gelu"}, {"rotary", "half"}, {"norm_epsilon", 1e-5}};
  const char* const layers = "encoder.layer.{l}.";
  return {{"bert", layers, true, bert, of_bert},
          {"roberta", layers, true, bert, of_bert},
          {"distilbert", "transformer.layer.{l}.", true, distilbert, of_bert},
          {"esm", layers, true, esm, of_esm}};
}

}  // namespace headlight
