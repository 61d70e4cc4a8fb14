#include "bench_robot.h"

#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "stance/io/urdf.h"

#include "contact_choice.h"

namespace stance::bench {
namespace {

using model::Model;

constexpr const char* kHumanoid = STANCE_SOURCE_DIR "/models/humanoid.urdf";
constexpr const char* kPoseFile = "half_sitting.txt";

// The half-sitting pose that models/humanoid.urdf tells of in its head.
struct JointAngle {
  const char* joint;
  double degrees;
};
constexpr double kHumanoidHeight = 0.648701851;
constexpr JointAngle kHalfSitting[] = {
    {"right_hip_pitch", -26},     {"left_hip_pitch", -26},
    {"right_knee", 50},           {"left_knee", 50},
    {"right_ankle_pitch", -24},   {"left_ankle_pitch", -24},
    {"right_shoulder_pitch", 15}, {"left_shoulder_pitch", 15},
    {"right_shoulder_roll", -10}, {"left_shoulder_roll", 10},
    {"right_elbow", -30},         {"left_elbow", -30},
    {"right_gripper", 10},        {"left_gripper", 10},
};

// Height of the first floating base, where there is one.
void set_height(const Model& model, double z, std::vector<double>& q) {
  for (int i = 1; i < model.nbody; ++i)
    if (model.parent[i] == 0 && model.joint_type[i] == model::JointType::kFree) {
      q[model.q_start[i] + 6] = z;
      return;
    }
}

void set_humanoid_pose(const Model& model, std::vector<double>& q) {
  set_height(model, kHumanoidHeight, q);
  for (const JointAngle& angle : kHalfSitting) {
    const model::BodyIndex body = model.find_joint(angle.joint);
    if (body.valid()) q[model.q_start[body]] = angle.degrees * std::numbers::pi / 180.0;
  }
}

// Numbers of a text file; `#` starts a comment.
std::vector<double> read_numbers(const std::filesystem::path& path) {
  std::vector<double> numbers;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    for (double x = 0.0; words >> x;) numbers.push_back(x);
  }
  return numbers;
}

// Takes a pose file beside the robot, if it fits: base height, then the one-dof joints.
bool set_pose_from_file(const Model& model, const std::filesystem::path& path,
                        std::vector<double>& q) {
  const std::vector<double> numbers = read_numbers(path);
  std::vector<int> joints;
  for (int i = 1; i < model.nbody; ++i)
    if (model.joint_nv(i) == 1) joints.push_back(model.q_start[i]);
  if (numbers.size() != joints.size() + 1) return false;
  set_height(model, numbers[0], q);
  for (std::size_t k = 0; k < joints.size(); ++k) q[joints[k]] = numbers[k + 1];
  return true;
}

// All zeros would flatter: many products vanish.
void set_random_pose(const Model& model, std::vector<double>& q) {
  std::mt19937 generator(2);
  std::uniform_real_distribution<double> small(-0.3, 0.3);
  std::vector<double> dv(model.nv);
  for (double& x : dv) x = small(generator);
  model::integrate(model, q.data(), dv.data(), q.data());
}

void choose_pose(bool is_humanoid, BenchRobot& robot) {
  const Model& model = robot.robot.model;
  robot.q = model::make_neutral(model);
  if (is_humanoid) {
    set_humanoid_pose(model, robot.q);
    robot.pose = "half-sitting";
    return;
  }
  const auto path = std::filesystem::path(robot.file).parent_path() / kPoseFile;
  if (set_pose_from_file(model, path, robot.q)) {
    robot.pose = fmt::format("half-sitting, from {}", path.string());
  } else {
    set_random_pose(model, robot.q);
    robot.pose = "small random angles, always the same";
  }
}

std::string count_noun(int count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// "right_foot (4 points), left_foot (4 points)"
std::string describe_contacts(const BenchRobot& robot) {
  std::vector<std::pair<std::string, int>> links;
  for (const std::string& name : robot.contact_names) {
    if (links.empty() || links.back().first != name) links.emplace_back(name, 0);
    ++links.back().second;
  }
  std::string text;
  for (const auto& [name, count] : links)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name,
                        count_noun(count, "point", "points"));
  return text;
}

}  // namespace

BenchRobot load_bench_robot(const std::string& file, const std::vector<std::string>& contacts) {
  BenchRobot robot;
  robot.file = file.empty() ? kHumanoid : file;
  robot.robot = io::load_urdf(robot.file);
  choose_pose(file.empty(), robot);

  ContactChoice choice =
      contacts.empty() ? choose_contacts(robot.robot) : parse_contacts(robot.robot.model, contacts);
  robot.contacts = std::move(choice.points);
  robot.contact_names = std::move(choice.links);
  robot.contacts_from =
      contacts.empty() ? "chosen: the lowest ends of the robot" : "as given on the command line";
  return robot;
}

std::string describe_robot(const BenchRobot& robot) {
  const Model& model = robot.robot.model;
  return fmt::format("{}: {}, {}; pose: {}\ncontacts: {}; {}\n", model.name,
                     count_noun(model.nbody - 1, "body", "bodies"),
                     count_noun(model.nv, "velocity", "velocities"), robot.pose,
                     describe_contacts(robot), robot.contacts_from);
}

}  // namespace stance::bench
