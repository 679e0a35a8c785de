#include "yona/serve/allowed_hosts.h"

#include <array>
#include <unistd.h>

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using serve::AllowedHosts;
using serve::host_name;
using testing::message_of;

TEST(AllowedHosts, FindTheNameInAnAuthority) {
  EXPECT_EQ(host_name("localhost"), "localhost");
  EXPECT_EQ(host_name("LocalHost:8080"), "localhost");
  EXPECT_EQ(host_name("a-b.c_d.example.:1"), "a-b.c_d.example.");
  EXPECT_EQ(host_name("127.0.0.1:"), "127.0.0.1");
  EXPECT_EQ(host_name("[::1]"), "::1");
  EXPECT_EQ(host_name("[FE80::1]:80"), "fe80::1");
  for (const char* wrong :
       {"",        ":80",         "a b", "a/b",  "a@b",  "a:b",         "a:70000",
        "a:-1",    "a:1:2",       "::1", "[::1", "[]",   "[localhost]", "[::1]x",
        "[::1]:x", "[127.0.0.1]", "a,b", "ä",    "a%41", "a\\b",        "*"}) {
    EXPECT_EQ(host_name(wrong), std::nullopt) << wrong;
  }
}

TEST(AllowedHosts, OfALoopbackAddressAreThoseOfThisMachine) {
  for (const char* address : {"127.0.0.1", "::1"}) {
    const AllowedHosts hosts(address);
    for (const char* name : {"localhost", "localhost.", "x.localhost", "127.0.0.1", "127.0.0.53",
                             "::1", "0:0:0:0:0:0:0:1"}) {
      EXPECT_TRUE(hosts.allows(name)) << name;
    }
    for (const char* name :
         {"evil.example", "notlocalhost", "localhost.evil.example", "192.0.2.1", "0.0.0.0",
          "127.evil.example", "127.0.0.1.evil.example", "2001:db8::1", "", "."}) {
      EXPECT_FALSE(hosts.allows(name)) << name;
    }
  }
}

TEST(AllowedHosts, OfAnAddressOfTheNetworkHaveItAndTheMachinesName) {
  const AllowedHosts hosts("192.0.2.1");
  std::array<char, 256> name{};
  ASSERT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  EXPECT_TRUE(hosts.allows(*host_name(name.data())));
  EXPECT_TRUE(hosts.allows("192.0.2.1"));
  EXPECT_TRUE(hosts.allows("localhost"));
  EXPECT_FALSE(hosts.allows("192.0.2.2"));
  EXPECT_FALSE(hosts.allows("evil.example"));
}

TEST(AllowedHosts, OfAMachineWithoutANameHaveNoneOfIt) {
  for (const char* machine : {"", "."}) {
    const AllowedHosts hosts("192.0.2.1", {}, machine);
    for (const char* name : {".local", "local", "..local", ".", ""}) {
      EXPECT_FALSE(hosts.allows(name)) << '"' << name << '"';
    }
    EXPECT_TRUE(hosts.allows("192.0.2.1"));
  }
  EXPECT_TRUE(AllowedHosts("192.0.2.1", {}, "box.lan").allows("box"));
  EXPECT_TRUE(AllowedHosts("192.0.2.1", {}, "box").allows("box.local"));
}

// An address cannot be rebound, and which of its own a machine is asked under is not known here.
TEST(AllowedHosts, OfAllAddressesHaveEveryAddressAndNoName) {
  for (const char* address : {"0.0.0.0", "::"}) {
    const AllowedHosts hosts(address);
    for (const char* name : {"192.0.2.1", "2001:db8::1", "0.0.0.0", "localhost"}) {
      EXPECT_TRUE(hosts.allows(name)) << name;
    }
    EXPECT_FALSE(hosts.allows("evil.example"));
    EXPECT_FALSE(hosts.allows("1.2.3"));
    EXPECT_FALSE(hosts.allows("0x7f000001"));
  }
}

TEST(AllowedHosts, HaveThoseThatAreGiven) {
  const AllowedHosts hosts("127.0.0.1", {"Translate.Example", "192.0.2.7", "2001:DB8:0::1"});
  EXPECT_TRUE(hosts.allows("translate.example"));
  EXPECT_TRUE(hosts.allows("translate.example."));
  EXPECT_TRUE(hosts.allows("192.0.2.7"));
  EXPECT_TRUE(hosts.allows("2001:db8::1"));
  EXPECT_FALSE(hosts.allows("a.translate.example"));
  EXPECT_TRUE(AllowedHosts("127.0.0.1", {"*"}).allows("anything.example"));
  for (const char* wrong : {"", "a b", "example.org:80", "http://example.org", "*.example.org"}) {
    EXPECT_NE(message_of<InvalidArgument>([&] {
                AllowedHosts("127.0.0.1", {wrong});
              }).find("--allow-host"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace yona
