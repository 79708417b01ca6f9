#include "config/compatibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "config/keys.h"

namespace postrider::config {
namespace {

using ::testing::HasSubstr;

const char* const kPath = POSTRIDER_TEST_DATA "/../../../COMPATIBILITY.md";

// Fails when a key was changed and the file was not made anew. With POSTRIDER_WRITE_COMPATIBILITY set, writes it
// (scripts/compatibility).
TEST(Compatibility, TheFileIsWhatTheTablesSay) {
  if (std::getenv("POSTRIDER_WRITE_COMPATIBILITY") != nullptr)
    std::ofstream(kPath, std::ios::binary) << CompatibilityText();
  std::stringstream text;
  text << std::ifstream(kPath, std::ios::binary).rdbuf();
  EXPECT_TRUE(text.str() == CompatibilityText())
      << "COMPATIBILITY.md differs from the tables: run scripts/compatibility";
}

TEST(Compatibility, BeginsWithTheOneDifference) {
  const std::string text = CompatibilityText();
  EXPECT_LT(text.find("__debezium.context.*"), 200U);
  EXPECT_THAT(text, HasSubstr("unless `extended.headers.enabled=true` is written"));
}

TEST(Compatibility, NamesEveryKey) {
  const std::string text = CompatibilityText();
  for (const KeySpec& spec : Keys()) {
    std::string key = DocumentedKey(spec);
    for (size_t bar = key.find('|'); bar != std::string::npos; bar = key.find('|', bar + 2)) key.insert(bar, "\\");
    EXPECT_THAT(text, HasSubstr("| `" + key + "` |"));
  }
}

}  // namespace
}  // namespace postrider::config
