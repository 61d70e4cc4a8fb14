#include "contact_choice.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "stance/dynamics/kinematics.h"
#include "stance/kernel/error.h"
#include "stance/kernel/names.h"

namespace stance::bench {
namespace {

using model::BodyIndex;
using model::Model;
using model::Vec3d;

constexpr double kSameHeight = 0.02;  // m: ends this much above the lowest still stand

Error refuse(const std::string& text, const std::string& why) {
  return Error(fmt::format("--contacts {}: {}", text, why));
}

// x,y,z
Vec3d parse_point(const std::string& text, std::string_view numbers) {
  double x[3] = {};
  const char* at = numbers.data();
  const char* const end = at + numbers.size();
  for (int k = 0; k < 3; ++k) {
    const auto [next, problem] = std::from_chars(at, end, x[k]);
    const bool last = k == 2;
    if (problem != std::errc() || !std::isfinite(x[k]) || (last ? next != end : *next != ','))
      throw refuse(text, "expected LINK:x,y,z with three numbers in metres");
    at = next + (last ? 0 : 1);
  }
  return {x[0], x[1], x[2]};
}

const model::Frame& find_link(const Model& model, const std::string& text,
                              const std::string& name) {
  const model::FrameIndex frame = model.find_frame(name);
  if (frame.valid()) return model.frames[frame];
  std::vector<std::string_view> names;
  for (const model::Frame& f : model.frames) names.push_back(f.name);
  const std::string_view nearest = kernel::find_nearest_name(name, names);
  throw refuse(text,
               fmt::format("the robot has no link '{}'{}", name,
                           nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

// Points at which a shape may touch, in the body frame.
std::vector<Vec3d> list_extremes(const io::Geometry& shape, const Vec3d& down_B) {
  std::vector<Vec3d> points;
  if (shape.kind == io::ShapeKind::kBox) {
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3d p_G((corner & 1 ? 0.5 : -0.5) * shape.size.x(),
                      (corner & 2 ? 0.5 : -0.5) * shape.size.y(),
                      (corner & 4 ? 0.5 : -0.5) * shape.size.z());
      points.push_back(shape.p_BG + shape.R_BG * p_G);
    }
    // the four lowest; not by stable_sort, whose buffer in libstdc++ is not aligned for a Vec3d
    std::sort(points.begin(), points.end(),
              [&](const Vec3d& a, const Vec3d& b) { return dot(a, down_B) > dot(b, down_B); });
    points.resize(4);
  } else if (shape.kind == io::ShapeKind::kMesh) {
    points.push_back(shape.p_BG);
  } else {
    // balls, and the lower end of a cylinder's or capsule's axis as a ball
    Vec3d centre = shape.p_BG;
    if (shape.kind != io::ShapeKind::kSphere) {
      const Vec3d half = 0.5 * shape.length * shape.R_BG.c[2];
      centre = dot(half, down_B) > 0 ? centre + half : centre - half;
    }
    points.push_back(centre + shape.radius * down_B);
  }
  return points;
}

// Where the tree ends: bodies that carry no other, and a floating base that carries just one.
std::vector<bool> find_ends(const Model& model) {
  std::vector<int> children(model.nbody, 0);
  for (int i = 1; i < model.nbody; ++i) ++children[model.parent[i]];
  std::vector<bool> is_end(model.nbody, false);
  for (int i = 1; i < model.nbody; ++i) {
    const bool floating = model.parent[i] == 0 && model.joint_type[i] == model::JointType::kFree;
    is_end[i] = children[i] <= (floating ? 1 : 0);
  }
  return is_end;
}

// Where an end body would touch the ground, and how high that is with all joints at zero.
struct Candidate {
  int body = 0;
  std::string link;
  std::vector<Vec3d> points;
  double height = std::numeric_limits<double>::infinity();
};

std::vector<Candidate> list_candidates(const io::Robot& robot) {
  const Model& model = robot.model;
  dynamics::Kinematics<double> kin(model);
  const std::vector<double> q = model::make_neutral(model);
  dynamics::update_kinematics<double>(model, q, kin);
  const std::vector<bool> is_end = find_ends(model);
  std::vector<Candidate> candidates(model.nbody);
  const auto offer = [&](int body, const std::string& link, std::vector<Vec3d> points) {
    double height = std::numeric_limits<double>::infinity();
    for (const Vec3d& p : points)
      height = std::min(height, kin.calc_position(model, BodyIndex(body), p).z());
    if (height < candidates[body].height)
      candidates[body] = {body, link, std::move(points), height};
  };
  for (const io::Geometry& shape : robot.geometry) {
    if (shape.role != io::ShapeRole::kCollision || !is_end[shape.body]) continue;
    const Vec3d down_B = transpose(kin.R_WB[shape.body]) * Vec3d(0.0, 0.0, -1.0);
    offer(shape.body, shape.link, list_extremes(shape, down_B));
  }
  // bodies without shapes have their origin at least
  for (int i = 1; i < model.nbody; ++i)
    if (is_end[i] && candidates[i].points.empty()) offer(i, model.body_name[i], {Vec3d()});
  std::erase_if(candidates, [](const Candidate& c) { return c.points.empty(); });
  return candidates;
}

}  // namespace

ContactChoice parse_contacts(const Model& model, const std::vector<std::string>& texts) {
  ContactChoice choice;
  for (const std::string& text : texts) {
    // link names may have colons themselves
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0)
      throw refuse(text, "expected LINK:x,y,z, as in right_foot:0.1,0,-0.1");
    const std::string name = text.substr(0, colon);
    const model::Frame& frame = find_link(model, text, name);
    if (frame.body == 0) throw refuse(text, fmt::format("'{}' is fixed to the world", name));
    const Vec3d p_F = parse_point(text, std::string_view(text).substr(colon + 1));
    choice.points.push_back({frame.body, frame.p_BF + frame.R_BF * p_F});
    choice.links.push_back(name);
  }
  return choice;
}

ContactChoice choose_contacts(const io::Robot& robot) {
  const std::vector<Candidate> candidates = list_candidates(robot);
  double lowest = std::numeric_limits<double>::infinity();
  for (const Candidate& c : candidates) lowest = std::min(lowest, c.height);
  ContactChoice choice;
  for (const Candidate& c : candidates) {
    if (c.height > lowest + kSameHeight) continue;
    for (const Vec3d& p : c.points) {
      choice.points.push_back({BodyIndex(c.body), p});
      choice.links.push_back(c.link);
    }
  }
  if (choice.points.empty()) throw Error("this robot has no moving body to put contacts on");
  return choice;
}

}  // namespace stance::bench
