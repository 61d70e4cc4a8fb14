#include "stance/contact/warm_start.h"

#include <algorithm>

namespace stance::contact {
namespace {

// Where the last step had this contact, most often at the same place in the list.
int find_warm(const WarmStart& warm, std::uint64_t id, int hint) {
  const int n = static_cast<int>(warm.id.size());
  for (int k = hint; k < n && k < hint + 8; ++k)
    if (warm.id[k] == id) return k;
  for (int k = 0; k < n; ++k)
    if (warm.id[k] == id) return k;
  return -1;
}

}  // namespace

void take_warm_start(const WarmStart& warm, ContactScratch& s) {
  int hint = 0;
  for (int i = 0; i < s.points.size(); ++i) {
    const int k = find_warm(warm, s.points[i].id, hint);
    s.contacts[i].p = k >= 0 ? warm.p[k] : Vec3d();
    s.contacts[i].spin = k >= 0 ? warm.spin[k] : Vec3d();
    s.contacts[i].stretch = k >= 0 ? warm.stretch[k] : Vec3d();
    if (k >= 0) hint = k + 1;
  }
  for (LoopBlock& block : s.loop_blocks) block.p = warm.loop[2 * block.loop + block.is_turn];
  std::copy(warm.rest.begin(), warm.rest.end(), s.rest.begin());
}

void remember(const ContactScratch& s, WarmStart& warm) {
  const int n = s.points.size();
  warm.id.resize(n), warm.p.resize(n), warm.spin.resize(n), warm.stretch.resize(n);
  for (int i = 0; i < n; ++i) {
    warm.id[i] = s.points[i].id;
    warm.p[i] = s.contacts[i].p;
    warm.spin[i] = s.contacts[i].spin;
    warm.stretch[i] = s.contacts[i].stretch;
  }
  if (!s.sources.limited.empty()) std::fill(warm.limit.begin(), warm.limit.end(), 0.0);
  for (const JointRow& row : s.joint_rows) {
    switch (row.kind) {
      case JointRowKind::kLimit: warm.limit[row.index] += row.c1 * row.p; break;
      case JointRowKind::kFriction: warm.friction[row.index] = row.p; break;
      case JointRowKind::kMimic: warm.mimic[row.index] = row.p; break;
    }
  }
  for (const LoopBlock& block : s.loop_blocks) warm.loop[2 * block.loop + block.is_turn] = block.p;
  std::copy(s.rest.begin(), s.rest.end(), warm.rest.begin());
}

}  // namespace stance::contact
