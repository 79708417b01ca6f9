// src/config/java_producer.cc, producer_guarantee.cc, producer_sasl.cc, producer_tls.cc
#include "config/java_producer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <map>
#include <memory>

#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

// The properties, after the linked librdkafka has taken each and made a producer of them all.
std::map<std::string, std::string> Taken(const Producer& producer) {
  std::map<std::string, std::string> properties;
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  char error[512];
  for (const auto& [name, secret] : producer.properties) {
    const absl::StatusOr<std::string> value = secret.Read();
    EXPECT_TRUE(value.ok()) << name << ": " << value.status();
    if (!value.ok()) continue;
    EXPECT_TRUE(properties.emplace(name, *value).second) << name << " is set twice";
    EXPECT_EQ(rd_kafka_conf_set(conf, name.c_str(), value->c_str(), error, sizeof error), RD_KAFKA_CONF_OK) << error;
  }
  rd_kafka_conf_set(conf, "log_level", "0", error, sizeof error);
  rd_kafka_t* client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof error);
  EXPECT_NE(client, nullptr) << error;
  if (client == nullptr) {
    rd_kafka_conf_destroy(conf);
  } else {
    rd_kafka_destroy(client);
  }
  return properties;
}

std::map<std::string, std::string> PropertiesOf(std::string_view text) {
  const auto loaded = LoadWith(text);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? Taken(loaded->config.producer) : std::map<std::string, std::string>();
}

TEST(JavaProducer, BaseSettings) {
  const auto properties = PropertiesOf("slot.name=orders");
  const std::map<std::string, std::string> expected = {{"bootstrap.servers", "kafka:9092"},
                                                       {"client.id", "postrider-orders"},
                                                       {"partitioner", "murmur2_random"},
                                                       {"socket.nagle.disable", "true"},
                                                       {"linger.ms", "5"},
                                                       {"batch.size", "1000000"},
                                                       {"message.max.bytes", "1048576"},
                                                       {"queue.buffering.max.kbytes", "21505"},
                                                       {"queue.buffering.max.messages", "29959"},
                                                       {"request.timeout.ms", "30000"},
                                                       {"socket.timeout.ms", "60000"},
                                                       {"retry.backoff.ms", "100"},
                                                       {"retry.backoff.max.ms", "1000"},
                                                       {"topic.metadata.propagation.max.ms", "300000"},
                                                       {"allow.auto.create.topics", "true"},
                                                       {"enable.metrics.push", "false"},
                                                       {"enable.idempotence", "true"},
                                                       {"acks", "all"},
                                                       {"message.timeout.ms", "2147483647"},
                                                       {"enable.gapless.guarantee", "true"}};
  EXPECT_EQ(properties, expected);
}

TEST(JavaProducer, MapsTheKeysOfJava) {
  const auto properties = PropertiesOf(
      "producer.override.client.id=me\nproducer.linger.ms=20\nproducer.batch.size=16384\nproducer.compression.type="
      "zstd\n"
      "producer.compression.zstd.level=22\nproducer.compression.gzip.level=5\nproducer.max.request.size=10000000\n"
      "producer.request.timeout.ms=400000\nproducer.retry.backoff.ms=200\nproducer.retry.backoff.max.ms=2000\n"
      "producer.reconnect.backoff.ms=50\nproducer.reconnect.backoff.max.ms=1000\nproducer.connections.max.idle.ms=-1\n"
      "producer.socket.connection.setup.timeout.ms=10\nproducer.metadata.max.age.ms=60000\nproducer.metadata.recovery."
      "strategy=NONE\n"
      "producer.metadata.recovery.rebootstrap.trigger.ms=1000\nproducer.client.dns.lookup=resolve_canonical_bootstrap_"
      "servers_only\n"
      "producer.enable.metrics.push=true\nproducer.send.buffer.bytes=-1\nproducer.receive.buffer.bytes=65536\n");
  EXPECT_EQ(properties.at("client.id"), "me");
  EXPECT_EQ(properties.at("linger.ms"), "20");
  EXPECT_EQ(properties.at("batch.size"), "16384");
  EXPECT_EQ(properties.at("compression.type"), "zstd");
  EXPECT_EQ(properties.at("compression.level"), "12");
  EXPECT_EQ(properties.at("message.max.bytes"), "10000000");
  EXPECT_EQ(properties.at("request.timeout.ms"), "400000");
  EXPECT_EQ(properties.at("socket.timeout.ms"), "300000");
  EXPECT_EQ(properties.at("retry.backoff.ms"), "200");
  EXPECT_EQ(properties.at("retry.backoff.max.ms"), "2000");
  EXPECT_EQ(properties.at("reconnect.backoff.ms"), "50");
  EXPECT_EQ(properties.at("reconnect.backoff.max.ms"), "1000");
  EXPECT_EQ(properties.at("connections.max.idle.ms"), "0");
  EXPECT_EQ(properties.at("socket.connection.setup.timeout.ms"), "1000");
  EXPECT_EQ(properties.at("topic.metadata.refresh.interval.ms"), "60000");
  EXPECT_EQ(properties.at("metadata.max.age.ms"), "180000");
  EXPECT_EQ(properties.at("metadata.recovery.strategy"), "none");
  EXPECT_EQ(properties.at("metadata.recovery.rebootstrap.trigger.ms"), "1000");
  EXPECT_EQ(properties.at("client.dns.lookup"), "resolve_canonical_bootstrap_servers_only");
  EXPECT_EQ(properties.at("enable.metrics.push"), "true");
  EXPECT_EQ(properties.at("socket.send.buffer.bytes"), "0");
  EXPECT_EQ(properties.at("socket.receive.buffer.bytes"), "65536");
}

