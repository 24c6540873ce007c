#include "engine/trace/rule.h"

namespace headlight {

const Rule& rule_of(Combine combine) {
  static constexpr Rule sum{"sum", "", "", true, false}, relu{"ReLU", "max(0, ", ")", true, false},
      tanh{"tanh", "tanh(", ")", true, false}, maximum{"largest", "largest of ", "", false, false},
      softmax{"softmax", "exp(", ")", false, true}, layer_norm{"normalised", "", "", false, true},
      batch_norm{"normalised", "", "", true, false};
  switch (combine) {  // no default: a new rule needs its words
    case Combine::sum:
      return sum;
    case Combine::relu:
      return relu;
    case Combine::tanh:
      return tanh;
    case Combine::maximum:
      return maximum;
    case Combine::softmax:
      return softmax;
    case Combine::layer_norm:
      return layer_norm;
    case Combine::batch_norm:
      return batch_norm;
  }
  return sum;
}

}  // namespace headlight
