#pragma once

// The robot a benchmark works on: model, pose and contact points, and where each came from.

#include <string>
#include <vector>

#include "stance/dynamics/contact_set.h"
#include "stance/io/urdf.h"

namespace stance::bench {

struct BenchRobot {
  std::string file;
  io::Robot robot;
  std::vector<double> q;
  std::string pose;  // how q was found, for people
  std::vector<dynamics::ContactPoint> contacts;
  std::vector<std::string> contact_names;  // link of each contact
  std::string contacts_from;               // how they were found, for people
};

// An empty file is our own humanoid, half-sitting. Contacts are written LINK:x,y,z, in metres in
// the frame of the link; without any, the lowest ends of the robot get some. Throws stance::Error.
BenchRobot load_bench_robot(const std::string& file, const std::vector<std::string>& contacts);

// What is measured, in two lines.
std::string describe_robot(const BenchRobot& robot);

}  // namespace stance::bench