// Both ends of every number's range, as Java allows it, are something that librdkafka takes.
TEST(JavaProducer, CutsNumbersToWhatLibrdkafkaTakes) {
  for (const KeySpec& spec : Keys()) {
    if (spec.scope != Scope::kProducer || spec.type != ValueType::kNumber || spec.outcome != KeyOutcome::kHonoured)
      continue;
    for (const int64_t value : {spec.min, spec.max}) {
      SCOPED_TRACE(spec.name + "=" + std::to_string(value));
      std::string text = "producer." + spec.name + "=" + std::to_string(value) + "\n";
      if (spec.name.starts_with("compression."))
        text += "producer.compression.type=" + spec.name.substr(12, spec.name.rfind('.') - 12) + "\n";
      if (spec.name.starts_with("sasl.kerberos.")) text += "producer.security.protocol=SASL_PLAINTEXT\n";
      PropertiesOf(text);
    }
  }
}

TEST(JavaProducer, AFirstPauseAboveTheLongestHoldsForAll) {
  const auto properties = PropertiesOf(
      "producer.retry.backoff.ms=5000\nproducer.reconnect.backoff.ms=3000\nproducer.reconnect.backoff.max.ms=2000\n");
  EXPECT_EQ(properties.at("retry.backoff.max.ms"), "5000");
  EXPECT_EQ(properties.at("reconnect.backoff.max.ms"), "3000");
}

TEST(JavaProducer, ZeroBatchSizeIsOneRecordARequest) {
  const auto properties = PropertiesOf("producer.batch.size=0");
  EXPECT_EQ(properties.at("batch.num.messages"), "1");
}

