#include "dynamics/situations.h"

#include <string_view>

namespace stance::bench {
namespace {

using model::Vec3d;

// So many points on one link.
struct Touch {
  std::string_view link;
  int points;
};

struct Plan {
  const char* name;
  std::vector<Touch> touches;
};

constexpr Touch kRightFoot{"right_foot", 4}, kLeftFoot{"left_foot", 4};
constexpr Touch kRightHand{"right_hand", 4}, kLeftHand{"left_hand", 4};

std::vector<Plan> list_plans() {
  return {
      {"one foot", {kRightFoot}},
      {"two feet", {kRightFoot, kLeftFoot}},
      {"two feet, one point each", {{"right_foot", 1}, {"left_foot", 1}}},
      {"feet, a hand on a wall", {kRightFoot, kLeftFoot, {"right_hand", 1}}},
      {"feet and hands", {kRightFoot, kLeftFoot, kRightHand, kLeftHand}},
      {"a foot and the other hand", {kRightFoot, kLeftHand}},
      {"one hand", {kRightHand}},
      {"two hands", {kRightHand, kLeftHand}},
      {"hand and forearm", {kRightHand, {"right_forearm", 2}}},
      {"hand, forearm, upper arm", {kRightHand, {"right_forearm", 2}, {"right_upper_arm", 2}}},
      {"feet, hand and forearm", {kRightFoot, kLeftFoot, kRightHand, {"right_forearm", 2}}},
      {"one leg: foot and shank", {kRightFoot, {"right_shank", 1}}},
      {"kneeling: feet and shanks",
       {{"right_foot", 2}, {"left_foot", 2}, {"right_shank", 1}, {"left_shank", 1}}},
      {"on all fours", {{"right_shank", 1}, {"left_shank", 1}, kRightHand, kLeftHand}},
      {"sitting: pelvis and feet", {{"pelvis", 4}, kRightFoot, kLeftFoot}},
      {"sitting: thighs and feet",
       {{"pelvis", 4}, {"right_thigh", 2}, {"left_thigh", 2}, kRightFoot, kLeftFoot}},
      {"lying on the back",
       {{"pelvis", 4},
        {"chest", 4},
        {"head", 1},
        {"right_foot", 2},
        {"left_foot", 2},
        {"right_forearm", 1},
        {"left_forearm", 1}}},
      {"all tips: feet, fingers, head",
       {kRightFoot, kLeftFoot, {"right_finger", 1}, {"left_finger", 1}, {"head", 1}}},
      {"feet, both hands gripping",
       {kRightFoot,
        kLeftFoot,
        {"right_hand", 8},
        {"right_finger", 8},
        {"left_hand", 8},
        {"left_finger", 8}}},
      {"every body, one point each", {}},
  };
}

// Corners of the soles, in the ankle's frame; round the frame's origin on any other link.
Vec3d find_point(std::string_view link, int k) {
  const double x = k % 2 == 0 ? -1.0 : 1.0, y = k / 2 % 2 == 0 ? -1.0 : 1.0;
  if (link == "right_foot") return {x < 0 ? -0.105 : 0.135, y < 0 ? -0.08 : 0.06, -0.105};
  if (link == "left_foot") return {x < 0 ? -0.105 : 0.135, y < 0 ? -0.06 : 0.08, -0.105};
  return {0.02 * x, 0.02 * y, k < 4 ? -0.03 : 0.03};
}

}  // namespace

std::vector<Situation> list_situations(const model::Model& model) {
  std::vector<Situation> situations;
  for (const Plan& plan : list_plans()) {
    Situation& situation = situations.emplace_back(Situation{plan.name, {}});
    for (const Touch& touch : plan.touches) {
      const model::FrameIndex frame = model.find_frame(touch.link);
      if (!frame.valid() || model.frames[frame].body == 0) return {};
      const model::Frame& F = model.frames[frame];
      for (int k = 0; k < touch.points; ++k)
        situation.points.push_back({F.body, F.p_BF + F.R_BF * find_point(touch.link, k)});
    }
    if (plan.touches.empty())
      for (int i = 1; i < model.nbody; ++i)
        situation.points.push_back({model::BodyIndex(i), find_point("", i % 8)});
  }
  return situations;
}

}  // namespace stance::bench
