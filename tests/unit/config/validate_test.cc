#include "config/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Validate, AWrongValueNamesFileLineKeyAndWhatIsAllowed) {
  EXPECT_THAT(ErrorWith("# head\nslot.failover=yes\n"),
              HasSubstr("more.properties:2: slot.failover is 'yes': allowed is true or false"));
  EXPECT_THAT(ErrorWith("status.update.interval.ms=0"),
              HasSubstr("status.update.interval.ms is '0': allowed is a whole number from 1 to 2147483647"));
  EXPECT_THAT(ErrorWith("money.fraction.digits=two"), HasSubstr("allowed is a whole number from 0 to 30"));
  EXPECT_THAT(ErrorWith("snapshot.mode=sometimes"),
              HasSubstr("snapshot.mode is 'sometimes': allowed is one of initial, initial_only, no_data, never, "
                        "when_needed, always"));
  EXPECT_THAT(ErrorWith("table.include.list=public.(outbox"),
              HasSubstr("table.include.list is 'public.(outbox': not a regular expression: "));
}

TEST(Validate, AValueThatOnlyDebeziumTakesIsRefusedWithTheReason) {
  EXPECT_THAT(ErrorWith("plugin.name=decoderbufs"),
              HasSubstr("plugin.name is 'decoderbufs': not supported: Postrider reads pgoutput, which every PostgreSQL "
                        "has; allowed is pgoutput"));
  EXPECT_THAT(ErrorWith("lsn.flush.mode=manual"), HasSubstr("nobody else may"));
  EXPECT_THAT(ErrorWith("schema.name.adjustment.mode=avro"), HasSubstr("it changes names in schemas"));
}

TEST(Validate, ChoicesAndFlagsTakeAnyCaseAndBlanks) {
  EXPECT_EQ(ErrorWith("snapshot.mode= NO_DATA \nslot.failover=True \n"), "");
}

TEST(Validate, ARefusedKeyIsRefusedUnlessItIsEmpty) {
  EXPECT_THAT(ErrorWith("column.mask.with.10.chars=public.outbox.payload"),
              HasSubstr("column.mask.with.10.chars is not supported: it changes columns before the router sees them"));
  EXPECT_EQ(ErrorWith("converters="), "");
}

TEST(Validate, AMeaninglessKeyIsNotLookedAt) {
  EXPECT_EQ(ErrorWith("max.batch.size=many\ntasks.max=-3\n"), "");
  EXPECT_THAT(WarningsWith("max.batch.size=2048\ntasks.max=1\npoll.interval.ms=500\nerrors.log.enable=true\n"),
              IsEmpty());
}

TEST(Validate, ALoudKeyWarnsUnlessItHasItsDefault) {
  EXPECT_THAT(WarningsWith("database.sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory"),
              HasSubstr("more.properties:1: database.sslfactory has no effect: a Java class"));
  EXPECT_THAT(WarningsWith("database.sslfactory=\nprovide.transaction.metadata=false\n"), IsEmpty());
}

TEST(Validate, AnUnknownKeyWarnsWithTheNearest) {
  const std::string warnings =
      WarningsWith("transforms.outbox.route.topic.replacment=x\ndatabase.pasword=hunter2\nmy.own.thing=1\n");
  EXPECT_THAT(
      warnings,
      HasSubstr("more.properties:1: transforms.outbox.route.topic.replacment: unknown key, ignored; did you mean "
                "transforms.outbox.route.topic.replacement?"));
  EXPECT_THAT(warnings, HasSubstr("more.properties:3: my.own.thing: unknown key, ignored\n"));
  EXPECT_THAT(warnings, Not(HasSubstr("hunter2")));
}

TEST(Validate, AWrongSecretIsNotShown) {
  const std::string error = ErrorWith(
      "producer.security.protocol=SASL_SSL\nproducer.sasl.mechanism=PLAIN\n"
      "producer.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule hunter2;\n");
  EXPECT_THAT(error, HasSubstr("producer.sasl.jaas.config cannot be read"));
  EXPECT_THAT(error, Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace postrider::config
