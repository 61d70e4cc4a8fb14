// Names of contacts as numbers and back.

#include <gtest/gtest.h>

#include "stance/collision/contact_point.h"

namespace stance::collision {
namespace {

TEST(ContactName, ComesBackFromItsNumber) {
  for (const ContactName name : {ContactName{0, 1, 0}, ContactName{3, 65535, 0xffffffff},
                                 ContactName{65534, 65535, 0x80000001}}) {
    const ContactName back = ContactName::unpack(name.pack());
    EXPECT_EQ(back.geometry_a, name.geometry_a);
    EXPECT_EQ(back.geometry_b, name.geometry_b);
    EXPECT_EQ(back.features, name.features);
  }
}

TEST(ContactName, GoesOnUnderOtherNumbers) {
  const int numbers[] = {2, -1, 5, 4};  // 1 is gone; 2 and 3 have changed places
  const std::uint64_t id = ContactName{0, 3, 77}.pack();
  EXPECT_EQ(renumber_contact(id, numbers), (ContactName{2, 4, 77}.pack()));
  EXPECT_FALSE(renumber_contact(ContactName{0, 1, 77}.pack(), numbers));
  EXPECT_FALSE(renumber_contact(ContactName{1, 2, 77}.pack(), numbers));
  EXPECT_FALSE(renumber_contact(ContactName{2, 3, 77}.pack(), numbers)) << "turned round";
}

}  // namespace
}  // namespace stance::collision