TEST(JavaProducer, OverrideComesBeforeProducerAndWorker) {
  const auto loaded = LoadWith(
      "producer.bootstrap.servers=p:1\nproducer.override.bootstrap.servers=a:1, "
      "b:2\nproducer.linger.ms=1\nproducer.override.linger.ms=2\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const auto properties = Taken(loaded->config.producer);
  EXPECT_EQ(properties.at("bootstrap.servers"), "a:1,b:2");
  EXPECT_EQ(properties.at("linger.ms"), "2");
  EXPECT_EQ(FindReport(loaded->keys, "producer.linger.ms")->outcome, KeyOutcome::kMeaningless);
  EXPECT_EQ(FindReport(loaded->keys, "producer.linger.ms")->remark, "producer.override.linger.ms comes before it");
  EXPECT_EQ(FindReport(loaded->keys, "bootstrap.servers")->outcome, KeyOutcome::kMeaningless);
  EXPECT_EQ(FindReport(loaded->keys, "producer.override.linger.ms")->librdkafka, "linger.ms=2");
}

TEST(JavaProducer, ChecksServers) {
  for (const std::string servers : {"kafka", "kafka:x", ":9092", "a:1,b", "a:70000"})
    EXPECT_THAT(ErrorWith("bootstrap.servers=" + servers),
                HasSubstr("bootstrap.servers is '" + servers + "': allowed is host:port"))
        << servers;
  EXPECT_THAT(ErrorWith("bootstrap.servers="), HasSubstr("bootstrap.servers is missing"));
  EXPECT_EQ(PropertiesOf("bootstrap.servers=[::1]:9092,h.example:9093").at("bootstrap.servers"),
            "[::1]:9092,h.example:9093");
}

TEST(JavaProducer, TopicRulesSwitchTheBrokersOwnCreationOff) {
  const std::string rules = "topic.creation.default.partitions=1\ntopic.creation.default.replication.factor=1\n";
  EXPECT_EQ(PropertiesOf(rules).at("allow.auto.create.topics"), "false");
  EXPECT_EQ(PropertiesOf(rules + "topic.creation.enable=false\n").at("allow.auto.create.topics"), "true");
}

TEST(JavaProducer, BudgetIsAQuarterAboveOurs) {
  const auto properties = PropertiesOf("postrider.inflight.bytes=1048576\nproducer.max.request.size=20971520\n");
  EXPECT_EQ(properties.at("queue.buffering.max.kbytes"), std::to_string(1024 + 256 + 20480 + 1));
  EXPECT_EQ(properties.at("queue.buffering.max.messages"), std::to_string(1497 + 374 + 1));
}

TEST(JavaProducer, WeakeningKeysAreOverriddenWithOneWarning) {
  const auto loaded = LoadWith(
      "producer.acks=1\nproducer.override.enable.idempotence=false\nproducer.retries=3\nproducer.delivery.timeout.ms="
      "120000\n"
      "producer.max.in.flight.requests.per.connection=10\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(loaded->warnings.size(), 1U);
  for (const std::string_view part :
       {"producer.acks=1", "producer.override.enable.idempotence=false", "producer.retries=3",
        "producer.delivery.timeout.ms=120000", "producer.max.in.flight.requests.per.connection=10",
        "postrider.producer.as.configured=true"})
    EXPECT_THAT(loaded->warnings[0], HasSubstr(std::string(part)));
  const auto properties = Taken(loaded->config.producer);
  EXPECT_EQ(properties.at("acks"), "all");
  EXPECT_EQ(properties.at("enable.idempotence"), "true");
  EXPECT_EQ(properties.at("message.timeout.ms"), "2147483647");
  EXPECT_THAT(properties, Not(Contains(Key("retries"))));
  EXPECT_THAT(properties, Not(Contains(Key("max.in.flight.requests.per.connection"))));
  EXPECT_EQ(FindReport(loaded->keys, "producer.acks")->outcome, KeyOutcome::kMeaningless);
}

TEST(JavaProducer, HarmlessFormsOfThoseKeysAreQuiet) {
  const std::string text =
      "producer.acks=-1\nproducer.enable.idempotence=true\nproducer.retries=2147483647\n"
      "producer.delivery.timeout.ms=2147483647\nproducer.max.in.flight.requests.per.connection=1\n";
  EXPECT_THAT(WarningsWith(text), IsEmpty());
  EXPECT_EQ(PropertiesOf(text).at("max.in.flight.requests.per.connection"), "1");
}

TEST(JavaProducer, AsConfiguredObeys) {
  const auto properties = PropertiesOf(
      "postrider.producer.as.configured=true\nproducer.acks=1\nproducer.retries=3\nproducer.delivery.timeout.ms="
      "120000\n"
      "producer.max.in.flight.requests.per.connection=10\n");
  EXPECT_EQ(properties.at("acks"), "1");
  EXPECT_EQ(properties.at("enable.idempotence"), "false");
  EXPECT_EQ(properties.at("enable.gapless.guarantee"), "false");
  EXPECT_EQ(properties.at("retries"), "3");
  EXPECT_EQ(properties.at("message.timeout.ms"), "120000");
  EXPECT_EQ(properties.at("max.in.flight.requests.per.connection"), "10");
  EXPECT_THAT(WarningsWith("postrider.producer.as.configured=true\nproducer.acks=0\n"),
              HasSubstr("obeyed as configured"));
}

TEST(JavaProducer, AsConfiguredWithoutSuchKeysIsTheSame) {
  const auto properties = PropertiesOf("postrider.producer.as.configured=true");
  EXPECT_EQ(properties.at("enable.idempotence"), "true");
  EXPECT_EQ(properties.at("enable.gapless.guarantee"), "true");
  EXPECT_EQ(properties.at("acks"), "all");
}

TEST(JavaProducer, AsConfiguredRefusesWhatJavaRefuses) {
  EXPECT_THAT(ErrorWith("postrider.producer.as.configured=true\nproducer.enable.idempotence=true\nproducer.acks=1\n"),
              HasSubstr("producer.enable.idempotence is true, which needs acks=all"));
}

TEST(JavaProducer, RawPropertiesComeLastButNotOverTheGuarantee) {
  const auto properties = PropertiesOf(
      "librdkafka.linger.ms=7\nlibrdkafka.socket.keepalive.enable=true\nlibrdkafka.acks=0\nproducer.linger.ms=1\n");
  EXPECT_EQ(properties.at("linger.ms"), "7");
  EXPECT_EQ(properties.at("socket.keepalive.enable"), "true");
  EXPECT_EQ(properties.at("acks"), "all");
  EXPECT_THAT(WarningsWith("librdkafka.acks=0"), HasSubstr("librdkafka.acks is overridden"));
  EXPECT_EQ(PropertiesOf("postrider.producer.as.configured=true\nlibrdkafka.message.timeout.ms=5000")
                .at("message.timeout.ms"),
            "5000");
  EXPECT_THAT(ErrorWith("librdkafka.transactional.id=x"), HasSubstr("Postrider sets it itself"));
}

TEST(JavaProducer, Partitioners) {
  const auto ignores = [](std::string_view text) {
    const auto loaded = LoadWith(text);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return loaded->config.producer.ignore_keys;
  };
  EXPECT_FALSE(ignores("producer.partitioner.class=org.apache.kafka.clients.producer.internals.DefaultPartitioner"));
  EXPECT_TRUE(ignores("producer.partitioner.class=org.apache.kafka.clients.producer.RoundRobinPartitioner"));
  EXPECT_TRUE(ignores("producer.partitioner.ignore.keys=true"));
  EXPECT_THAT(ErrorWith("producer.partitioner.class=com.example.Mine"), HasSubstr("leave it out for Java's default"));
}

// ---- sasl ----------------------------------------------------------------------------------------------------------

constexpr std::string_view kScram =
    "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-512\n"
    "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username=\"alice\" "
    "password=\"se\\\\\"cret\";\n";

std::string WithPrefix(std::string_view prefix, std::string_view text) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    out += std::string(prefix) + std::string(text.substr(begin, end - begin + 1));
    begin = end + 1;
  }
  return out;
}

