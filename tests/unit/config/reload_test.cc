// src/config/reload.cc, secret_source.h
#include "config/reload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The relay's files, read when it started, and read again.
class Reload : public ::testing::Test {
 protected:
  Loaded Read(std::string_view text) {
    auto loaded = LoadWith(text);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return *std::move(loaded);
  }
  Changes Between(std::string_view now, std::string_view next) { return Compare(Read(now).given, Read(next).given); }
};

TEST_F(Reload, FilesThatAreTheSameChangeNothing) {
  const Changes changes = Between("postrider.log.level=debug\n", "postrider.log.level=debug\n");
  EXPECT_THAT(changes.taken, IsEmpty());
  EXPECT_THAT(changes.needs_restart, IsEmpty());
}

TEST_F(Reload, TakesLevelThresholdsAndPoisonPolicy) {
  const Changes changes = Between(
      "postrider.log.level=info\nerrors.tolerance=all\n",
      "postrider.log.level=debug\npostrider.wal.budget.bytes=5\npostrider.poison.attempts=7\npostrider.poison.policy="
      "park\nerrors.deadletterqueue.topic.name=dead\nerrors.deadletterqueue.context.headers.enable=false\n");
  EXPECT_THAT(changes.taken,
              ElementsAre("errors.deadletterqueue.context.headers.enable", "errors.deadletterqueue.topic.name",
                          "errors.tolerance", "postrider.log.level", "postrider.poison.attempts",
                          "postrider.poison.policy", "postrider.wal.budget.bytes"));
  EXPECT_THAT(changes.needs_restart, IsEmpty());
}

TEST_F(Reload, NamesEveryOtherKeyThatWasChangedAddedOrRemoved) {
  const Changes changes = Between("slot.name=a\nproducer.linger.ms=7\n",
                                  "slot.name=b\npublication.name=p\npostrider.log.level=debug\n"
                                  "transforms.outbox.route.by.field=kind\n");
  EXPECT_THAT(changes.needs_restart,
              ElementsAre("producer.linger.ms", "publication.name", "slot.name", "transforms.outbox.route.by.field"));
  EXPECT_THAT(changes.taken, ElementsAre("postrider.log.level"));
}

TEST_F(Reload, AKeyThatIsWrittenWithItsDefaultHasNotChanged) {
  EXPECT_THAT(Between("", "slot.name=debezium\n").needs_restart, IsEmpty());
  EXPECT_THAT(Between("snapshot.mode=initial\n", "").needs_restart, IsEmpty());
}

TEST_F(Reload, AKeyWithoutMeaningMayChange) {
  const Changes changes = Between("tasks.max=1\nno.such.key=1\n", "tasks.max=2\nanother=2\n");
  EXPECT_THAT(changes.needs_restart, IsEmpty());
  EXPECT_THAT(changes.taken, IsEmpty());
}

TEST_F(Reload, APlaceholderThatGivesAnotherValueIsAChangeButForASecret) {
  const Scratch scratch;
  const std::string file = scratch.Write("s.properties", "host=a\npw=one\n");
  const std::string text = "database.hostname=${file:" + file + ":host}\ndatabase.password=${file:" + file + ":pw}\n";
  const Loaded now = Read(text);
  scratch.Write("s.properties", "host=b\npw=two\n");
  const Changes changes = Compare(now.given, Read(text).given);
  EXPECT_THAT(changes.needs_restart, ElementsAre("database.hostname"));
  EXPECT_THAT(changes.taken, IsEmpty()) << "a secret behind a placeholder is read at each connection anyway";
}

constexpr std::string_view kScram =
    "producer.security.protocol=SASL_PLAINTEXT\nproducer.sasl.mechanism=SCRAM-SHA-256\nproducer.sasl.jaas.config=org."
    "apache.kafka.common.security.scram.ScramLoginModule required username=\"relay\" password=\"";

std::string WithKafkaPassword(const std::string& password) {
  return std::string(kScram) + password + "\";\n";
}

std::string KafkaPassword(const Config& config) {
  for (const auto& [name, value] : config.producer.properties)
    if (name == "sasl.password") return *value.Read();
  return "";
}

TEST_F(Reload, SecretsReachTheCopiesOfTheConfigurationThatIsInUse) {
  Loaded now = Read(WithKafkaPassword("one") + "database.password=old\n");
  const Config copy = now.config;
  const Loaded next = Read(WithKafkaPassword("two") + "database.password=new\n");
  EXPECT_THAT(Compare(now.given, next.given).taken, ElementsAre("database.password", "producer.sasl.jaas.config"));
  TakeKeys(now.given, next.given);
  EXPECT_EQ(*copy.database.password.Read(), "new");
  EXPECT_EQ(KafkaPassword(copy), "two");

  // And once more: what is compared is what holds now, what is reached is what was made at the start.
  const Loaded third = Read(WithKafkaPassword("two") + "database.password=newest\n");
  EXPECT_THAT(Compare(now.given, third.given).taken, ElementsAre("database.password"));
  TakeKeys(now.given, third.given);
  EXPECT_EQ(*copy.database.password.Read(), "newest");
}

TEST_F(Reload, ASecretThatMovesBehindAPlaceholderIsReadThere) {
  const Scratch scratch;
  const std::string file = scratch.Write("s.properties", "pw=one\n");
  Loaded now = Read("database.password=plain\n");
  TakeKeys(now.given, Read("database.password=${file:" + file + ":pw}\n").given);
  EXPECT_EQ(*now.config.database.password.Read(), "one");
  scratch.Write("s.properties", "pw=two\n");
  EXPECT_EQ(*now.config.database.password.Read(), "two");
}

TEST_F(Reload, ASecretThatComesOrGoesNeedsARestart) {
  EXPECT_THAT(Between("", "database.password=new\n").needs_restart, ElementsAre("database.password"));
  EXPECT_THAT(Between("database.password=old\n", "").needs_restart, ElementsAre("database.password"));
  EXPECT_THAT(
      Between("postrider.database.password.command=echo a\n", "postrider.database.password.command=echo b\n").taken,
      ElementsAre("postrider.database.password.command"));
}

}  // namespace
}  // namespace postrider::config
