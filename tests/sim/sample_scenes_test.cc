// The table of named scenes.

#include <set>

#include "sim/simulation.h"

namespace stance {
namespace {

TEST(SampleScenes, AllRunAndSayWhatTheyShow) {
  std::set<std::string_view> names;
  for (const sim::NamedScene& named : sim::sample_scenes()) {
    SCOPED_TRACE(named.name);
    EXPECT_TRUE(names.insert(named.name).second);
    EXPECT_FALSE(named.shows.empty());
    sim::Sample sample = named.make();
    EXPECT_EQ(sample.scene.world.model.name, named.name);
    test::Simulation s(std::move(sample));
    s.run(0.02, 1e-3);
    EXPECT_LE(s.unconverged, 5);
  }
  EXPECT_GE(names.size(), 17u);
}

}  // namespace
}  // namespace stance
