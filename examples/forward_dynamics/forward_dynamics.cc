// Loads a robot, lets it fall freely for one second with its joints loose, and reports what physics
// says must hold: the centre of mass follows a parabola and the energy stays.
//
//   forward_dynamics [--check] robot.urdf

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>

#include "stance/dynamics.h"

using namespace stance;

namespace {

// Everything the dynamics needs, sized once.
struct Workspace {
  explicit Workspace(const model::Model& m)
      : model(m), kin(m), inertias(m), vel(m), art(m), forward(m), centroidal(m), tau(m.nv, 0.0) {}

  void update(std::span<const double> q, std::span<const double> v) {
    dynamics::update_kinematics(model, q, kin);
    dynamics::update_inertias(model, kin, inertias);
    dynamics::update_velocities(model, kin, v, vel);
  }

  const model::Model& model;
  dynamics::Kinematics<double> kin;
  dynamics::Inertias<double> inertias;
  dynamics::Velocities<double> vel;
  dynamics::Articulated<double> art;
  dynamics::ForwardDynamics<double> forward;
  dynamics::Centroidal centroidal;
  std::vector<double> tau;  // no motor does anything
};

int run(const char* file, bool check) {
  const Robot loaded = load_robot(file);
  const model::Model& model = loaded.model;
  Workspace robot(model);
  const model::Vec3d gravity(0.0, 0.0, -9.81);

  std::vector<double> q = model::make_neutral(model), v(model.nv, 0.0);
  for (int k = 0; k < model.nv; ++k) v[k] = 0.3 * std::sin(1.0 + k);  // some motion to begin with

  const auto accelerate = [&](std::span<const double> q_now, std::span<const double> v_now,
                              std::span<double> vdot) {
    robot.update(q_now, v_now);
    dynamics::update_articulated(model, robot.kin, robot.inertias, std::span<const double>(),
                                 robot.art);
    dynamics::calc_forward_dynamics(model, gravity, robot.kin, robot.inertias, robot.vel, robot.art,
                                    std::span<const double>(robot.tau),
                                    std::span<const dynamics::Force<double>>(), robot.forward,
                                    vdot);
  };
  struct Sample {
    double energy;
    dynamics::Vec3d com, com_velocity;
  };
  const auto look = [&] {
    robot.update(q, v);
    dynamics::update_centroidal(model, robot.kin, robot.inertias, robot.vel, robot.centroidal);
    return Sample{dynamics::calc_kinetic_energy(model, robot.inertias, robot.vel, v) +
                      dynamics::calc_potential_energy(model, gravity, robot.kin, robot.inertias),
                  robot.centroidal.com, robot.centroidal.com_velocity};
  };

  const Sample start = look();
  dynamics::IntegratorWork work(model);
  const double h = 1e-3;
  const int steps = 1000;
  for (int n = 0; n < steps; ++n) dynamics::step_rk4(model, h, accelerate, q, v, work);
  const Sample end = look();

  const double t = h * steps;
  const dynamics::Vec3d parabola = start.com + t * start.com_velocity + (0.5 * t * t) * gravity;
  const double com_error = norm(end.com - parabola);
  const double energy_error = std::abs(end.energy - start.energy);
  std::printf("%s: %d bodies, %d velocities, %.2f kg\n", model.name.c_str(), model.nbody - 1,
              model.nv, robot.centroidal.mass);
  std::printf("after %.1f s of free fall: centre of mass off the parabola by %.1e m,\n", t,
              com_error);
  std::printf("energy changed by %.1e J of %.1f J\n", energy_error, std::abs(start.energy));
  return check && !(com_error < 1e-9 && energy_error < 1e-5) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc > 1 && std::strcmp(argv[1], "--check") == 0;
  if (argc != (check ? 3 : 2)) {
    std::fprintf(stderr, "usage: forward_dynamics [--check] robot.urdf\n");
    return 2;
  }
  try {
    return run(argv[argc - 1], check);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
