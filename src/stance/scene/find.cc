#include "stance/scene/find.h"

#include <fmt/format.h>

#include "stance/kernel/names.h"

namespace stance::scene {

std::vector<int> find_coordinates(const model::Model& model, const BuiltRobot& robot,
                                  const std::vector<std::string>& joints) {
  std::vector<int> out;
  for (const std::string& name : joints)
    out.push_back(model.v_start[model.find_joint(robot.prefix + name)]);
  return out;
}

const model::Frame& find_moving_link(const model::Model& model, const std::string& name,
                                     const Sources& sources, const Path& path) {
  const model::FrameIndex frame = model.find_frame(name);
  if (frame.valid() && model.frames[frame].body != model::BodyIndex(0)) return model.frames[frame];
  std::vector<std::string> known;
  for (const model::Frame& f : model.frames)
    if (f.body != model::BodyIndex(0)) known.push_back(f.name);
  throw make_error(sources, path,
                   fmt::format("there is no object or link '{}' that can move{}", name,
                               kernel::suggest_name(name, known)));
}

model::BodyIndex find_base(const model::Model& model, const BuiltRobot& robot) {
  for (const model::LinkSpec& link : robot.robot.parts.links()) {
    const model::BodyIndex body = model.find_body(robot.prefix + link.name);
    if (body.valid() && body > 0 && model.parent[body] == 0) return body;
  }
  return model::BodyIndex(0);
}

}  // namespace stance::scene