TEST(Sasl, ScramAndPlain) {
  const auto properties = PropertiesOf(WithPrefix("producer.", kScram));
  EXPECT_EQ(properties.at("security.protocol"), "SASL_PLAINTEXT");
  EXPECT_EQ(properties.at("sasl.mechanism"), "SCRAM-SHA-512");
  EXPECT_EQ(properties.at("sasl.username"), "alice");
  EXPECT_EQ(properties.at("sasl.password"), "se\"cret");
  EXPECT_EQ(PropertiesOf("producer.security.protocol=sasl_plaintext\nproducer.sasl.mechanism=PLAIN\n"
                         "producer.sasl.jaas.config=PlainLoginModule required username=\"u\" password=\"p\";\n")
                .at("sasl.password"),
            "p");
}

TEST(Sasl, PasswordsAreReadAnew) {
  const Scratch scratch;
  const std::string path = scratch.Write("s.properties", "pw=one");
  const auto loaded = LoadWith(
      "producer.security.protocol=SASL_PLAINTEXT\nproducer.sasl.mechanism=PLAIN\nproducer.sasl.jaas.config="
      "PlainLoginModule required username=\"u\" password=\"${file:" +
      path + ":pw}\";\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Taken(loaded->config.producer).at("sasl.password"), "one");
  scratch.Write("s.properties", "pw=two");
  EXPECT_EQ(Taken(loaded->config.producer).at("sasl.password"), "two");
}

TEST(Sasl, UnprefixedKeysCountWhereNoPrefixedOneIsGiven) {
  const auto loaded = LoadWith(kScram);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Taken(loaded->config.producer).at("sasl.username"), "alice");
  ASSERT_EQ(loaded->warnings.size(), 1U);
  EXPECT_THAT(
      loaded->warnings[0],
      HasSubstr("more.properties:1: security.protocol and the other keys of its kind are taken for the producer"));

  const auto prefixed = LoadWith(std::string(kScram) + "producer.override.security.protocol=PLAINTEXT\n");
  ASSERT_TRUE(prefixed.ok()) << prefixed.status();
  EXPECT_THAT(Taken(prefixed->config.producer), Not(Contains(Key("sasl.username"))));
  EXPECT_EQ(FindReport(prefixed->keys, "sasl.mechanism")->outcome, KeyOutcome::kMeaningless);
}

