#include "stance/view/access.h"

#include <gtest/gtest.h>

namespace stance::view {
namespace {

TEST(Access, OnlyNamesOfThisMachineReachALocalServer) {
  const AccessRules rules{"127.0.0.1"};
  for (const char* host : {"127.0.0.1:8080", "localhost:8080", "localhost", "[::1]:8080",
                           "localhost:9999"})  // the last: through a tunnel
    EXPECT_TRUE(rules.allows_host(host)) << host;
  for (const char* host : {"", "evil.example", "evil.example:8080", "127.0.0.1.evil.example",
                           "localhost.evil.example", "[", "[]", "10.0.0.1:8080"})
    EXPECT_FALSE(rules.allows_host(host)) << host;
}

TEST(Access, OnlyTheOwnPageMayOpenASocket) {
  const AccessRules rules{"127.0.0.1"};
  EXPECT_TRUE(rules.allows_origin("http://localhost:8080", "localhost:8080"));
  EXPECT_TRUE(rules.allows_origin("", "localhost:8080"));  // no browser
  for (const char* origin : {"http://evil.example", "http://localhost:3000", "null",
                             "http://localhost:8080.evil.example", "file://"})
    EXPECT_FALSE(rules.allows_origin(origin, "localhost:8080")) << origin;
}

TEST(Access, OthersNeedTheToken) {
  const AccessRules rules{"0.0.0.0", make_token()};
  EXPECT_EQ(rules.token.size(), 32u);
  EXPECT_NE(rules.token, make_token());
  EXPECT_TRUE(rules.allows_target("/?token=" + rules.token));
  EXPECT_TRUE(rules.allows_target("/ws?a=b&token=" + rules.token));
  for (const std::string& target :
       {std::string("/"), std::string("/?token="), "/?token=" + rules.token + "0",
        "/?token=" + rules.token.substr(1), "/?tokens=" + rules.token, "/token=" + rules.token})
    EXPECT_FALSE(rules.allows_target(target)) << target;
}

}  // namespace
}  // namespace stance::view
