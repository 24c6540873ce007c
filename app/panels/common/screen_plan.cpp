#include "app/panels/common/screen_plan.h"

#include <algorithm>

namespace headlight::app {

ScreenPlan plan_screen(float width, float height, const Sides& sides) {
  ScreenPlan plan;
  plan.tab = width < 1440;
  plan.in_drawer = width < 840;
  plan.left = width < 1000 ? 280 : 304;
  if (plan.in_drawer) plan.left = std::min(plan.left, width - 40);
  if (!(plan.in_drawer ? sides.drawer : sides.setup)) plan.left = 0;
  if (plan.tab || !sides.inspector) plan.inspector = 0;
  plan.strip = height >= 860 ? 128.0F : height >= 620 ? 98.0F : height >= 420 ? 34.0F : 0.0F;
  plan.stepper = height >= 620 ? 56.0F : 40.0F;
  plan.top = height >= 420 ? 48.0F : 40.0F;
  return plan;
}

ScreenPlan plan_comparison(float width, float height, const Sides& sides) {
  ScreenPlan plan = plan_screen(width, height, sides);
  plan.strip = plan.inspector = 0;
  plan.tab = true;
  return plan;
}

Side folded_by(const ScreenPlan& plan, Side asked) {
  if (plan.in_drawer) return Side::drawer;
  return plan.tab ? Side::setup : asked;
}

}  // namespace headlight::app
