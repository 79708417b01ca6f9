// Rows of the key table: the Java producer's keys and the librdkafka properties behind them. Ranges are
// librdkafka 2.15's; a value outside is cut to them. Tested by tests/unit/config/keys_test.cc and
// java_producer_test.cc.
#include "config/key_table.h"

namespace postrider::config {
namespace {

void AddGuarantee(TableWriter& t) {
  t.Add(Choice("acks", {"all", "-1", "0", "1"}, "all", "overridden: all").To("acks"))
      .Add(Flag("enable.idempotence", "true", "overridden: true. Connect's own default is false")
               .To("enable.idempotence"))
      .Add(Number("retries", 0, kIntMax, "2147483647", "overridden: no limit").To("retries"))
      .Add(Number("delivery.timeout.ms", 0, kIntMax, "2147483647", "overridden: no limit").To("message.timeout.ms"))
      .Add(Number("max.in.flight.requests.per.connection", 1, kIntMax, "5", "overridden where it is above 5")
               .To("max.in.flight.requests.per.connection", 1, 1'000'000));
}

void AddSending(TableWriter& t) {
  t.Add(List("bootstrap.servers", "", "required; else the worker's bootstrap.servers").To("bootstrap.servers"))
      .Add(Text("client.id", "", "where it is absent, postrider-<slot.name>").To("client.id"))
      .Add(Number("linger.ms", 0, kLongMax, "5", "").To("linger.ms", 0, 900'000))
      .Add(Number("batch.size", 0, kIntMax, "1000000",
                  "Java's default is 16384: written so, it is honoured and limits speed. 0: one record a request")
               .To("batch.size", 1, kIntMax))
      .Add(Choice("compression.type", {"none", "gzip", "snappy", "lz4", "zstd"}, "none", "").To("compression.type"))
      .Add(Number("compression.gzip.level", -1, 9, "-1", "").To("compression.level", -1, 9))
      .Add(Number("compression.lz4.level", 1, 17, "9", "12 at the most").To("compression.level", 0, 12))
      .Add(Number("compression.zstd.level", -131072, 22, "3", "-1 to 12").To("compression.level", -1, 12))
      .Add(Number("max.request.size", 0, kIntMax, "1048576", "").To("message.max.bytes", 1000, 1'000'000'000))
      .Add(Number("request.timeout.ms", 0, kIntMax, "30000", "also socket.timeout.ms")
               .To("request.timeout.ms", 1, 900'000))
      .Add(Number("retry.backoff.ms", 0, kLongMax, "100", "").To("retry.backoff.ms", 1, 300'000))
      .Add(Number("retry.backoff.max.ms", 0, kLongMax, "1000", "").To("retry.backoff.max.ms", 1, 300'000))
      .Add(Number("reconnect.backoff.ms", 0, kLongMax, "100", "Java's default is 50")
               .To("reconnect.backoff.ms", 0, 3'600'000))
      .Add(Number("reconnect.backoff.max.ms", 0, kLongMax, "10000", "Java's default is 1000")
               .To("reconnect.backoff.max.ms", 0, 3'600'000))
      .Add(Number("connections.max.idle.ms", -1, kLongMax, "0", "0 or -1: kept")
               .To("connections.max.idle.ms", 0, kIntMax))
      .Add(Number("socket.connection.setup.timeout.ms", 0, kLongMax, "30000", "")
               .To("socket.connection.setup.timeout.ms", 1000, kIntMax))
      .Add(Number("metadata.max.age.ms", 0, kLongMax, "300000", "")
               .To("topic.metadata.refresh.interval.ms", 1, 3'600'000))
      .Add(Choice("metadata.recovery.strategy", {"rebootstrap", "none"}, "rebootstrap", "")
               .To("metadata.recovery.strategy"))
      .Add(Number("metadata.recovery.rebootstrap.trigger.ms", 0, kLongMax, "300000", "")
               .To("metadata.recovery.rebootstrap.trigger.ms", 0, kIntMax))
      .Add(Choice("client.dns.lookup", {"use_all_dns_ips", "resolve_canonical_bootstrap_servers_only"},
                  "use_all_dns_ips", "")
               .To("client.dns.lookup"))
      .Add(Flag("enable.metrics.push", "false", "Java's default is true").To("enable.metrics.push"))
      .Add(Number("send.buffer.bytes", -1, kIntMax, "-1", "-1: the system's")
               .To("socket.send.buffer.bytes", 0, 100'000'000))
      .Add(Number("receive.buffer.bytes", -1, kIntMax, "-1", "-1: the system's")
               .To("socket.receive.buffer.bytes", 0, 100'000'000))
      .Add(Text("partitioner.class", "",
                "Java's default (murmur2), RoundRobinPartitioner and UniformStickyPartitioner; no class of one's own"))
      .Add(Flag("partitioner.ignore.keys", "false", ""))
      .Meaningless("the partition of a record with a key does not depend on it",
                   {"partitioner.adaptive.partitioning.enable", "partitioner.availability.timeout.ms",
                    "partitioner.rack.aware", "client.rack"})
      .Meaningless("postrider.inflight.bytes bounds what waits, and waiting has no limit",
                   {"buffer.memory", "max.block.ms"})
      .Meaningless("librdkafka has its own",
                   {"metadata.max.idle.ms", "socket.connection.setup.timeout.max.ms", "security.providers"})
      .Meaningless("records are bytes already", {"key.serializer", "value.serializer"})
      .Meaningless("Postrider has metrics of its own",
                   {"metric.reporters", "metrics.num.samples", "metrics.recording.level", "metrics.sample.window.ms",
                    "auto.include.jmx.reporter"})
      .Refused("Java classes cannot be loaded", {"interceptor.classes"})
      .Refused("nothing is written in transactions", {"transactional.id"})
      .Meaningless("nothing is written in transactions",
                   {"transaction.timeout.ms", "transaction.two.phase.commit.enable"})
      .Meaningless("of the configuration as a whole", {"config.providers"});
}

void AddSasl(TableWriter& t) {
  t.Add(Choice("security.protocol", {"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"}, "PLAINTEXT", "")
            .To("security.protocol"))
      .Add(Choice("sasl.mechanism", {"GSSAPI", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"}, "GSSAPI", "")
               .Not("AWS_MSK_IAM", "it needs Java classes: MSK offers SCRAM-SHA-512 as well")
               .To("sasl.mechanism"))
      .Add(Raw("sasl.jaas.config", "",
               "PlainLoginModule, ScramLoginModule, Krb5LoginModule, OAuthBearerLoginModule; read anew for each "
               "producer")
               .Secret())
      .Add(Text("sasl.kerberos.service.name", "", "").To("sasl.kerberos.service.name"))
      .Add(Number("sasl.kerberos.min.time.before.relogin", 0, kLongMax, "60000", "")
               .To("sasl.kerberos.min.time.before.relogin", 0, 86'400'000))
      .Add(Text("sasl.login.callback.handler.class", "", "OAuthBearerLoginCallbackHandler; no other"))
      .Add(Text("sasl.oauthbearer.token.endpoint.url", "", "").To("sasl.oauthbearer.token.endpoint.url"))
      .Add(Text("sasl.oauthbearer.scope", "", "").To("sasl.oauthbearer.scope"))
      .Add(Text("sasl.oauthbearer.sub.claim.name", "sub", "").To("sasl.oauthbearer.sub.claim.name"))
      .Add(Text("sasl.oauthbearer.client.credentials.client.id", "", "").To("sasl.oauthbearer.client.id"))
      .Add(Raw("sasl.oauthbearer.client.credentials.client.secret", "", "")
               .To("sasl.oauthbearer.client.secret")
               .Secret())
      .Meaningless(
          "librdkafka's kinit command is another; a keytab or a ticket cache is used as it is",
          {"sasl.kerberos.kinit.cmd", "sasl.kerberos.ticket.renew.jitter", "sasl.kerberos.ticket.renew.window.factor"})
      .Meaningless(
          "librdkafka renews tokens by itself",
          {"sasl.login.connect.timeout.ms", "sasl.login.read.timeout.ms", "sasl.login.refresh.*", "sasl.login.retry.*",
           "sasl.oauthbearer.clock.skew.seconds", "sasl.oauthbearer.expected.*", "sasl.oauthbearer.header.urlencode",
           "sasl.oauthbearer.jwks.*", "sasl.oauthbearer.jwt.*", "sasl.oauthbearer.scope.claim.name"})
      .Refused("signed assertions are not supported: use client credentials", {"sasl.oauthbearer.assertion.*"})
      .Refused("Java classes cannot be loaded", {"sasl.login.class", "sasl.client.callback.handler.class"});
}

void AddTls(TableWriter& t) {
  t.Add(Text("ssl.truststore.location", "", "PEM or PKCS12; a JKS store is refused with the line that converts it"))
      .Add(Raw("ssl.truststore.password", "", "").Secret())
      .Add(Raw("ssl.truststore.certificates", "", "PEM").To("ssl.ca.pem").Secret())
      .Add(Choice("ssl.truststore.type", {"JKS", "PKCS12", "PEM"}, "JKS", "the file itself tells what it is"))
      .Add(Text("ssl.keystore.location", "", "PEM or PKCS12; a JKS store is refused with the line that converts it"))
      .Add(Raw("ssl.keystore.password", "", "").Secret())
      .Add(Raw("ssl.keystore.certificate.chain", "", "PEM").To("ssl.certificate.pem").Secret())
      .Add(Raw("ssl.keystore.key", "", "PEM").To("ssl.key.pem").Secret())
      .Add(Choice("ssl.keystore.type", {"JKS", "PKCS12", "PEM"}, "JKS", "the file itself tells what it is"))
      .Add(Raw("ssl.key.password", "", "").To("ssl.key.password").Secret())
      .Add(Text("ssl.endpoint.identification.algorithm", "https", "empty: host names are not checked")
               .To("ssl.endpoint.identification.algorithm"))
      .Add(List("ssl.enabled.protocols", "", "TLSv1.2 or TLSv1.3 must be among them; OpenSSL takes the newer one"))
      .Add(Text("ssl.protocol", "TLSv1.3", "likewise"))
      .Add(List("ssl.cipher.suites", "", "those of TLS 1.2; those of 1.3 are OpenSSL's").To("ssl.cipher.suites"))
      .Meaningless("Java's own; OpenSSL is used", {"ssl.keymanager.algorithm", "ssl.trustmanager.algorithm",
                                                   "ssl.provider", "ssl.secure.random.implementation"})
      .Meaningless("of listeners", {"ssl.client.auth"})
      .Refused("Java classes cannot be loaded", {"ssl.engine.factory.class"});
}

}  // namespace

void AddProducerKeys(std::vector<KeySpec>& table) {
  TableWriter writer(table, Section::kProducer, Scope::kProducer);
  AddGuarantee(writer);
  AddSending(writer);
  AddSasl(writer);
  AddTls(writer);
  TableWriter worker(table, Section::kProducer, Scope::kTop);
  worker.Add(List("bootstrap.servers", "", "the worker's; where the producer has none of its own"));
}

}  // namespace postrider::config
