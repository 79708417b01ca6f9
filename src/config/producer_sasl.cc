// sasl.*: the login of the producer, out of Java's keys and its JAAS text.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "config/jaas.h"
#include "config/java_producer.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kJaas = "sasl.jaas.config";

// The login of one producer: what is given, and where it goes.
class Sasl {
 public:
  Sasl(const JavaProducer& java, PropertyList& properties)
      : java_(java), properties_(properties), jaas_key_(java.KeyOf(kJaas)) {}

  void Make() {
    const std::string protocol = ToUpper(java_.Text("security.protocol"));
    if (java_.Given("security.protocol")) SetDirect(java_, "security.protocol", properties_);
    if (!protocol.starts_with("SASL_")) return java_.MarkUnused("sasl.", Cat("security.protocol is ", protocol));
    const std::string mechanism = ToUpper(java_.Text("sasl.mechanism"));
    SetDirect(java_, "sasl.mechanism", properties_);
    if (java_.Given(kJaas) && !ReadJaas()) return;
    if (mechanism == "GSSAPI") return SetKerberos();
    if (mechanism == "OAUTHBEARER") return SetOAuthBearer();
    SetPassword(mechanism);
  }

 private:
  Draft& draft() const { return java_.draft(); }

  // False where it was refused. An error names no part of the text.
  bool ReadJaas() {
    absl::StatusOr<JaasEntry> entry = ParseJaas(draft().Raw(jaas_key_));
    if (!entry.ok()) {
      draft().RefuseKey(jaas_key_, Cat("cannot be read: ", entry.status().message()));
      return false;
    }
    jaas_ = *std::move(entry);
    return true;
  }

  bool ModuleIs(std::string_view simple_name) const {
    std::string_view module = jaas_->module;
    return ConsumeSuffix(module, simple_name) && (module.empty() || module.ends_with("."));
  }

  void RefuseJaas(std::string_view why) { draft().RefuseKey(jaas_key_, why); }

  // Something of the JAAS text, taken from it anew at each reading.
  void SetFromJaas(std::string_view property, std::function<absl::StatusOr<std::string>(const JaasEntry&)> take) {
    const Resolve read = [take = std::move(take)](const std::string& text) -> absl::StatusOr<std::string> {
      absl::StatusOr<JaasEntry> entry = ParseJaas(text);
      if (!entry.ok()) return entry.status();
      return take(*entry);
    };
    properties_.SetSecret(property, draft().SecretOf(jaas_key_, read), jaas_key_);
  }

  void SetOption(std::string_view property, const std::string& option) {
    SetFromJaas(property, [option](const JaasEntry& entry) -> absl::StatusOr<std::string> {
      const std::string* value = entry.Find(option);
      if (value == nullptr) return absl::NotFoundError(Cat("sasl.jaas.config has no ", option));
      return *value;
    });
  }

  void SetPassword(std::string_view mechanism) {
    const std::string_view module = mechanism == "PLAIN" ? "PlainLoginModule" : "ScramLoginModule";
    if (!jaas_) {
      return draft().RefuseAll(
          Cat(jaas_key_, " is missing: sasl.mechanism ", mechanism, " needs ", module, " with username and password"));
    }
    if (!ModuleIs(module))
      return RefuseJaas(Cat("names another module than ", module, ", which sasl.mechanism ", mechanism, " needs"));
    if (const std::string* token = jaas_->Find("tokenauth"); token != nullptr && EqualsIgnoreCase(*token, "true"))
      return RefuseJaas("asks for delegation tokens (tokenauth), which librdkafka has not");
    for (const auto& [option, property] :
         {std::pair("username", "sasl.username"), std::pair("password", "sasl.password")}) {
      if (jaas_->Find(option) == nullptr) return RefuseJaas(Cat("has no ", option));
      SetOption(property, option);
    }
  }

  void SetGiven(std::string_view name) {
    if (java_.Given(name)) SetDirect(java_, name, properties_);
  }

