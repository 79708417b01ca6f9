#include "config/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Report, AlignsColumnsByCharacters) {
  Inspection inspection;
  inspection.keys = {{"slot.name", "s", "a:1", KeyOutcome::kHonoured, "", ""},
                     {"n", "\xC3\xA4\xC3\xB6", "a:2", KeyOutcome::kUnknown, "x=1", "why"}};
  EXPECT_EQ(FormatReport(inspection),
            "KEY        VALUE  FROM  OUTCOME   LIBRDKAFKA  REMARK\n"
            "slot.name  s      a:1   honoured\n"
            "n          \xC3\xA4\xC3\xB6     a:2   unknown   x=1         why\n");
}

TEST(Report, ALongCellPushesOnlyItsOwnLine) {
  Inspection inspection;
  inspection.keys = {{std::string(80, 'k'), "v", "o", KeyOutcome::kHonoured, "", ""},
                     {"k", "v", "o", KeyOutcome::kHonoured, "", ""}};
  EXPECT_THAT(FormatReport(inspection), HasSubstr("\nk" + std::string(61, ' ') + "v      o"));
}

TEST(Report, EndsWithWarningsAndProblems) {
  Inspection inspection;
  inspection.warnings = {"careful"};
  inspection.problems = {"one", "two"};
  inspection.status = MakeFault(Fault::kConfiguration, "one (and 1 more)");
  EXPECT_EQ(FormatReport(inspection), "warning: careful\nerror: one\nerror: two\n");
  inspection.problems.clear();
  EXPECT_THAT(FormatReport(inspection), HasSubstr("error: one (and 1 more)\n"));
}

TEST(Report, ShowsNoSecret) {
  const std::string text =
      FormatReport(InspectWith("database.password=hunter2\ndatabase.pasword=hunter2\nconsumer.sasl.jaas.config="
                               "hunter2\nproducer.security.protocol=SASL_PLAINTEXT\n"
                               "producer.sasl.mechanism=PLAIN\nproducer.sasl.jaas.config=PlainLoginModule required "
                               "username=\"hunter2\" password=\"hunter2\";\n"
                               "producer.ssl.keystore.password=hunter2\nlibrdkafka.sasl.oauthbearer.client.secret="
                               "hunter2\nmy.api.token=hunter2\n"));
  EXPECT_THAT(text, HasSubstr("***"));
  EXPECT_THAT(text, Not(HasSubstr("hunter2"))) << text;
}

}  // namespace
}  // namespace postrider::config
