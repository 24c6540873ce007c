// Points and boxes, in whatever a picture counts: points of paper, em, pixels.
#pragma once

namespace headlight {

// x to the right, y down.
template <class Number>
struct PointOf {
  Number x = 0;
  Number y = 0;
};

// From its top left corner.
template <class Number>
struct BoxOf {
  Number x = 0;
  Number y = 0;
  Number width = 0;
  Number height = 0;
};

}  // namespace headlight
