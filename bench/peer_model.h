#pragma once

// A Stance model in the words of the peers (peers/peer_protocol.h).

#include <vector>

#include "stance/dynamics/contact_set.h"
#include "stance/model/model.h"

#include "peers/peer_protocol.h"

namespace stance::bench {

// Body i of the model is body i - 1 of the peers, which do not count the world. Coordinates q, v
// and tau go over as they are. Mimic constraints stay behind: followers are joints of their own.
PeerModel make_peer_model(const model::Model& model, const model::Vec3d& gravity);

std::vector<PeerContact> make_peer_contacts(const std::vector<dynamics::ContactPoint>& points);

}  // namespace stance::bench
