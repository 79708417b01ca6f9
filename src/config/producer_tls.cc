// ssl.*: Java's stores and certificates for OpenSSL.
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/ssl.h>

#include "absl/strings/str_join.h"
#include "config/java_producer.h"
#include "config/pem.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr size_t kSniffBytes = 64 * 1024;
constexpr std::string_view kConverted = "a PKCS12 store: read and turned into PEM for each producer";

absl::StatusOr<std::string> Normalized(const std::string& text) {
  return NormalizePem(text);
}

// The first bytes of a file; nullopt where it cannot be read.
std::optional<std::string> ReadHead(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(kSniffBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (file.gcount() == 0) return std::nullopt;
  head.resize(static_cast<size_t>(file.gcount()));
  return head;
}

// What the store behind `name` is; nullopt where none is given or it was refused.
std::optional<StoreKind> KindOfStore(const JavaProducer& java, std::string_view name) {
  if (!java.Given(name)) return std::nullopt;
  const std::string key = java.KeyOf(name), path = java.Text(name);
  const std::optional<std::string> head = ReadHead(path);
  if (!head) {
    java.draft().Refuse(key, "this file cannot be read, or is empty");
    return std::nullopt;
  }
  const StoreKind kind = SniffStore(*head);
  if (kind == StoreKind::kJks) {
    java.draft().Refuse(
        key, Cat("a JKS store, which only Java reads. Convert it once: keytool -importkeystore -srckeystore ", path,
                 " -destkeystore ", path, ".p12 -deststoretype PKCS12, and name ", path, ".p12"));
    return std::nullopt;
  }
  if (kind == StoreKind::kUnknown) {
    java.draft().Refuse(key, "neither PEM nor PKCS12");
    return std::nullopt;
  }
  return kind;
}

void RefuseTwice(const JavaProducer& java, std::string_view location, std::string_view inline_name) {
  if (java.Given(location) && java.Given(inline_name))
    java.draft().RefuseKey(java.KeyOf(inline_name), Cat("stands beside ", location, ": only one of them may be given"));
}

void SetInlinePem(const JavaProducer& java, PropertyList& properties, std::string_view name,
                  std::string_view property) {
  if (!java.Given(name)) return;
  const std::string key = java.KeyOf(name);
  properties.SetSecret(property, java.draft().SecretOf(key, Normalized), key);
}

void MakeTruststore(const JavaProducer& java, PropertyList& properties, Producer& producer) {
  RefuseTwice(java, "ssl.truststore.location", "ssl.truststore.certificates");
  const std::string key = java.KeyOf("ssl.truststore.location");
  const std::optional<StoreKind> kind = KindOfStore(java, "ssl.truststore.location");
  if (kind == StoreKind::kPem) properties.Set("ssl.ca.location", java.draft().Text(key), key);
  if (kind == StoreKind::kPkcs12) {
    producer.truststore_pkcs12.emplace(java.draft().Text(key),
                                       java.draft().SecretOf(java.KeyOf("ssl.truststore.password"), TrimSecret));
    java.draft().SetOutcome(key, KeyOutcome::kHonoured, kConverted);
  }
  SetInlinePem(java, properties, "ssl.truststore.certificates", "ssl.ca.pem");
}

void MakeKeystore(const JavaProducer& java, PropertyList& properties, Producer& producer) {
  RefuseTwice(java, "ssl.keystore.location", "ssl.keystore.certificate.chain");
  const std::string key = java.KeyOf("ssl.keystore.location");
  const std::optional<StoreKind> kind = KindOfStore(java, "ssl.keystore.location");
  if (kind == StoreKind::kPem) {
    // Java keeps both in one file.
    properties.Set("ssl.certificate.location", java.draft().Text(key), key);
    properties.Set("ssl.key.location", java.draft().Text(key), key);
  }
  if (kind == StoreKind::kPkcs12) {
    producer.keystore_pkcs12.emplace(java.draft().Text(key),
                                     java.draft().SecretOf(java.KeyOf("ssl.keystore.password"), TrimSecret));
    java.draft().SetOutcome(key, KeyOutcome::kHonoured, kConverted);
  }
  SetInlinePem(java, properties, "ssl.keystore.certificate.chain", "ssl.certificate.pem");
  SetInlinePem(java, properties, "ssl.keystore.key", "ssl.key.pem");
  if (java.Given("ssl.key.password")) SetDirect(java, "ssl.key.password", properties);
}

// Java names suites as IANA does, OpenSSL in its own way. Those of TLS 1.3 cannot be chosen here.
void SetCiphers(const JavaProducer& java, PropertyList& properties) {
  if (!java.Given("ssl.cipher.suites")) return;
  const std::string key = java.KeyOf("ssl.cipher.suites");
  std::vector<std::string> names;
  for (const std::string& suite : java.draft().List(key)) {
    const std::string_view openssl = OPENSSL_cipher_name(suite.c_str());
    if (openssl == "(NONE)")
      return java.draft().Refuse(key, Cat("OpenSSL knows no suite called ", java.draft().Quoted(key, suite)));
    if (!openssl.starts_with("TLS_")) names.emplace_back(openssl);
  }
  if (!names.empty()) properties.Set("ssl.cipher.suites", absl::StrJoin(names, ":"), key);
}

void CheckProtocols(const JavaProducer& java) {
  for (const std::string_view name : {"ssl.enabled.protocols", "ssl.protocol"}) {
    if (!java.Given(name)) continue;
    bool modern = false;
    for (const std::string& protocol : java.draft().List(java.KeyOf(name)))
      modern = modern || protocol == "TLSv1.2" || protocol == "TLSv1.3" || protocol == "TLS";
    if (modern) {
      java.draft().SetOutcome(java.KeyOf(name), KeyOutcome::kMeaningless,
                              "OpenSSL takes the newest that both sides know");
    } else {
      java.draft().Refuse(java.KeyOf(name), "TLSv1.2 or TLSv1.3 must be among them");
    }
  }
}

}  // namespace

void MakeTls(const JavaProducer& java, PropertyList& properties, Producer& producer) {
  const std::string protocol = ToUpper(java.Text("security.protocol"));
  if (protocol != "SSL" && protocol != "SASL_SSL")
    return java.MarkUnused("ssl.", Cat("security.protocol is ", protocol));
  CheckProtocols(java);
  MakeTruststore(java, properties, producer);
  MakeKeystore(java, properties, producer);
  SetCiphers(java, properties);
  const std::string_view name = "ssl.endpoint.identification.algorithm";
  if (java.Written(name)) {
    const std::string algorithm = java.Text(name);
    properties.Set(name, algorithm.empty() ? "none" : ToLower(algorithm), java.KeyOf(name));
  }
}

}  // namespace postrider::config
