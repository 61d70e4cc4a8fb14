#include "contact/puller.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stance/dynamics/kinematics.h"
#include "stance/run/simulation.h"

namespace stance::bench {
namespace {

using kernel::Vec3d;

constexpr double kBegins = 0.1;        // s
constexpr double kOften = 1.0 / 60.0;  // s between messages of a hand that moves slowly
constexpr const char* kKindNames[] = {"slow", "jerky", "shoves", "turns"};

}  // namespace

Puller::Puller(std::uint64_t seed, std::vector<std::string> bodies) : random_(seed) {
  const int hands = random_.integer(3) == 0 ? 2 : 1;
  for (int k = 0; k < hands; ++k)
    hands_.push_back(make_hand(fmt::format("hand {}", k + 1), bodies));
}

Puller::Hand Puller::make_hand(const std::string& source, const std::vector<std::string>& bodies) {
  Hand hand;
  hand.source = source;
  // mostly the beam, which is the first
  hand.body = random_.integer(2) == 0 ? bodies[0]
                                      : bodies[random_.integer(static_cast<int>(bodies.size()))];
  hand.kind = static_cast<PullKind>(random_.integer(kPullKinds));
  if (hand.body == bodies[0] && random_.integer(2) == 0)
    hand.point.set(1, random_.uniform(-0.3, 0.3));
  hand.stiffness = std::exp(random_.uniform(std::log(200.0), std::log(3000.0)));
  hand.far = random_.uniform(0.01, 0.1);
  hand.force = random_.uniform(5.0, 60.0);
  for (int k = 0; k < 3; ++k) {
    hand.rate.set(k, random_.uniform(0.5, 8.0));
    hand.phase.set(k, random_.uniform(0.0, 2.0 * std::numbers::pi));
  }
  hand.next = kBegins + random_.uniform(0.0, 0.2);
  return hand;
}

std::string Puller::describe() const {
  std::string text;
  for (const Hand& hand : hands_) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} at {}", kKindNames[static_cast<int>(hand.kind)], hand.body);
    text += hand.kind == PullKind::kShove
                ? fmt::format(" ({:.0f} N)", hand.force)
                : fmt::format(" ({:.0f} N/m, {:.0f} cm)", hand.stiffness, 100 * hand.far);
  }
  return text;
}

Vec3d Puller::make_direction() {
  for (;;) {
    const Vec3d d(random_.uniform(-1, 1), random_.uniform(-1, 1), random_.uniform(-1, 1));
    const double length = norm(d);
    if (length > 0.1 && length < 1.0) return (1.0 / length) * d;
  }
}

Vec3d Puller::find_place(const Hand& hand) const {
  const model::Model& model = simulation_->part().scene.world.model;
  dynamics::Kinematics<double> kin(model);
  update_kinematics(model, std::span<const double>(simulation_->state().q), kin);
  const model::Frame& frame = model.frames[model.find_frame(hand.body)];
  return kin.calc_position(model, frame.body, frame.p_BF + frame.R_BF * hand.point);
}

void Puller::act(Hand& hand, double time, std::vector<run::Change>& changes) {
  if (time < hand.next) return;
  if (hand.kind == PullKind::kShove) {
    // a push in some direction, then none
    hand.holds = !hand.holds;
    const Vec3d force =
        hand.holds ? random_.uniform(0.3, 1.0) * hand.force * make_direction() : Vec3d();
    changes.push_back({hand.source, sim::Action(sim::PushBody{
                                        .body = hand.body, .point = hand.point, .force = force})});
    hand.next = time + random_.uniform(0.02, 0.3);
    return;
  }
  if (!hand.holds) hand.home = find_place(hand), hand.holds = true;
  sim::DragBody drag{.body = hand.body, .point = hand.point, .stiffness = hand.stiffness};
  if (hand.kind == PullKind::kJerky) {
    drag.to = hand.home + random_.uniform(0.0, hand.far) * make_direction();
    hand.next = time + random_.uniform(0.02, 0.4);
  } else {
    const double t = time - kBegins, grown = hand.far * std::min(t, 1.0);
    for (int k = 0; k < 3; ++k) {
      const double angle = hand.rate[k] * t + hand.phase[k];
      drag.to.set(k, hand.home[k] + grown * (std::sin(angle) - std::sin(hand.phase[k])));
      drag.velocity.set(k, grown * hand.rate[k] * std::cos(angle));
    }
    if (hand.kind == PullKind::kTurn) {
      const double angle = 4.0 * hand.far * std::sin(hand.rate[0] * t);
      drag.turning = 0.02 * hand.stiffness;
      drag.orientation = {std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0};
    }
    hand.next = time + kOften;
  }
  changes.push_back({hand.source, sim::Action(drag)});
}

void Puller::before_step(const run::StepAhead& step, std::vector<run::Change>& changes) {
  for (Hand& hand : hands_) act(hand, step.time, changes);
}

}  // namespace stance::bench