TEST(Sasl, NoSecretInReportWarningsOrErrors) {
  const Inspection inspection = InspectWith(WithPrefix("producer.", kScram) + "database.password=se\"cret\n");
  for (const KeyReport& key : inspection.keys)
    EXPECT_THAT(key.value + key.librdkafka + key.remark, Not(::testing::AnyOf(HasSubstr("cret"), HasSubstr("alice"))))
        << key.key;
  EXPECT_THAT(FindReport(inspection.keys, "producer.sasl.jaas.config")->librdkafka, HasSubstr("sasl.password=***"));
}

TEST(Sasl, WithoutASaslProtocolItHasNoEffect) {
  const auto loaded = LoadWith("producer.sasl.mechanism=PLAIN\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Taken(loaded->config.producer), Not(Contains(Key("sasl.mechanism"))));
  EXPECT_THAT(
      loaded->warnings,
      Contains(HasSubstr(
          "producer.sasl.mechanism has no effect, nor have others of its kind: security.protocol is PLAINTEXT")));
}

TEST(Sasl, Kerberos) {
  const auto properties = PropertiesOf(
      "producer.security.protocol=SASL_PLAINTEXT\nproducer.sasl.kerberos.min.time.before.relogin=1000\n"
      "producer.sasl.jaas.config=com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab=\"/k\" "
      "principal=\"p@R\" "
      "serviceName=\"kafka\";\n");
  EXPECT_EQ(properties.at("sasl.mechanism"), "GSSAPI");
  EXPECT_EQ(properties.at("sasl.kerberos.keytab"), "/k");
  EXPECT_EQ(properties.at("sasl.kerberos.principal"), "p@R");
  EXPECT_EQ(properties.at("sasl.kerberos.service.name"), "kafka");
  const auto cached = PropertiesOf(
      "producer.security.protocol=SASL_PLAINTEXT\nproducer.sasl.kerberos.service.name=k2\n"
      "producer.sasl.jaas.config=com.sun.security.auth.module.Krb5LoginModule required useTicketCache=true "
      "serviceName=\"kafka\";\n");
  EXPECT_EQ(cached.at("sasl.kerberos.kinit.cmd"), ":");
  EXPECT_EQ(cached.at("sasl.kerberos.service.name"), "k2");
}

constexpr std::string_view kOAuth =
    "producer.security.protocol=SASL_PLAINTEXT\nproducer.sasl.mechanism=OAUTHBEARER\n"
    "producer.sasl.oauthbearer.token.endpoint.url=https://idp/token\n"
    "producer.sasl.login.callback.handler.class=org.apache.kafka.common.security.oauthbearer."
    "OAuthBearerLoginCallbackHandler\n";

TEST(Sasl, OAuthBearer) {
  const auto properties = PropertiesOf(
      std::string(kOAuth) +
      "producer.sasl.jaas.config=OAuthBearerLoginModule required clientId=\"id\" clientSecret=\"s\" scope=\"sc\" "
      "extension_a=\"1\" extension_b=\"2\";\n");
  EXPECT_EQ(properties.at("sasl.oauthbearer.method"), "oidc");
  EXPECT_EQ(properties.at("sasl.oauthbearer.token.endpoint.url"), "https://idp/token");
  EXPECT_EQ(properties.at("sasl.oauthbearer.client.id"), "id");
  EXPECT_EQ(properties.at("sasl.oauthbearer.client.secret"), "s");
  EXPECT_EQ(properties.at("sasl.oauthbearer.scope"), "sc");
  EXPECT_EQ(properties.at("sasl.oauthbearer.extensions"), "a=1,b=2");
  EXPECT_EQ(PropertiesOf(std::string(kOAuth) + "producer.sasl.oauthbearer.client.credentials.client.id=i2\n"
                                               "producer.sasl.oauthbearer.client.credentials.client.secret=s2\n")
                .at("sasl.oauthbearer.client.secret"),
            "s2");
}

TEST(Sasl, RefusesWhatCannotLogIn) {
  const std::string plain = "producer.security.protocol=SASL_PLAINTEXT\nproducer.sasl.mechanism=PLAIN\n";
  EXPECT_THAT(ErrorWith(plain),
              HasSubstr("producer.override.sasl.jaas.config is missing: sasl.mechanism PLAIN needs PlainLoginModule"));
  EXPECT_THAT(ErrorWith(plain + "producer.sasl.jaas.config=ScramLoginModule required username=\"u\" password=\"p\";\n"),
              HasSubstr("names another module than PlainLoginModule"));
  EXPECT_THAT(ErrorWith(plain + "producer.sasl.jaas.config=PlainLoginModule required username=\"u\";\n"),
              HasSubstr("has no password"));
  EXPECT_THAT(
      ErrorWith(
          "producer.security.protocol=SASL_PLAINTEXT\nproducer.sasl.mechanism=SCRAM-SHA-256\nproducer.sasl.jaas.config="
          "ScramLoginModule required username=\"u\" password=\"p\" tokenauth=true;\n"),
      HasSubstr("delegation tokens"));
  EXPECT_THAT(ErrorWith("producer.sasl.mechanism=AWS_MSK_IAM"), HasSubstr("MSK offers SCRAM-SHA-512"));
  EXPECT_THAT(ErrorWith(std::string(kOAuth)),
              HasSubstr("client.credentials.client.id is missing, and sasl.jaas.config has no clientId"));
  EXPECT_THAT(ErrorWith("producer.security.protocol=SASL_SSL\nproducer.sasl.mechanism=OAUTHBEARER\n"),
              HasSubstr("sasl.oauthbearer.token.endpoint.url is missing"));
}

// ---- tls -----------------------------------------------------------------------------------------------------------

constexpr std::string_view kCertificate =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBdjCCAR2gAwIBAgIUWkGzMTg0ZW5kb2ZmYWtlY2VydDAKBggqhkjOPQQDAjAR\n"
    "-----END CERTIFICATE-----\n";

// What is given to librdkafka, without asking it: it would read the stores.
std::map<std::string, std::string> Given(std::string_view text) {
  const auto loaded = LoadWith(text);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  std::map<std::string, std::string> properties;
  if (!loaded.ok()) return properties;
  for (const auto& [name, secret] : loaded->config.producer.properties) properties[name] = *secret.Read();
  return properties;
}

TEST(Tls, PemStores) {
  const Scratch scratch;
  const std::string ca = scratch.Write("ca.pem", kCertificate), pair = scratch.Write("pair.pem", kCertificate);
  const auto properties =
      Given("producer.security.protocol=SSL\nproducer.ssl.truststore.type=PEM\nproducer.ssl.truststore.location=" + ca +
            "\nproducer.ssl.keystore.location=" + pair + "\nproducer.ssl.key.password=kp \n");
  EXPECT_EQ(properties.at("ssl.ca.location"), ca);
  EXPECT_EQ(properties.at("ssl.certificate.location"), pair);
  EXPECT_EQ(properties.at("ssl.key.location"), pair);
  EXPECT_EQ(properties.at("ssl.key.password"), "kp");
}

TEST(Tls, InlinePemIsMadeFitForOpenssl) {
  const auto properties = Given(
      "producer.security.protocol=SSL\nproducer.ssl.truststore.certificates=-----BEGIN CERTIFICATE----- AAAA BBBB "
      "-----END CERTIFICATE-----\n"
      "producer.ssl.keystore.certificate.chain=-----BEGIN CERTIFICATE----- \\\n AAAA \\\n -----END CERTIFICATE-----\n"
      "producer.ssl.keystore.key=-----BEGIN PRIVATE KEY----- CCCC -----END PRIVATE KEY-----\n");
  EXPECT_EQ(properties.at("ssl.ca.pem"), "-----BEGIN CERTIFICATE-----\nAAAABBBB\n-----END CERTIFICATE-----\n");
  EXPECT_EQ(properties.at("ssl.certificate.pem"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  EXPECT_EQ(properties.at("ssl.key.pem"), "-----BEGIN PRIVATE KEY-----\nCCCC\n-----END PRIVATE KEY-----\n");
}

TEST(Tls, Pkcs12IsHandedOn) {
  const Scratch scratch;
  const std::string store = scratch.Write("t.p12", "\x30\x82 store");
  const auto loaded = LoadWith("producer.security.protocol=SSL\nproducer.ssl.truststore.location=" + store +
                               "\nproducer.ssl.truststore.password=tp\nproducer.ssl.keystore.location=" + store +
                               "\nproducer.ssl.keystore.password=kp\nproducer.ssl.keystore.type=JKS\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Producer& producer = loaded->config.producer;
  ASSERT_TRUE(producer.truststore_pkcs12 && producer.keystore_pkcs12);
  EXPECT_EQ(producer.truststore_pkcs12->first, store);
  EXPECT_EQ(*producer.truststore_pkcs12->second.Read(), "tp");
  EXPECT_EQ(*producer.keystore_pkcs12->second.Read(), "kp");
  for (const auto& [name, secret] : producer.properties) EXPECT_THAT(name, Not(HasSubstr("ssl.keystore")));
}

TEST(Tls, JksIsRefusedWithTheLineThatConvertsIt) {
  const Scratch scratch;
  const std::string store = scratch.Write("t.jks", "\xFE\xED\xFE\xED store");
  EXPECT_THAT(ErrorWith("producer.security.protocol=SSL\nproducer.ssl.truststore.location=" + store),
              HasSubstr("keytool -importkeystore -srckeystore " + store + " -destkeystore " + store +
                        ".p12 -deststoretype PKCS12"));
  EXPECT_THAT(ErrorWith("producer.security.protocol=SSL\nproducer.ssl.truststore.location=" + scratch.Write("x", "?")),
              HasSubstr("neither PEM nor PKCS12"));
  EXPECT_THAT(ErrorWith("producer.security.protocol=SSL\nproducer.ssl.truststore.location=/no/such"),
              HasSubstr("this file cannot be read"));
}

TEST(Tls, HostNamesAndCiphers) {
  EXPECT_EQ(PropertiesOf("producer.security.protocol=SSL\nproducer.ssl.endpoint.identification.algorithm=\n")
                .at("ssl.endpoint.identification.algorithm"),
            "none");
  EXPECT_EQ(PropertiesOf("producer.security.protocol=SSL\nproducer.ssl.endpoint.identification.algorithm=HTTPS\n")
                .at("ssl.endpoint.identification.algorithm"),
            "https");
  EXPECT_EQ(PropertiesOf("producer.security.protocol=SSL\nproducer.ssl.cipher.suites=TLS_AES_128_GCM_SHA256, "
                         "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256\n")
                .at("ssl.cipher.suites"),
            "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256");
  EXPECT_THAT(ErrorWith("producer.security.protocol=SSL\nproducer.ssl.cipher.suites=NO_SUCH"),
              HasSubstr("OpenSSL knows no suite called 'NO_SUCH'"));
}

TEST(Tls, Protocols) {
  EXPECT_EQ(ErrorWith("producer.security.protocol=SSL\nproducer.ssl.enabled.protocols=TLSv1.2\n"), "");
  EXPECT_THAT(ErrorWith("producer.security.protocol=SSL\nproducer.ssl.enabled.protocols=TLSv1,TLSv1.1\n"),
              HasSubstr("TLSv1.2 or TLSv1.3 must be among them"));
}

TEST(Tls, OnlyOneFormOfAStore) {
  const Scratch scratch;
  EXPECT_THAT(
      ErrorWith(
          "producer.security.protocol=SSL\nproducer.ssl.truststore.certificates=x\nproducer.ssl.truststore.location=" +
          scratch.Write("ca.pem", kCertificate)),
      HasSubstr("stands beside ssl.truststore.location"));
}

}  // namespace
}  // namespace postrider::config