  void SetKerberos() {
    SetGiven("sasl.kerberos.service.name");
    SetGiven("sasl.kerberos.min.time.before.relogin");
    if (jaas_ && !ModuleIs("Krb5LoginModule"))
      return RefuseJaas("names another module than Krb5LoginModule, which sasl.mechanism GSSAPI needs");
    if (jaas_ && jaas_->Find("principal") != nullptr) SetOption("sasl.kerberos.principal", "principal");
    if (jaas_ && jaas_->Find("serviceName") != nullptr && !properties_.Has("sasl.kerberos.service.name"))
      SetOption("sasl.kerberos.service.name", "serviceName");
    if (jaas_ && jaas_->Find("keyTab") != nullptr) return SetOption("sasl.kerberos.keytab", "keyTab");
    // Without a keytab someone else keeps the ticket cache fresh: librdkafka's kinit becomes the shell's command that
    // does nothing.
    properties_.Set("sasl.kerberos.kinit.cmd", ":", jaas_key_);
  }

  void SetOAuthBearer() {
    const std::string handler = java_.Text("sasl.login.callback.handler.class");
    if (!handler.empty() && !handler.ends_with("OAuthBearerLoginCallbackHandler"))
      return draft().Refuse(
          java_.KeyOf("sasl.login.callback.handler.class"),
          "not supported: Java classes cannot be loaded; tokens are fetched from sasl.oauthbearer.token.endpoint.url");
    constexpr std::string_view kUrl = "sasl.oauthbearer.token.endpoint.url";
    if (!java_.Given(kUrl))
      return draft().RefuseAll(Cat(java_.KeyOf(kUrl), " is missing: sasl.mechanism OAUTHBEARER gets its tokens there"));
    if (jaas_ && !ModuleIs("OAuthBearerLoginModule"))
      return RefuseJaas("names another module than OAuthBearerLoginModule, which sasl.mechanism OAUTHBEARER needs");
    properties_.Set("sasl.oauthbearer.method", "oidc", java_.KeyOf(kUrl));
    SetGiven(kUrl);
    SetGiven("sasl.oauthbearer.sub.claim.name");
    SetClient("sasl.oauthbearer.client.id", "sasl.oauthbearer.client.credentials.client.id", "clientId", true);
    SetClient("sasl.oauthbearer.client.secret", "sasl.oauthbearer.client.credentials.client.secret", "clientSecret",
              true);
    SetClient("sasl.oauthbearer.scope", "sasl.oauthbearer.scope", "scope", false);
    SetExtensions();
  }

  // Kafka 4.1's own key before the option of the JAAS text.
  void SetClient(std::string_view property, std::string_view name, const std::string& option, bool required) {
    if (java_.Given(name)) {
      SetDirect(java_, name, properties_);
    } else if (jaas_ && jaas_->Find(option) != nullptr) {
      SetOption(property, option);
    } else if (required) {
      draft().RefuseAll(Cat(java_.KeyOf(name), " is missing, and sasl.jaas.config has no ", option));
    }
  }

  static std::string ExtensionsOf(const JaasEntry& entry) {
    std::vector<std::string> extensions;
    for (const auto& [name, value] : entry.options) {
      std::string_view extension = name;
      if (ConsumePrefix(extension, "extension_")) extensions.push_back(Cat(extension, "=", value));
    }
    return absl::StrJoin(extensions, ",");
  }

  void SetExtensions() {
    if (!jaas_ || ExtensionsOf(*jaas_).empty()) return;
    SetFromJaas("sasl.oauthbearer.extensions",
                [](const JaasEntry& entry) -> absl::StatusOr<std::string> { return ExtensionsOf(entry); });
  }

  const JavaProducer& java_;
  PropertyList& properties_;
  const std::string jaas_key_;
  std::optional<JaasEntry> jaas_;
};

}  // namespace

void MakeSasl(const JavaProducer& java, PropertyList& properties) {
  Sasl(java, properties).Make();
}

}  // namespace postrider::config
