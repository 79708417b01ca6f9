#include "base/nearest_name.h"

#include <gtest/gtest.h>

#include <string>

namespace postrider {
namespace {

const std::vector<std::string_view> kKnown = {"slot.name", "publication.name", "table.include.list", "run", "check"};

TEST(NearestName, FindsWhatATypingErrorMeant) {
  EXPECT_EQ(NearestName("slot.nmae", kKnown), "slot.name") << "two letters swapped";
  EXPECT_EQ(NearestName("slotname", kKnown), "slot.name") << "one left out";
  EXPECT_EQ(NearestName("publication.names", kKnown), "publication.name") << "one too many";
  EXPECT_EQ(NearestName("table.include.lost", kKnown), "table.include.list") << "one replaced";
  EXPECT_EQ(NearestName("rnu", kKnown), "run");
  EXPECT_EQ(NearestName("run", kKnown), "run");
}

TEST(NearestName, FindsNothingFarAway) {
  EXPECT_EQ(NearestName("transforms", kKnown), "");
  EXPECT_EQ(NearestName("stop", kKnown), "");
  EXPECT_EQ(NearestName("", kKnown), "");
  EXPECT_EQ(NearestName("run", {}), "");
  EXPECT_EQ(NearestName(std::string(100'000, 'r'), kKnown), "");
}

TEST(NearestName, PrefersTheNearer) {
  EXPECT_EQ(NearestName("names", {"lanes", "name", "nose"}), "name");
}

}  // namespace
}  // namespace postrider
