#include "stance/model/model.h"

#include <algorithm>
#include <numeric>

namespace stance::model {

BodyIndex Model::find_body(std::string_view wanted) const {
  const FrameIndex frame = find_frame(wanted);
  return frame.valid() ? frames[frame].body : BodyIndex();
}

BodyIndex Model::find_joint(std::string_view wanted) const {
  for (int i = 1; i < nbody; ++i)
    if (joint_name[i] == wanted) return BodyIndex(i);
  return BodyIndex();
}

FrameIndex Model::find_frame(std::string_view wanted) const {
  const auto it = std::find_if(frames.begin(), frames.end(),
                               [&](const Frame& frame) { return frame.name == wanted; });
  return it == frames.end() ? FrameIndex() : FrameIndex(static_cast<int>(it - frames.begin()));
}

double Model::total_mass() const { return std::accumulate(mass.begin() + 1, mass.end(), 0.0); }

std::vector<double> make_neutral(const Model& model) {
  std::vector<double> q(model.nq);
  for (int i = 1; i < model.nbody; ++i)
    set_neutral(model.joint_type[i], q.data() + model.q_start[i]);
  return q;
}

}  // namespace stance::model
